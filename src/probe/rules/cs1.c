#include "probe/rules/churn.h"
#include "probe/rules/list.h"

static bool
is_kernel(const struct kiln_cause *cause)
{
  return cause->kind != KILN_CAUSE_OPTION && !cause->overload;
}

static void
run(struct kiln_report *report)
{
  kiln_churn_report(report, "CS-1", is_kernel,
      "Declare the kernels at module scope; else declare all of them before the first launch; else give kernels that "
      "live together a module of their own by name. Kernels that data makes anew for each call are best kept apart "
      "(`module=\"unique\"`).");
}

const struct kiln_rule kiln_rule_cs1 = {"CS-1", "kernels declared after their module was loaded", run};
