/*
 * kiln/error.h: how every kiln function reports failure.
 *
 * A function that can fail returns enum kiln_status. Details go to a struct kiln_error that the caller owns and passes
 * as last argument; NULL is allowed and means "no details wanted". On success the struct is left as it was.
 * The struct owns no memory: it may live on the stack, be copied with =, and needs no release.
 *
 * Thread safety: none of these functions has state; one struct belongs to one thread at a time.
 */
#ifndef KILN_ERROR_H
#define KILN_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define KILN_API __attribute__((visibility("default")))
#define KILN_PRINTF(at, first) __attribute__((__format__(__printf__, at, first)))
#else
#define KILN_API
#define KILN_PRINTF(at, first)
#endif

/* Closed list; the numbers never change. */
enum kiln_status {
  KILN_OK = 0,
  KILN_ERROR_ARGUMENT = 1,      /* the caller gave a value that is not allowed */
  KILN_ERROR_MEMORY = 2,        /* an allocation failed */
  KILN_ERROR_IO = 3,            /* the system refused to read, write, create or remove */
  KILN_ERROR_FORMAT = 4,        /* bytes that were read are not what they claim to be */
  KILN_ERROR_NOT_FOUND = 5,     /* a named thing does not exist */
  KILN_ERROR_ENVIRONMENT = 6,   /* this machine does not allow it: disk, permission, missing file of the installation */
  KILN_ERROR_COMMAND = 7,       /* the observed command could not be started or failed */
  KILN_ERROR_INVALID = 8,       /* a measurement cannot be used: escape, time limit */
  KILN_ERROR_INTERRUPTED = 9,   /* the user asked to stop */
  KILN_ERROR_DEVICE = 10,       /* the driver of a device refused, or work on it failed */
  KILN_ERROR_ARCHITECTURE = 11, /* code for another architecture than that of the device */
  KILN_ERROR_CAPTURE = 12,      /* not while this stream is captured; the capture stays valid */
  KILN_ERROR_FORKED = 13,       /* the device belongs to the process that this one was forked from */
  KILN_ERROR_LATE = 14          /* it would have to be compiled, and the program said that nothing may be any more */
};

#define KILN_ERROR_WHAT_SIZE 600
#define KILN_ERROR_REMEDY_SIZE 300

struct kiln_error {
  enum kiln_status status;
  int sys_errno;                       /* errno of the refused system call, 0 if none */
  char what[KILN_ERROR_WHAT_SIZE];     /* one sentence: what failed, with the value that was refused */
  char remedy[KILN_ERROR_REMEDY_SIZE]; /* one sentence: what to do; "" if there is nothing to do */
};

/* Name of a status as written in code, "KILN_OK" …; "KILN_UNKNOWN" for a number that is not in the list. Never NULL. */
KILN_API const char *kiln_status_name(enum kiln_status status);

/* Fill *error (may be NULL): status, no errno, sentence by printf format, empty remedy. A sentence that is too long is
 * cut at a character boundary and ends in "…". Returns status, so that a failing check is one line: return
 * kiln_error_set(error, KILN_ERROR_ARGUMENT, "…'%s'…", value); */
KILN_API enum kiln_status kiln_error_set(struct kiln_error *error, enum kiln_status status, const char *format, ...)
    KILN_PRINTF(3, 4);

/* As kiln_error_set, and keeps sys_errno and appends ": " and its text to the sentence. */
KILN_API enum kiln_status kiln_error_system(
    struct kiln_error *error, enum kiln_status status, int sys_errno, const char *format, ...) KILN_PRINTF(4, 5);

/* Add the sentence that says what to do. *error may be NULL. */
KILN_API void kiln_error_advise(struct kiln_error *error, const char *format, ...) KILN_PRINTF(2, 3);

#ifdef __cplusplus
}
#endif
#endif
