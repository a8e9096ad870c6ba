#include "probe/rules/churn.h"
#include "probe/rules/list.h"

static bool
is_option(const struct kiln_cause *cause)
{
  return cause->kind == KILN_CAUSE_OPTION;
}

static void
run(struct kiln_report *report)
{
  kiln_churn_report(report, "CS-3", is_option,
      "Set the option once, before the module's first load, at module scope or at start-up. Kernels that truly need "
      "different options belong into separate modules with names of their own.");
}

const struct kiln_rule kiln_rule_cs3 = {"CS-3", "options set after the module was loaded", run};
