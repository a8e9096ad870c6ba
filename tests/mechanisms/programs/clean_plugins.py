"""Clean: each request brings a plugin of its own, which does something else each time. `module="unique"` is right."""

import importlib.util
import os
import tempfile

import warp as wp

PLUGINS = {
    "blur": "x[wp.tid()] = 0.5 * x[wp.tid()] + 0.25",
    "edge": "x[wp.tid()] = wp.abs(x[wp.tid()] - 1.0)",
    "wave": "x[wp.tid()] = wp.sin(6.28 * x[wp.tid()])",
    "clip": "x[wp.tid()] = wp.clamp(x[wp.tid()], 0.0, 1.0)",
}
x = wp.zeros(8, dtype=float, device="cpu")
with tempfile.TemporaryDirectory() as folder:
    for name, body in PLUGINS.items():
        path = os.path.join(folder, f"{name}.py")
        with open(path, "w") as file:
            file.write("import warp as wp\n\n@wp.kernel(module='unique', enable_backward=False)\n"
                       f"def {name}(x: wp.array(dtype=float)):\n    {body}\n")
        spec = importlib.util.spec_from_file_location(f"plugin_{name}", path)
        plugin = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(plugin)
        wp.launch(getattr(plugin, name), dim=8, inputs=[x], device="cpu")
print(x.numpy()[0])
