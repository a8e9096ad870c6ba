"""One step forward in time."""

import warp as wp


@wp.kernel
def semi_implicit(dt: float, f: wp.array(dtype=wp.vec3), x: wp.array(dtype=wp.vec3), v: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    v[i] = v[i] + dt * f[i]
    x[i] = x[i] + dt * v[i]


def advance(cloud, dt: float) -> None:
    wp.launch(semi_implicit, dim=cloud.count, inputs=[dt, cloud.f, cloud.x, cloud.v], device=cloud.device)
