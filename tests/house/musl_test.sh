#!/usr/bin/env bash
# The musl preset builds the libraries, the command and the C tests without any optional library, and they pass.
set -eu
command -v musl-gcc >/dev/null || { echo "skipped: musl-gcc is not installed (Debian: musl-tools)"; exit 77; }
cd "$HOTGATE_SOURCE"
cmake -S . -B "$HOTGATE_BUILD/musl" -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER=musl-gcc -DHG_MUSL=ON >/dev/null
cmake --build "$HOTGATE_BUILD/musl" --parallel 2 >"$HOTGATE_BUILD/musl.log" 2>&1 ||
  { grep -E 'error|warning' "$HOTGATE_BUILD/musl.log" | head -20; exit 1; }
"$HOTGATE_BUILD/musl/hotgate" version
ctest --test-dir "$HOTGATE_BUILD/musl" --output-on-failure -j2 >"$HOTGATE_BUILD/musl-tests.log" 2>&1 ||
  { tail -40 "$HOTGATE_BUILD/musl-tests.log"; exit 1; }
tail -3 "$HOTGATE_BUILD/musl-tests.log"
