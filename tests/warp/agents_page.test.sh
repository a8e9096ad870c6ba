#!/bin/sh
# Every command of docs/agents is run, in the order of the pages, in a copy of examples/warp.
#
# In ./dev test with one sample, one pair and, for `try`, a program that compiles nothing. Under KILN_FULL=1 with as many
# samples as written, 11 pairs, and one lever.
# shellcheck source=tests/lib.sh
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/lib.sh"
need_tool jq awk
need_kiln
need_warp
need_x86_64
export PYTHONDONTWRITEBYTECODE=1
mkdir "$work/bin" "$work/cache" "$work/home"
# Whatever else runs on this machine may write into the caches of this user's home while a sample is made.
unset XDG_CACHE_HOME
export HOME="$work/home"
cp -r "$KILN_SOURCE/examples/warp" "$work/program"
# `apply` keeps what it builds: not in this user's folder. WARP_CACHE_PATH: nor does the program itself.
export KILN_CACHE_DIR="$work/cache/kiln" WARP_CACHE_PATH="$work/cache/warp"
cat >"$work/bin/kiln" <<EOF
#!/bin/sh
command=\$1
shift
if [ "\${KILN_FULL:-0}" = 1 ]; then
  case "\$command \$* " in
    measure*' --arm '*) exec '$kiln' measure --max-pairs 11 "\$@" ;;
    try*) exec '$kiln' try --samples 1 --max-pairs 11 --lever enable_backward "\$@" ;;
  esac
  exec '$kiln' "\$command" "\$@"
fi
case \$command in
  measure)
    case " \$* " in
      *' --arm '*) exec '$kiln' measure --warmup 0 --max-pairs 1 "\$@" ;;
    esac
    exec '$kiln' measure --warmup 0 --samples 1 "\$@" ;;
  diagnose)
    case " \$* " in
      *' -- '*) exec '$kiln' diagnose --warmup 0 --samples 1 "\$@" ;;
    esac ;;
  gate) exec '$kiln' gate --warmup 0 --samples 1 "\$@" ;;
  try)
    options=''
    for word; do
      [ "\$word" = -- ] && break
      options="\$options \$word"
    done
    exec '$kiln' try --samples 1 \$options -- true ;;
esac
exec '$kiln' "\$command" "\$@"
EOF
chmod +x "$work/bin/kiln"
PATH=$work/bin:$(dirname "$python"):$PATH # its "python" is the one with Warp
cd "$work/program" || exit 1

# commands FILE: the lines of its sh blocks, one command a line; a line that ends in a backslash goes on.
commands() {
  awk '/^```sh$/ { inside = 1; next } /^```/ { inside = 0 } inside && !/^ *#/ && NF {
    if (sub(/\\$/, "")) { held = held $0; next } print held $0; held = "" }' "$1"
}

ran=0
for page in README investigation report; do
  commands "$KILN_SOURCE/docs/agents/$page.md" >"$work/commands"
  while IFS= read -r line; do
    rc=0
    sh -c "$line" >"$work/out" 2>"$work/err" </dev/null || rc=$?
    ran=$((ran + 1))
    # What a verdict, a gate or the doctor says may be no (1) or not decided (3); the page says so.
    case $rc:$line in
      0:* | 1:kiln\ doctor* | [13]:kiln\ compare* | 1:kiln\ try*) pass "$line" ;;
      *)
        fail "exit code $rc: $line"
        sed 's/^/   /' "$work/err" | tail -n 5
        ;;
    esac
    case $line in
      *not_reached*) ;; # nothing is good news
      jq\ *) check "  and it says something" test -s "$work/out" ;;
    esac
  done <"$work/commands"
done
check "there are commands" test "$ran" -ge 18
for file in before.json before.html diagnosis.json diagnosis.html both.json after.json ledger.json; do
  check "$file was written" test -s "$file"
done
for command in doctor measure diagnose compare report try apply gate; do
  check "the course has kiln $command" grep -q "^kiln $command" "$KILN_SOURCE/docs/agents/investigation.md"
done
finish
