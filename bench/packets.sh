#!/usr/bin/env bash
# bench/packets.sh DATA [--json]: user time of plain and wrapped captures, with tcpdump and tshark beside them. Medians of 7
# interleaved runs; every run reads its file several times over so that it lasts. --json: measurement lines instead.
set -eu
data=${1:?usage: bench/packets.sh FOLDER-WITH-captures}
build=${BUILD:-build}
work=$(mktemp -d "${TMPDIR:-/dev/shm}/packets-XXXXXX")
trap 'rm -rf "$work"' EXIT
"$build/bench/mkcap" "$data" "$work/plain.pcap" mixed
"$build/hotgate" wrap "$work/plain.pcap" "$work/wrapped.pcap" --tunnel geneve,vxlan
times=8

ours() { # FILE OPTION...
    local file=$1 args=()
    shift
    for _ in $(seq $times); do args+=(-r "$file"); done
    "$build/hotgate" watch -C "$@" "${args[@]}" > /dev/null || true
}
theirs() { for _ in $(seq $times); do tcpdump -r "$1" -w /dev/null 2> /dev/null; done; }

measure() { # NAME COMMAND...: appends user and system seconds
    local name=$1
    shift
    local before after
    before=$(awk '{print $3 + $5 , $4 + $6}' <<< "$(cut -d' ' -f12-17 /proc/$$/stat)")
    ( "$@" )
    after=$(awk '{print $3 + $5 , $4 + $6}' <<< "$(cut -d' ' -f12-17 /proc/$$/stat)")
    echo "$name $before $after" >> "$work/times"
}

for _ in 1 2 3 4 5 6 7; do
    measure plain ours "$work/plain.pcap" --no-http
    measure wrapped ours "$work/wrapped.pcap" --no-http
    measure logs ours "$work/plain.pcap" --no-rules --log "$work"
    measure rules ours "$work/plain.pcap"
    command -v tcpdump > /dev/null && measure tcpdump theirs "$work/plain.pcap"
done
tick=$(getconf CLK_TCK)
packets=$("$build/hotgate" watch --summary --no-http -C "$work/plain.pcap" | awk '/^packets/ {print $2}')
if [ "${2:-}" = --json ]; then
    awk -v tick="$tick" -v n="$((packets * times))" '{ printf "{\"suite\":\"net\",\"class\":\"packets\",\"method\":\"%s\",\"params\":" \
        "\"user time\",\"toolchain\":\"\",\"launch\":0,\"iteration\":%d,\"stage\":\"measured\",\"ops\":%d,\"ns\":%.0f}\n",
        $1, NR, n, ($4 - $2) * 1e9 / tick }' "$work/times"
    exit
fi
awk -v tick="$tick" -v n="$((packets * times))" '
    { user[$1] = user[$1] " " ($4 - $2) / tick; all[$1] = all[$1] " " ($4 - $2 + $5 - $3) / tick }
    function median(list, a, c, i, j, t) {
        c = split(list, a, " ")
        for (i = 1; i <= c; i++) for (j = i + 1; j <= c; j++) if (a[j] + 0 < a[i] + 0) { t = a[i]; a[i] = a[j]; a[j] = t }
        return a[int((c + 1) / 2)]
    }
    END { for (k in user) printf "%-8s %6.2f s user, %6.2f s user+sys, %.3f us of user time a packet\n", k, median(user[k]),
          median(all[k]), median(user[k]) * 1e6 / n }' "$work/times" | sort
