"""Clean: three modules, of which one is nearly all of the cost, with many kernels of a reasonable size each."""

import warp as wp

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


@wp.kernel(module="solver")
def predict(f: wp.array(dtype=wp.mat33)):
    f[wp.tid()] = heavy(heavy(f[wp.tid()] * 2.0)) + heavy(f[wp.tid()])


@wp.kernel(module="solver")
def project(f: wp.array(dtype=wp.mat33)):
    f[wp.tid()] = heavy(f[wp.tid()]) @ heavy(wp.transpose(f[wp.tid()]))


@wp.kernel(module="solver")
def correct(f: wp.array(dtype=wp.mat33)):
    f[wp.tid()] = heavy(f[wp.tid()]) - heavy(f[wp.tid()] * 3.0)


@wp.kernel(module="solver")
def collide(f: wp.array(dtype=wp.mat33)):
    f[wp.tid()] = heavy(f[wp.tid()] * 0.5) @ heavy(heavy(f[wp.tid()]))


@wp.kernel(module="input")
def read(f: wp.array(dtype=wp.mat33)):
    f[wp.tid()] = wp.identity(n=3, dtype=float)


@wp.kernel(module="output")
def show(f: wp.array(dtype=wp.mat33), out: wp.array(dtype=float)):
    out[wp.tid()] = wp.trace(f[wp.tid()])


f = wp.zeros(2, dtype=wp.mat33, device="cpu")
out = wp.zeros(2, dtype=float, device="cpu")
wp.launch(read, dim=2, inputs=[f], device="cpu")
for kernel in (predict, project, correct, collide):
    wp.launch(kernel, dim=2, inputs=[f], device="cpu")
wp.launch(show, dim=2, inputs=[f, out], device="cpu")
