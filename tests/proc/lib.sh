# Shared by the process tests: . "$KILN_SOURCE/tests/proc/lib.sh" instead of tests/lib.sh.
#
# run [NAME=VALUE…] -- COMMAND…: one run under kiln-spawn, output in $work/run; the result is read with `result NAME`.
# Settings: timeout, limit, remove, folder (see tests/proc/run_one.c).
. "$KILN_SOURCE/tests/lib.sh"

# shellcheck disable=SC2034 # used by the tests that read this file
misbehave=$KILN_BUILD/tests/proc.misbehave
run_one=$KILN_BUILD/tests/proc.run_one
for needed in "$spawn" "$misbehave" "$run_one"; do
  [ -x "$needed" ] || die "$needed is missing; run ./dev build"
done

run() {
  timeout=0 limit=0 remove='' folder=$work/run
  while [ "$1" != -- ]; do
    case $1 in
      timeout=*) timeout=${1#*=} ;;
      limit=*) limit=${1#*=} ;;
      remove=*) remove=${1#*=} ;;
      folder=*) folder=${1#*=} ;;
      *) die "run: unknown setting $1" ;;
    esac
    shift
  done
  shift
  mkdir -p "$folder"
  "$run_one" "$spawn" "$folder" "$timeout" "$limit" "$remove" "$@" >"$work/result"
}

result() {
  sed -n "s/^$1=//p" "$work/result"
}

# alive PID: the process exists and is no zombie (in a container nobody may reap orphans).
alive() {
  state=$(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | cut -c 1)
  case $state in '' | Z | X) return 1 ;; esac
}
dead() {
  ! alive "$1"
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

# all_dead FILE COUNT: FILE names so many processes, and none is left.
all_dead() {
  [ "$(wc -l <"$1")" -ge "$2" ] || return 1
  while read -r pid; do
    dead "$pid" || return 1
  done <"$1"
}
has_lines() {
  [ -e "$1" ] && [ "$(wc -l <"$1")" -ge "$2" ]
}
missing() {
  [ ! -e "$1" ]
}
