"""N-11: artefacts are kept under a name without a hash, and one is taken though its kernel was changed since."""

import tempfile

import warp as wp

folder = tempfile.mkdtemp()


def build(factor: float) -> None:
    @wp.kernel(module="shipped", enable_backward=False)
    def scale(x: wp.array(dtype=float)):
        x[wp.tid()] = x[wp.tid()] * wp.static(factor)

    wp.compile_aot_module(scale.module, arch=90, module_dir=folder, strip_hash=True)


build(2.0)
build(3.0)
