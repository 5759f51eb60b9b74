#!/usr/bin/env bash
# The conformance cases of the rule engine, through hotgate/waf.h and, where it is built, through libddwaf.so 2. (The
# cases are those of 2.x: 1.x knows no array indices in key paths and calls a result of attributes alone no match.)
cases=${HOTGATE_CASES:-}/waf-conformance
if [ -z "${HOTGATE_CASES:-}" ] || [ ! -d "$cases" ]; then
    echo "skipped: HOTGATE_CASES names no cases"
    exit 77
fi
status=0
for way in native v2; do
    if [ "$way" != native ] && [ ! -f "$HOTGATE_BUILD/ddwaf${way#v}/libddwaf.so" ]; then
        continue
    fi
    echo "through $way:"
    "$HOTGATE_BUILD/tests/conformance" waf --through "$way" "$cases" || status=1
done
exit $status
