# The detectors call nothing that allocates, locks or keeps state, and own no writable memory: their tables are
# constants and nothing is built at run time.
set -u
objects=$(find "$HOTGATE_BUILD/CMakeFiles/hg_text.dir/src/text" -path '*/sqli/*.o' -o -path '*/xss/*.o' -o -name 'injection_*.o')
[ -n "$objects" ] || { echo "skipped: no object files"; exit 77; }
# shellcheck disable=SC2086
if nm -u $objects | grep -Eq 'asan|ubsan|tsan|sanitizer'; then echo "skipped: sanitizers add calls of their own"; exit 77; fi
status=0

allowed='^(hg_[a-z0-9_]+|mem(chr|mem|cmp|cpy|move|set)|str(chr|cmp|cpy|len|nlen)|_GLOBAL_OFFSET_TABLE_|__stack_chk_fail)$'
# shellcheck disable=SC2086
others=$(nm -u $objects | awk '$1 == "U" {print $2}' | sort -u | grep -Ev "$allowed")
[ -z "$others" ] || { echo "calls beyond the allowed ones: $others"; status=1; }

# shellcheck disable=SC2086
writable=$(size -A $objects | awk '($1 ~ /^\.(data|bss)($|\.)/ && $1 !~ /^\.data\.rel\.ro/) && $2 > 0 {print $1, $2}')
[ -z "$writable" ] || { echo "writable sections: $writable"; status=1; }
exit $status
