"""Ops through tvm-ffi with NumPy tensors. Usage: op_python.py libkiln_ops.so kiln

Random calls of rmsnorm, about half of them wrong: the function and the trace definition must accept the same, and what
is accepted must be right. KILN_TEST_SEED repeats a run.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from typing import Any

import numpy as np
import tvm_ffi

CALLS = 600


def definition_of(kiln: str, hidden: int, dtype: str) -> dict[str, Any]:
    command = [kiln, "op", "show", "rmsnorm", "--json", "--axis", f"hidden_size={hidden}", "--dtype", dtype]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def definition_takes(definition: dict[str, Any], arrays: dict[str, np.ndarray]) -> bool:
    """What a reader of the definition would say: shapes, dtypes, constants, constraints."""
    bound = {name: axis["value"] for name, axis in definition["axes"].items() if "value" in axis}
    for name, array in arrays.items():
        declared = definition["inputs"].get(name) or definition["outputs"][name]
        if array.ndim != len(declared["shape"]) or str(array.dtype) != declared["dtype"]:
            return False
        for axis, extent in zip(declared["shape"], array.shape):
            if bound.setdefault(axis, extent) != extent:
                return False
    return all(eval(rule, {"__builtins__": {}}, bound) for rule in definition["constraints"])


def expected(x: np.ndarray, weight: np.ndarray, eps: float) -> np.ndarray:
    wide = x.astype(np.float64)
    return wide / np.sqrt((wide**2).mean(-1, keepdims=True) + eps) * weight.astype(np.float64)


def random_call(rng: random.Random, hidden: int, dtype: str) -> dict[str, np.ndarray]:
    """Arrays by their names in the definition; sometimes one is wrong."""
    rows, columns = rng.randrange(0, 9), hidden
    arrays = {
        "out": np.zeros((rows, columns), dtype),
        "hidden_states": np.random.standard_normal((rows, columns)).astype(dtype),
        "weight": np.random.standard_normal(columns).astype(dtype),
    }
    if rng.random() < 0.5:
        name = rng.choice(sorted(arrays))
        array = arrays[name]
        change = rng.randrange(4)
        if change == 0:
            arrays[name] = array.astype("float64")
        elif change == 1:
            arrays[name] = array[None].copy()
        elif change == 2:
            arrays[name] = np.zeros(array.shape[:-1] + (array.shape[-1] + 1,), dtype)
        else:
            arrays[name] = np.zeros((array.shape[0] + 1,) + array.shape[1:], dtype)
    return arrays


def try_call(function: Any, arrays: dict[str, np.ndarray], eps: float) -> str:
    try:
        function(arrays["out"], arrays["hidden_states"], arrays["weight"], eps)
    except (TypeError, ValueError) as error:
        message = str(error)
        assert message.startswith("rmsnorm: "), message
        return message
    return ""


def heads_of_a_projection(function: Any) -> None:
    """Queries are normalised head by head where they lie; a result of another rank is refused."""
    projection = np.random.standard_normal((5, 7, 8)).astype("float32")
    before, weight = projection.copy(), np.ones(8, "float32")
    function(projection[:, 1:4], projection[:, 1:4], weight)
    assert np.allclose(projection[:, 1:4], expected(before[:, 1:4], weight, 1e-6), rtol=1e-4, atol=1e-4)
    assert (projection[:, 0] == before[:, 0]).all() and (projection[:, 4:] == before[:, 4:]).all()
    wrong = {"out": np.zeros((5, 8), "float32"), "hidden_states": before[:, :1], "weight": weight}
    message = try_call(function, wrong, 1e-6)
    assert "input has 3 dimensions, but out has 2" in message, message


def main() -> int:
    library, kiln = sys.argv[1:3]
    seed = int(os.environ.get("KILN_TEST_SEED") or random.randrange(1 << 30))
    print(f"KILN_TEST_SEED={seed}")
    rng = random.Random(seed)
    np.random.seed(seed)
    module = tvm_ffi.load_module(library)
    schema = json.loads(module.get_function_metadata("rmsnorm")["type_schema"])
    assert [a["type"] for a in schema["args"]] == ["None"] + 3 * ["ffi.Tensor"] + ["Optional"], schema
    assert "sqrt" in module.get_function_doc("rmsnorm")
    definitions = {(h, d): definition_of(kiln, h, d) for h in (1, 8, 33) for d in ("float32", "float16")}
    taken = 0
    for _ in range(CALLS):
        (hidden, dtype), definition = rng.choice(list(definitions.items()))
        arrays = random_call(rng, hidden, dtype)
        eps = rng.choice([0.0, 1e-6, 1e-5, 0.5])
        message = try_call(module.rmsnorm, arrays, eps)
        assert (message == "") == definition_takes(definition, arrays), (message, {n: a.shape for n, a in arrays.items()})
        if not message:
            taken += 1
            if eps > 0:
                want = expected(arrays["hidden_states"], arrays["weight"], eps)
                assert np.allclose(arrays["out"], want, rtol=2e-3, atol=2e-3), (arrays, want)
    assert CALLS * 0.3 < taken < CALLS * 0.7, taken
    print(f"{CALLS} calls, {taken} taken")
    strided = np.zeros((4, 20), "float32")
    module.rmsnorm(strided[:, :8], np.ones((4, 8), "float32"), np.ones(8, "float32"))
    assert (strided[:, :8] > 0.99).all() and not strided[:, 8:].any()
    heads_of_a_projection(module.rmsnorm)
    tensors = [tvm_ffi.from_dlpack(a) for a in (np.zeros((1, 8), "float32"), np.ones((1, 8), "float32"), np.ones(8, "float32"))]
    function, begin = module.rmsnorm, time.process_time()
    for _ in range(100000):
        function(*tensors)
    print(f"one call from Python, checked and run (1 x 8): {(time.process_time() - begin) * 10:.3f} us of CPU")
    return 0


if __name__ == "__main__":
    sys.exit(main())
