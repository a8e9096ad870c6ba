#!/bin/sh
# A command finds the descriptors that its caller opened for it, as in a plain run, and none of kiln's; a compiler that the runtime
# starts finds none of them.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/cli/cache_lib.sh"
once="--quiet --warmup 0 --samples 1"
echo content >"$work/file"

exec 7<"$work/file" 9>"$work/written"
# shellcheck disable=SC2016,SC2086 # expanded by the command; $once is words
{
  equal "the command reads a descriptor of its caller" 0 "$(status_of "$kiln" measure $once -- sh -c 'cat <&7 >&9; echo "$KILN_SANDBOX" >&9')"
  equal "all of it" content "$(head -n 1 "$work/written")"
  equal "and writes to one, in both runs" 2 "$(grep -c "^$sandboxes/" "$work/written")"
}
# The numbers 0 to 99, asked for one by one: a list would show the descriptor of the folder.
cat >"$work/list" <<'LIST'
i=0
while [ $i -lt 100 ]; do
  if [ -e /proc/$$/fd/$i ]; then printf '%d ' $i; fi
  i=$((i + 1))
done >"$1"
LIST
sh "$work/list" "$work/plain"
# shellcheck disable=SC2086
equal "listing them" 0 "$(status_of "$kiln" measure $once -- sh "$work/list" "$work/measured")"
equal "they are those of a plain run" "$(cat "$work/plain")" "$(cat "$work/measured")"

spec answer answer 'return 42;'
cat >"$work/compiler" <<'COMPILER'
#!/bin/sh
sh "$(dirname "$0")/list" "$(dirname "$0")/compiler.seen"
exec cc "$@"
COMPILER
chmod 700 "$work/compiler"
equal "a compiler of the runtime" 0 "$(KILN_CC=$work/compiler status_of "$kiln" cache build "$work/answer.json")"
check "was started" test -s "$work/compiler.seen"
# The shell itself holds its script open, under a number from 10 on.
equal "with the standard streams only" "0 1 2" "$(tr ' ' '\n' <"$work/compiler.seen" | awk '$1 < 10' | xargs)"
exec 7<&- 9>&-
finish
