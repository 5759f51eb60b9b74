#!/usr/bin/env bash
# The engine gives the same answers whichever vector instructions it may use.
set -euo pipefail
for level in scalar ssse3 avx2; do
    HG_CPU=$level "$HOTGATE_BUILD/tests/regex_set_test" > /dev/null 2>&1 || { echo "sets differ with HG_CPU=$level"; exit 1; }
    status=0
    HG_CPU=$level PAIRS=2000 "$HOTGATE_BUILD/tests/regex_re2_test" > /dev/null 2>&1 || status=$?
    [ "$status" -eq 0 ] || [ "$status" -eq 77 ] || { echo "RE2 differs with HG_CPU=$level"; exit 1; }
done
