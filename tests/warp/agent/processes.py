"""13 launches in the parent, 7 in a forked child, 5 in its own child, 3 in a spawned one."""

import multiprocessing
import os

import common


def forked():
    common.go(7)
    child = os.fork()
    if child == 0:
        common.go(5)
        os._exit(0)
    os.waitpid(child, 0)


if __name__ == "__main__":
    common.go(10)
    silent = os.fork()
    if silent == 0:
        os._exit(0)
    os.waitpid(silent, 0)
    process = multiprocessing.get_context("fork").Process(target=forked)
    process.start()
    process.join()
    process = multiprocessing.get_context("spawn").Process(target=common.go, args=(3,))
    process.start()
    process.join()
    common.go(3)
