#include "os/user.h"

#include <pwd.h>
#include <unistd.h>

uint32_t
kiln_user_id(void)
{
  return (uint32_t)geteuid();
}

bool
kiln_user_home(struct kiln_buf *path)
{
  struct passwd entry, *found = NULL;
  char text[4096];
  if (getpwuid_r(getuid(), &entry, text, sizeof text, &found) != 0 || !found || !found->pw_dir || !*found->pw_dir) {
    return false;
  }
  kiln_buf_text_append(path, found->pw_dir);
  return !path->failed;
}
