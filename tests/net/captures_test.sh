#!/usr/bin/env bash
# Every capture of the data set gives the expected logs in all modes.
set -u
data="${HOTGATE_CASES:-}/packets"
[ -d "$data" ] || { echo "skipped: no capture data (HOTGATE_CASES)"; exit 77; }
"${HOTGATE_BUILD:-build}/tests/conformance" packets "$data" | tail -20
exit "${PIPESTATUS[0]}"
