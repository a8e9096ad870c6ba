import warp as wp


@wp.kernel
def scale(x: wp.array(dtype=float), s: float):
    i = wp.tid()
    x[i] = x[i] * s


x = wp.ones(16, dtype=float, device="cpu")
for _ in range(10):
    wp.launch(scale, dim=16, inputs=[x, 2.0], device="cpu")  # BUILD
wp.launch(scale, dim=8, inputs=[x, 2.0], device="cpu")
wp.launch(scale, dim=0, inputs=[x, 2.0], device="cpu")
print(x.numpy())
