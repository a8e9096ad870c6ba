#!/bin/sh
# scenarios.table: each row recorded by kiln and held against the cache folder and the program's own count.
# SCENARIOS="name name" runs these alone.
# shellcheck source=tests/lib.sh
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/lib.sh"
need_tool jq
need_kiln
need_warp
need_x86_64
export PYTHONDONTWRITEBYTECODE=1
here=$KILN_SOURCE/tests/warp
py=$python main=$here/scenes/main.py scenes=$here/scenes cases=$here/cases
site=$("$python" -c 'import os, warp; print(os.path.dirname(os.path.dirname(warp.__file__)))')
export py main scenes cases site KILN_SCENE_SITE="$site"

# first_with CODE PYTHON…: the first of these that runs CODE with Warp's site-packages, or nothing.
first_with() {
  with_check=$1
  shift
  for with_python; do
    if PYTHONPATH=$site "$with_python" -c "$with_check" >/dev/null 2>&1; then
      echo "$with_python"
      return
    fi
  done
}
version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
numpy="import sys, numpy; assert '%d.%d' % sys.version_info[:2] == '$version'"
debian=$(first_with "$numpy" /usr/bin/python3)
shared=$(first_with "$numpy; import sysconfig; assert sysconfig.get_config_var('Py_ENABLE_SHARED')" \
  "python$version" python3 "$HOME"/.pyenv/versions/"$version".*/bin/python3)
pytest=$(first_with 'import pytest' "$python")
export debian shared pytest

row() {
  printf '%-22s %10s %10s %10s %10s %10s %10s\n' "$@"
}

# cell EXPECTED OUTSIDE KILN: one number where all agree, else all of them. "-" outside: nobody counts it there.
cell() {
  if [ "$1" = "$3" ] && { [ "$2" = - ] || [ "$1" = "$2" ]; }; then echo "$3"; else echo "$1,$2≠$3"; fi
}

# shellcheck disable=SC2016 # of jq
counts='(.arms[0].samples[0].cold) as $c
  | (if $c.end == "ended" then (if $c.signal > 0 then 128 + $c.signal else $c.exit_code end) else $c.end end),
    $c.modules, $c.identities, $c.builds, $c.launches, ([.processes[] | select(.builds + .loads + .launches > 0) | .pid] | unique | length)'

run_scenario() { # NAME OPTIONS COMMAND EXIT MODULES IDENTITIES BUILDS LAUNCHES PROCESSES
  scratch=$work/$1
  mkdir -p "$scratch/cache" "$scratch/tmp"
  export scratch
  : >"$scratch/truth"
  record_options=$2
  [ "$record_options" != - ] || record_options=
  # shellcheck disable=SC2086 # a list of words
  KILN_TRUTH=$scratch/truth WARP_CACHE_PATH=$scratch/cache TMPDIR=$scratch/tmp "$kiln" record --quiet $record_options \
    -o "$scratch/record" -- sh -c "$3" >"$scratch/out" 2>"$scratch/err" </dev/null
  # shellcheck disable=SC2046 # six numbers
  set -- "$@" $("$kiln" report --json "$scratch/record" 2>>"$scratch/err" | jq -r "$counts" 2>>"$scratch/err")
  folders=$(find "$scratch/cache" -maxdepth 2 -type d -name 'wp_*' ! -name '*_p[0-9]*_t[0-9]*' -printf '%f\n')
  identities=$(printf '%s' "$folders" | grep -c .)
  modules=$(printf '%s\n' "$folders" | sed 's/_[0-9a-f]*$//' | sort -u | grep -c .)
  launches=$(awk '{ n += $1 } END { print n + 0 }' "$scratch/truth")
  row "$1" "$(cell "$4" - "${10:-?}")" "$(cell "$5" "$modules" "${11:-?}")" "$(cell "$6" "$identities" "${12:-?}")" \
    "$(cell "$7" - "${13:-?}")" "$(cell "$8" "$launches" "${14:-?}")" "$(cell "$9" - "${15:-?}")" >"$work/row"
  cat "$work/row"
  if grep -q '≠' "$work/row"; then
    fail "$1: expected,outside≠kiln in the row above"
    tail -n 5 "$scratch/err" | sed 's/^/    /'
  else
    checks=$((checks + 1))
  fi
}

missing() { # COMMAND: the first name in it that stands for a program that is not here
  for missing_name in debian shared pytest; do
    case $1 in *"\$$missing_name "*) eval "[ -n \"\$$missing_name\" ]" || echo "$missing_name" ;; esac
  done
}

row scenario exit modules identities builds launches processes
grep -v '^#' "$here/scenarios.table" >"$work/table"
while IFS='|' read -r group name when options command status modules_in identities_in builds_in launches_in warps_in <&3; do
  : "$group"
  if [ -n "${SCENARIOS:-}" ]; then
    case " $SCENARIOS " in *" $name "*) ;; *) continue ;; esac
  elif [ "$when" = full ] && [ "${KILN_FULL:-0}" != 1 ]; then
    continue
  fi
  lacks=$(missing "$command")
  if [ -n "$lacks" ]; then
    printf '%-22s skipped: there is no %s here\n' "$name" "$lacks"
    continue
  fi
  run_scenario "$name" "$options" "$command" "$status" "$modules_in" "$identities_in" "$builds_in" "$launches_in" "$warps_in"
done 3<"$work/table"
finish
