#!/bin/sh
# An interpreter that comes later, by dlopen, is observed too; dlsym means for every caller what it meant before.
# shellcheck source=tests/lib.sh
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/lib.sh"
need_tool jq cc python3
library=$(python3 -c 'import sysconfig as s; print(s.get_config_var("LIBDIR") + "/" + (s.get_config_var("INSTSONAME") or ""))')
case $library in
  *.so*) [ -e "$library" ] || skip "there is no shared libpython ($library)" ;;
  *) skip "the python3 on the path has no shared libpython" ;;
esac

cat >"$work/embed.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>


int
main(int argc, char **argv)
{
  int (*next)(const char *);
  int (*run)(int, char **);
  *(void **)&next = dlsym(RTLD_NEXT, "puts");
  printf("next %d default %d none %d\n", next != NULL, dlsym(RTLD_DEFAULT, "puts") != NULL,
      dlsym(RTLD_DEFAULT, "no_symbol_of_this_name") != NULL);
  fflush(stdout);
  void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library == NULL)
    return 9;
  *(void **)&run = dlsym(library, "Py_BytesMain");
  return run(argc - 1, argv + 1);
}
END
check "an embedder is built" cc -o "$work/embed" "$work/embed.c" -ldl
mkdir "$work/events"
home=$(python3 -c 'import sys; print(sys.base_prefix)')
equal "it runs" 4 "$(status_of env PYTHONHOME="$home" KILN_EVENTS="$work/events" LD_PRELOAD="$preload" \
  "$work/embed" "$library" -c 'import json, sys; print("inside"); sys.exit(4)')"
equal "what it prints" "next 1 default 1 none 0
inside" "$(cat "$work/out")"
cat "$work/events"/*.jsonl >"$work/all"
pid=$(jq -r 'select(.name == "boot").pid' "$work/all")
equal "its interpreter was seen from the start" "start boot main exit end" "$(jq -r --argjson pid "${pid:-0}" \
  'select(.pid == $pid and (.ev == "process" or .ev == "mark")) | .what // .name' "$work/all" | tail -n 5 | tr '\n' ' ' | sed 's/ $//')"
check "its imports too" sh -c "jq -e -s 'any(.ev == \"import\" and .name == \"json\")' '$work/all' >/dev/null"
finish
