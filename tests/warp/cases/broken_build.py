"""A build fails in the native compiler and the program goes on without it, with exit status 0.

Truth: 1 module fails to build, another is built; 1 load, 1 launch. The failure must not be counted as a build.
"""

import truth
import warp as wp


@wp.func_native("this is no C++;")
def nonsense(value: float) -> float: ...


@wp.kernel(module="unique")
def broken(x: wp.array(dtype=float)):
    x[wp.tid()] = nonsense(x[wp.tid()])


@wp.kernel(module="unique")
def sound(x: wp.array(dtype=float)):
    x[wp.tid()] = 1.0


x = wp.zeros(8, dtype=float, device="cpu")
try:
    wp.launch(broken, dim=8, inputs=[x], device="cpu")
    raise SystemExit("the broken kernel was built")
except Exception as error:
    print("refused:", type(error).__name__)
wp.launch(sound, dim=8, inputs=[x], device="cpu")
truth.add()
truth.write()
