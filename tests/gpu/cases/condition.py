"""A loop inside a graph: the GPU decides how often its body runs. kiln must say that it cannot count it."""

import said
import warp as wp

DEVICE = "cuda:0"


@wp.kernel
def down(left: wp.array(dtype=wp.int32)):
    left[0] = left[0] - 1


def body() -> None:
    wp.launch(down, dim=1, inputs=[left], device=DEVICE)


left = wp.array([5], dtype=wp.int32, device=DEVICE)
wp.load_module(device=DEVICE)
with wp.ScopedCapture(device=DEVICE) as capture:
    wp.capture_while(left, body)
wp.capture_launch(capture.graph)
assert int(left.numpy()[0]) == 0
said.write(builds=1, loads=1, blocks=[256], lto=0, note="condition")
