#include "probe/rules/churn.h"
#include "probe/rules/list.h"

static bool
is_kernel(const struct kiln_cause *cause)
{
  return cause->kind != KILN_CAUSE_OPTION && !cause->overload;
}

static const char *const remedies[] = {
    "Declare the kernels at module scope.",
    "Declare all kernels that are expected before the first launch.",
    "Give kernels that live together a module of their own by name.",
    "Set kernels that data makes anew for each call apart (`module=\"unique\"`).",
    NULL,
};

static void
run(struct kiln_report *report)
{
  kiln_churn_report(report, &(struct kiln_churn_rule){.id = "CS-1",
                                .filter = is_kernel,
                                .remedies = remedies,
                                .change = "a kernel was declared, changed or dropped"});
}

const struct kiln_rule kiln_rule_cs1 = {.id = "CS-1",
    .title = "kernels declared after their module was loaded",
    .run = run,
    .not_when = "Data makes a new kernel for each call (plugins, a user's expressions): keep those apart.",
    .confirm = "Measure again: the module has one identity, and is built once.",
    .deadline = "before the first launch or load of the module"};
