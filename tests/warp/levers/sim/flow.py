import warp as wp


@wp.kernel
def step(x: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = x[i] * 1.25 + 1.0


@wp.kernel
def settle(x: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = wp.sqrt(x[i])
