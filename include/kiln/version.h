/*
 * kiln/version.h: which kiln this is.
 *
 * Thread safety: safe from any thread; the string is static.
 */
#ifndef KILN_VERSION_H
#define KILN_VERSION_H

#include "kiln/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Version of the library that is linked, "major.minor.patch", from the file VERSION. Never NULL, never freed. */
KILN_API const char *kiln_version(void);

#ifdef __cplusplus
}
#endif
#endif
