"""Three modules of equal cost, one kernel each. The first build of a process also makes the precompiled header,
so by the clock it looks many times dearer than its equals.

Truth: 3 builds of 3 modules, one header. Nothing to find; the header must not be billed to the first module.
"""

import truth
import warp as wp


def make(name: str, value: float) -> wp.Kernel:
    def body(x: wp.array(dtype=float)):
        i = wp.tid()
        x[i] = wp.sin(x[i]) + wp.static(value)

    body.__name__ = body.__qualname__ = name
    return wp.kernel(body, module="unique")


x = wp.zeros(8, dtype=float, device="cpu")
for name, value in (("alpha", 1.0), ("beta", 2.0), ("gamma", 3.0)):
    kernel = make(name, value)
    wp.launch(kernel, dim=8, inputs=[x], device="cpu")
    truth.add()
truth.write()
