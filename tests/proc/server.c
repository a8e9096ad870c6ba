/*
 * A server for the tests of readiness: it waits, listens, says so, and goes on as it was told.
 *
 *   proc.server PORT [WORD…]     PORT 0: a free one, printed as "listening on PORT"
 *     late       listen half a second after the start
 *     never      do not listen and say nothing
 *     die=CODE   exit with CODE 50 ms after it was ready
 *     deaf       ignore SIGTERM
 *     family=6   IPv6
 */
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct manner {
  int port, family, code;
  int late, never, dies, deaf;
};

static void
take_word(struct manner *manner, const char *word)
{
  if (strcmp(word, "late") == 0)
    manner->late = 1;
  else if (strcmp(word, "never") == 0)
    manner->never = 1;
  else if (strcmp(word, "deaf") == 0)
    manner->deaf = 1;
  else if (strcmp(word, "family=6") == 0)
    manner->family = AF_INET6;
  else if (strncmp(word, "die=", 4) == 0) {
    manner->dies = 1;
    manner->code = atoi(word + 4);
  }
}

/* The port it listens on; 0 when the system refuses. */
static int
open_port(const struct manner *manner)
{
  struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)manner->port)};
  struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons((uint16_t)manner->port)};
  const int is_six = manner->family == AF_INET6, yes = 1;
  struct sockaddr *address = is_six ? (struct sockaddr *)&six : (struct sockaddr *)&four;
  socklen_t size = is_six ? sizeof six : sizeof four;
  const int fd = socket(manner->family, SOCK_STREAM, 0);
  if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 || bind(fd, address, size) != 0 ||
      listen(fd, 8) != 0 || getsockname(fd, address, &size) != 0)
    return 0;
  return ntohs(is_six ? six.sin6_port : four.sin_port);
}

int
main(int argc, char **argv)
{
  struct manner manner = {.family = AF_INET};
  if (argc < 2)
    return 2;
  manner.port = atoi(argv[1]);
  for (int i = 2; i < argc; i++)
    take_word(&manner, argv[i]);
  if (manner.deaf)
    signal(SIGTERM, SIG_IGN);
  if (manner.late)
    usleep(500000);
  if (!manner.never) {
    const int port = open_port(&manner);
    if (port == 0) {
      perror("listen");
      return 9;
    }
    printf("listening on %d\n", port);
    fflush(stdout);
  }
  if (manner.dies) {
    usleep(50000);
    return manner.code;
  }
  for (;;)
    pause();
}
