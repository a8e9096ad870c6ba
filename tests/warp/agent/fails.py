"""Errors of the program, some through hooked functions: what it prints must be as without kiln."""

import inspect
import traceback
import warnings

import warp as wp

warnings.simplefilter("always")


@wp.kernel
def broken(x: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = nothing_of_this_name(x[i])  # noqa: F821


def attempt(function, *args, **kwargs):
    try:
        function(*args, **kwargs)
    except Exception:
        traceback.print_exc()


attempt(wp.set_module_options, {}, module=5)
attempt(wp.set_module_options, 7)
attempt(setattr, wp.config, "launch_array_access_mode", 3)
attempt(wp.Kernel, None)
attempt(__import__, "no_module_of_this_name")
attempt(__import__, "warp.no_module_of_this_name")
print(wp.config, type(wp.config).__name__, wp.set_module_options.__name__, wp.set_module_options.__module__)
print(wp.set_module_options.__doc__ == inspect.getdoc(wp.set_module_options) or "documented")
wp.set_module_options({"max_unroll": 4})
print(wp.get_module_options()["max_unroll"], wp.get_module("__main__").options["max_unroll"])
wp.launch(broken, dim=4, inputs=[wp.zeros(4, dtype=float, device="cpu")], device="cpu")
