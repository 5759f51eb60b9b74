#!/usr/bin/env bash
# The table of unicode_normalize is what its script writes.
set -euo pipefail
table=$HOTGATE_SOURCE/src/text/transforms/unicode_table.c
python3 -c 'import sys, unicodedata; sys.exit(unicodedata.unidata_version != "14.0.0")' ||
    { echo "skipped: needs a Python with Unicode 14.0.0"; exit 77; }
cmp <("$HOTGATE_SOURCE/tools/gen-unicode") "$table"
