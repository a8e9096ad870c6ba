"""A gradient through both modules: backward code is needed here, and nothing but its result tells."""

import forces
import moves
import warp as wp

x = wp.array([float(i) for i in range(8)], dtype=float, device="cpu", requires_grad=True)
f = wp.zeros(8, dtype=float, device="cpu", requires_grad=True)
out = wp.zeros(1, dtype=float, device="cpu", requires_grad=True)
tape = wp.Tape()
with tape:
    wp.launch(forces.force, dim=8, inputs=[x, f], device="cpu")
    wp.launch(moves.total, dim=8, inputs=[f, out], device="cpu")
tape.backward(loss=out)
print("loss %.5f" % out.numpy()[0])
print("gradient " + " ".join("%.4f" % g for g in x.grad.numpy()))
