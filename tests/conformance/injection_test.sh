# All cases of the detectors pass: the shipped profile against the WAF's answers, the stock profile against the
# stock library's.
[ -d "${HOTGATE_CASES:-}/injection/cases" ] || { echo "skipped: HOTGATE_CASES is not set"; exit 77; }
set -e
"$HOTGATE_BUILD/tests/conformance" injection "$HOTGATE_CASES/injection/cases"
cd "$HOTGATE_CASES/injection/cases"
"$HOTGATE_BUILD/tests/conformance_stock" injection corpus.tsv sqli.tsv xss.tsv unit.tsv
