"""Runs inside the interpreter's start-up, before the program."""

import inject_wait

inject_wait.wait("interpreter_start")
