"""Newton: a box, a ball and the ground, XPBD, two steps on the CPU (needs the newton package).

Truth: 9 modules, each built once; most of the compile time is one module (the XPBD kernels).
"""

import newton
import truth
import warp as wp
import warp._src.context as context


def counted(name: str) -> None:
    inner = getattr(context, name, None)
    if inner is None:
        return

    def entered(*given, **named):
        truth.add()
        return inner(*given, **named)

    setattr(context, name, entered)


counted("invoke")
counted("invoke_cpu_blocks")
with wp.ScopedDevice("cpu"):
    builder = newton.ModelBuilder()
    box = builder.add_body(xform=wp.transform((0.0, 0.0, 1.0), wp.quat_identity()))
    builder.add_shape_box(box, hx=0.25, hy=0.25, hz=0.25)
    ball = builder.add_body(xform=wp.transform((0.6, 0.0, 1.6), wp.quat_identity()))
    builder.add_shape_sphere(ball, radius=0.25)
    builder.add_ground_plane()
    model = builder.finalize()
    solver = newton.solvers.SolverXPBD(model, iterations=2)
    now, then, control = model.state(), model.state(), model.control()
    pipeline = newton.CollisionPipeline(model)
    contacts = pipeline.contacts()
    for _ in range(2):
        now.clear_forces()
        pipeline.collide(now, contacts)
        solver.step(now, then, control, contacts, 1.0 / 60.0)
        now, then = then, now
    wp.synchronize()
truth.write()
