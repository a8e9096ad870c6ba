"""CS-2: "to be safe", the cache is cleared at start."""

import warp as wp

wp.init()
wp.clear_kernel_cache()


@wp.kernel(enable_backward=False)
def count(hits: wp.array(dtype=int)):
    wp.atomic_add(hits, 0, 1)


hits = wp.zeros(1, dtype=int, device="cpu")
wp.launch(count, dim=10, inputs=[hits], device="cpu")
print(hits.numpy()[0])
