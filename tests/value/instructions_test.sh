#!/usr/bin/env bash
# What encoding and releasing NestedMap from UTF-16 costs in instructions (marshalling B-2, B-3), and that the bytes beyond
# the limits cost nothing. Counted, so that a busy machine does not matter.
set -eu
command -v valgrind >/dev/null || { echo "skipped: valgrind is not installed"; exit 77; }
cache=$HOTGATE_BUILD/CMakeCache.txt
grep -q '^CMAKE_BUILD_TYPE:[A-Z]*=Release' "$cache" && ! grep -q '^HG_SANITIZE:[A-Z]*=[a-z]' "$cache" &&
  ! grep -q '^HG_CHECKED:BOOL=ON' "$cache" || { echo "skipped: not a release build"; exit 77; }
[ "$(uname -m)" = x86_64 ] || { echo "skipped: the figures are of x86-64"; exit 77; }

count() {
  valgrind --tool=callgrind --toggle-collect=bench_once --callgrind-out-file=/dev/null \
    "$HOTGATE_BUILD/bench/marshal" --once encode-utf16 "$1" 2>&1 | sed -n 's/.*Collected : //p'
}

ten=$(count 10) hundred=$(count 100) thousand=$(count 1000)
echo "NestedMap(10) $ten, (100) $hundred, (1000) $thousand instructions"
[ "$ten" -le 14500 ] && [ "$hundred" -le 27500 ] || { echo "more than 14,500 and 27,500"; exit 1; }
[ $((thousand * 100)) -le $((hundred * 105)) ] || { echo "(1000) costs more than (100)"; exit 1; }
