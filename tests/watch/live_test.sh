#!/usr/bin/env bash
# Two network namespaces, HTTP across a VXLAN device and across a Geneve tunnel: hotgate watch on the underlay sees every
# request and alerts the one attack among 1,000. VLAN tags are seen.
set -u
build=${HOTGATE_BUILD:-build}
skip() { echo "skipped: $1"; exit 77; }
for tool in ip curl python3; do command -v $tool > /dev/null || skip "no $tool"; done
a=hga$$ b=hgb$$
ip netns add $a 2> /dev/null || skip "network namespaces are not permitted"
work=$(mktemp -d)
pids=()
cleanup() {
    for pid in "${pids[@]}"; do kill "$pid" 2> /dev/null; done
    wait 2> /dev/null
    ip netns del $a 2> /dev/null
    ip netns del $b 2> /dev/null
    rm -rf "$work"
}
trap cleanup EXIT
ip netns add $b
ip link add va netns $a type veth peer name vb netns $b 2> /dev/null || skip "no veth devices"
ip -n $a addr add 10.9.0.1/24 dev va; ip -n $b addr add 10.9.0.2/24 dev vb
for n in $a $b; do ip -n $n link set lo up; done
ip -n $a link set va up; ip -n $b link set vb up
status=0

# traffic NAME ADDRESS TYPE
traffic() {
    local logs="$work/$1"
    mkdir -p "$logs"
    ip netns exec $b "$build/hotgate" watch -i vb -C --log "$logs" 2> "$logs/stderr" &
    local watch=$!
    pids+=($watch)
    for _ in $(seq 50); do grep -q listening "$logs/stderr" && break; sleep 0.1; done
    grep -q listening "$logs/stderr" || { cat "$logs/stderr"; skip "no packet sockets"; }
    (cd "$work" && exec ip netns exec $b python3 -m http.server --bind "$2" 80 > /dev/null 2>&1) &
    local server=$!
    pids+=($server)
    for _ in $(seq 50); do ip netns exec $a curl -s -o /dev/null "http://$2/ready" && break; sleep 0.1; done
    ip netns exec $a curl -s "http://$2/page[1-500]" > /dev/null
    ip netns exec $a curl -s "http://$2/?id=1'%20or%201=1--%20-" > /dev/null
    ip netns exec $a curl -s "http://$2/page[501-999]" > /dev/null
    sleep 1
    kill -TERM $watch
    wait $watch
    kill $server 2> /dev/null
    local requests attacks
    requests=$(grep -v '^#' "$logs/http.log" | awk -F'\t' '$10 ~ /^\/page[0-9]+$/' | wc -l)
    attacks=$(grep -c '"url":"/?id=1' "$logs/alert.log" 2> /dev/null)
    [ "$requests" = 999 ] || { echo "FAIL $1: $requests of 999 requests in http.log"; status=1; }
    [ "${attacks:-0}" -ge 1 ] || { echo "FAIL $1: the attack is not alerted"; status=1; }
    grep '"url":"/?id=1' "$logs/alert.log" | grep -q "\"type\":\"$3\"" || { echo "FAIL $1: no $3 in the alert"; status=1; }
    grep -q '"url":"/page' "$logs/alert.log" && { echo "FAIL $1: a benign request is alerted"; status=1; }
    echo "$1: $requests requests, $attacks alerts of the attack"
}

# A tagged frame: the kernel takes the tag off on the way in, the watch puts it back.
mkdir -p "$work/vlan"
ip netns exec $b "$build/hotgate" watch -i vb -C --no-rules --columns vlan --log "$work/vlan" 2> "$work/vlan/stderr" & watch=$!
pids+=($watch)
for _ in $(seq 50); do grep -q listening "$work/vlan/stderr" && break; sleep 0.1; done
ip netns exec $a python3 - << 'END'
import socket, struct
udp = struct.pack(">HHHH", 4000, 5000, 12, 0) + b"abcd"
ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), 0, 0, 64, 17, 0, b"\x0a\x0c\0\x01", b"\x0a\x0c\0\x02")
out = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
out.bind(("va", 0))
out.send(b"\xff" * 6 + b"\2\0\0\0\0\1" + struct.pack(">HHH", 0x8100, 7, 0x0800) + ip + udp)
END
sleep 1
kill -TERM $watch
wait $watch
awk -F'\t' '/^#fields/ {for (i = 2; i <= NF; i++) if ($i == "vlan") column = i - 1}
            !/^#/ && $5 == "10.12.0.2" && $column == 7 {tagged = 1}
            END {exit !tagged}' "$work/vlan/conn.log" || { echo "FAIL vlan: the tag is lost"; status=1; }
if ip -n $a link add vx type vxlan id 42 remote 10.9.0.2 dstport 4789 dev va 2> /dev/null; then
    ip -n $b link add vx type vxlan id 42 remote 10.9.0.1 dstport 4789 dev vb
    ip -n $a addr add 10.10.0.1/24 dev vx; ip -n $b addr add 10.10.0.2/24 dev vx
    ip -n $a link set vx up; ip -n $b link set vx up
    traffic vxlan 10.10.0.2 VXLAN
else
    echo "no vxlan device in this kernel"
fi
if [ -c /dev/net/tun ]; then
    ip netns exec $a "$build/tests/geneve_tap" gn 10.9.0.1 10.9.0.2 & pids+=($!)
    ip netns exec $b "$build/tests/geneve_tap" gn 10.9.0.2 10.9.0.1 & pids+=($!)
    for _ in $(seq 50); do ip -n $a link show gn > /dev/null 2>&1 && ip -n $b link show gn > /dev/null 2>&1 && break; sleep 0.1; done
    for n in $a $b; do ip -n $n link set gn mtu 1400 up; done
    ip -n $a addr add 10.11.0.1/24 dev gn; ip -n $b addr add 10.11.0.2/24 dev gn
    traffic geneve 10.11.0.2 GENEVE
fi
exit $status
