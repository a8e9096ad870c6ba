"""What acts on the particles. Floor and wind are optional; a scene that never meets them should not pay for them."""

import functools

import warp as wp


@wp.kernel
def gravity(g: float, f: wp.array(dtype=wp.vec3)):
    f[wp.tid()] = wp.vec3(0.0, -g, 0.0)


@functools.cache
def floor_kernel():
    """Made when the first particle comes near the floor."""

    @wp.kernel
    def push_up(stiffness: float, damping: float, x: wp.array(dtype=wp.vec3), v: wp.array(dtype=wp.vec3),
                f: wp.array(dtype=wp.vec3)):
        i = wp.tid()
        depth = -x[i][1]
        if depth > 0.0:
            f[i] = f[i] + wp.vec3(0.0, stiffness * depth - damping * v[i][1], 0.0)

    return push_up


@functools.cache
def wind_kernel():
    """Made when the wind first blows."""

    @wp.kernel
    def blow(strength: float, time: float, x: wp.array(dtype=wp.vec3), f: wp.array(dtype=wp.vec3)):
        i = wp.tid()
        gust = 1.0 + 0.5 * wp.sin(3.0 * time + x[i][2])
        f[i] = f[i] + wp.vec3(strength * gust, 0.0, 0.0)

    return blow


# Declared before the first launch: a kernel that joins a loaded module makes the whole module build again.
floor_kernel()
wind_kernel()


def apply(cloud, time: float, floor: bool, wind: bool) -> None:
    """Sum all forces into cloud.f."""
    wp.launch(gravity, dim=cloud.count, inputs=[9.81, cloud.f], device=cloud.device)
    if floor:
        inputs = [4000.0, 8.0, cloud.x, cloud.v, cloud.f]
        wp.launch(floor_kernel(), dim=cloud.count, inputs=inputs, device=cloud.device)
    if wind:
        wp.launch(wind_kernel(), dim=cloud.count, inputs=[2.0, time, cloud.x, cloud.f], device=cloud.device)
