#!/usr/bin/env bash
# A wrapped capture gives the same flows and HTTP rows as the plain one, but for uids and tunnel_parents; two runs give
# the same logs.
set -u
data="${HOTGATE_CASES:-}/packets/captures"
[ -d "$data" ] || { echo "skipped: no capture data (HOTGATE_CASES)"; exit 77; }
hotgate="${HOTGATE_BUILD:-build}/hotgate"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

# rows of LOG in DIR without uid and tunnel_parents (columns 2 and 21), outer flows left out
rows() {
    [ -f "$1/$2.log" ] || return 0
    grep -v '^#' "$1/$2.log" | awk -F'\t' -v OFS='\t' -v log_name="$2" '
        log_name == "conn" && $3 == "203.0.113.1" { next }
        { $2 = ""; if (log_name == "conn") $21 = ""; print }' | sort
}

run() { mkdir -p "$2"; "$hotgate" watch -C --no-rules --tunnel-depth 8 --tunnel-changes 0 --log "$2" "$1"; }

# A flow whose packets travel in more outer flows than the limit on changes allows shows that it does: no limit here.
outer=(--src 203.0.113.1 --dst 203.0.113.2)
compare() { # CAPTURE TUNNELS
    rm -rf "$work"/*
    "$hotgate" wrap "$1" "$work/wrapped.pcap" --tunnel "$2" "${outer[@]}" 2> /dev/null || return 0 # not Ethernet
    run "$1" "$work/plain"
    run "$work/wrapped.pcap" "$work/wrapped"
    for log in conn http; do
        if ! diff <(rows "$work/plain" $log) <(rows "$work/wrapped" $log) > "$work/diff"; then
            echo "FAIL $1 through $2: $log"
            head -4 "$work/diff"
            status=1
        fi
    done
}

compared=0
while read -r capture; do
    compare "$capture" geneve,vxlan
    compared=$((compared + 1))
done < <(find "$data" -name '*.pcap*' | sort)
[ $compared -gt 100 ] || { echo "FAIL: only $compared captures"; status=1; }

for name in http/bro.org http/pipelined-requests web tcp/reassembly ipv6-fragmented-dns q-in-q; do
    compare "$data/$name.pcap" geneve,vxlan,aws
    compare "$data/$name.pcap" vxlan
    run "$work/wrapped.pcap" "$work/again"
    for log in conn http tunnel weird; do
        if ! diff <(grep -v '^#' "$work/wrapped/$log.log" 2>/dev/null) <(grep -v '^#' "$work/again/$log.log" 2>/dev/null) > /dev/null; then
            echo "FAIL $name: two runs differ in $log"
            status=1
        fi
    done
done

# outer fragments are put together again
"$hotgate" wrap "$data/http/get.pcap" "$work/fragments.pcap" --fragment 600 "${outer[@]}"
run "$work/fragments.pcap" "$work/fragments"
run "$data/http/get.pcap" "$work/whole"
diff <(rows "$work/whole" http) <(rows "$work/fragments" http) || { echo "FAIL fragmented tunnel"; status=1; }
exit $status
