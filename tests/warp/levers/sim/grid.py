import warp as wp


@wp.kernel
def fill(x: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = float(i) * 0.5
