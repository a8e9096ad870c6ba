/*
 * Things that can be counted (places for a compiler, units of memory), shared by every process that opens one file: one
 * byte of the file stands for one thing, a lock on the byte means that it is taken.
 *
 * The locks belong to an open file description, so the kernel gives back what a killed process held. The file stays
 * empty; its times are two pulses: whoever holds something beats PULSE_HELD, whoever is next in line PULSE_LINE.
 */
#ifndef KILN_OS_SLOTS_H
#define KILN_OS_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

/* A row of bytes of the file. */
struct kiln_slot_row {
  uint64_t begin, size;
};

enum kiln_slot_answer { KILN_SLOTS_TAKEN, KILN_SLOTS_BUSY, KILN_SLOTS_UNAVAILABLE };

/* Open, create with mode 0600; a link is refused. Close-on-exec. -1 with errno. */
int kiln_slots_open(const char *path);
/* A file without a name, for threads of this process and its children when no place can be shared: its path for
 * kiln_slots_open is "/proc/self/fd/<result>". -1 when the system has none. */
int kiln_slots_private(void);

/* Take `count` free bytes of the row, the last ones first; all or none. UNAVAILABLE: locks do not work here. Several
 * takers at once may each find too little; who waits its turn by one byte of its own is alone. */
enum kiln_slot_answer kiln_slots_take(int fd, const struct kiln_slot_row *row, uint64_t count);
/* Give back everything that this description holds of the row. */
void kiln_slots_give(int fd, const struct kiln_slot_row *row);
/* Give back everything and close. A forked child only closes. */
void kiln_slots_close(int fd);
/* How many bytes of the row nobody else holds. */
uint64_t kiln_slots_free(int fd, const struct kiln_slot_row *row);
/* Does nobody else hold any of it? One question. */
bool kiln_slots_all_free(int fd, const struct kiln_slot_row *row);

enum kiln_slot_pulse { KILN_PULSE_HELD, KILN_PULSE_LINE };
/* Beat: somebody lives. Best effort. */
void kiln_slots_beat(int fd, enum kiln_slot_pulse pulse);
/* Seconds since the last beat; 0 when it cannot be told. */
double kiln_slots_quiet(int fd, enum kiln_slot_pulse pulse);

#endif
