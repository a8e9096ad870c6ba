#include "probe/rules/churn.h"
#include "probe/rules/list.h"

static bool
is_overload(const struct kiln_cause *cause)
{
  return cause->kind != KILN_CAUSE_OPTION && cause->overload;
}

static const char *const remedies[] = {
    "Register the overloads in routine use before the first launch (`wp.overload`), and keep the results alive.",
    "Declare the kernel for the types in use instead of as a generic one.",
    NULL,
};

static void
run(struct kiln_report *report)
{
  kiln_churn_report(report, &(struct kiln_churn_rule){.id = "CS-6",
                                .filter = is_overload,
                                .remedies = remedies,
                                .change = "an overload of a generic kernel was asked for"});
}

const struct kiln_rule kiln_rule_cs6 = {.id = "CS-6",
    .title = "generic kernels instantiated after their module was loaded",
    .run = run,
    .not_when = "Rare types: each registered overload is compiled whether it is used or not.",
    .confirm = "Measure again: the module has one identity, and source bytes did not grow.",
    .deadline = "before the first launch or load of the module"};
