"""CS-2: every start takes a cache folder of its own, so that no start profits from the one before."""

import tempfile

import warp as wp

wp.config.kernel_cache_dir = tempfile.mkdtemp(prefix="sim-cache-")


@wp.kernel(enable_backward=False)
def decay(x: wp.array(dtype=float)):
    x[wp.tid()] = x[wp.tid()] * wp.exp(-0.1)


x = wp.full(32, 1.0, dtype=float, device="cpu")
wp.launch(decay, dim=32, inputs=[x], device="cpu")
print(x.numpy()[0])
