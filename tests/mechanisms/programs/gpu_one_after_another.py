"""CS-13, on a GPU: four modules that know nothing of each other are built one after another. Each has two kernels."""

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


@wp.kernel(module="app.cloth")
def cloth_stress(f: wp.array(dtype=wp.mat33)):
    f[wp.tid()] = heavy(heavy(heavy(f[wp.tid()])))


@wp.kernel(module="app.cloth")
def cloth_move(f: wp.array(dtype=wp.mat33)):
    f[wp.tid()] = heavy(f[wp.tid()]) @ heavy(wp.transpose(f[wp.tid()]))


@wp.kernel(module="app.fluid")
def fluid_stress(f: wp.array(dtype=wp.mat33)):
    f[wp.tid()] = heavy(heavy(f[wp.tid()] * 2.0)) + heavy(f[wp.tid()])


@wp.kernel(module="app.fluid")
def fluid_move(f: wp.array(dtype=wp.mat33)):
    f[wp.tid()] = heavy(f[wp.tid()]) - heavy(f[wp.tid()] * 3.0)


@wp.kernel(module="app.rigid")
def rigid_contact(f: wp.array(dtype=wp.mat33)):
    f[wp.tid()] = heavy(heavy(f[wp.tid()]) @ heavy(f[wp.tid()]))


@wp.kernel(module="app.rigid")
def rigid_move(f: wp.array(dtype=wp.mat33)):
    f[wp.tid()] = heavy(heavy(f[wp.tid()] + f[wp.tid()]))


@wp.kernel(module="app.soft")
def soft_stress(f: wp.array(dtype=wp.mat33)):
    f[wp.tid()] = heavy(f[wp.tid()] * 0.5) @ heavy(heavy(f[wp.tid()]))


@wp.kernel(module="app.soft")
def soft_move(f: wp.array(dtype=wp.mat33)):
    f[wp.tid()] = heavy(heavy(f[wp.tid()] * 7.0))


f = wp.zeros(2, dtype=wp.mat33, device="cuda:0")
for kernel in (cloth_stress, cloth_move, fluid_stress, fluid_move, rigid_contact, rigid_move, soft_stress, soft_move):
    wp.launch(kernel, dim=2, inputs=[f], device="cuda:0")
