"""Eight threads import Warp at once, then everything is used once."""

import threading

barrier = threading.Barrier(8)


def work():
    barrier.wait()
    import warp  # noqa: F401


threads = [threading.Thread(target=work) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()

import common  # noqa: E402

common.go(1)
