#include "probe/rules/churn.h"
#include "probe/rules/facts.h"
#include "probe/rules/list.h"

static bool
is_option(const struct kiln_cause *cause)
{
  return cause->kind == KILN_CAUSE_OPTION;
}

static const char *const remedies[] = {
    "Set the option once, before the module's first load, at module scope or at start-up.",
    "Put kernels that truly need different options into separate modules with names of their own.",
    NULL,
};

static void
run(struct kiln_report *report)
{
  kiln_churn_report(report, &(struct kiln_churn_rule){.id = "CS-3",
                                .filter = is_option,
                                .remedies = remedies,
                                .change = "an option was changed",
                                .gate = KILN_GATE_OPTIONS});
}

const struct kiln_rule kiln_rule_cs3 = {.id = "CS-3",
    .title = "options set after the module was loaded",
    .run = run,
    .not_when = "The same kernels must run with both values: then two named modules are right, and both are built.",
    .confirm = "Measure again: the module has one identity, and it is the one with the option.",
    .deadline =
        "before the module's first load; what a module copies from `wp.config` when it is made (enable_backward, "
        "max_unroll, lineinfo, deterministic, compile_time_trace) before the file of its kernels is imported"};
