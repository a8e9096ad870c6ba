/*
 * The commands of `kiln cache`.
 */
#ifndef KILN_CLI_CMD_CACHE_H
#define KILN_CLI_CMD_CACHE_H

#include "cli.h"

extern const struct kiln_cli_command kiln_cmd_cache_build, kiln_cmd_cache_prewarm, kiln_cmd_cache_ls,
    kiln_cmd_cache_show, kiln_cmd_cache_explain, kiln_cmd_cache_verify, kiln_cmd_cache_gc, kiln_cmd_cache_clear,
    kiln_cmd_cache_stats;

#endif
