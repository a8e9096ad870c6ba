/* Memory of the C library's allocator. */
#ifndef KILN_OS_HEAP_H
#define KILN_OS_HEAP_H

#include <stddef.h>

/* For work that takes and frees up to `bytes` of memory in small pieces, again and again: have the allocator keep that
 * much, and at most twice as much, instead of giving it back to the system in between.
 *
 * glibc gives back what is free at the end of its heap beyond 128 KiB, and whoever takes it next pays a page fault for
 * every 4 KiB. It raises that limit itself, to twice the largest block that came from the system by a mapping of its
 * own and was freed: so one such block is taken and freed here, without being touched. Where the program has chosen a
 * limit, or uses another allocator, nothing changes. Any thread, any number of times; nothing can fail. */
void kiln_heap_keep(size_t bytes);

#endif
