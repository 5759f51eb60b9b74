#!/usr/bin/env bash
# hotgate scan as a user meets it: kinds of input, output forms, exit statuses, bad lines.
set -u
hotgate="$HOTGATE_BUILD/hotgate"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
cd "$HOTGATE_SOURCE"
failures=0

# check NAME ACTUAL EXPECTED
check() {
    [ "$2" = "$3" ] && return
    printf 'FAIL %s\n  expected: %s\n  got:      %s\n' "$1" "$3" "$2"
    failures=$((failures + 1))
}
# status COMMAND...: its exit status
status() { "$@" > "$work/out" 2> "$work/err"; echo $?; }
rules() { "$hotgate" scan --format json "$@" 2> "$work/err" | sed -n 's/.*"index":\([0-9]*\),.*"rule":{"id":"\([^"]*\)".*/\1 \2/p' | tr '\n' ',' ; }

cat > "$work/rules.json" <<'END'
{"version":"2.2","rules":[{"id":"evil","name":"evil","tags":{"type":"t","category":"c"},
 "conditions":[{"operator":"match_regex","parameters":{"regex":"evil","inputs":[
  {"address":"server.request.uri.raw"},{"address":"server.request.body"},{"address":"server.request.cookies"},
  {"address":"server.request.headers.no_cookies"},{"address":"server.request.query"}]}}]}]}
END
r=(--rules "$work/rules.json")

check 'example requests hit' "$(status "$hotgate" scan examples/requests.http)" 1
check 'a clean file exits 0' "$(printf 'GET / HTTP/1.1\r\n\r\n' | status "$hotgate" scan -)" 0
check 'no path is wrong usage' "$(status "$hotgate" scan)" 2
check 'an unknown option is wrong usage' "$(status "$hotgate" scan --nonsense x)" 2
check 'a missing file is unusable' "$(status "$hotgate" scan "$work/absent")" 3
check 'an unknown kind is unusable' "$(printf 'hm\n' | status "$hotgate" scan -)" 3
check 'broken rules are unusable' "$(status "$hotgate" scan --rules examples/access.log examples/access.log)" 3

# Every kind, recognised by content.
printf 'GET /a HTTP/1.1\nHost: x\n\n### next\nPOST /b HTTP/1.1\r\nCookie: a=evil\r\n\r\n###\nPOST /c HTTP/1.1\n\nbody evil\n' > "$work/in.http"
check 'http: LF and CRLF messages' "$(rules "${r[@]}" "$work/in.http")" '2 evil,3 evil,'
printf 'POST / HTTP/1.1\nContent-Length: 13\nContent-Type: text/plain\n\na\n###\nb evil\n\n###\nGET /evil HTTP/1.1\n\n' > "$work/inner.http"
check 'http: a body may hold the separator' "$(rules "${r[@]}" "$work/inner.http")" '1 evil,2 evil,'
printf 'POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Type: text/plain\r\n\r\n2\r\nev\r\n2\r\nil\r\n0\r\n\r\n' > "$work/chunked.http"
check 'http: chunks are joined' "$(rules "${r[@]}" "$work/chunked.http")" '1 evil,'
printf '%s\n' '{"server.request.query":{"q":"x"}}' '' 'nonsense' '{"server.request.query":{"q":"evil"}}' > "$work/in.ndjson"
check 'ndjson: by line' "$(rules "${r[@]}" "$work/in.ndjson")" '4 evil,'
check 'ndjson: the bad line is named' "$(cut -d: -f2 "$work/err")" 3
log='192.0.2.1 - - [12/Mar/2026:08:14:02 +0100]'
printf '%s "GET /evil HTTP/1.1" 200 1\n%s "GET /ok HTTP/1.1" 200 - "-" "evil"\nshop.example.org %s "GET /\\x65vil HTTP/1.1" 404 1 "-" "a \\"b\\" c"\n%s "\\x16\\x03evil" 400 0\n' \
    "$log" "$log" "$log" "$log" > "$work/in.log"
check 'log: common, combined, with host, noise' "$(rules "${r[@]}" "$work/in.log")" '1 evil,2 evil,3 evil,4 evil,'
gzip -k "$work/in.log" 2> /dev/null
if "$hotgate" version | grep -q 'zlib *yes' && [ -f "$work/in.log.gz" ]; then
    check 'log: gzip' "$(rules "${r[@]}" "$work/in.log.gz")" '1 evil,2 evil,3 evil,4 evil,'
    cat "$work/in.log.gz" "$work/in.log.gz" > "$work/two.gz"
    check 'log: several gzip members' "$(rules "${r[@]}" "$work/two.gz" | tr ',' '\n' | wc -l)" 8
    head -c -9 "$work/in.log.gz" > "$work/cut.gz"
    check 'log: cut gzip is judged as far as it goes' "$(status "$hotgate" scan "${r[@]}" "$work/cut.gz")" 1
    check 'log: cut gzip is reported' "$(grep -c 'cut or broken' "$work/err")" 1
fi
check 'har: by entry' "$(rules examples/browser.har)" '2 xss-handler-in-tag,'
head -c 1200 examples/browser.har > "$work/cut.har"
check 'har: a cut file is judged as far as it goes' "$(status "$hotgate" scan "${r[@]}" "$work/cut.har")" 0

# Output.
check 'json: matches only' "$("$hotgate" scan -f json "${r[@]}" "$work/in.http" | wc -l)" 2
check 'json: --all' "$("$hotgate" scan -f json --all "${r[@]}" "$work/in.http" | wc -l)" 3
check 'json: fields' "$("$hotgate" scan -f json --all "${r[@]}" "$work/in.http" | head -1 | sed 's/[0-9]*}$/N}/; s/"source":"[^"]*"/"source":"S"/')" \
    '{"source":"S","index":1,"verdict":"ok","events":[],"actions":{},"duration_ns":N}'
check 'table: the matched text is marked' "$("$hotgate" scan "${r[@]}" "$work/in.http" | grep -c '«evil»')" 2
check 'table: control characters are not printed' \
    "$(printf '{"server.request.query":{"q":"\\u001b[2Jevil\\n"}}\n' | "$hotgate" scan "${r[@]}" - | grep -c 'x1b\[2J«evil»')" 1
check 'colour on demand' "$("$hotgate" scan --colour always "${r[@]}" "$work/in.http" | grep -c $'\x1b\\[1;31mevil')" 2
check 'unreadable lines are counted' "$("$hotgate" scan examples/access.log 2> /dev/null | grep -c '1 unreadable')" 1

# Inputs that give nothing: no request is clean and said; nothing but what cannot be read is unusable.
# gives NAME STATUS TEXT ARGUMENT...
gives() {
    local name=$1 want=$2 text=$3
    shift 3
    check "$name" "$(status "$hotgate" scan "$@") $(grep -cF -- "$text" "$work/err")" "$want 1"
}
printf '\n\n' > "$work/blank"
printf '# a comment\n### \n' > "$work/comments"
printf 'GET / HTTP/1.1\n\n' > "$work/clean.http"
printf '{"log":{"entries":[]}}' > "$work/none.har"
printf '{"log":{"version":"1.2"}}' > "$work/no-entries.har"
printf 'junk\nmore junk\n' > "$work/junk"
printf '\x1f\x8b\x08\x00\x00' > "$work/stub.gz"
gives 'an empty file' 0 'no request in it' /dev/null
gives 'an empty file of a named kind' 0 'no request in it' --input ndjson /dev/null
gives 'a HAR without entries' 0 'no request in it' "$work/none.har"
gives 'blank lines' 0 'no request in it' "$work/blank"
gives 'blank lines of a named kind' 0 'no request in it' --input log "$work/blank"
gives 'comments' 0 'no request in it' "$work/comments"
gives 'a HAR without log.entries' 3 'no log.entries' "$work/no-entries.har"
gives 'unreadable lines only' 3 'nothing in it can be read' --input log "$work/junk"
gives 'unreadable NDJSON only' 3 'nothing in it can be read' --input ndjson "$work/junk"
gives 'lines of no known kind' 3 '--input KIND says which' "$work/junk"
gives 'a folder' 3 'Is a directory' "$work"
gives 'a missing file' 3 'No such file' "$work/absent"
gives 'one unusable file among good ones' 3 'No such file' "$work/clean.http" "$work/absent"
if "$hotgate" version | grep -q 'zlib *yes'; then
    gives 'gzip cut before its first byte' 3 'cut or broken' "$work/stub.gz"
fi
if [ "$(id -u)" != 0 ]; then
    touch "$work/secret" && chmod 0 "$work/secret"
    gives 'a file without permission' 3 'Permission denied' "$work/secret"
fi

# check and help.
check 'check: the embedded rules' "$(status "$hotgate" check)" 0
printf '{"version":"2.2","rules":[\n {"id":"a","name":"n","tags":{"type":"t"},\n  "conditions":[{"operator":"match_regex","parameters":{"regex":"(","inputs":[{"address":"x"}]}}]}]}' > "$work/bad.json"
check 'check: errors exit 1' "$(status "$hotgate" check "$work/bad.json")" 1
check 'check: errors say where' "$(sed -n "s,^$work/bad.json:\([0-9]*\):.*: \(error\): .*a: .*,\1 \2,p" "$work/out")" '3 error'
printf '{"rules":[' > "$work/cut.json"
check 'check: broken JSON' "$(status "$hotgate" check "$work/cut.json")" 1
check 'check: a file that is not there is an error' "$("$hotgate" check "$work/absent" | tail -1)" '0 rules loaded, 1 errors, 0 warnings'
check 'help by option' "$("$hotgate" --help)" "$("$hotgate" help)"
check 'version by option' "$("$hotgate" --version)" "$("$hotgate" version)"

# What was not written is no success.
if [ -w /dev/full ]; then
    full() { "$hotgate" "$@" > /dev/full 2> "$work/err"; echo "$? $(grep -c 'standard output' "$work/err")"; }
    check 'full disk: scan' "$(full scan -f json "${r[@]}" "$work/in.http")" '3 1'
    check 'full disk: check' "$(full check)" '3 1'
    check 'full disk: help' "$(full help)" '3 1'
fi

# explain: entries, and text that is not for a terminal.
printf 'GET /?q=\033]0;evil\a HTTP/1.1\nHost: x\n\n' > "$work/escape.http"
check 'explain: control characters are not printed' \
    "$("$hotgate" explain "${r[@]}" "$work/escape.http" | LC_ALL=C tr -d '\n[:print:]' | wc -c)" 0
check 'explain: one entry' "$("$hotgate" explain --entry 1 "${r[@]}" "$work/escape.http" | grep -c 'verdict: match')" 1
check 'explain: an entry that is not there' "$(status "$hotgate" explain --entry 2 "$work/escape.http")" 3
check 'explain: no number' "$(status "$hotgate" explain --entry 1x "$work/escape.http")" 2
check 'explain: entries count from 1' "$(status "$hotgate" explain --entry 0 "$work/escape.http")" 2
check 'explain: says why a file cannot be read' \
    "$("$hotgate" explain "$work/absent" 2>&1 | grep -c 'No such file')" 1
check 'watch: a text is not a capture' "$("$hotgate" watch "$work/in.http" 2>&1 | grep -c 'not a capture')" 1

# The log generator's attacks, and nothing else.
if cc --version > /dev/null 2>&1; then
    tools/gen-log --seed 5 --size 300K --attacks 40 --answers "$work/answers" > "$work/generated.log"
    "$hotgate" scan -f json "$work/generated.log" | sed 's/.*"index":\([0-9]*\),.*/\1/' > "$work/found"
    check 'generated log: exactly the attacks' "$(cut -f1 "$work/answers" | diff - "$work/found" | head -5)" ''
fi
exit $((failures > 0))
