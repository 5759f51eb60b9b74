#!/usr/bin/env bash
# The Python example judges its two requests through the version 2 library.
set -eu
library=$HOTGATE_BUILD/ddwaf2/libddwaf.so
[ -f "$library" ] || { echo "skipped: this build has no libddwaf.so"; exit 77; }
expected="version 2.0.1 loaded ['traversal']
ok
match ['file', 0] block_request"
actual=$(python3 "$HOTGATE_SOURCE/examples/waf_ctypes.py" "$library")
[ "$actual" = "$expected" ] || { echo "$actual"; exit 1; }
