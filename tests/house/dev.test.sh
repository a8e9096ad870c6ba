#!/bin/sh
# ./dev answers for what it offers, and CI runs exactly ./dev test.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/lib.sh"
cd "$KILN_SOURCE" || exit 1

equal "no command is help" 0 "$(status_of ./dev)"
help=$(./dev help)
for command in setup build demo test test-full asan tsan fuzz lint bench install hook clean help; do
  case $help in *"$command"*) pass "help names $command" ;; *) fail "help does not name $command" ;; esac
done
equal "an unknown command is a usage error" 2 "$(status_of ./dev tset)"
check "and is quoted" grep -q "'tset'" "$work/err"
equal "install refuses an unknown option" 1 "$(status_of ./dev install --prefx x)"
check "and quotes it" grep -q -- "'--prefx'" "$work/err"
# shellcheck disable=SC2016 # the text itself is compared
equal "CI runs ./dev test" 'cd "$(dirname "$0")/.." && exec ./dev test' "$(grep -v '^#' .ci/run)"
check "scripts may be executed" test -x dev -a -x .ci/run -a -x tools/hooks/pre-commit
if command -v shellcheck >/dev/null 2>&1; then
  check "shellcheck is content" sh tools/lint.sh shell dev .ci/run tools/hooks/pre-commit tools/lint.sh tests/lib.sh
fi
finish
