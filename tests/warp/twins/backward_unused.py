"""CS-10 repaired: nothing is differentiated, and the application says so before it declares kernels."""

import warp as wp

wp.config.enable_backward = False


@wp.func
def solve(a: wp.mat33):
    u = wp.mat33()
    s = wp.vec3()
    v = wp.mat33()
    wp.svd3(a, u, s, v)
    q = wp.mat33()
    r = wp.mat33()
    wp.qr3(u @ wp.diag(s) @ wp.transpose(v) + a, q, r)
    return wp.inverse(q @ r) + wp.outer(s, s)


@wp.kernel
def stress(f: wp.array(dtype=wp.mat33), out: wp.array(dtype=wp.mat33)):
    i = wp.tid()
    m = f[i]
    a = solve(m)
    b = solve(a + m)
    c = solve(b @ a)
    d = solve(c - a)
    e = wp.inverse(wp.mat44(a[0, 0], a[0, 1], a[0, 2], 1.0, b[0, 0], b[0, 1], b[0, 2], 1.0, c[0, 0], c[0, 1], c[0, 2],
                            1.0, d[0, 0], d[0, 1], d[0, 2], 1.0))
    out[i] = a + b + c + d * e[0, 0] * wp.determinant(e)


@wp.kernel
def pressure(f: wp.array(dtype=wp.mat33), out: wp.array(dtype=wp.mat33)):
    i = wp.tid()
    m = solve(solve(f[i]) @ f[i])
    q = wp.quat_from_matrix(m)
    t = wp.transform(wp.vec3(m[0, 0], m[1, 1], m[2, 2]), q)
    p = wp.transform_point(wp.transform_inverse(t), wp.vec3(1.0, 2.0, 3.0))
    out[i] = wp.outer(p, wp.quat_rotate(q, p)) + solve(m)


f = wp.zeros(4, dtype=wp.mat33, device="cpu")
out = wp.zeros(4, dtype=wp.mat33, device="cpu")
wp.launch(stress, dim=4, inputs=[f, out], device="cpu")
wp.launch(pressure, dim=4, inputs=[f, out], device="cpu")
