"""Seeded mutants: small changes of one code line each, made in a copy; the tests of that file must fail.

mutate.py [COUNT] [SEED] [PATH...]: draws COUNT (default 30) mutants over all code lines of the event reader, sandbox,
supervisor and adapter (or of PATH...), prints the seed, each mutant with its fate, and the figure. A mutant that does
not compile is drawn again; one that tools/mutants-equivalent.txt lists (changes nothing that can be seen) is said and
drawn again. Needs what ./dev test needs; KILN_MUTANTS names the folder of the copy (default build/mutants).
"""

import os
import random
import re
import subprocess
import sys
from typing import Optional

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
COPY = os.path.abspath(os.environ.get("KILN_MUTANTS", os.path.join(ROOT, "build", "mutants")))
EQUIVALENT = os.path.join(ROOT, "tools", "mutants-equivalent.txt")

# Files -> names of the ctest tests that must notice (a regular expression), cheap ones first. "address." at the front:
# the unit tests under the address sanitizer, which ./dev test runs too.
SUBJECTS = [
    (
        r"src/event/(reader|lines|counters|event|follower)\.c$",
        [r"^unit\.(event|probe\.model)", r"^fuzz\.", r"^address\.unit\.event"],
    ),
    (
        r"src/probe/sandbox\.c$",
        [r"^unit\.probe\.sandbox", r"^cli\.(sandbox|failures|full_disk|sigkill)", r"^address\.unit\.probe\.sandbox"],
    ),
    (
        r"src/os/(supervise|run_status)\.c$|libexec/.*\.c$",
        [r"^unit\.(os\.(supervise|run|spawn)|libexec)", r"^proc\.s", r"^address\.unit\.(os|libexec)"],
    ),
    (
        r"agents/python/.*\.py$",
        [r"^warp\.agent_(plain|changes|cuda)", r"^warp\.(agent_(errors|processes)|fault)", r"^warp\.agent_aot"],
    ),
]

SWAPS = [
    (r" == ", " != "),
    (r" != ", " == "),
    (r" < ", " <= "),
    (r" <= ", " < "),
    (r" > ", " >= "),
    (r" >= ", " > "),
    (r" && ", " || "),
    (r" \|\| ", " && "),
    (r" \+ ", " - "),
    (r" - ", " + "),
    (r"\btrue\b", "false"),
    (r"\bfalse\b", "true"),
    (r"\bif \(!", "if ("),
    (r"\bif \((?!!)", "if (!"),
    (r"(?<![\w.])0(?![\w.])", "1"),
    (r"(?<![\w.])1(?![\w.])", "2"),
]
PYTHON_SWAPS = [
    (r" == ", " != "),
    (r" != ", " == "),
    (r" is None", " is not None"),
    (r" is not None", " is None"),
    (r" and ", " or "),
    (r" or ", " and "),
    (r"\bnot ", ""),
    (r"\bTrue\b", "False"),
    (r"\bFalse\b", "True"),
    (r"\bif (?!not )", "if not "),
    (r"\[:\d+\]", "[:3]"),
]
OTHER = "return|break|continue|case|default|else|goto|struct |static |const |enum |#"
STATEMENT = re.compile(r"^\s+(?!" + OTHER + r")[\w*(&>.\[\]-]+.*;$")
DECLARATION = re.compile(r"^\s+(?:(?:unsigned|struct|const|size_t|int|bool|char|uint\w+|double|enum|FILE|void)\b)")
PYTHON_STATEMENT = re.compile(r"^\s+[\w.\[\], ]+( = |\().*[)\w\]}\"]$")


def code_lines(path: str) -> list[int]:
    """Numbers of lines that hold code: no comment, no include, no prototype, not only braces."""
    numbers, in_comment, in_text = [], False, False
    python = path.endswith(".py")
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        for number, line in enumerate(file):
            text = line.strip()
            if python and text.count('"""') == 1:
                in_text = not in_text
                continue
            if in_text or (python and (text.count('"""') == 2 or text.startswith(("#", "from ", "import ", "def ")))):
                continue
            if text.startswith("/*"):
                in_comment = True
            if in_comment:
                in_comment = "*/" not in text
                continue
            if line[:1].isspace() and text not in ("", "{", "}", "else", "};"):
                numbers.append(number)
    return numbers


def without_texts(line: str) -> str:
    """The line with string contents and comments blanked, so that changes never land there."""
    line = re.sub(r'"(?:[^"\\]|\\.)*"', lambda found: '"' + "_" * (len(found.group()) - 2) + '"', line)
    return re.sub(r"(/\*.*?\*/|  # .*$)", lambda found: " " * len(found.group()), line)


def changes(path: str, line: str) -> list[str]:
    """All mutants of a line."""
    python, found = path.endswith(".py"), []
    bare = without_texts(line)
    for pattern, new in PYTHON_SWAPS if python else SWAPS:
        for match in re.finditer(pattern, bare):
            text = new
            if not python and pattern == r"\bif \((?!!)":
                close = bare.rstrip().rfind(")")
                if close < 0 or not bare.rstrip().endswith((")", ") {")):
                    continue
                found.append(line[: match.end()] + "!(" + line[match.end() : close] + ")" + line[close:])
                continue
            found.append(line[: match.start()] + text + line[match.end() :])
    indent = line[: len(line) - len(line.lstrip())]
    if python and PYTHON_STATEMENT.match(bare.rstrip()):
        found.append(indent + "pass\n")
    if not python and STATEMENT.match(bare.rstrip()) and not DECLARATION.match(bare):
        found.append(indent + ";\n")
    return [mutant for mutant in found if mutant != line]


def tests_of(path: str) -> list[str]:
    return next((tests for pattern, tests in SUBJECTS if re.match(pattern, path)), [])


def all_mutants(paths: list[str]) -> list[tuple[str, int, str, str]]:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    mutants = []
    for path in listed:
        if tests_of(path) and (not paths or path in paths):
            with open(os.path.join(ROOT, path), encoding="utf-8") as file:
                lines = file.readlines()
            for number in code_lines(path):
                mutants += [(path, number, lines[number], new) for new in changes(path, lines[number])]
    return mutants


def run(command: list[str], timeout: int = 900) -> int:
    """Exit status; a time-out counts as a failure."""
    try:
        return subprocess.run(command, cwd=COPY, capture_output=True, timeout=timeout, check=False).returncode
    except subprocess.TimeoutExpired:
        return 124


def prepare() -> None:
    """A copy of what git knows, built once."""
    os.makedirs(COPY, exist_ok=True)
    head = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, capture_output=True, check=True).stdout
    subprocess.run(["tar", "xf", "-", "-C", COPY], input=head, check=True)
    configured = run(["cmake", "-S", ".", "-B", "build", "-G", "Ninja", "-DKILN_TESTS=ON"])
    if configured or run(["ninja", "-C", "build"], 3600):
        sys.exit("mutate: the copy in %s does not build" % COPY)


def fails(tests: str) -> bool:
    folder = "build"
    if tests.startswith("^address"):
        folder = "build-address"
        options = ["-G", "Ninja", "-DKILN_TESTS=ON", "-DKILN_SANITIZE=address,undefined"]
        fresh = not os.path.exists(os.path.join(COPY, folder, "build.ninja"))
        if fresh and run(["cmake", "-S", ".", "-B", folder, *options]):
            sys.exit("mutate: the copy cannot be configured with a sanitizer")
        if run(["ninja", "-C", folder, "unit-tests"], 3600):
            return False
    ctest = ["ctest", "--test-dir", folder, "-R", tests, "--no-tests=error", "--stop-on-failure", "--timeout", "300"]
    return run([*ctest, "-j", "2"]) != 0


def fate_of(mutant: tuple[str, int, str, str]) -> Optional[str]:
    """Name of the tests that noticed, "" when none did, None when it does not compile."""
    path, number, _, new = mutant
    target = os.path.join(COPY, path)
    with open(target, encoding="utf-8") as file:
        lines = file.readlines()
    kept, lines[number] = lines[number], new
    try:
        with open(target, "w", encoding="utf-8") as file:
            file.writelines(lines)
        if path.endswith(".py") and run([sys.executable, "-c", "compile(open(%r).read(), 'm', 'exec')" % target]):
            return None
        if run(["ninja", "-C", "build"], 1800):
            return None
        for tests in tests_of(path):
            if fails(tests):
                return tests
        return ""
    finally:
        lines[number] = kept
        with open(target, "w", encoding="utf-8") as file:
            file.writelines(lines)


def line_before(path: str, number: int) -> str:
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.readlines()[number - 1].strip()


def equivalents() -> set:
    if not os.path.exists(EQUIVALENT):
        return set()
    with open(EQUIVALENT, encoding="utf-8") as file:
        return {tuple(line.rstrip("\n").split(" | ")) for line in file if "|" in line and not line.startswith("#")}


def main() -> int:
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(1_000_000)
    mutants = all_mutants(sys.argv[3:])
    print("seed %d, %d mutants to draw from, %d wanted" % (seed, len(mutants), wanted), flush=True)
    random.Random(seed).shuffle(mutants)
    prepare()
    known, killed, drawn = equivalents(), 0, 0
    for mutant in mutants:
        path, number, old, new = mutant
        if drawn == wanted:
            break
        place = "%s:%d: %s -> %s" % (path, number + 1, old.strip(), new.strip())
        if (path, line_before(path, number), old.strip(), new.strip()) in known:
            print("equivalent  %s" % place, flush=True)
            continue
        fate = fate_of(mutant)
        if fate is None:
            continue
        drawn += 1
        killed += fate != ""
        print("%-11s %s%s" % ("killed" if fate else "SURVIVED", place, "  [%s]" % fate if fate else ""), flush=True)
    print("%d of %d killed (seed %d)" % (killed, drawn, seed))
    return 0 if killed * 30 >= drawn * 28 else 1


if __name__ == "__main__":
    sys.exit(main())
