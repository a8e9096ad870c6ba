"""Runs an example of the installed Warp package as its user would: released.py MODULE [ARGUMENTS].

Launches are counted where Warp enters a native kernel on the CPU, because the example is not ours to edit.
"""

import runpy
import sys

import truth
import warp._src.context as context


def counted(name: str) -> None:
    inner = getattr(context, name, None)
    if inner is None:
        return

    def entered(kernel, hooks, params, *rest, **named):
        truth.add()
        return inner(kernel, hooks, params, *rest, **named)

    setattr(context, name, entered)


counted("invoke")
counted("invoke_cpu_blocks")
del sys.argv[0]
try:
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
finally:
    truth.write()
