# Shared by the CLI tests: . "$KILN_SOURCE/tests/cli/lib.sh" instead of tests/lib.sh.
#
# kiln makes its sandboxes in $sandboxes, so that what it leaves behind is seen.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/lib.sh"
need_tool jq
need_kiln
sandboxes=$work/sandboxes
mkdir "$sandboxes"
TMPDIR=$sandboxes
export TMPDIR
# Whatever the caller has set is not what is tested here.
unset KILN_PRELOAD KILN_LIBEXEC KILN_SANDBOX KILN_EVENTS NO_COLOR PYTHONDONTWRITEBYTECODE

# said TEXT: stderr of the last status_of holds TEXT.
said() {
  grep -qF -- "$1" "$work/err" || {
    sed 's/^/   stderr: /' "$work/err"
    return 1
  }
}

# pids_marked: processes that carry the mark of a sandbox of this test, zombies aside.
pids_marked() {
  for environ in /proc/[0-9]*/environ; do
    tr '\0' '\n' <"$environ" 2>/dev/null | grep -q "^KILN_SANDBOX=$sandboxes/" && echo "$environ" | tr -dc '0-9\n'
  done 2>/dev/null
}
no_process_left() {
  [ -z "$(pids_marked)" ]
}
no_folder_left() {
  [ -z "$(ls -A "$sandboxes")" ]
}

# soon COMMAND…: COMMAND succeeds within two seconds of waiting.
soon() {
  soon_left=100
  until "$@"; do
    soon_left=$((soon_left - 1))
    [ "$soon_left" -gt 0 ] || return 1
    sleep 0.02
  done
}

# in_time COMMAND…: as soon, for what a loaded machine may take longer to do.
in_time() {
  in_time_left=10
  until soon "$@"; do
    in_time_left=$((in_time_left - 1))
    [ "$in_time_left" -gt 0 ] || return 1
  done
}

# nothing_left WHAT: neither a process nor a folder.
nothing_left() {
  check "$1 leaves no process" soon no_process_left
  check "$1 leaves no folder" soon no_folder_left
}
