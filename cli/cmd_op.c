/* The group `kiln op`: one file a command. */
#include "cmd_op.h"

static const struct kiln_cli_command *const commands[] = {
    &kiln_cmd_op_list,
    &kiln_cmd_op_show,
    &kiln_cmd_op_run,
    &kiln_cmd_op_bench,
    &kiln_cmd_op_check,
    &kiln_cmd_op_new,
};

const struct kiln_cli_group kiln_group_op = {"op",
    "kiln's own kernels: list, show, run, benchmark, check, write new ones", commands,
    sizeof commands / sizeof *commands};
