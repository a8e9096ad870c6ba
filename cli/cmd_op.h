/*
 * The commands of `kiln op`.
 */
#ifndef KILN_CLI_CMD_OP_H
#define KILN_CLI_CMD_OP_H

#include "cli.h"

extern const struct kiln_cli_command kiln_cmd_op_list, kiln_cmd_op_show, kiln_cmd_op_run, kiln_cmd_op_bench,
    kiln_cmd_op_check, kiln_cmd_op_new;

#endif
