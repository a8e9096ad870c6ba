import warp as wp


@wp.kernel
def warm(x: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = x[i] + wp.sin(x[i])
