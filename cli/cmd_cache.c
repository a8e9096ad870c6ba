/* The group `kiln cache`: one file a command. */
#include "cmd_cache.h"

static const struct kiln_cli_command *const commands[] = {
    &kiln_cmd_cache_build,
    &kiln_cmd_cache_prewarm,
    &kiln_cmd_cache_ls,
    &kiln_cmd_cache_show,
    &kiln_cmd_cache_explain,
    &kiln_cmd_cache_verify,
    &kiln_cmd_cache_gc,
    &kiln_cmd_cache_clear,
    &kiln_cmd_cache_stats,
};

const struct kiln_cli_group kiln_group_cache = {
    "cache", "compiled kernels: build ahead, look inside, clean up", commands, sizeof commands / sizeof *commands};
