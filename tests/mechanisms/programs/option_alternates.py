"""CS-3 and N-5: an option goes back and forth between frames, and each change loads the module anew."""

import warp as wp

wp.set_module_options({"enable_backward": False})


@wp.kernel
def frame(x: wp.array(dtype=float)):
    x[wp.tid()] = wp.sqrt(x[wp.tid()] + 1.0)


x = wp.zeros(8, dtype=float, device="cpu")
for number in range(7):
    wp.set_module_options({"fast_math": number % 2 == 1})
    wp.launch(frame, dim=8, inputs=[x], device="cpu")
print(x.numpy()[0])
