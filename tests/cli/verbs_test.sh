#!/usr/bin/env bash
# What holds for every verb of hotgate: help, manual, completion and complaints agree with the table of verbs.
set -u
cd "$HOTGATE_SOURCE" || exit 2
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
PATH="$HOTGATE_BUILD:$PATH"
manual="$HOTGATE_BUILD/hotgate.1"
failures=0

# check NAME COMMAND...: the command must succeed
check() {
    local name=$1
    shift
    "$@" > /dev/null 2>&1 && return
    printf 'FAIL %s\n' "$name"
    failures=$((failures + 1))
}
same() { [ "$1" = "$2" ] || { printf '  got:      %s\n  expected: %s\n' "$1" "$2"; return 1; } >&2; }
completions() {
    bash -c '. tools/completion.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _hotgate; printf "%s\n" "${COMPREPLY[@]}"' _ "$@"
}
# Long options that the sources of a verb know, but the second spelling of colour.
known_options() {
    local sources=("src/cli/$1.c" src/cli/"$1"_*.c src/cli/"$1"/*.c)
    cat "${sources[@]}" 2> /dev/null | grep -vE '^ *"|^//' | grep -oE '"--[a-z][a-z-]+"|\{"[a-z][a-z-]+", *(0|1|2|[a-z]*_argument),' |
        tr -d '"{, ' | sed -E 's/(0|1|2|[a-z]*_argument)$//; s/^-*/--/' | grep -vxE -- "--(color|help|)" | sort -u
}

verbs=$(hotgate help | sed -n 's/^  \([a-z]*\) .*/\1/p')
check 'verbs are listed' test "$(wc -w <<< "$verbs")" -ge 10
check 'completion: verbs' same "$(completions hotgate '' | sort)" "$(sort <<< "$verbs")"
check 'completion: verbs behind help' same "$(completions hotgate help '' | sort)" "$(sort <<< "$verbs")"
check 'manual: no placeholder is left' test "$(grep -c '^@' "$manual")" = 0

for verb in $verbs; do
    check "$verb: --help" hotgate "$verb" --help
    help=$(hotgate "$verb" --help 2> /dev/null)
    check "$verb: 'help $verb' is the same" same "$(hotgate help "$verb")" "$help"
    check "$verb: help begins with usage" grep -q "^usage: hotgate $verb" <<< "$(head -1 <<< "$help")"
    check "$verb: help names exit statuses" grep -q '^Exit status: 0 ' <<< "$help"
    check "$verb: help has examples" grep -q "hotgate $verb" <<< "$(sed '1,/^Examples*:$/d' <<< "$help")"
    check "$verb: help fits 120 columns" test "$(wc -L <<< "$help")" -le 120

    hotgate "$verb" --no-such-option > "$work/out" 2> "$work/err" < /dev/null
    check "$verb: an unknown option is wrong usage" same $? 2
    check "$verb: complaints go to standard error" test ! -s "$work/out"
    check "$verb: complaints name the verb and the option" grep -q "^hotgate $verb: .*--no-such-option" "$work/err"

    completions hotgate "$verb" - > "$work/completed"
    for option in $(known_options "$verb"); do
        check "$verb: help knows $option" grep -qE -- "(^|[^a-z-])$option([^a-z-]|$)" <<< "$help"
        check "$verb: completion knows $option" grep -qx -- "$option" "$work/completed"
    done
    while IFS= read -r option; do
        [ -z "$option" ] && continue
        check "$verb: the manual knows $option" \
            grep -qF -- "${option//-/\\-}" <(sed -n "/^\.SS $verb\$/,/^\.fi/p" "$manual")
    done < "$work/completed"
done

check 'completion: formats of scan' same "$(completions hotgate scan --format '' | xargs)" 'table json'
check 'completion: formats of ab' same "$(completions hotgate ab --format m)" 'markdown'
check 'completion: formats of prof convert' same "$(completions hotgate prof convert --format '' | xargs)" 'folded pprof'
check 'completion: verbs of prof' same "$(completions hotgate prof '' | xargs)" 'convert diff flame merge top'

# usage NAME MESSAGE ARGUMENT...: exit status 2 and this on standard error
usage() {
    local name=$1 message=$2
    shift 2
    hotgate "$@" > "$work/out" 2> "$work/err"
    check "$name: exit status" same $? 2
    check "$name: says what" grep -qF -- "$message" "$work/err"
}
usage 'no such verb' "hotgate: unknown verb 'nonsense'" nonsense
usage 'version takes nothing' "hotgate version: unexpected argument 'x'" version x
usage 'help of one verb' "hotgate help: one verb at a time" help scan check
usage 'help of no verb' "hotgate help: unknown verb 'nonsense'" help nonsense
usage 'regex without a pattern' 'hotgate regex: no pattern given' regex
usage 'regex -t without text' 'hotgate regex: -t wants a text' regex a -t
usage 'scan: colour' "hotgate scan: not auto, always or never: 'red'" scan --colour red x
usage 'scan: format' "hotgate scan: unknown format 'xml'" scan --format xml x
usage 'explain: format' "hotgate explain: unknown format 'xml'" explain --format xml x
usage 'tune: two files' "hotgate tune: unexpected argument 'b'" tune a b
usage 'watch: nothing to watch' 'hotgate watch: captures or an interface' watch
usage 'wrap: one file' 'hotgate wrap: one IN and one OUT' wrap a
check 'regex: patterns may begin with a dash' hotgate regex -- --nope

exit $((failures > 0))
