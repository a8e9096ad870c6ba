#!/bin/sh
# Which toolkit compiles: old ones first in PATH, spaces and links in paths, toolkits that are switched, named, broken
# or too old. Each case is the right choice or one message.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/proc/cuda_lib.sh"
store matrix
spec k 9.0a

# ---- chosen by version ----

toolkit old 11050
toolkit system/usr/local/cuda-12.8 12080
toolkit system/usr/local/cuda-13.0 13000
search=$work/old/bin:$work/bin
equal "an old one first in PATH" 0 "$(build k)"
equal "the newest compiles" "0 0 1" \
  "$(compiles old) $(compiles system/usr/local/cuda-12.8) $(compiles system/usr/local/cuda-13.0)"
equal "once" "0 1" "$(build k) $(compiles system/usr/local/cuda-13.0)"
equal "doctor says which" 1 "$(kiln doctor | grep -c 'nvcc is used')"
search=$work/bin
spec seventies 7.0
store seventies
rm -rf "$work/system/usr/local/cuda-12.8"
equal "an architecture that the newest no longer knows" 5 "$(build seventies)"
check "names toolkit, version, architecture and need" \
  said "nvcc 13.0 in '$work/system/usr/local/cuda-13.0' does not compile for sm_70, which needs CUDA 12.9 or older"
toolkit system/usr/local/cuda-12.9 12090 cubin-sm_90
echo sm_70 >"$work/system/usr/local/cuda-12.9/knows"
equal "the one that does is taken" 4 "$(build seventies)"
check "and what it made is looked at" said "the compiler made code for sm_90 for 'scale', which wants sm_70"
rm -rf "$work/system/usr"
search=$work/old/bin:$work/bin

# ---- too old, and said at once ----

store old
begin=$(date +%s%N)
equal "only an old one" 5 "$(build k)"
took=$((($(date +%s%N) - begin) / 1000000))
check "names toolkit, version, architecture and need" \
  said "nvcc 11.5 in '$work/old' does not compile for sm_90a, which needs CUDA 12.0 or newer"
check "within a second: $took ms" test "$took" -lt 1000
equal "nothing was compiled" 0 "$(compiles old)"
toolkit old 13000
echo sm_80 >"$work/old/knows"
equal "new by its headers, old by its own answer" 5 "$(build k)"
check "its own answer counts" said "does not compile for sm_90a, though CUDA 12.0 and newer do"
equal "and nothing was compiled" 0 "$(compiles old)"
search=$work/bin

# ---- spelled in several ways ----

store spelled
toolkit "kits/cuda 13" 13000
ln -s "$work/kits/cuda 13" "$work/link"
equal "a space in its path" 0 "$(KILN_CUDA="$work/kits/cuda 13" build k)"
key=$(got key)
equal "a link to it is the same toolkit" "0 hit $key" "$(KILN_CUDA=$work/link build k) $(got result) $(got key)"
equal "so is CUDA_HOME" "0 hit $key" "$(CUDA_HOME=$work/link build k) $(got result) $(got key)"
equal "and nvcc in PATH" "0 hit $key" "$(search=$work/link/bin:$work/bin build k) $(got result) $(got key)"
ln -s "$work/link/bin/nvcc" "$work/bin/nvcc"
equal "or a link to nvcc there" "0 hit $key" "$(build k) $(got result) $(got key)"
rm -f "$work/bin/nvcc"
equal "one compile for all" 1 "$(compiles 'kits/cuda 13')"
cp -r "$work/kits/cuda 13" "$work/moved"
equal "a copy elsewhere is the same by content" "0 hit $key" "$(KILN_CUDA=$work/moved build k) $(got result) $(got key)"

# ---- switched ----

store switched
toolkit kits/a 12080
toolkit kits/b 13000
equal "one toolkit" "0 built" "$(KILN_CUDA=$work/kits/a build k) $(got result)"
first=$(got key)
equal "another one" "0 built" "$(KILN_CUDA=$work/kits/b build k) $(got result)"
check "is another entry" test "$first" != "$(got key)"
equal "both are there" 2 "$(entries)"
equal "back to the first: a hit" "0 hit $first" "$(KILN_CUDA=$work/kits/a build k) $(got result) $(got key)"
equal "one compile each" "1 1" "$(compiles kits/a) $(compiles kits/b)"
echo '# newer' >>"$work/kits/a/bin/ptxas"
equal "a program of it that changed" "0 built" "$(KILN_CUDA=$work/kits/a build k) $(got result)"
equal "so is no toolkit at all, for what was built" "0 hit" "$(KILN_CUDA=none build k) $(got result)"

# ---- named, and broken ----

store broken
equal "KILN_CUDA is an order" 5 "$(KILN_CUDA=$work/nowhere build k)"
check "and quoted" said "no CUDA toolkit with nvcc: KILN_CUDA '$work/nowhere' does not exist"
equal "a relative one" 2 "$(KILN_CUDA=kits/a build k)"
check "is refused" said "variable KILN_CUDA is 'kits/a', which is not an absolute path, or none"
rm "$work/kits/b/nvvm/bin/cicc"
equal "a toolkit without a part" 5 "$(KILN_CUDA=$work/kits/b build k)"
check "says which" said "has no nvvm/bin/cicc"
equal "CUDA_HOME that is broken is passed over" 0 "$(CUDA_HOME=$work/kits/b search=$work/kits/a/bin:$work/bin build k)"
equal "none at all" 5 "$(store nothing && build k)"
check "names every place" said "KILN_CUDA, CUDA_HOME and CUDA_PATH name none, and there is none in Python environments"
equal "none on purpose" 5 "$(store nothing && KILN_CUDA=none build k)"
check "is said" said "KILN_CUDA is 'none'"
# shellcheck disable=SC2016 # a folder of that name
toolkit 'kits/$(touch pwned)' 13000
# shellcheck disable=SC2016 # a folder of that name
equal "a folder that a shell would run" 5 "$(KILN_CUDA="$work"/'kits/$(touch pwned)' build k)"
check "is refused" said "has a character in its path that nvcc hands to a shell"

# ---- libraries: one folder or the other, with a version in the name only ----

for layout in lib lib64 targets/x86_64-linux/lib; do
  mkdir -p "$work/rtc/$layout"
  : >"$work/rtc/$layout/libnvrtc.so.13"
  equal "NVRTC in $layout without its other half" 1 \
    "$(KILN_CUDA=$work/rtc kiln doctor --json | jq '[.facts[] | select(.note // "" | test("libnvrtc-builtins"))] | length')"
  : >"$work/rtc/$layout/libnvrtc-builtins.so.13.0"
  equal "NVRTC in $layout, versioned names only" "$work/rtc: 13.0, NVRTC is used" \
    "$(KILN_CUDA=$work/rtc kiln doctor --json | jq -r '.facts[] | select(.name == "toolkit") | .value')"
  rm -r "${work:?}/rtc"
done
finish
