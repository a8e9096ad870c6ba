/* Keeps the archive from being empty until its first module is there. */
#include "jit/context.h"
