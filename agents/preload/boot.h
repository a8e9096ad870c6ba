/*
 * From the interpreter's table of built-in modules to the agent's Python code.
 */
#ifndef KILN_AGENT_BOOT_H
#define KILN_AGENT_BOOT_H

#include <stdbool.h>

/* Put the agent's function in front of the one that makes the built-in module `_codecs`, which every start of an
 * interpreter calls after its import system stands and before `site`. handle NULL: the interpreter is in the process
 * already; else the library that was opened. True when there was an interpreter to arm and this was its first time. */
bool kiln_boot_arm(void *handle);

#endif
