"""N-9: Warp is told to keep PTX, so the driver compiles at every load. (A driver older than Warp's toolkit refuses.)"""

import warp as wp

wp.config.cuda_output = "ptx"
wp.config.enable_backward = False


@wp.func
def heavy(a: wp.mat33):
    u = wp.mat33()
    s = wp.vec3()
    v = wp.mat33()
    wp.svd3(a, u, s, v)
    q = wp.mat33()
    r = wp.mat33()
    wp.qr3(u @ wp.diag(s) @ wp.transpose(v) + a, q, r)
    return wp.inverse(q @ r) + wp.outer(s, s)


@wp.kernel
def solve(f: wp.array(dtype=wp.mat33)):
    a = heavy(f[wp.tid()])
    b = heavy(a @ f[wp.tid()])
    f[wp.tid()] = heavy(heavy(b + a) @ heavy(a - b))


f = wp.zeros(64, dtype=wp.mat33, device="cuda:0")
wp.launch(solve, dim=64, inputs=[f], device="cuda:0")
wp.synchronize()
