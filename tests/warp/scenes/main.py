"""The scenes of scenarios.table: main.py NAME [ARGUMENT]. Each is a way to log, to end, to start others, to launch."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
if os.environ.get("KILN_SCENE_SITE") and not any("site-packages" in path for path in sys.path):
    sys.path.append(os.environ["KILN_SCENE_SITE"])  # -S has no site-packages


def plain() -> None:
    from base import go

    go(2)


def log_level() -> None:
    import base
    import warp as wp

    wp.init()
    wp.config.log_level = getattr(wp, "LOG_WARNING", 30)
    base.go(2)


def quiet() -> None:
    import base
    import warp as wp

    wp.config.quiet = True
    base.go(2)


def logger() -> None:
    import logging

    import base
    import warp as wp

    if hasattr(wp, "set_logger"):
        wp.set_logger(logging.getLogger("mine"))
    base.go(2)


def redirect() -> None:
    import contextlib
    import io

    with contextlib.redirect_stdout(io.StringIO()):
        plain()


def not_utf8() -> None:
    sys.stdout.buffer.write(b"\xff\xfe no text \x80\n")
    plain()


def dots() -> None:
    """A thread writes without newlines while Warp logs."""
    import threading

    over = threading.Event()

    def write() -> None:
        while not over.wait(0.001):
            sys.stdout.write(".")
            sys.stdout.flush()

    thread = threading.Thread(target=write)
    thread.start()
    plain()
    over.set()
    thread.join()


def os_exit() -> None:
    plain()
    sys.stdout.write("never seen")
    os._exit(0)


def signal_self(number: str) -> None:
    plain()
    os.kill(os.getpid(), int(number))


def exception() -> None:
    plain()
    raise RuntimeError("scene file missing")


def nothing() -> None:
    import warp as wp

    wp.init()


def multi(method: str) -> None:
    import multiprocessing

    process = multiprocessing.get_context(method).Process(target=plain)
    process.start()
    process.join()


def fork_after() -> None:
    """Parent and child both launch; the child inherits what was loaded."""
    plain()
    child = os.fork()
    if child == 0:
        from base import go

        go(3)
        os._exit(0)
    os.waitpid(child, 0)


def launcher(*command: str) -> None:
    import subprocess

    subprocess.run([sys.executable, *sys.argv[:1], "plain"], capture_output="captured" in command, check=True)


def background() -> None:
    """A child that outlives this process and keeps its pipes open."""
    import subprocess

    plain()
    subprocess.Popen(["sleep", "600"])


def hang() -> None:
    """Works, then never ends, nor does its child."""
    import subprocess

    plain()
    subprocess.run(["sleep", "600"])


def terminal() -> None:
    assert sys.stdin.read() == ""
    plain()


def early() -> None:
    """The name is bound before anything could replace it; the launches go through it."""
    from warp import launch  # isort: skip

    import base
    import warp as wp

    x = wp.zeros(4, dtype=float, device="cpu")
    for _ in range(5):
        launch(base.step, dim=4, inputs=[x], device="cpu")
    base.told(5)


def tape() -> None:
    import base
    import warp as wp

    x = wp.ones(4, dtype=float, device="cpu", requires_grad=True)
    with wp.Tape() as recorded:
        wp.launch(base.step, dim=4, inputs=[x], device="cpu")
    recorded.backward(grads={x: wp.ones(4, dtype=float, device="cpu")})
    base.told(2)


def refused() -> None:
    """A launch of no threads and one that raises are not launches."""
    import base
    import warp as wp

    wp.launch(base.step, dim=0, inputs=[wp.zeros(0, dtype=float, device="cpu")], device="cpu")
    try:
        wp.launch(base.step, dim=4, inputs=["no array"], device="cpu")
    except Exception as error:
        print(type(error).__name__)
    base.go(1)


def tiled() -> None:
    import base
    import warp as wp

    x = wp.zeros(8, dtype=float, device="cpu")
    wp.launch_tiled(base.step, dim=[4], inputs=[x], block_dim=1, device="cpu")
    base.told(1)


def unique() -> None:
    import base
    import warp as wp

    for _ in range(2):  # the same kernel twice: one module

        @wp.kernel(module="unique")
        def alone(x: wp.array(dtype=float)):
            x[wp.tid()] = 3.0

        wp.launch(alone, dim=4, inputs=[wp.zeros(4, dtype=float, device="cpu")], device="cpu")
        base.told(1)


def map_() -> None:
    import base
    import warp as wp

    wp.map(wp.sin, wp.zeros(4, dtype=float, device="cpu"))
    base.told(1)


def zeros_in_exec() -> None:
    """The process becomes another one after it built."""
    plain()
    os.execv(sys.executable, [sys.executable, *sys.argv[:1], "plain"])


if __name__ == "__main__":
    scene, arguments = sys.argv[1], sys.argv[2:]
    {name: value for name, value in globals().items() if callable(value)}[scene](*arguments)
