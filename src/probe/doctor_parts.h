/*
 * The subjects that kiln doctor looks at, one file each or a part of one. Used by doctor.c only.
 */
#ifndef KILN_PROBE_DOCTOR_PARTS_H
#define KILN_PROBE_DOCTOR_PARTS_H

#include "probe/doctor.h"

/* Interpreters on PATH and in the current virtual environment. folder: a private one for trials, NULL: no trial. */
void kiln_doctor_pythons(struct kiln_doctor *doctor, const struct kiln_doctor_options *options, const char *folder);
/* What starting a command with the agent showed. */
struct kiln_trial {
  bool seen;        /* it wrote an event */
  bool failed;      /* it could not be started, did not end in time or said that it failed: nothing is known */
  char version[64]; /* of the interpreter, when that wrote an event; else "" */
};
void kiln_doctor_try(const struct kiln_doctor_options *options, const char *folder, const char *const *command,
    struct kiln_trial *trial);
/* Cache of each framework: place, size, who set it. */
void kiln_doctor_caches(struct kiln_doctor *doctor);
/* Machine, limits, control group, kernel, driver. */
void kiln_doctor_machine(struct kiln_doctor *doctor);
/* Room and kind of the temporary folder. */
void kiln_doctor_temporary(struct kiln_doctor *doctor);
/* KILN_* variables that kiln does not know, and variables of others that it takes notice of. */
void kiln_doctor_variables(struct kiln_doctor *doctor);

#endif
