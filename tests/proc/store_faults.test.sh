#!/bin/sh
# shellcheck disable=SC2317 # functions are called by check and by lib.sh
# Every system call of the store fails once, in every way that matters; the result of each is written down in
# docs/faults.md. KILN_WRITE=1 writes that page anew; otherwise it must say what was found.
. "$KILN_SOURCE/tests/proc/store_lib.sh"
page=$KILN_SOURCE/docs/faults.md
stub cc
spec one 1001
store pattern
load one || die "the pattern cannot be built: $(cat "$work/out")"

# fresh cold|warm|aged: a store in $work/store, with the toolchain's identity known already, and the entry unless cold;
# an aged one was used three days ago.
fresh() {
  rm -rf "$work/store"
  mkdir -m 700 "$work/store"
  store store
  if [ "$1" != cold ]; then
    cp -rp "$work/pattern/." "$work/store"
    [ "$1" = warm ] || find "$work/store/v1/entries" -type f -exec touch -d '3 days ago' {} +
  else
    mkdir -m 700 "$work/store/v1" && cp -rp "$work/pattern/v1/toolchains" "$work/store/v1/"
  fi
  chmod 700 "$work/store/v1"
  forget_compiles
}

number_of() {
  case $1 in
    EPERM) echo 1 ;; EIO) echo 5 ;; EAGAIN) echo 11 ;; ENOMEM) echo 12 ;; EACCES) echo 13 ;; EEXIST) echo 17 ;; EMFILE) echo 24 ;; ENOSPC) echo 28 ;;
    EROFS) echo 30 ;; EMLINK) echo 31 ;; ENOLCK) echo 37 ;; ENOSYS) echo 38 ;; EOPNOTSUPP) echo 95 ;; ESTALE) echo 116 ;;
    EDQUOT) echo 122 ;; *) echo "unknown error $1" >&2 ;;
  esac
}

# outcome: what a load came to, in words without numbers or places.
outcome() {
  case $(got result) in
    hit | built)
      [ "$(got value)" = 1001 ] || {
        echo "WRONG RESULT"
        return
      }
      where=' in the store'
      [ "$(got path)" != - ] || where=' in memory'
      echo "$(got result),$where"
      ;;
    error) echo "refused: $(got status)" ;;
    *) echo "CRASH" ;;
  esac
}

# row cold|warm CALL WHERE ERROR [HOW]: one line of the table.
row() {
  fresh "$1"
  rm -f "$work/shim"
  load "LD_PRELOAD=$shim" "KILN_SHIM_CALLS=$2" "KILN_SHIM_PATH=$3" "KILN_SHIM_ERROR=$(number_of "$4")" \
    "KILN_SHIM_HOW=${5:-}" "KILN_SHIM_LOG=$work/shim" one
  row_result=$(outcome)
  met=no
  [ ! -s "$work/shim" ] || met=yes
  row_left=$(find "$work/tmp" -mindepth 1 -maxdepth 1 | wc -l | tr -d ' ')
  [ "$row_left" = 0 ] || fail "$*: something is left in the temporary folder: $(ls "$work/tmp")"
  rm -rf "$work/tmp" && mkdir "$work/tmp"
  row_said=$(grep -c '^log [01] ' "$work/err")
  cp "$work/out" "$work/row_out"
  load one
  row_after=$(outcome)
  # What must hold whatever fails: never a wrong result, a crash, more than one entry, or a store that is broken for good.
  case $row_result in
    "WRONG RESULT" | CRASH) fail "$*: $row_result: $(head -c 300 "$work/row_out")" ;;
    refused*)
      [ "$(wc -c <"$work/row_out")" -gt 40 ] || fail "$*: an error without a sentence"
      ;;
  esac
  case $row_after in
    hit* | built*) ;;
    *) fail "$*: the store does not recover: $(head -c 300 "$work/out")" ;;
  esac
  [ "$(entries)" -le 1 ] || fail "$*: $(entries) entries"
  [ "$row_said" -le 3 ] || fail "$*: $row_said warnings for one cause"
  [ "$(build_folders)" = 0 ] || fail "$*: a build folder is left after the next run"
  [ "$met" = yes ] || row_result="not asked for"
  checks=$((checks + 1))
  printf '| %s | %s | %s | %s | %s | %s |\n' "$1" "$2" "${3:-anywhere}" "$4${5:+ ($5)}" "$row_result" "$row_after" >>"$work/table"
}

: >"$work/table"
for error in EACCES EIO ESTALE EMFILE; do
  row warm open /entries/ $error
  row warm open /requests/ $error
  row warm open /toolchains/ $error
done
for error in EIO ESTALE; do
  row warm read /entries/ $error
  row warm read /requests/ $error
  row warm stat /entries/ $error
done
row warm stat /store/ EACCES
row warm map /entries/ EPERM
row warm map /entries/ EACCES
row warm statfs /store EIO
row aged utime /entries/ EROFS
row aged utime /entries/ EACCES
row warm write /store/ ENOSPC
row warm lock /locks/ ENOLCK
for error in ENOSPC EROFS EACCES EIO ESTALE EDQUOT; do
  row cold mkdir /store/ $error
  row cold open /store/ $error create
  row cold write /store/ $error
  row cold link /entries/ $error
  row cold rename /store/ $error
done
for error in EACCES EIO ENOSPC; do
  row cold open v1/build/ $error create
  row cold open /locks/ $error create
  row cold open /requests/ $error create
  row cold mkdir v1/build/ $error
  row cold mkdir /entries $error
done
for bytes in 0 1 100 4096 14000 15900 17000 20000; do
  row cold write /store/ ENOSPC "bytes=$bytes"
done
for error in EPERM EOPNOTSUPP ENOSYS EMLINK; do
  row cold link /entries/ $error
done
row cold link /entries/ EEXIST hide
row cold link /entries/ EIO late
row cold link /entries/ EEXIST late
row cold link,rename /entries/ EPERM
row cold link,rename /entries/ EEXIST hide
for error in EAGAIN ENOLCK EACCES EIO EOPNOTSUPP; do
  [ $error = EAGAIN ] || [ $error = EACCES ] || row cold lock /locks/ $error
done
row cold lock /locks/ EIO pretend
row cold open /locks/ EACCES
row cold open /locks/ EMFILE
row cold chmod /store/ EPERM
row cold unlink /store/ EIO
row cold unlink /store/ ESTALE
row cold read v1/build/ EIO
row cold stat v1/build/ ESTALE
row cold map /store/ EPERM
row cold map /store/ EACCES
row cold map,memfd '' EPERM
row cold map,memfd /store/ EPERM
row warm map,memfd '' EPERM
row cold spawn '' ENOMEM
row cold spawn '' EAGAIN
row cold statfs /store EIO
row cold statfs /store EIO nfs

# ---- real small disks ----

# disk OPTIONS WHAT: the same with a real file system that is too small.
disks=''
cleanup() {
  for disk in $disks; do umount "$disk" 2>/dev/null; done
}
disk() {
  disk_folder=$work/disk.$(echo "$1" | tr -dc 'a-z0-9')
  mkdir "$disk_folder"
  mount -t tmpfs -o "$1" tmpfs "$disk_folder" 2>/dev/null || return
  disks="$disks $disk_folder"
  KILN_CACHE_DIR=$disk_folder/store
  forget_compiles
  load one
  row_result=$(outcome)
  case $row_result in
    hit* | built* | refused*) checks=$((checks + 1)) ;;
    *) fail "tmpfs $1: $row_result: $(cat "$work/out")" ;;
  esac
  equal "tmpfs $1: no part of an entry is visible" 0 "$(status_of "$kiln" cache verify)"
  equal "tmpfs $1: no build folder" 0 "$(build_folders)"
  load one
  printf '| cold | tmpfs | %s | %s | %s | %s |\n' "$1" "$2" "$row_result" "$(outcome)" >>"$work/table"
}
if [ "$(id -u)" -eq 0 ]; then
  disk size=4k "bytes run out"
  disk size=32k "bytes run out"
  disk size=60k "bytes run out"
  disk nr_inodes=2 "inodes run out"
  disk nr_inodes=8 "inodes run out"
  disk nr_inodes=12 "inodes run out"
  disk noexec "code cannot be mapped"
  disk ro "read-only"
else
  echo "   (real small disks need root: not tried)"
fi

# ---- the page ----

{
  cat <<'END'
# What a fault does to the store

Written by `tests/proc/store_faults.test.sh` (`KILN_WRITE=1` writes it anew); do not edit by hand.

Each line is one process that loads one kernel while a system call fails, and a second one after it without the fault.
*cold*: nothing is stored yet; *warm*: the entry is there; *aged*: it was used three days ago.
The fault strikes every call of that name on a path that holds the text of the third column.
*in the store*: the module was loaded from its entry; *in memory*: it works, and nothing could be kept.
*not asked for*: the call does not happen on this way.
Whatever fails: no wrong result, no crash, no part of an entry that a reader can see, nothing left in the temporary folder, no build folder left after the next run, and the next run without the fault works.

| store | call | on | fault | result | next run |
| --- | --- | --- | --- | --- | --- |
END
  cat "$work/table"
} >"$work/page"
if [ "${KILN_WRITE:-0}" = 1 ]; then
  cp "$work/page" "$page"
  echo "   docs/faults.md written"
elif [ -n "$sanitizer" ]; then
  # Under a sanitizer programs are larger, so a small disk is full at another place. Every row was checked all the same.
  echo "   (the page is that of a plain build: not compared)"
elif [ "$(id -u)" -eq 0 ]; then
  diff -u "$page" "$work/page" >"$work/diff" || sed 's/^/   /' "$work/diff" | head -n 40
  check "docs/faults.md says what was found (KILN_WRITE=1 writes it anew)" [ ! -s "$work/diff" ]
else
  grep -v '| tmpfs |' "$page" >"$work/expected" 2>/dev/null
  check "docs/faults.md says what was found (KILN_WRITE=1 as root writes it anew)" cmp -s "$work/expected" "$work/page"
fi
finish
