#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "os/listen.h"

/* A socket on a free port of the loopback interface; -1 where the family is not there. */
static int
bind_free(int family, int *port)
{
  struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
  struct sockaddr_in four = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  struct sockaddr *address = family == AF_INET6 ? (struct sockaddr *)&six : (struct sockaddr *)&four;
  socklen_t size = family == AF_INET6 ? sizeof six : sizeof four;
  int fd = socket(family, SOCK_STREAM, 0);
  if (fd < 0 || bind(fd, address, size) != 0 || getsockname(fd, address, &size) != 0)
    return -1;
  *port = ntohs(family == AF_INET6 ? six.sin6_port : four.sin_port);
  return fd;
}

static void
expect_seen(int family)
{
  int port = 0, fd = bind_free(family, &port);
  if (fd < 0)
    return;
  /* Bound is not listening. */
  assert_false(kiln_port_listens(0, port));
  assert_int_equal(listen(fd, 1), 0);
  assert_true(kiln_port_listens(0, port));
  assert_true(kiln_port_listens(getpid(), port));
  close(fd);
  assert_false(kiln_port_listens(0, port));
}

static void
test_listeners_are_seen(void **state)
{
  (void)state;
  assert_true(kiln_port_table_exists());
  expect_seen(AF_INET);
  expect_seen(AF_INET6);
}

/* The other end of a connection has the port too, as a remote one; and a client's own is not listened on. */
static void
test_connections_are_not_listeners(void **state)
{
  (void)state;
  int port = 0, server = bind_free(AF_INET, &port);
  assert_true(server >= 0 && listen(server, 1) == 0);
  int client = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in to = {
      .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  struct sockaddr_in own;
  socklen_t size = sizeof own;
  assert_int_equal(connect(client, (struct sockaddr *)&to, sizeof to), 0);
  assert_int_equal(getsockname(client, (struct sockaddr *)&own, &size), 0);
  assert_false(kiln_port_listens(0, ntohs(own.sin_port)));
  close(server);
  assert_false(kiln_port_listens(0, port));
  close(client);
}

static void
test_a_process_that_is_not_there(void **state)
{
  (void)state;
  assert_false(kiln_port_listens(999999999, 80));
}

int
main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_listeners_are_seen),
      cmocka_unit_test(test_connections_are_not_listeners),
      cmocka_unit_test(test_a_process_that_is_not_there),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
