#!/usr/bin/env bash
# All handed cases of the engine: $HOTGATE_CASES/regex, when it is there.
set -euo pipefail
cases=${HOTGATE_CASES:-}/regex
[ -n "${HOTGATE_CASES:-}" ] && [ -d "$cases" ] || { echo "skipped: HOTGATE_CASES/regex is not there"; exit 77; }
"$HOTGATE_BUILD/tests/conformance" regex "$cases" | tail -20
exit "${PIPESTATUS[0]}"
