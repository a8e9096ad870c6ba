#!/bin/sh
# Completion scripts are made from the command table: complete, and without syntax errors where the shell is there.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/cli/lib.sh"

for shell in bash zsh fish; do
  equal "$shell" 0 "$(status_of "$kiln" completion "$shell")"
  cp "$work/out" "$work/$shell"
  for word in measure compare gate no-build-when-warm record report doctor until-port version completion samples ignore-failure json cache explain young; do
    check "$shell knows $word" grep -q -e "$word" "$work/$shell"
  done
  if command -v "$shell" >/dev/null 2>&1; then check "$shell reads it" "$shell" -n "$work/$shell"; fi
done
if command -v bash >/dev/null 2>&1; then
  # shellcheck disable=SC2016 # for bash
  complete='. "$1"; COMP_WORDS=(kiln $2); COMP_CWORD=$3; _kiln; echo "${COMPREPLY[*]}"'
  equal "bash completes a command" "measure" "$(bash -c "$complete" bash "$work/bash" me 1)"
  equal "an option" "--samples" "$(bash -c "$complete" bash "$work/bash" "measure --sam" 2)"
  equal "a value" "auto always" "$(bash -c "$complete" bash "$work/bash" "measure --color a" 3)"
  equal "a group" "cache" "$(bash -c "$complete" bash "$work/bash" ca 1)"
  equal "a command of a group" "explain" "$(bash -c "$complete" bash "$work/bash" "cache ex" 2)"
  equal "its option" "--limit" "$(bash -c "$complete" bash "$work/bash" "cache gc --li" 3)"
  equal "another group" "bench" "$(bash -c "$complete" bash "$work/bash" "op be" 2)"
  equal "its command's option" "--matrix" "$(bash -c "$complete" bash "$work/bash" "op run --mat" 3)"
  equal "another's is not offered" "" "$(bash -c "$complete" bash "$work/bash" "cache ls --li" 3)"
  equal "help knows the commands" "measure" "$(bash -c "$complete" bash "$work/bash" "help me" 2)"
  equal "and the groups" "cache" "$(bash -c "$complete" bash "$work/bash" "help ca" 2)"
  equal "a command to measure" "printf" "$(bash -c "$complete" bash "$work/bash" "measure -- printf" 3 | tr ' ' '\n' | sort -u | head -n 1)"
  equal "a shell" "zsh" "$(bash -c "$complete" bash "$work/bash" "completion z" 2)"
fi
equal "another shell is a usage error" 2 "$(status_of "$kiln" completion csh)"
check "and quoted" said "'csh'"
finish
