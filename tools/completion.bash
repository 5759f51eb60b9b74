# bash completion of hotgate: verbs and options come from its own help.
_hotgate_verbs()
{
    hotgate help 2>/dev/null | sed -n 's/^  \([a-z]*\) .*/\1/p'
}

# Options that the help of a verb names, above its examples.
_hotgate_options()
{
    hotgate help "$1" 2>/dev/null | sed '/^Examples*:/,$d' | grep -oE -- '(^|[[ ,(|])-(-[a-z][a-z-]+|[a-zA-Z]\b)' |
        sed 's/^[^-]*//' | sort -u
}

_hotgate()
{
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} verb=${COMP_WORDS[1]} words=
    if [ "$COMP_CWORD" -eq 1 ] || { [ "$COMP_CWORD" -eq 2 ] && [ "$verb" = help ]; }; then
        words=$(_hotgate_verbs)
    elif [ "$COMP_CWORD" -eq 2 ] && [ "$verb" = prof ] && [[ $current != -* ]]; then
        words=$(hotgate help prof 2>/dev/null | sed -n 's/^  *\(usage: \)*hotgate prof \([a-z]*\) .*/\2/p' | sort -u)
    else
        case $previous in
        --format | -f)
            case "$verb ${COMP_WORDS[2]}" in
            ab\ *) words="text markdown json html" ;;
            explain\ *) words="text json" ;;
            "prof convert") words="folded pprof" ;;
            *) words="table json" ;;
            esac ;;
        --input | -i) [ "$verb" = scan ] && words="auto http log har ndjson" ;;
        --colour) words="auto always never" ;;
        esac
        [ -z "$words" ] && [[ $current == -* ]] && words=$(_hotgate_options "$verb")
    fi
    if [ -n "$words" ]; then
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
    fi
}
complete -o filenames -F _hotgate hotgate
