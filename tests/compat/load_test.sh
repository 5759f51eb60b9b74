#!/usr/bin/env bash
# The same libddwaf.so loads and judges in a program of glibc and in one of musl.
set -eu
[ "${HOTGATE_BUILD_TYPE:-}" != Debug ] || { echo "skipped: says something of optimised builds only"; exit 77; }
source=$HOTGATE_SOURCE/tests/compat/load.c
[ -f "$HOTGATE_BUILD/ddwaf1/libddwaf.so" ] || { echo "skipped: this build has no libddwaf.so"; exit 77; }
cc -o "$HOTGATE_BUILD/load_glibc" "$source" -ldl
for abi in 1 2; do
    "$HOTGATE_BUILD/load_glibc" $abi "$HOTGATE_BUILD/ddwaf$abi/libddwaf.so"
done
command -v musl-gcc > /dev/null || { echo "skipped: no musl-gcc"; exit 77; }
musl-gcc -o "$HOTGATE_BUILD/load_musl" "$source"
for abi in 1 2; do
    "$HOTGATE_BUILD/load_musl" $abi "$HOTGATE_BUILD/ddwaf$abi/libddwaf.so"
done
