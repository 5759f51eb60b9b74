# All cases of the rule engine pass through the native interface and through version 2 of libddwaf's. Version 1 answers
# seven differently, by its own rules: attributes alone are no match, and key paths have no array indices.
cases=${HOTGATE_CASES:-}/waf-conformance
[ -d "$cases" ] || { echo "skipped: HOTGATE_CASES is not set"; exit 77; }
runner=$HOTGATE_BUILD/tests/conformance
set -e
"$runner" waf --through native "$cases"
[ -f "$HOTGATE_BUILD/ddwaf2/libddwaf.so" ] || exit 0
"$runner" waf --through v2 "$cases"
expected="processors-fingerprint.json 001_postprocessor_regeneration.yaml
processors-fingerprint.json 002_postprocessor_all_attributes.yaml
processors-uri_parse.json 001_uri_parse_with_attributes.yaml
rules-operators-exists.json 009_rule5_exists_array_match.yaml
rules-operators-exists.json 012_rule6_exists_negated_array_no_match.yaml
rules-operators-exists.json 013_rule7_exists_mixed_match.yaml
rules-operators-match_regex.json 007_rule4_match_regex_numeric_keypath.yaml"
actual=$("$runner" waf --through v1 "$cases" 2>&1 | sed -n 's#^FAIL .*/\([^/]*\.json\): \([^:]*\):.*#\1 \2#p' | LC_ALL=C sort)
diff <(echo "$expected") <(echo "$actual")
