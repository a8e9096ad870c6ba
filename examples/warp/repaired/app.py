"""A cloud of particles falls on a floor and is blown aside. Runs on the CPU; needs warp-lang and NumPy only.

    python examples/warp/app.py [--steps N] [--device NAME]
"""

import argparse

import forces
import integrate
import particles
import warp as wp


def simulate(steps: int, device: str) -> None:
    dt = 1.0 / 240.0
    cloud = particles.Cloud(4096, device)
    floor = False
    for step in range(steps):
        floor = floor or cloud.lowest() < 0.05
        wind = step >= steps * 3 // 4
        forces.apply(cloud, step * dt, floor, wind)
        integrate.advance(cloud, dt)
        if (step + 1) % (steps // 4) == 0:
            mean = cloud.x.numpy().mean(axis=0)
            print(f"step {step + 1}: mean x {mean[0]:+.3f}, height {mean[1]:.3f}, kinetic {cloud.kinetic():.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=240, help="steps of 1/240 s, a multiple of 4 (default 240)")
    parser.add_argument("--device", default="cpu", help="a Warp device (default cpu)")
    arguments = parser.parse_args()
    if arguments.steps < 4 or arguments.steps % 4:
        parser.error(f"--steps {arguments.steps}: give a positive multiple of 4")
    wp.config.log_level = wp.LOG_WARNING
    simulate(arguments.steps, arguments.device)


if __name__ == "__main__":
    main()
