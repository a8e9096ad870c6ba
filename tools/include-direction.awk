# awk -f tools/include-direction.awk FILE…: paths relative to the root of the tree. One line for each include or
# conditional that the architecture does not allow; exit status 1 if there was one.
#
# `may` is the whole architecture: a folder and what it may include. A device
# loads what the store found; the store knows no device. Ops of a family share what lies in kernels/include.

BEGIN {
  may["include"] = "kiln"
  may["src/base"] = "kiln base"
  may["src/os"] = "kiln base os"
  may["src/event"] = "kiln base os event"
  may["src/store"] = "kiln base os event store"
  may["src/device"] = "kiln base os event store device"
  may["src/jit"] = "kiln base os event store device jit registry/jit.h"
  may["src/op"] = "kiln base os event store device jit op registry/op.h"
  may["src/probe"] = "kiln base os event store probe registry/probe.h"
  may["src/registry"] = "kiln base os event store device jit op probe registry"
  may["agents"] = "kiln base os event agents"
  may["libexec"] = "kiln base os libexec"
  may["cli"] = "kiln base os probe op registry/op.h"
  may["kernels"] = "kiln base op"

  # Libraries that another team keeps, and the one folder that talks to each.
  library["cjson/cJSON.h"] = "src/base"
  library["sodium.h"] = "src/store"
  library["xxhash.h"] = "src/store"

  n = split("assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg " \
            "stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar wctype", names, " ")
  for (i = 1; i <= n; i++)
    standard[names[i] ".h"] = 1
}

function complain(text) {
  printf "%s:%d: %s\n", FILENAME, FNR, text
  failed = 1
}

function folder_of(path, parts) {
  split(path, parts, "/")
  return parts[1] == "src" ? parts[1] "/" parts[2] : parts[1]
}

function directory_of(path) {
  sub(/\/[^\/]*$/, "", path)
  return path
}

function allowed(folder, target, words, count, i) {
  count = split(may[folder], words, " ")
  for (i = 1; i <= count; i++)
    if (target == words[i] || index(target, words[i] "/") == 1)
      return 1
  return 0
}

function exists(path, line, status) {
  status = (getline line < path)
  close(path)
  return status >= 0
}

FNR == 1 {
  folder = folder_of(FILENAME)
  conditionals = 0
  if (!(folder in may))
    complain("folder '" folder "' is not in the table of tools/include-direction.awk")
}

/^[ \t]*#[ \t]*include[ \t]*</ {
  target = $0
  sub(/^[^<]*</, "", target)
  sub(/>.*/, "", target)
  if (folder != "src/os" && !(target in standard) && library[target] != folder)
    complain("<" target "> is a system header; only src/os may include it")
}

/^[ \t]*#[ \t]*include[ \t]*"/ {
  target = $0
  sub(/^[^"]*"/, "", target)
  sub(/".*/, "", target)
  if (target !~ /\//) {
    if (target != "kiln_build.h" && !exists(directory_of(FILENAME) "/" target) &&
        !(folder == "kernels" && exists("kernels/include/" target)))
      complain("\"" target "\" is not in " directory_of(FILENAME) "; include lines are written from src/")
  } else if (!allowed(folder, target))
    complain("\"" target "\" may not be included from " folder " (allowed: " may[folder] ")")
}

# Conditional compilation is the platform's business. Everywhere: an include guard; in public headers: C++, attributes.
/^[ \t]*#[ \t]*(if|ifdef|ifndef|elif)([ \t(!]|$)/ && folder != "src/os" {
  conditionals++
  guard = FILENAME ~ /\.h$/ && conditionals == 1 && /^#ifndef [A-Z0-9_]+_H$/
  public = folder == "include" && (/__cplusplus/ || /__GNUC__/)
  if (!guard && !public)
    complain("'" $0 "': conditional compilation belongs into src/os")
}

END { exit failed }
