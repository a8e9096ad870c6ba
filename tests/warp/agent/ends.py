"""Ends in the way named by its argument, after 12345 launches."""

import os
import signal
import sys

import common

common.go(12345)
if sys.argv[1] == "kill":
    os.kill(os.getpid(), signal.SIGKILL)
elif sys.argv[1] == "segv":
    import ctypes

    ctypes.string_at(0)
os._exit(3)
