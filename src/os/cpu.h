/*
 * The instruction set of this processor, as a compiler would find it with -march=native: names of the extensions that
 * change generated code and that the system lets programs use. Vendor, family, model and stepping are not in it.
 */
#ifndef KILN_OS_CPU_H
#define KILN_OS_CPU_H

#include "base/buf.h"

/* "x86_64 adx aes avx …", in a fixed order, one space between; appended. The same text on every machine with the same
 * extensions. Takes some microseconds (the question traps under a hypervisor): ask once. */
void kiln_cpu_features(struct kiln_buf *text);
/* ELF machine number (e_machine) of this process's code. */
unsigned kiln_cpu_elf_machine(void);

#endif
