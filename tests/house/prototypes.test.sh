#!/bin/sh
# The header is the manual: every public prototype has a comment directly above it.
. "${KILN_SOURCE:-$(dirname "$0")/../..}/tests/lib.sh"
cd "$KILN_SOURCE" || exit 1

# shellcheck disable=SC2046 # file names of this project have no spaces
{
  awk -f tools/undocumented.awk $(find include -name '*.h' | sort) >"$work/public"
  awk -f tools/undocumented.awk $(find src agents libexec cli -name '*.h' | sort) >"$work/internal"
}
equal "public prototypes without a comment" "" "$(sed '$d' "$work/public")"
printf '   public: %s\n   internal: %s\n' "$(tail -n 1 "$work/public")" "$(tail -n 1 "$work/internal")"

# A run of prototypes may share the comment above the first; so the internal bound counts headers, not prototypes.
bare=$(for header in $(find src agents libexec cli -name '*.h' | sort); do
  head -n 1 "$header" | grep -q '^/\*' || echo "$header"
done)
equal "internal headers that do not begin with their purpose" "" "$bare"

printf '/* said */\nint a(void);\nint b(void);\nint c(int x,\n    int y);\n' >"$work/planted.h"
equal "an undocumented prototype is seen" "1 of 3 documented" "$(awk -f tools/undocumented.awk "$work/planted.h" | tail -n 1)"
finish
