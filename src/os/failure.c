#include "os/failure.h"

#include <errno.h>

static enum kiln_status
classify(int sys_errno)
{
  switch (sys_errno) {
  case ENOENT:
  case ENOTDIR:
    return KILN_ERROR_NOT_FOUND;
  case ENOMEM:
    return KILN_ERROR_MEMORY;
  case ENOSPC:
  case EDQUOT:
  case EROFS:
  case EACCES:
  case EPERM:
  case EMFILE:
  case ENFILE:
    return KILN_ERROR_ENVIRONMENT;
  default:
    return KILN_ERROR_IO;
  }
}

static const char *
advice(int sys_errno)
{
  switch (sys_errno) {
  case ENOENT:
  case ENOTDIR:
    return "Check the spelling, and that the folder exists.";
  case ENOSPC:
  case EDQUOT:
    return "Free some space there, or choose a place on another disk.";
  case EROFS:
    return "Choose a place that is not mounted read-only.";
  case EACCES:
  case EPERM:
    return "Choose a place that this user may use, or change its permissions.";
  case EMFILE:
  case ENFILE:
    return "Raise the limit of open files (ulimit -n).";
  case EISDIR:
    return "Name a file, not a folder.";
  default:
    return "";
  }
}

enum kiln_status
kiln_failure_set(struct kiln_error *error, int sys_errno, const char *verb, const char *path)
{
  enum kiln_status status = classify(sys_errno);
  kiln_error_system(error, status, sys_errno, "cannot %s '%s'", verb, path);
  kiln_error_advise(error, "%s", advice(sys_errno));
  return status;
}
