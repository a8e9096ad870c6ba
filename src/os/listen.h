/*
 * Who listens on a TCP port, asked of the system's table: nothing connects, so the program sees nothing.
 */
#ifndef KILN_OS_LISTEN_H
#define KILN_OS_LISTEN_H

#include <stdbool.h>

/* Does anything listen on this TCP port (IPv4 or IPv6, any address)? In the network that process `pid` sees; 0: this
 * process. false also when the system does not tell. */
bool kiln_port_listens(int pid, int port);
/* Can the question be asked here at all? */
bool kiln_port_table_exists(void);

#endif
