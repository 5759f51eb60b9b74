# hotgate explain --sqli and --xss show what the detectors saw and end with their verdict.
set -u
status=0

# expect STATUS PATTERN COMMAND...: exit status, and an extended regular expression that the output must hold
expect() {
    local wanted=$1 pattern=$2 output got
    shift 2
    output=$("$@" 2>&1)
    got=$?
    if [ "$got" != "$wanted" ] || ! grep -Eqz -- "$pattern" <<<"$output"; then
        printf '%s: status %s, not %s, or no /%s/ in:\n%s\n' "$*" "$got" "$wanted" "$pattern" "$output"
        status=1
    fi
}

hotgate="$HOTGATE_BUILD/hotgate"
expect 0 'verdict: SQL injection, fingerprint s&sos' "$hotgate" explain --sqli "1' or '1'='1"
expect 0 'behind a .*& "or".*folded.*fingerprint s&sos: listed' "$hotgate" explain --sqli "1' or '1'='1"
expect 0 'listed, but ordinary .*verdict: benign' "$hotgate" explain --sqli '1 or 2'
expect 0 'retired .*verdict: benign' "$hotgate" explain --sqli '1--'
expect 0 'the word at byte 1 touches' "$hotgate" explain --sqli '1union'
expect 0 '"a\\x0a\\\\"' "$hotgate" explain --sqli $'\'a\n\\'
expect 0 '^verdict: benign' "$hotgate" explain --sqli ''
expect 0 'as page text.*tag "script"  <- a tag .*verdict: XSS' "$hotgate" explain --xss '<script>'
expect 0 'inside a tag.*attribute "onclick".*value "x"  <- the value of an event' "$hotgate" explain --xss "' onclick=x"
expect 0 'value "javascript:x"  <- a URL' "$hotgate" explain --xss '<a href=javascript:x>'
expect 0 'verdict: benign' "$hotgate" explain --xss '1 < 2'
expect 0 'verdict: SQL injection, fingerprint 1UE1' bash -c "printf '1\0union select 2' | '$hotgate' explain --sqli -"
expect 2 'one TEXT is wanted' "$hotgate" explain --sqli
expect 2 'no-such-thing' "$hotgate" explain --no-such-thing
expect 2 'is wanted' "$hotgate" explain
expect 0 'usage' "$hotgate" explain --help
exit $status
