"""N-8: a cleaner empties the scratch folder between two modules, and the precompiled header is made again."""

import glob
import os
import shutil
import tempfile

import warp as wp

wp.config.enable_backward = False


@wp.kernel(module="one")
def one(x: wp.array(dtype=float)):
    x[wp.tid()] = 1.0


@wp.kernel(module="two")
def two(x: wp.array(dtype=float)):
    x[wp.tid()] = 2.0


def clean() -> None:
    runtime = wp._src.context.runtime
    folder = runtime.get_clang_pch_dir() if hasattr(runtime, "get_clang_pch_dir") else tempfile.gettempdir()
    for entry in glob.glob(os.path.join(folder, "*")):
        shutil.rmtree(entry, ignore_errors=True) if os.path.isdir(entry) else os.unlink(entry)


x = wp.zeros(8, dtype=float, device="cpu")
for kernel in (one, two):
    wp.launch(kernel, dim=8, inputs=[x], device="cpu")
    clean()
