"""Levers, part 10: the process that builds ahead. Runs in the namespace of lever.py, in an interpreter of its own.

It imports the framework and the recorded files, and never starts the framework's runtime: that starts the CUDA driver,
and a process that has done so cannot be forked. Each child starts its own. Where an imported file starts the driver, what
is left is built by fresh interpreters, one for each module.
"""

from __future__ import annotations

import importlib
import os
import sys
import warnings
from typing import Any, Optional


def import_names(item: dict) -> list[str]:
    """Names under which the program may know the file: its module's own, then what sys.path makes of it."""
    file, found = os.path.realpath(str(item.get("file", ""))), []
    stem = os.path.splitext(file)[0]
    stem = os.path.dirname(stem) if os.path.basename(stem) == "__init__" else stem
    if not belongs_to_program(item):
        found.append(item["name"])
    for folder in sorted(map(os.path.realpath, sys.path), key=len, reverse=True):
        if stem.startswith(folder + os.sep):
            name = stem[len(folder) + 1 :].replace(os.sep, ".")
            if all(part.isidentifier() for part in name.split(".")) and name not in found:
                found.append(name)
    return found


def root_of(item: dict) -> Optional[str]:
    """The folder from which item's name leads to its file."""
    stem = os.path.splitext(os.path.realpath(str(item.get("file", ""))))[0]
    parts = item["name"].split(".")
    if os.path.basename(stem) == "__init__":
        stem = os.path.dirname(stem)
    if stem.split(os.sep)[-len(parts) :] == parts:
        return os.sep.join(stem.split(os.sep)[: -len(parts)]) or os.sep
    return None


def file_of(module: Any) -> str:
    return os.path.realpath(getattr(module, "__file__", None) or "")


def import_file(item: dict, script: str) -> None:
    """Import the recorded file as the program does. The main script is never run."""
    file = os.path.realpath(str(item.get("file", "")))
    if file == script or any(file_of(module) == file for module in list(sys.modules.values())):
        return
    root = root_of(item)
    if root is not None and root not in map(os.path.realpath, sys.path):
        sys.path.append(root)
    for name in import_names(item):
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.origin is not None and os.path.realpath(spec.origin) == file:
            importlib.import_module(name)
            return
    raise ImportError("no name is known under which %s can be imported" % item.get("file"))


def build_header() -> None:
    """An empty module needs the same header as the program's. It is no build of the program: nobody observes it."""
    from tempfile import TemporaryDirectory

    module = context.Module("kiln_header", None)
    module.options["block_dim"] = 1
    with TemporaryDirectory(prefix="kiln-header-") as folder:
        compilers[0](module, context.runtime.get_device("cpu"), folder, "header.o")


def drop_missing() -> None:
    """Before anything slow: what has no file any more cannot be built."""
    there = []
    for item in recorded_modules():
        file = item.get("file")
        if isinstance(file, str) and os.path.isfile(file):
            there.append(item)
        elif isinstance(file, str) and os.path.isabs(file):  # else made from text: only the program can
            say("prebuild", "failed", item["name"], "its file %s is gone" % file)
    if "prebuild" in levers:
        levers["prebuild"]["modules"] = there


def module_task(item: dict, nice: int = 10) -> Any:
    what = "prebuild %d %s %d" % (item["number"], item.get("arch", "-"), nice)
    return Task(item["name"], "prebuild", build_module, item, nice=nice, what=what)


def queue_modules(tasks: Any, script: str) -> None:
    """Import file by file; whatever can be built by then is being built meanwhile."""
    for at, item in enumerate(order_of(recorded_modules())):
        task = module_task(item, 0 if at == 0 else 10)
        if driver_is_loaded():  # an interpreter of its own imports it
            task.fresh = file_is_wanted(item, script)
        elif not is_imported(item, script) and context.runtime is None and file_is_wanted(item, script):
            task.fresh = True  # perhaps it needs the runtime, which must not be started here
        elif live_module(item) is None:
            say_missing(item, script)
            continue
        if task.fresh or live_module(item) is not None:
            tasks.waiting.append(task)
            tasks.start()


problems: dict[str, str] = {}  # file -> why it cannot be imported


def is_imported(item: dict, script: str) -> bool:
    try:
        import_file(item, script)
        return True
    except Exception as error:
        problems[str(item.get("file"))] = reason(error)
        return False


def say_missing(item: dict, script: str) -> None:
    problem = problems.get(str(item.get("file")))
    if problem is not None and file_is_wanted(item, script):
        say("prebuild", "failed", item["name"], problem)
    elif problem is None and not belongs_to_program(item):
        say("prebuild", "failed", item["name"], "%s makes no such module" % item.get("file"))


def file_is_wanted(item: dict, script: str) -> bool:
    return os.path.realpath(str(item.get("file", ""))) != script


def try_again(tasks: Any) -> list:
    """By now everything is imported: a module that grew meanwhile may be as recorded."""
    late = [task for task, _ in tasks.unlike]
    tasks.unlike = []
    tasks.waiting += late
    return late


def ask_gpu(pipe: int, number: int) -> None:
    """In a child, which may see the GPUs: write the architecture of one."""
    import ctypes

    gpus = os.environ.get("KILN_LEVERS_GPUS")
    if gpus is None:
        os.environ.pop("CUDA_VISIBLE_DEVICES", None)
    else:
        os.environ["CUDA_VISIBLE_DEVICES"] = gpus
    driver, device, value = ctypes.CDLL("libcuda.so.1"), ctypes.c_int(), ctypes.c_int()
    found = []
    if driver.cuInit(0) == 0 and driver.cuDeviceGet(ctypes.byref(device), number) == 0:
        for attribute in (75, 76):  # major and minor of the compute capability
            if driver.cuDeviceGetAttribute(ctypes.byref(value), attribute, device) == 0:
                found.append(value.value)
    if len(found) == 2:
        os.write(pipe, b"%d" % (found[0] * 10 + found[1]))


def begin_asking() -> Optional[tuple]:
    """Only where a recorded module is for a GPU and does not say for which. Meanwhile the framework is imported."""
    unsaid = [item for item in recorded_modules() if kind_recorded(item) == "cuda"]
    if not unsaid:
        return None
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            number = str(unsaid[0].get("device")).partition(":")[2]
            ask_gpu(write, int(number) if number.isdigit() else 0)
        finally:
            os._exit(0)
    os.close(write)
    return (pid, read, unsaid)


def end_asking(asking: Optional[tuple]) -> None:
    if asking is None:
        return
    pid, read, unsaid = asking
    answer = os.read(read, 32)
    os.close(read)
    os.waitpid(pid, 0)
    if answer.isdigit():
        for item in unsaid:
            item["arch"] = int(answer)


def build_all(program: int, began: int, script: str) -> None:
    tasks = Tasks(jobs_of(ahead_lever()))
    lives = lambda: program_lives(program, began)
    if version() >= (1, 13) and any(kind_recorded(item) == "cpu" for item in recorded_modules()):
        tasks.waiting.append(Task(None, "shared_pch", build_header, nice=0, what="shared_pch 0 - 0"))
    for number, call in reversed(list(enumerate(recorded_calls()))):
        what = "lto_ahead %d - 10" % number
        tasks.waiting.append(Task(call.get("symbol"), "lto_ahead", build_link, call, what=what))
    tasks.start()
    if by_processes():
        queue_modules(tasks, script)
    done = tasks.finish(lives)
    if done and try_again(tasks):
        done = tasks.finish(lives)
    for task, problem in tasks.unlike:
        say("prebuild", "failed", task.name, problem)
    if done:
        write_note(tasks.artefacts)
        locks_sweep(ahead_lever(), set())


# ---- the interpreter's main program: `-c CODE program descriptor what place argv...` --------------------------------

program_of: list[tuple] = []  # its process, and the folder in front of its sys.path


def spawn_task(what: str, write: int) -> int:
    """A fresh interpreter that builds one thing; not by a fork, which the driver would see."""
    os.set_inheritable(write, True)
    program, place = program_of[0]
    closed = [(os.POSIX_SPAWN_CLOSE, fd) for fd in held]
    command = builder_command(program, write, what, place)
    return os.posix_spawn(sys.executable, command, builder_environment(), file_actions=closed)


def task_of(what: str) -> Any:
    """The task of this interpreter; None when its file does not make the module (which has been said then)."""
    lever, number, arch, nice = what.split()
    if lever == "lto_ahead":
        call = recorded_calls()[int(number)]
        return Task(call.get("symbol"), lever, build_link, call, nice=int(nice))
    if lever != "prebuild":
        return Task(None, lever, build_header, nice=int(nice))
    item, script = recorded_modules()[int(number)], os.path.realpath(sys.argv[0])
    if arch != "-":
        item["arch"] = int(arch)
    if not is_imported(item, script) and context.runtime is None:
        problems.clear()
        context.init()
        is_imported(item, script)
    if live_module(item) is None:
        say_missing(item, script)
        return None
    return Task(item["name"], lever, build_module, item, nice=int(nice))


def run_task(what: str, write: int) -> None:
    code = 1
    try:
        importlib.import_module("warp")
        task = task_of(what)
        code = task.run(write) if task is not None else 1
    except Exception as error:
        say(what.split()[0], "failed", None, reason(error))
    finally:
        os._exit(code)


def run_all(program: int, began: int, lock: int) -> None:
    held[lock] = lock_path(ahead_lever(), "builder", note_path())
    try:
        for number, item in enumerate(recorded_modules()):
            item["number"] = number
        drop_missing()
        asking = begin_asking()
        importlib.import_module("warp")
        end_asking(asking)
        build_all(program, began, os.path.realpath(sys.argv[0]))
    except Exception as error:
        say(ahead_lever(), "failed", None, reason(error))
    finally:
        lock_free(lock)
    os._exit(0)


def run_builder() -> None:
    import importlib.util

    program, descriptor, what, place = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
    began = start_time(program)
    program_of.append((program, place))
    sys.argv = sys.argv[5:] or [""]
    sys.path[:] = ([place] if place else []) + [folder for folder in sys.path if folder]
    warnings.simplefilter("ignore")
    if what == "all":
        run_all(program, began, descriptor)
    else:
        run_task(what, descriptor)
