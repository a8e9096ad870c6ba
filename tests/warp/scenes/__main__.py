"""What a zip application runs: the scenes themselves stay where they are, Warp reads the source of kernels."""

import os
import runpy
import sys

sys.argv[0] = os.environ["main"]
runpy.run_path(sys.argv[0], run_name="__main__")
