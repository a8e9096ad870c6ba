"""Levers, part 9: what is built ahead, seen from the program; and how one is built. Runs in the namespace of lever.py."""

from __future__ import annotations

import os
import sys
import threading
import warnings
from typing import Any, Callable, Optional

ONLY_PROGRAM = ("__main__", "__mp_main__")
BUILT_ITSELF = "the program built it itself"  # src/probe/apply_read.c and trial_arrive.c know this text
CRASHES = (4, 6, 7, 8, 11)  # signals of a process that went wrong; nobody sent them


def kind_recorded(item: dict) -> str:
    device = str(item.get("device", "cpu"))
    return "cpu" if device == "cpu" else "cuda%s" % item.get("arch", "")


def name_stem(name: str) -> str:
    """A module of one kernel is named after its hash, which levers may change: "scale_1a2b3c4d" is "scale_"."""
    stem, tail = name[:-8], name[-8:]
    return stem if stem.endswith("_") and not set(tail) - set("0123456789abcdef") else name


def find_recorded(name: str, block_dim: Any, kind: str) -> Optional[dict]:
    items = [
        item
        for item in recorded_modules()
        if item.get("block_dim") == block_dim and kind_recorded(item) in (kind, kind[:4])
    ]
    alike = [item for item in items if name_stem(item["name"]) == name_stem(name)]
    same = [item for item in alike if item["name"] == name]
    return same[0] if same else alike[0] if len(alike) == 1 else None


def live_module(item: dict) -> Any:
    """The module that was recorded, or the only one that could be it; None when there is none."""
    module = context.user_modules.get(item["name"])
    if module is None and name_stem(item["name"]) != item["name"]:
        names = [name for name in context.user_modules if name_stem(name) == name_stem(item["name"])]
        module = context.user_modules[names[0]] if len(names) == 1 else None
    return module


def kernel_names(module: Any, block_dim: Any) -> set:
    hasher = module.hashers.get(block_dim)
    unique = getattr(hasher, "unique_kernels", None) or {}
    return {kernel.key for kernel in unique.values()}


def plain_name(name: Any) -> str:
    """Recorded names carry a signature ("k<f4>") or a number, where several kernels have one name ("k#2")."""
    return str(name).split("<")[0].split("#")[0]


def why_not_as_recorded(module: Any, item: dict, identity: str) -> Optional[str]:
    """None when building it ahead is what the program will want: the same identity, or the same kernels, edited or with
    other options."""
    if item.get("identity") in (identity, None):
        return None
    kernels = item.get("kernels")
    if isinstance(kernels, list) and set(map(plain_name, kernels)) == kernel_names(module, item.get("block_dim")):
        return None
    return "its code or options are not as recorded: identity %s, recorded %.7s" % (identity[:7], item["identity"])


# ---- in the program: what arrived ----------------------------------------------------------------------------------


def say_arrival(work: Any, was_built: bool) -> None:
    if "prebuild" not in levers:
        return
    item = find_recorded(work.module.name, work.block_dim, work.kind)
    if item is None:
        if was_built and any(other["name"] == work.module.name for other in recorded_modules()):
            say("prebuild", "missed", work.module.name, "it was not recorded for block size %s" % work.block_dim)
    elif not was_built:
        say("prebuild", "applied", work.module.name)
    else:
        problem = why_not_as_recorded(work.module, item, work.identity)
        if problem is None and not by_processes():
            say("prebuild", "applied", work.module.name, "threads")
        else:
            say("prebuild", "missed", work.module.name, problem or BUILT_ITSELF)


# ---- building one module, in a process of its own ------------------------------------------------------------------


def device_of(item: dict) -> Any:
    return context.runtime.get_device("cpu") if kind_recorded(item) == "cpu" else None


def build_module(item: dict) -> Optional[str]:
    """The folder of the artefact; None when somebody else builds it, or it is not as recorded (then LookupError)."""
    module, arch = live_module(item), item.get("arch")
    if kind_recorded(item) != "cpu" and type(arch) is not int:
        raise ValueError("no architecture was recorded for %s" % item["name"])
    arch = None if kind_recorded(item) == "cpu" else arch
    if module.options.get("block_dim") != item.get("block_dim"):
        module.options["block_dim"] = item.get("block_dim")
        module.mark_modified()
    args = (module, device_of(item), None, None, arch)
    work = Build(args, None)
    problem = why_not_as_recorded(module, item, work.identity)
    if problem is not None:
        raise LookupError(problem)
    if work.is_there():
        return work.folder
    fd = lock_try(work.lock_path(locking_lever()))
    if fd is None:
        return None
    try:
        module._compile(*args[1:], use_ptx=None if arch is None else item.get("format") == "ptx")
    finally:
        lock_free(fd)
    return work.folder


class Task:
    """Something to build, and the process that does. what: how a fresh interpreter is told; "" when none can do it."""

    def __init__(
        self, name: Optional[str], lever: str, function: Callable, *args: Any, nice: int = 10, what: str = ""
    ) -> None:
        self.name, self.lever, self.function, self.args, self.nice, self.what = name, lever, function, args, nice, what
        self.pipe, self.fresh = -1, False

    def start(self) -> int:
        """The child's number. A fork has everything imported; only where it could not go on, an interpreter starts."""
        self.pipe, write = os.pipe()
        try:
            if self.what and (self.fresh or driver_is_loaded()):
                self.fresh = True
                return spawn_task(self.what, write)
            pid = os.fork()
            if pid == 0:
                locks_forget()
                os._exit(self.run(write))
            return pid
        finally:
            os.close(write)

    def answer(self) -> tuple[str, bytes]:
        """Of a child that has ended: the cache it used, and what it answered."""
        data = os.read(self.pipe, 8192)
        os.close(self.pipe)
        folder, _, answer = data.partition(b"\0")
        return os.fsdecode(folder), answer

    def run(self, write: int) -> int:
        """In the child. 0: done, 3: not as recorded, 1: it failed. The framework's runtime, and with it the driver, is
        started here and not before the fork."""
        global role
        role = "task"
        try:
            os.nice(self.nice)
            os.environ.update(NO_GPU)  # what was imported may have changed it
            context.init()
            os.write(write, os.fsencode(str(config.kernel_cache_dir)) + b"\0")
            answer = self.function(*self.args)
            os.write(write, os.fsencode(answer or ""))
            return 0
        except LookupError as error:
            os.write(write, str(error).encode("utf-8", "replace")[:1000])
            return 3
        except BaseException as error:
            say(self.lever, "failed", self.name, reason(error))
            return 1


class Tasks:
    """Runs tasks in children, `jobs` at once."""

    def __init__(self, jobs: int) -> None:
        self.jobs = max(1, jobs)
        self.waiting: list[Task] = []
        self.running: dict[int, Task] = {}
        self.artefacts: list[str] = []
        self.unlike: list[tuple[Task, str]] = []  # not as recorded, and how

    def start(self) -> None:
        while self.waiting and len(self.running) < self.jobs:
            task = self.waiting.pop(0)
            self.running[task.start()] = task

    def reap(self) -> bool:
        """Take one that has ended; false when none has."""
        pid, status = os.waitpid(-1, os.WNOHANG) if self.running else (0, 0)
        task = self.running.pop(pid, None)
        if task is None:
            return False
        answer = task.answer()[1]
        code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else -1
        if code == 0 and answer:
            self.artefacts.append(os.fsdecode(answer))
        elif code == 3:
            self.unlike.append((task, answer.decode("utf-8", "replace")))
        elif code < 0 and task.what and not task.fresh and os.WTERMSIG(status) in CRASHES:
            task.fresh = True  # something else that was imported does not bear a fork
            self.waiting.append(task)
        elif code < 0:
            say(task.lever, "failed", task.name, "its builder was ended by signal %d" % os.WTERMSIG(status))
        return True

    def finish(self, may_go_on: Callable[[], bool]) -> bool:
        """Until all is built; false when it was stopped."""
        import time

        while self.waiting or self.running:
            self.start()
            if not self.reap():
                if not may_go_on():
                    self.stop()
                    return False
                time.sleep(0.02)
        return True

    def stop(self) -> None:
        """Nobody wants it any more: end the children, and remove what they had begun."""
        import glob
        import shutil

        for pid in self.running:
            os.kill(pid, 9)
        for pid, task in self.running.items():
            os.waitpid(pid, 0)
            cache = task.answer()[0]
            for folder in glob.glob(os.path.join(glob.escape(cache), "*_p%d_t*" % pid)) if cache else ():
                shutil.rmtree(folder, ignore_errors=True)
        locks_sweep(ahead_lever(), set(self.running))
        self.running.clear()


def order_of(items: list) -> list:
    """The dearest first; then from the end, because the program begins at the other."""
    rest = list(reversed(items))
    costs = [item.get("cost_ms") if type(item.get("cost_ms")) in (int, float) else 0 for item in rest]
    if costs and max(costs) > 0:
        rest.insert(0, rest.pop(costs.index(max(costs))))
    return rest


def jobs_of(lever: str) -> int:
    wanted = levers.get(lever, {}).get("jobs")
    return wanted if type(wanted) is int and 0 < wanted <= 4096 else default_jobs()


def program_lives(pid: int, began: int) -> bool:
    return began == 0 or start_time(pid) == began


# ---- in the program: modules that exist only there -----------------------------------------------------------------


def belongs_to_program(item: dict) -> bool:
    """Its name does not say a file that could be imported: of the main script, or made by a function."""
    name, stem = item["name"], os.path.splitext(str(item.get("file", "")))[0]
    stem = os.path.dirname(stem) if os.path.basename(stem) == "__init__" else stem
    return name in ONLY_PROGRAM or name.rpartition(".")[2] != os.path.basename(stem)


def build_in_fork(items: list, program: int, began: int) -> None:
    """In the child's child. Never returns."""
    import signal
    import stat

    global role
    role = "builder"
    locks_forget()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
    null = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(null, number)
    for name in os.listdir("/proc/self/fd"):  # nobody shall wait for an end of a pipe that only we have
        try:
            mode = os.fstat(int(name)).st_mode
            if int(name) > 2 and (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)):
                os.close(int(name))
        except OSError:
            pass
    tasks = Tasks(jobs_of("prebuild"))
    tasks.waiting = [Task(item["name"], "prebuild", build_module, item) for item in items]
    tasks.finish(lambda: program_lives(program, began))
    os._exit(0)


forked: list[bool] = []


def before_first_build(work: Any) -> None:
    """The program is about to build for the first time: what else is recorded and exists by now can be built beside."""
    if forked or not by_processes():
        return
    forked.append(True)
    items = []
    for item in order_of(recorded_modules()):
        if kind_recorded(item) == "cpu" and belongs_to_program(item) and live_module(item) not in (None, work.module):
            items.append(item)
    if not items or usable_cores() < 2:
        return
    if context.runtime.cuda_devices or driver_is_loaded() or threading.active_count() > 1:
        return  # such a process cannot be forked safely
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fork_apart(build_in_fork, items, os.getpid(), start_time(os.getpid()))


# ---- Warp's own threads, to compare --------------------------------------------------------------------------------


def load_with_threads(args: tuple, kwargs: Any) -> None:
    """Before the program's first load."""
    setattr(context.Module, "load", loads[0])
    if forked or role != "program":
        return
    forked.append(True)
    groups: dict[tuple, list] = {}
    for item in recorded_modules():
        module = context.user_modules.get(item["name"])
        if module is not None:
            groups.setdefault((str(item.get("device", "cpu")), item.get("block_dim")), []).append(module)
    if version() < (1, 17) and any(device == "cpu" for device, _ in groups):
        say("prebuild", "failed", None, "Warp %s cannot load with threads on the CPU" % config.version)
        return
    wanted = levers["prebuild"].get("jobs")
    jobs = wanted if type(wanted) is int else usable_cores()
    for (device, block_dim), modules in groups.items():
        try:
            context.force_load(device=device, modules=modules, block_dim=block_dim, max_workers=jobs)
        except Exception as error:
            say("prebuild", "failed", None, reason(error))


loads: list[Any] = []


def prepare_ahead() -> None:
    if "prebuild" in levers and not by_processes() and "ahead" in features:
        loads.append(vars(context.Module)["load"])
        patch(context.Module, "load", load_with_threads, None)
