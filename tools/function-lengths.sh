#!/bin/sh
# function-lengths.sh FILE…: "lines file:line function", one line a function, longest first. Needs universal-ctags.
ctags -o - --languages=C,Python --kinds-C=f --kinds-Python=fm --fields=+ne --excmd=number "$@" | awk -F '\t' '
  !/^!/ {
    line = end = 0
    for (i = 4; i <= NF; i++) {
      if ($i ~ /^line:/) line = substr($i, 6) + 0
      if ($i ~ /^end:/) end = substr($i, 5) + 0
    }
    if (end >= line && line) printf "%d %s:%d %s\n", end - line + 1, $2, line, $1
  }' | sort -k1,1nr -k2
