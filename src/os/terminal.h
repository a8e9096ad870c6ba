/*
 * What the terminal can do.
 */
#ifndef KILN_OS_TERMINAL_H
#define KILN_OS_TERMINAL_H

#include <stdbool.h>

bool kiln_terminal_is(int fd);
/* Columns of the terminal behind fd; COLUMNS when set; 80 when unknown. */
int kiln_terminal_columns(int fd);
/* Should colour be used on fd: a terminal, TERM not "dumb", NO_COLOR unset or empty. */
bool kiln_terminal_color(int fd);

#endif
