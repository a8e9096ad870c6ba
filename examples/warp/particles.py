"""The cloud of particles: where they start, and what is measured about them."""

import warp as wp


@wp.kernel
def scatter(seed: int, origin: wp.vec3, size: float, x: wp.array(dtype=wp.vec3), v: wp.array(dtype=wp.vec3)):
    """Random places in a cube, small random velocities."""
    i = wp.tid()
    state = wp.rand_init(seed, i)
    x[i] = origin + size * wp.vec3(wp.randf(state), wp.randf(state), wp.randf(state))
    v[i] = wp.vec3(wp.randf(state) - 0.5, 0.0, wp.randf(state) - 0.5)


@wp.kernel
def energy(v: wp.array(dtype=wp.vec3), out: wp.array(dtype=float)):
    """Kinetic energy of each particle, mass 1."""
    i = wp.tid()
    out[i] = 0.5 * wp.dot(v[i], v[i])


class Cloud:
    """Places, velocities and forces of `count` particles."""

    def __init__(self, count: int, device: str):
        self.count = count
        self.device = device
        self.x = wp.zeros(count, dtype=wp.vec3, device=device)
        self.v = wp.zeros(count, dtype=wp.vec3, device=device)
        self.f = wp.zeros(count, dtype=wp.vec3, device=device)
        self.e = wp.zeros(count, dtype=float, device=device)
        inputs = [7, wp.vec3(-0.5, 1.0, -0.5), 1.0, self.x, self.v]
        wp.launch(scatter, dim=count, inputs=inputs, device=device)

    def kinetic(self) -> float:
        wp.launch(energy, dim=self.count, inputs=[self.v, self.e], device=self.device)
        return float(self.e.numpy().sum())

    def lowest(self) -> float:
        return float(self.x.numpy()[:, 1].min())
