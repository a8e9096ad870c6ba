"""Launches recorded into a graph do not run; the graph's ten runs do. The kernel counts its own runs."""

import said
import warp as wp

DEVICE = "cuda:0"


@wp.kernel
def step(x: wp.array(dtype=wp.int32)):
    wp.atomic_add(x, 0, 1)


runs = wp.zeros(1, dtype=wp.int32, device=DEVICE)
wp.load_module(device=DEVICE)
for _ in range(3):
    wp.launch(step, dim=1, inputs=[runs], device=DEVICE)
side = wp.Stream(DEVICE)
with wp.ScopedCapture(device=DEVICE) as capture:
    wp.launch(step, dim=1, inputs=[runs], device=DEVICE)
    side.wait_stream(wp.get_stream(DEVICE))
    with wp.ScopedStream(side, sync_enter=False):  # the capture spreads to this stream
        wp.launch(step, dim=1, inputs=[runs], device=DEVICE)
    wp.get_stream(DEVICE).wait_stream(side)
    command = wp.launch(step, dim=1, inputs=[runs], device=DEVICE, record_cmd=True)
    command.launch()
for _ in range(10):
    wp.capture_launch(capture.graph)
for _ in range(100):
    command.launch()
said.write(launches=int(runs.numpy()[0]), builds=1, loads=1, blocks=[256], lto=0, jit=0)
