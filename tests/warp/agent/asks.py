"""What rules look at beside the work: a factory, a mapped expression, a preload, a tape, a capture, an unrolled loop."""
import warp as wp


def make(n):
    @wp.kernel(module="unique")  # DECLARED
    def scale(x: wp.array(dtype=float)):
        x[wp.tid()] = x[wp.tid()] * float(n)

    return scale


@wp.kernel
def unrolled(x: wp.array(dtype=float)):
    i = wp.tid()
    s = float(0.0)
    for j in range(4):
        for k in range(3):
            s += wp.sin(x[i] + float(j * k))
    x[i] = s


x = wp.zeros(4, dtype=float, device="cpu", requires_grad=True)
for n in (2, 3):
    wp.launch(make(n), dim=4, inputs=[x], device="cpu")  # MADE
wp.map(lambda a: a * 2.0, x)  # MAPPED
wp.force_load(device="cpu", modules=[wp.get_module("__main__")], max_workers=1)  # PRELOAD
with wp.Tape() as tape:  # TAPE
    wp.launch(unrolled, dim=4, inputs=[x], device="cpu")
with wp.ScopedCapture(device="cpu", force_module_load=False):  # CAPTURE
    wp.launch(make(5), dim=4, inputs=[x], device="cpu")  # INSIDE
