import warp as wp

wp.config.quiet = True
wp.config.use_precompiled_headers = False


@wp.kernel
def add_one(x: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = x[i] + 1.0


with wp.ScopedDevice("cpu"):
    x = wp.zeros(16, dtype=float)
    wp.launch(add_one, dim=16, inputs=[x])
    assert x.numpy()[3] == 1.0
