# bash completion of hotgate
_hotgate()
{
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} verb=${COMP_WORDS[1]}
    if [ "$COMP_CWORD" -eq 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "$(hotgate help 2>/dev/null | sed -n 's/^  \([a-z]*\) .*/\1/p')" -- "$current")
        return
    fi
    case $previous in
    --format | -f)
        local formats="table json"
        case "$verb ${COMP_WORDS[2]}" in
        ab\ *) formats="text markdown json html" ;;
        explain\ *) formats="text json" ;;
        "prof convert") formats="folded pprof" ;;
        esac
        mapfile -t COMPREPLY < <(compgen -W "$formats" -- "$current"); return ;;
    --input | -i) mapfile -t COMPREPLY < <(compgen -W "auto http log har ndjson" -- "$current"); return ;;
    --colour | --color) mapfile -t COMPREPLY < <(compgen -W "auto always never" -- "$current"); return ;;
    help) mapfile -t COMPREPLY < <(compgen -W "$(hotgate help 2>/dev/null | sed -n 's/^  \([a-z]*\) .*/\1/p')" -- "$current"); return ;;
    esac
    if [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(hotgate help "$verb" 2>/dev/null | grep -oE -- '--[a-z-]+' | sort -u)" -- "$current")
        return
    fi
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
}
complete -o filenames -F _hotgate hotgate
