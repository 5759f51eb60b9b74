#!/usr/bin/env bash
# The rules' own tests, and the verbs that help to write rules: test, explain, tune, the report.
set -u
hotgate="$HOTGATE_BUILD/hotgate"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
cd "$HOTGATE_SOURCE"
failures=0
check() {
    [ "$2" = "$3" ] && return
    printf 'FAIL %s\n  expected: %s\n  got:      %s\n' "$1" "$3" "$2"
    failures=$((failures + 1))
}
status() { "$@" > "$work/out" 2> "$work/err"; echo $?; }

check 'every rule passes its tests' "$(status "$hotgate" test rules/hotgate.json rules/tests)" 0
grep FAIL "$work/out"
check 'every rule is hit by a test' "$(grep -c 'never hit' "$work/out")" 0
rules=$(sed -n 's/^      "id": "\(.*\)",$/\1/p' rules/hotgate.json)
check 'there are at least 120 rules' "$([ "$(wc -w <<< "$rules")" -ge 120 ] && echo yes)" yes
for id in $rules; do
    file="rules/tests/$id.json"
    check "$id has three attacks and three near misses" \
        "$([ "$(grep -c '"code": "match"' "$file")" -ge 3 ] && [ "$(grep -c '"code": "ok"' "$file")" -ge 3 ] && echo yes)" yes
done
check 'the rules have no error and no warning' "$("$hotgate" check rules/hotgate.json | tail -1 | cut -d, -f2-)" ' 0 errors, 0 warnings'

# test: failures are named, and coverage is told.
cat > "$work/rules.json" << 'END'
{"version":"2.2","rules":[
 {"id":"a","name":"a","tags":{"type":"t"},"conditions":[{"operator":"match_regex","parameters":{"regex":"aaa","inputs":[{"address":"server.request.query"}]}}]},
 {"id":"b","name":"b","tags":{"type":"t"},"conditions":[{"operator":"match_regex","parameters":{"regex":"bbb","inputs":[{"address":"server.request.query"}]}}]}]}
END
cat > "$work/tests.json" << 'END'
{"rule":"a","cases":[
 {"name":"good","runs":[{"input":{"server.request.query":{"q":"aaa"}},"code":"match","rules":[{"a":[{"address":"server.request.query","key_path":["q"],"value":"aaa"}]}]}]},
 {"name":"wrong path","runs":[{"input":{"server.request.query":{"q":"aaa"}},"code":"match","rules":[{"a":[{"key_path":["x"]}]}]}]},
 {"name":"not hit","runs":[{"input":{"server.request.query":{"q":"bbb"}},"code":"match"}]}]}
END
check 'test: failures exit 1' "$(status "$hotgate" test "$work/rules.json" "$work/tests.json")" 1
check 'test: failures are named' "$(sed -n 's/^FAIL [^:]*: \(.*\)/\1/p' "$work/out" | tr '\n' ';')" \
    'wrong path: rule a hit, but condition 1 matched elsewhere;not hit: expected match, got ok;'
check 'test: rules without a test' "$(grep -c 'never hit: b' "$work/out")" 1
check 'test: a rule that is not there fails' "$(printf '{"rule":"z","cases":[]}' > "$work/z.json"; status "$hotgate" test "$work/rules.json" "$work/z.json")" 1
check 'test: nothing to do is wrong usage' "$(status "$hotgate" test)" 2
check 'test: an unreadable file' "$(printf '{' > "$work/cut.json"; status "$hotgate" test "$work/rules.json" "$work/cut.json")" 3
if "$hotgate" version | grep -q 'libyaml *yes'; then
    cat > "$work/tests.yaml" << 'END'
tests:
  - test_id: 1
    stages:
      - input: {method: GET, uri: "/?q=aaa", headers: {Host: x}}
        output: {log: {expect_ids: [a], no_expect_ids: [b]}}
      - stage:
          input: {method: POST, uri: "/?q=bbb", data: "x=1"}
          output: {log_contains: 'id "b"'}
  - test_title: wrong
    stages:
      - input: {uri: "/?q=ccc"}
        output: {log_contains: 'id "b"'}
END
    check 'test: go-ftw files' "$(status "$hotgate" test "$work/rules.json" "$work/tests.yaml")" 1
    check 'test: go-ftw failures are named' "$(sed -n 's/^FAIL [^:]*: \(.*\)/\1/p' "$work/out")" 'wrong: rule b did not hit'
    check 'test: broken YAML' "$(printf 'tests: [' > "$work/cut.yaml"; status "$hotgate" test "$work/rules.json" "$work/cut.yaml")" 3
fi

# explain: the value as sent and as seen, and what held.
printf 'GET /?q=%%2561aa HTTP/1.1\r\n\r\n' > "$work/in.http"
sed 's/"conditions"/"transformers":["url_decode"],"conditions"/' "$work/rules.json" > "$work/decoding.json"
check 'explain: what was seen and sent' "$("$hotgate" explain -r "$work/decoding.json" "$work/in.http" | grep -c '+ server.request.query.q = aaa   (sent as %61aa)')" 1
check 'explain: without --rule only what comes to something' "$("$hotgate" explain -r "$work/decoding.json" "$work/in.http" | grep -c 'rule b')" 0
check 'explain: --rule tells of a miss' "$("$hotgate" explain -r "$work/decoding.json" --rule b "$work/in.http" | grep -c 'rule b does not match')" 1
check 'explain: JSON' "$("$hotgate" explain -f json -r "$work/decoding.json" "$work/in.http" | grep -c '"step":"element","rule":"a","condition":0,"address":"server.request.query","key_path":\["q"\],"sent":"%61aa","seen":"aaa","answer":true}')" 1
check 'explain: an unknown rule' "$(status "$hotgate" explain --rule zzz "$work/in.http")" 3

# tune: what it proposes silences exactly what was marked.
printf '{"server.request.query":{"q":["x","aaa"]}}\n{"server.request.query":{"p":"aaa"}}\n' > "$work/in.ndjson"
"$hotgate" scan -f json -r "$work/rules.json" "$work/in.ndjson" | sed '1s/}$/,"benign":true}/' > "$work/events"
check 'tune: exits 0' "$(status "$hotgate" tune "$work/events")" 0
cp "$work/out" "$work/exclusions.json"
check 'tune: the proposal loads' "$(status "$hotgate" check "$work/rules.json" "$work/exclusions.json")" 0
check 'tune: only the marked place is silent' \
    "$("$hotgate" scan -f json -r "$work/rules.json" -r "$work/exclusions.json" "$work/in.ndjson" | grep -o '"index":[0-9]*')" '"index":2'

# The report is one page that needs nothing else, and shows its hits in a browser.
tools/gen-log --seed 3 --size 200K --attacks 40 > "$work/access.log" 2> /dev/null || cp examples/access.log "$work/access.log"
check 'report: exits as without it' "$(status "$hotgate" scan --report "$work/report.html" "$work/access.log")" 1
check 'report: loads nothing' "$(grep -cE '<(link|img|script|iframe)[^>]*(src|href)=' "$work/report.html")" 0
check 'report: data cannot close the script' "$(sed -n '/id="data"/,/^<script>/p' "$work/report.html" | grep -c '</script>')" 1
browser="$(command -v chromium || command -v chromium-browser)"
if [ -n "$browser" ]; then
    timeout 60 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$work/profile" --dump-dom "file://$work/report.html" \
        > "$work/dom" 2> /dev/null
    check 'report: the page runs' "$(grep -c 'data-ready="yes"' "$work/dom")" 1
    check 'report: hits can be opened' "$([ "$(grep -o '<details' "$work/dom" | wc -l)" -ge 7 ] && echo yes)" yes
fi
exit $((failures > 0))
