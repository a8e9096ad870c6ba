#!/bin/sh
# The program's own errors come out as without kiln, and a hook that fails is nobody's problem.
# shellcheck disable=SC2016 # jq's own variables
# shellcheck source=tests/lib.sh
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/lib.sh"
need_tool jq
need_warp
# shellcheck source=tests/warp/agent.sh
. "$KILN_SOURCE/tests/warp/agent.sh"

bare "$python" "$programs/fails.py"
observed "$python" "$programs/fails.py"
equal "the exit status is the same" "$bare_rc" "$observed_rc"
check "it is a failure" test "$bare_rc" -ne 0
check "there is something to compare" grep -q Traceback "$work/bare.err"
check "tracebacks and warnings are the same" cmp -s "$work/err" "$work/bare.err"
equal "standard output is the same" "$(untimed "$work/bare.out")" "$(untimed "$work/out")"
events_say "no hook failed" 'all(.ev != "error")'
events_say "the failed build is told" 'any(.step == "module" and .result == "failed")'

# A hook that raises: the program gives the class a kernel list that the adapter cannot read.
check "a hook that raises leaves the program alone" observed "$python" -c "
import sys; sys.path.insert(0, '$programs')
import common
c = sys.modules.get('warp._src.context') or sys.modules['warp.context']
class Odd:
    def items(self): raise RuntimeError('odd')
name = 'get_hash' if hasattr(c.ModuleHasher, 'get_hash') else 'get_module_hash'
original = getattr(c.ModuleHasher, name)
setattr(c.ModuleHasher, name, lambda self: setattr(self, 'unique_kernels', Odd()) or original(self))
c.ModuleHasher.get_unique_kernels = lambda self: []
try:
    common.go(1)
except Exception as e:
    print(type(e).__name__)
print('after')"
equal "it came to its end" after "$(tail -n 1 "$work/out")"
events_say "the failure of the hook is told" 'any(.ev == "error" and .message == "odd")'

for options in '' '-I' '-S' '-I -S' '-X dev' '-W error'; do
  # shellcheck disable=SC2086 # several words
  check "python $options -c pass" observed "$python" $options -c 'import json'
  events_say "python $options: start, boot, main, exit, end" '[.[] | select(.ev == "process" or .ev == "mark") |
    .what // .name] == ["start", "boot", "main", "exit", "end"]'
done
check "sys.modules is as without kiln" observed "$python" -S -c 'import sys; print(sorted(sys.modules))'
bare "$python" -S -c 'import sys; print(sorted(sys.modules))'
check "(compared)" cmp -s "$work/out" "$work/bare.out"
observed sh -c 'echo a | cat; none_of_this_name; exit 5'
equal "a shell, a pipe, a missing program: the status is theirs" 5 "$observed_rc"
check "without KILN_EVENTS nothing is written" sh -c "cd '$work' && mkdir quiet && cd quiet && LD_PRELOAD='$preload' \
  '$python' -c pass && test -z \"\$(ls -A)\""
finish
