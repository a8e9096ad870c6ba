# Shared by the tests of GPU compilers: . "$KILN_SOURCE/tests/proc/cuda_lib.sh"
#
# Order: `toolkit kit/a 13000` makes a stub of a toolkit in $work/kit/a, `spec k 9.0a`, `build k`; `said`, `compiles`,
# `entries`.
. "$KILN_SOURCE/tests/lib.sh"
need_kiln
need_tool jq gcc
corpus=$KILN_SOURCE/tests/fuzz/corpus/gpu_binary

# What the caller has set is not what is tested; everything of this test lies in $work, the system's toolkits included.
for name in $(env | sed -n 's/^\(KILN_[A-Z_]*\)=.*/\1/p'); do
  case $name in KILN_SOURCE | KILN_BUILD | KILN_FULL | KILN_TEST_CUDA) ;; *) unset "$name" ;; esac
done
unset CUDA_HOME CUDA_PATH VIRTUAL_ENV CONDA_PREFIX XDG_CACHE_HOME NVCC_PREPEND_FLAGS NVCC_APPEND_FLAGS
mkdir "$work/home" "$work/tmp" "$work/specs" "$work/system" "$work/bin"
for program in sh cat cp sed gcc g++; do
  ln -s "$(command -v $program)" "$work/bin/$program"
done
# What kiln sees as PATH; no compiler of the system's for GPUs is in it.
search=$work/bin
HOME=$work/home TMPDIR=$work/tmp KILN_SYSTEM_ROOT=$work/system KILN_BUDGET_DIR=$work/budget KILN_CC=$work/bin/gcc
export HOME TMPDIR KILN_SYSTEM_ROOT KILN_BUDGET_DIR KILN_CC

# The stub: says its version and what it knows, writes the payload that its folder names, counts in log.
stub_nvcc() {
  cat <<'STUB'
#!/bin/sh
kit=${0%/bin/nvcc}
case $* in
*--list-gpu-code*) cat "$kit/knows"; exit 0 ;;
*--dryrun*) exit 1 ;;
*--version*) echo "Cuda compilation tools, release $(cat "$kit/release")"; exit 0 ;;
esac
out='' deps='' source=''
while [ $# -gt 0 ]; do
  case $1 in
  -o) out=$2; shift ;;
  -MF=*) deps=${1#-MF=} ;;
  *) source=$1 ;;
  esac
  shift
done
echo "$out" >>"$kit/log"
[ ! -e "$kit/fails" ] || . "$kit/fails"
printf 'kiln : %s %s/include/cuda_runtime.h\n' "$source" "$(echo "$kit" | sed 's/ /\\ /g')" >"$deps"
cp "$kit/payload" "$out"
STUB
}

# toolkit FOLDER NUMBER [PAYLOAD]: a toolkit whose headers are of version NUMBER (13000), which compiles to PAYLOAD.
toolkit() {
  kit=$work/$1
  mkdir -p "$kit/bin" "$kit/nvvm/bin" "$kit/include" "$kit/lib64"
  stub_nvcc >"$kit/bin/nvcc"
  echo "#!/bin/sh
# $1" >"$kit/bin/ptxas"
  cp "$kit/bin/ptxas" "$kit/nvvm/bin/cicc"
  chmod +x "$kit/bin/nvcc" "$kit/bin/ptxas" "$kit/nvvm/bin/cicc"
  echo "#define CUDART_VERSION $2" >"$kit/include/cuda_runtime_api.h"
  : >"$kit/include/cuda_runtime.h"
  echo "$2" >"$kit/release"
  printf 'sm_80\nsm_90\nsm_100\nsm_120\n' >"$kit/knows"
  cp "$corpus/${3:-cubin-sm_90a}" "$kit/payload"
}

# spec NAME ARCHS: $work/specs/NAME.
spec() {
  jq -cn --arg archs "$2" '{name: "scale", toolchain: "nvcc", archs: [$archs], entry_points: ["scale"],
    sources: [{name: "scale.cu", text: "extern \"C\" __global__ void scale(float *x, float a, int n) {}"}]}' \
    >"$work/specs/$1"
}

# store NAME: the store from now on. build NAME: prints the exit code; output in $work/out and $work/err.
store() {
  KILN_CACHE_DIR=$work/$1
  export KILN_CACHE_DIR
}
kiln() {
  env PATH="$search" "$kiln" "$@"
}
build() {
  status_of kiln cache build --quiet --json "$work/specs/$1"
}
got() {
  json "$work/out" ".$1"
}
said() {
  grep -qF "$1" "$work/err"
}
# compiles FOLDER: how often that toolkit compiled.
compiles() {
  if [ -e "$work/$1/log" ]; then wc -l <"$work/$1/log" | tr -d ' '; else echo 0; fi
}
entries() {
  find "$KILN_CACHE_DIR"/v1/entries -type f 2>/dev/null | wc -l | tr -d ' '
}
