#!/usr/bin/env bash
# Both libddwaf.so: exactly the symbols of their ABI, no library named, no versioned import, nothing imported but plain
# libc functions, SONAME libddwaf.so, and at most 700 KB when stripped.
set -u
[ "${HOTGATE_BUILD_TYPE:-}" != Debug ] || { echo "skipped: says something of optimised builds only"; exit 77; }
here=$HOTGATE_SOURCE/tests/compat
for tool in nm readelf strip; do
    command -v $tool > /dev/null || { echo "skipped: no $tool"; exit 77; }
done
failed=0
fail() { echo "FAIL $*"; failed=1; }

for abi in 1 2; do
    library=$HOTGATE_BUILD/ddwaf$abi/libddwaf.so
    [ -f "$library" ] || { echo "skipped: this build has no $library"; exit 77; }
    nm -D --defined-only "$library" | awk '{print $3}' | LC_ALL=C sort > "$HOTGATE_BUILD/symbols_v$abi"
    diff "$here/symbols_v$abi.txt" "$HOTGATE_BUILD/symbols_v$abi" || fail "v$abi: exported symbols differ"
    readelf -d "$library" | grep -q NEEDED && fail "v$abi: names a library"
    readelf -d "$library" | grep -q 'SONAME.*\[libddwaf.so\]' || fail "v$abi: SONAME"
    readelf -VW "$library" | grep -q 'GLIBC' && fail "v$abi: versioned imports"
    readelf -d "$library" | grep -q 'STATIC_TLS' && fail "v$abi: static thread-local storage, musl cannot load it late"
    nm -D --undefined-only "$library" | awk '{print $2}' | grep -vxFf "$here/imports.txt" &&
        fail "v$abi: imports beyond imports.txt"
    strip -o "$HOTGATE_BUILD/stripped_v$abi" "$library"
    size=$(stat -c %s "$HOTGATE_BUILD/stripped_v$abi")
    [ "$size" -le 716800 ] || fail "v$abi: $size bytes stripped"
    echo "v$abi: $(wc -l < "$here/symbols_v$abi.txt") symbols, $size bytes stripped"
done
exit $failed
