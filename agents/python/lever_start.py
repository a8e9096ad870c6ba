"""Levers, part 8: at the entry of the program, start the process that builds ahead. Runs in the namespace of lever.py.

It is an interpreter of its own beside the program, not its child: a program that waits for its children must not see
one that it did not start.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any, Optional

NO_GPU = {"CUDA_VISIBLE_DEVICES": "", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


def ahead_lever() -> str:
    return "prebuild" if "prebuild" in levers else "lto_ahead"


def recorded_modules() -> list:
    found = levers.get("prebuild", {}).get("modules") or ()
    return [item for item in found if isinstance(item, dict) and isinstance(item.get("name"), str)]


def recorded_calls() -> list:
    return [item for item in levers.get("lto_ahead", {}).get("calls") or () if isinstance(item, dict)]


def place_of_script() -> str:
    """What the interpreter is about to put in front of sys.path; "" when nothing."""
    if sys.flags.isolated or getattr(sys.flags, "safe_path", False) or not getattr(sys, "argv", None):
        return ""
    script = sys.argv[0]
    if script in ("", "-c", "-m", "-"):
        return os.getcwd()
    if os.path.isdir(script):
        return os.path.abspath(script)
    return os.path.dirname(os.path.realpath(script))


# ---- the note of what was built: where nothing moved since, there is nothing to do ---------------------------------


def note_path() -> str:
    cache = os.environ.get("WARP_CACHE_PATH", os.environ.get("XDG_CACHE_HOME", ""))
    return os.path.join(state_folder(ahead_lever(), "notes"), digest_of(file_digest, cache, sys.executable, sys.version))


def marks_of(paths: list) -> dict:
    marks = {}
    for path in paths:
        try:
            info = os.stat(path)
            marks[path] = [info.st_size, info.st_mtime_ns]
        except OSError:
            marks[path] = []
    return marks


def nothing_to_build() -> bool:
    try:
        with open(note_path(), encoding="utf-8") as file:
            note = json.load(file)
        return note["files"] == marks_of(list(note["files"])) and all(map(os.path.exists, note["artefacts"]))
    except (OSError, ValueError, KeyError, TypeError):
        return False


def write_note(artefacts: list) -> None:
    files = sorted({item["file"] for item in recorded_modules() if isinstance(item.get("file"), str)})
    part = "%s.%d" % (note_path(), os.getpid())
    with open(part, "w", encoding="utf-8") as file:
        json.dump({"files": marks_of(files), "artefacts": artefacts}, file)
    os.replace(part, note_path())


# ---- starting ------------------------------------------------------------------------------------------------------


def interpreter_options() -> list[str]:
    flags, found = sys.flags, []
    for name, letter in (("isolated", "-I"), ("no_site", "-S"), ("dont_write_bytecode", "-B")):
        if getattr(flags, name):
            found.append(letter)
    if not flags.isolated:
        found += ["-E"] * bool(flags.ignore_environment) + ["-s"] * bool(flags.no_user_site)
    return found + ["-O"] * flags.optimize


def why_not() -> Optional[str]:
    if levers.get("prebuild", {}).get("how", "processes") not in ("processes", "threads"):
        return "it can be done with processes or threads, not with %r" % (levers["prebuild"]["how"],)
    if not recorded_modules() and not recorded_calls():
        return "the lever file names nothing to build"
    if usable_cores() < 2:
        return "there is one usable core: nothing can be built beside the program"
    if not os.path.basename(sys.executable or "").startswith("python"):
        return "the interpreter is inside another program: %s" % sys.executable
    return None


def only_main_script() -> bool:
    """All that is recorded exists only in the program, and the header is made: an interpreter beside it has no work."""
    script = os.path.realpath(getattr(sys, "argv", [""])[0])
    files = {os.path.realpath(str(item.get("file", ""))) for item in recorded_modules()}
    return not recorded_calls() and files == {script} and bool(os.listdir(state_folder(ahead_lever(), "headers")))


def start_time(pid: int) -> int:
    """When a process began, in the system's ticks; 0 when it is not there."""
    try:
        with open("/proc/%d/stat" % pid, "rb") as file:
            return int(file.read().rpartition(b")")[2].split()[19])
    except (OSError, ValueError, IndexError):
        return 0


def builder_command(program: int, descriptor: int, what: str, place: str) -> list[str]:
    """An interpreter that builds everything (the descriptor is its lock), or one thing (that of its answer)."""
    code = "import os, _kiln_builder; _kiln_builder.run()"
    arguments = [sys.executable, *interpreter_options(), "-c", code, str(program), str(descriptor), what, place]
    return arguments + list(getattr(sys, "argv", []))


def builder_environment() -> dict:
    return dict(os.environ, KILN_LEVERS_ROLE="builder", **NO_GPU)


def driver_is_loaded() -> bool:
    """Then this process must not be forked to go on: children of a process whose CUDA driver is started crash."""
    try:
        with open("/proc/self/maps", "rb") as file:
            return b"/libcuda.so" in file.read()
    except OSError:
        return True


def become_builder(lock: int, program: int) -> None:
    """In the child's child: a fresh interpreter takes over. Never returns."""
    null = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(null, number)
    os.set_inheritable(lock, True)
    arguments = builder_command(program, lock, "all", place_of_script())
    environment = builder_environment()
    if "CUDA_VISIBLE_DEVICES" in os.environ:
        environment["KILN_LEVERS_GPUS"] = os.environ["CUDA_VISIBLE_DEVICES"]
    os.execve(sys.executable, arguments, environment)


def fork_apart(function: Any, *args: Any) -> None:
    """Run it in a process that is nobody's child."""
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    try:
        if os.fork() == 0:
            function(*args)
    finally:
        os._exit(0)


def start_builder() -> None:
    global role
    import types

    if os.environ.pop("KILN_LEVERS_ROLE", None) == "builder":
        role = "builder"
        load_parts("lever_ahead", "lever_builder")
        sys.modules["_kiln_builder"] = types.ModuleType("_kiln_builder")
        sys.modules["_kiln_builder"].run = run_builder
        return
    problem = why_not()
    if problem is not None:
        say(ahead_lever(), "failed", None, problem)
    elif not by_processes() and not recorded_calls():
        pass  # lever_ahead does it at the first load
    elif not nothing_to_build() and not only_main_script():
        lock = lock_try(lock_path(ahead_lever(), "builder", note_path()))
        if lock is not None:  # else another process of the program has started one
            held.pop(lock)
            fork_apart(become_builder, lock, os.getpid())
            os.close(lock)
