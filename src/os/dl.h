/*
 * Symbols of the running process, for the agent. A library that interposes a function must find the next one.
 */
#ifndef KILN_OS_DL_H
#define KILN_OS_DL_H

/* Address of a symbol as the dynamic linker resolves it for the whole process; NULL when absent. Does not go through an
 * interposed dlsym. */
void *kiln_dl_symbol(const char *name);
/* As above in one library handle. */
void *kiln_dl_symbol_in(void *handle, const char *name);
/* The definition of `name` behind the library that calls (RTLD_NEXT). */
void *kiln_dl_next(const char *name);
/* Is this handle the special RTLD_DEFAULT or RTLD_NEXT? */
int kiln_dl_handle_is_special(void *handle);

#endif
