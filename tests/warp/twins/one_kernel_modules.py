"""CS-4 repaired: what runs in every frame is one module."""

import warp as wp

wp.config.enable_backward = False


@wp.kernel(module="sim")
def gravity(v: wp.array(dtype=wp.vec3)):
    v[wp.tid()] = v[wp.tid()] + wp.vec3(0.0, -0.1, 0.0)


@wp.kernel(module="sim")
def drag(v: wp.array(dtype=wp.vec3)):
    v[wp.tid()] = v[wp.tid()] * 0.99


@wp.kernel(module="sim")
def move(x: wp.array(dtype=wp.vec3), v: wp.array(dtype=wp.vec3)):
    x[wp.tid()] = x[wp.tid()] + v[wp.tid()] * 0.01


@wp.kernel(module="sim")
def floor(x: wp.array(dtype=wp.vec3)):
    p = x[wp.tid()]
    x[wp.tid()] = wp.vec3(p[0], wp.max(p[1], 0.0), p[2])


@wp.kernel(module="sim")
def bounds(x: wp.array(dtype=wp.vec3), out: wp.array(dtype=wp.vec3)):
    wp.atomic_max(out, 0, x[wp.tid()])


x = wp.zeros(8, dtype=wp.vec3, device="cpu")
v = wp.zeros(8, dtype=wp.vec3, device="cpu")
out = wp.zeros(1, dtype=wp.vec3, device="cpu")
for kernel, inputs in ((gravity, [v]), (drag, [v]), (move, [x, v]), (floor, [x]), (bounds, [x, out])):
    wp.launch(kernel, dim=8, inputs=inputs, device="cpu")
print(out.numpy()[0])
