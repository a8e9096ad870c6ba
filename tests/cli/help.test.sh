#!/bin/sh
# Help and version, word for word: *.expected. KILN_UPDATE=1 writes them anew.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/cli/lib.sh"
unset COLUMNS
# shellcheck disable=SC2317 # called by check
same_as() {
  if [ "${KILN_UPDATE:-0}" = 1 ]; then cp "$work/out" "$KILN_SOURCE/tests/cli/$1.expected"; fi
  diff -u "$KILN_SOURCE/tests/cli/$1.expected" "$work/out"
}

equal "kiln help" 0 "$(status_of "$kiln" help)"
check "is as expected" same_as help
for spelling in --help -h; do
  equal "kiln $spelling" 0 "$(status_of "$kiln" "$spelling")"
  check "is the same" same_as help
done
for command in measure compare diagnose try apply gate record report doctor version completion; do
  equal "kiln $command --help" 0 "$(status_of "$kiln" "$command" --help)"
  check "is as expected" same_as "help_$command"
  equal "kiln help $command" 0 "$(status_of "$kiln" help "$command")"
  check "is the same" same_as "help_$command"
done
equal "kiln cache --help" 0 "$(status_of "$kiln" cache --help)"
check "is as expected" same_as help_cache
equal "kiln help cache" 0 "$(status_of "$kiln" help cache)"
check "is the same" same_as help_cache
for command in build prewarm ls show explain verify gc clear stats; do
  equal "kiln cache $command --help" 0 "$(status_of "$kiln" cache "$command" --help)"
  check "is as expected" same_as "help_cache_$command"
  equal "kiln help cache $command" 0 "$(status_of "$kiln" help cache "$command")"
  check "is the same" same_as "help_cache_$command"
done
equal "kiln op --help" 0 "$(status_of "$kiln" op --help)"
check "is as expected" same_as help_op
for command in list show run bench check new; do
  equal "kiln op $command --help" 0 "$(status_of "$kiln" op "$command" --help)"
  check "is as expected" same_as "help_op_$command"
done
# shellcheck disable=SC2317 # called by check
narrow() {
  [ "$(awk '/^Examples:/ { exit } length($0) > 60' "$work/out")" = "" ]
}
for page in help "measure --help" "help cache"; do
  # shellcheck disable=SC2086 # words
  equal "kiln $page in a narrow terminal" 0 "$(COLUMNS=60 status_of "$kiln" $page)"
  check "fits" narrow
done
equal "nothing runs with --help" 0 "$(status_of "$kiln" measure --samples 1 -h -- touch "$work/touched")"
check "really" test ! -e "$work/touched"
equal "--help behind -- belongs to the command" 0 "$(status_of "$kiln" measure --warmup 0 --samples 1 --quiet -- echo --help)"

version=$(cat "$KILN_SOURCE/VERSION")
equal "kiln version" 0 "$(status_of "$kiln" version)"
equal "is the file VERSION" "kiln $version" "$(cat "$work/out")"
equal "kiln --version" 0 "$(status_of "$kiln" --version)"
equal "is the same" "kiln $version" "$(cat "$work/out")"
equal "kiln version --json" 0 "$(status_of "$kiln" version --json)"
equal "has the version" "$version" "$(json "$work/out" .version)"
finish
