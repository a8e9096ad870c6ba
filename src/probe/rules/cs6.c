#include "probe/rules/churn.h"
#include "probe/rules/list.h"

static bool
is_overload(const struct kiln_cause *cause)
{
  return cause->kind != KILN_CAUSE_OPTION && cause->overload;
}

static void
run(struct kiln_report *report)
{
  kiln_churn_report(report, "CS-6", is_overload,
      "Register the overloads in routine use before the first launch (`wp.overload`) and keep the results alive. Leave "
      "rare types out: each registered overload is compiled whether it is used or not.");
}

const struct kiln_rule kiln_rule_cs6 = {"CS-6", "generic kernels instantiated after their module was loaded", run};
