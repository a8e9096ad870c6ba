"""Check Python sources: they parse as the oldest supported Python, and every function says its types."""

import ast
import sys

OLDEST = (3, 9)


def unannotated(function: ast.FunctionDef) -> list[str]:
    """Names of arguments (and "return") of a function that have no type."""
    spec = function.args
    names = spec.posonlyargs + spec.args + spec.kwonlyargs + [a for a in (spec.vararg, spec.kwarg) if a]
    missing = [a.arg for a in names if a.annotation is None and a.arg not in ("self", "cls")]
    return missing if function.returns is not None else [*missing, "return"]


def check(path: str) -> list[str]:
    with open(path, encoding="utf-8") as source:
        try:
            tree = ast.parse(source.read(), path, feature_version=OLDEST)
        except SyntaxError as error:
            return [f"{path}:{error.lineno}: {error.msg}"]
    functions = (n for n in ast.walk(tree) if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef)))
    return [f"{path}:{f.lineno}: {f.name}: no type for {', '.join(m)}" for f in functions if (m := unannotated(f))]


def main() -> int:
    complaints = [line for path in sys.argv[1:] for line in check(path)]
    print("\n".join(complaints), end="\n" if complaints else "")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
