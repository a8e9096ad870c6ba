/*
 * How long each program behind nvcc took, by nvcc's own table: lines of "source , phase , inputs , output , arch , tool
 * , metric , unit"; the first line holds these words. Phases of several architectures are added up.
 */
#include <string.h>

#include "base/text.h"
#include "jit/toolchain/nvcc/nvcc.h"

enum { COLUMNS = 8, PHASE = 1, METRIC = 6, UNIT = 7 };
#define MOST_MS 1e9

struct column {
  const char *text;
  size_t len;
};

/* The columns of one line, without the spaces around them; false when there are more or fewer. */
static bool
split(const char *line, size_t len, struct column columns[COLUMNS])
{
  const char *const end = line + len;
  size_t count = 0;
  while (count < COLUMNS) {
    const char *comma = memchr(line, ',', (size_t)(end - line)), *stop = comma ? comma : end;
    while (line < stop && *line == ' ')
      line++;
    columns[count] = (struct column){line, (size_t)(stop - line)};
    while (columns[count].len > 0 && line[columns[count].len - 1] == ' ')
      columns[count].len--;
    count++;
    if (!comma)
      return count == COLUMNS;
    line = comma + 1;
  }
  return false;
}

static struct kiln_build_phase *
phase_of(struct kiln_build_output *output, const struct column *name)
{
  struct kiln_build_phase *phase;
  for (size_t i = 0; i < output->phase_count; i++)
    if (strlen(output->phases[i].name) == name->len && memcmp(output->phases[i].name, name->text, name->len) == 0)
      return &output->phases[i];
  if (output->phase_count == KILN_BUILD_MOST_PHASES || name->len == 0 || name->len >= sizeof phase->name)
    return NULL;
  phase = &output->phases[output->phase_count++];
  *phase = (struct kiln_build_phase){.ns = 0};
  memcpy(phase->name, name->text, name->len);
  return phase;
}

void
kiln_nvcc_phases(const char *table, struct kiln_build_output *output)
{
  struct column columns[COLUMNS];
  char number[32];
  for (const char *line = table; *line;) {
    const size_t len = strcspn(line, "\n");
    if (split(line, len, columns) && columns[UNIT].len == 2 && memcmp(columns[UNIT].text, "ms", 2) == 0 &&
        columns[METRIC].len < sizeof number) {
      memcpy(number, columns[METRIC].text, columns[METRIC].len);
      number[columns[METRIC].len] = '\0';
      double ms;
      const bool good = kiln_text_parse_seconds(number, &ms) && ms < MOST_MS; /* strict decimals in any locale */
      struct kiln_build_phase *phase = good ? phase_of(output, &columns[PHASE]) : NULL;
      if (phase)
        phase->ns += (uint64_t)(ms * 1e6 + 0.5);
    }
    line += len + (line[len] == '\n');
  }
}
