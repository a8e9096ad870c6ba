"""A small program with a busy wait in the phase that KILN_INJECT names: does the phase split put it there?

The folder inject_site must be on PYTHONPATH. The waits sit inside what Warp does in each phase. The native entry
points are replaced while Warp's runtime is being made, so that whoever observes them later wraps these here.
"""

import atexit
import sys

import inject_import  # noqa: F401
import inject_wait
import warp as wp
import warp._src.codegen as codegen
import warp._src.context as context


def compile_slowly(llvm: object) -> None:
    """The native compiler: time before the header is there belongs to the header, time after it to the compile."""
    inner = llvm.wp_compile_cpp

    def compile_cpp(*given: object) -> object:
        inject_wait.wait("pch")
        result = inner(*given)
        inject_wait.wait("compile")
        return result

    llvm.wp_compile_cpp = compile_cpp


def make_device(self: object, runtime: object, *given: object, **named: object) -> None:
    """Runs inside the making of the runtime, when its libraries are open."""
    inject_wait.wait("init")
    if runtime.llvm is not None and not getattr(runtime, "slow", False):
        runtime.slow = True
        compile_slowly(runtime.llvm)
        inject_wait.before(runtime.llvm, "wp_load_obj", "load")
        inject_wait.before(runtime.llvm, "wp_lookup", "first_launch")
    device_init(self, runtime, *given, **named)


device_init = context.Device.__init__
context.Device.__init__ = make_device
inject_wait.before(context.ModuleHasher, "hash_kernel", "hashing")
inject_wait.before(context.ModuleBuilder, "codegen", "codegen")
inject_wait.before(codegen.Adjoint, "__init__", "declaration")
atexit.register(inject_wait.wait, "interpreter_exit")


@wp.kernel
def step(x: wp.array(dtype=float)):
    x[wp.tid()] = x[wp.tid()] + 1.0


x = wp.zeros(8, dtype=float, device="cpu")
wp.launch(step, dim=8, inputs=[x], device="cpu")
inject_wait.wait("program")
sys.exit(0 if x.numpy()[0] == 1.0 else 1)
