"""One small kernel: what a cold start costs beside it is the framework's. Prints CPU seconds of the launch and of all."""

import sys
import time

import warp as wp


@wp.kernel
def one(x: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = float(i) * 2.0 + 1.0


x = wp.zeros(8, dtype=float, device="cpu")
begin = time.process_time()
wp.launch(one, dim=8, inputs=[x], device="cpu")
end = time.process_time()
print("sum %.6f" % float(x.numpy().sum()))
if len(sys.argv) > 1:
    with open(sys.argv[1], "a") as file:
        file.write("%.3f %.3f\n" % (end - begin, time.process_time()))
