#include "jit/flags.h"

#include <stddef.h>
#include <string.h>

#include "base/text.h"

enum match { WHOLE, PREFIX };

struct refusal {
  const char *flag;
  enum match match;
  const char *advice;
};

#define INPUT_OUTPUT "Input, output and language are chosen by kiln: give sources, and read the result from the module."
#define INCLUDE "Add the folder as an include of the spec, so that what is read from it is part of the key."
#define PROGRAM "Choose another compiler (KILN_CC) or a launcher (KILN_LAUNCHER), which are part of the key."
#define DEPENDENCIES "Dependencies are recorded by kiln itself."
#define PLACE "Sources have no fixed place: kiln maps paths itself."
#define EXTRA_FILES "Set KILN_KEEP=1 to keep the files of a build."

static const struct refusal refusals[] = {
    {"@", PREFIX, "Give each argument as a flag of its own."},
    {"-", WHOLE, INPUT_OUTPUT},
    {"--", WHOLE, INPUT_OUTPUT},
    {"-o", PREFIX, INPUT_OUTPUT},
    {"--output", PREFIX, INPUT_OUTPUT},
    {"-c", WHOLE, INPUT_OUTPUT},
    {"-S", WHOLE, INPUT_OUTPUT},
    {"-E", WHOLE, INPUT_OUTPUT},
    {"--compile", WHOLE, INPUT_OUTPUT},
    {"--assemble", WHOLE, INPUT_OUTPUT},
    {"--preprocess", WHOLE, INPUT_OUTPUT},
    {"-x", PREFIX, INPUT_OUTPUT},
    {"--language", PREFIX, INPUT_OUTPUT},
    {"-pipe", WHOLE, INPUT_OUTPUT},
    {"-fsyntax-only", WHOLE, INPUT_OUTPUT},
    {"-no-canonical-prefixes", WHOLE, INPUT_OUTPUT},
    {"-r", WHOLE, INPUT_OUTPUT},
    {"-static", WHOLE, INPUT_OUTPUT},
    {"-pie", WHOLE, INPUT_OUTPUT},
    {"-I", PREFIX, INCLUDE},
    {"-iquote", PREFIX, INCLUDE},
    {"-wrapper", PREFIX, PROGRAM},
    {"-B", PREFIX, PROGRAM},
    {"-specs", PREFIX, PROGRAM},
    {"--specs", PREFIX, PROGRAM},
    {"-fplugin", PREFIX, PROGRAM},
    {"-fpass-plugin", PREFIX, PROGRAM},
    {"-fuse-ld", PREFIX, PROGRAM},
    {"--ld-path", PREFIX, PROGRAM},
    {"--config", PREFIX, PROGRAM},
    {"-load", PREFIX, PROGRAM},
    {"-Xclang", WHOLE, "Give the flag as the driver takes it."},
    {"-march", PREFIX, "Add the architecture to the spec (archs)."},
    {"-mcpu", PREFIX, "Add the architecture to the spec (archs)."},
    {"-MD", WHOLE, DEPENDENCIES},
    {"-MMD", WHOLE, DEPENDENCIES},
    {"-M", WHOLE, DEPENDENCIES},
    {"-MM", WHOLE, DEPENDENCIES},
    {"-MF", PREFIX, DEPENDENCIES},
    {"-MT", PREFIX, DEPENDENCIES},
    {"-MQ", PREFIX, DEPENDENCIES},
    {"-MG", WHOLE, DEPENDENCIES},
    {"-MP", WHOLE, DEPENDENCIES},
    {"-Wp,", PREFIX, "Give the flag as the driver takes it."},
    {"-ffile-prefix-map", PREFIX, PLACE},
    {"-fdebug-prefix-map", PREFIX, PLACE},
    {"-fmacro-prefix-map", PREFIX, PLACE},
    {"-save-temps", PREFIX, EXTRA_FILES},
    {"--save-temps", PREFIX, EXTRA_FILES},
    {"-dump", PREFIX, EXTRA_FILES},
    {"-fdump-", PREFIX, EXTRA_FILES},
    {"-gsplit-dwarf", PREFIX, EXTRA_FILES},
    {"-ftime-trace", PREFIX, EXTRA_FILES},
    {"--coverage", WHOLE, EXTRA_FILES},
    {"-fprofile-generate", PREFIX, EXTRA_FILES},
    {"-fprofile-use", PREFIX, EXTRA_FILES},
    {"-ftest-coverage", WHOLE, EXTRA_FILES},
};

bool
kiln_flag_check(const char *flag, struct kiln_error *error)
{
  for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
    const struct refusal *refusal = &refusals[i];
    const bool hit = refusal->match == WHOLE ? strcmp(flag, refusal->flag) == 0 : kiln_text_starts(flag, refusal->flag);
    if (!hit)
      continue;
    kiln_error_set(error, KILN_ERROR_ARGUMENT, "flag '%s' is not allowed in a spec", flag);
    kiln_error_advise(error, "%s", refusal->advice);
    return false;
  }
  return true;
}
