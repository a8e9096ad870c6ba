#!/bin/sh
# Do the tests notice a wrong program? tools/mutate.sh [COUNT] [SEED]: tools/mutate.py says how.
exec python3 "$(dirname "$0")/mutate.py" "$@"
