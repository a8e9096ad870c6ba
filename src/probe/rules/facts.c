#include "probe/rules/facts.h"

#include <stdio.h>
#include <string.h>

#include "probe/report/work.h"

static const struct kiln_report_arm *
arm_of(const struct kiln_report *report)
{
  return report->rules_arm ? report->rules_arm : &report->arms[0];
}

static bool
any_valid(const struct kiln_report *report)
{
  for (size_t i = 0; i < arm_of(report)->sample_count; i++)
    if (arm_of(report)->samples[i].valid)
      return true;
  return false;
}

size_t
kiln_facts_sample_count(const struct kiln_report *report)
{
  if (!any_valid(report))
    return arm_of(report)->sample_count;
  size_t count = 0;
  for (size_t i = 0; i < arm_of(report)->sample_count; i++)
    count += arm_of(report)->samples[i].valid;
  return count;
}

const struct kiln_report_sample *
kiln_facts_sample(const struct kiln_report *report, size_t index)
{
  const bool only_valid = any_valid(report);
  for (size_t i = 0; i < arm_of(report)->sample_count; i++) {
    const struct kiln_report_sample *sample = &arm_of(report)->samples[i];
    if (only_valid && !sample->valid)
      continue;
    if (index-- == 0)
      return sample;
  }
  return NULL;
}

int
kiln_facts_compare_artefact(const struct kiln_model_build *a, const struct kiln_model_build *b)
{
  const struct kiln_use left = kiln_use_of_build(a), right = kiln_use_of_build(b);
  return kiln_order_use(&left, &right);
}

bool
kiln_facts_same_artefact(const struct kiln_model_build *a, const struct kiln_model_build *b)
{
  return kiln_facts_compare_artefact(a, b) == 0;
}

bool
kiln_facts_is_users(struct kiln_where where)
{
  if (!where.file || (!strstr(where.file, "/site-packages/") && !strstr(where.file, "/dist-packages/")))
    return true;
  return strstr(where.file, "/examples/") || strstr(where.file, "/tests/");
}

int
kiln_facts_warp(const struct kiln_model *model)
{
  for (size_t i = 0; i < model->process_count; i++) {
    int major = 0, minor = 0;
    const char *version = model->processes[i].framework_version;
    if (version && sscanf(version, "warp %d.%d", &major, &minor) == 2 && major >= 0 && major < 1000 && minor >= 0 &&
        minor < 1000)
      return major * 1000 + minor;
  }
  return 0;
}
