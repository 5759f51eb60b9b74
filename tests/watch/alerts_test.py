"""hotgate watch: an attack in a capture gives an alert that the schema allows; benign requests give none."""
import gzip
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

build = pathlib.Path(os.environ.get("HOTGATE_BUILD", "build"))
source = pathlib.Path(os.environ.get("HOTGATE_SOURCE", "."))
hotgate = build / "hotgate"
failures = 0


def check(condition, what):
    global failures
    if not condition:
        failures += 1
        print("FAIL", what)


def segment(side, flags, seq, ack, data=b"", port=80):
    ends = [(b"\x0a\x00\x00\x01", 40000), (b"\x0a\x00\x00\x02", port)]
    (src, sport), (dst, dport) = ends[side], ends[1 - side]
    tcp = struct.pack(">HHIIBBHHH", sport, dport, seq, ack, 0x50, flags, 8192, 0, 0)
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 40 + len(data), 0, 0, 64, 6, 0, src, dst)
    return bytes(12) + b"\x08\x00" + ip + tcp + data


def conversation(request, reply):
    c, s = 1000, 5000
    frames = [segment(0, 2, c, 0), segment(1, 0x12, s, c + 1), segment(0, 0x10, c + 1, s + 1)]
    frames.append(segment(0, 0x18, c + 1, s + 1, request))
    frames.append(segment(1, 0x18, s + 1, c + 1 + len(request), reply))
    frames.append(segment(0, 0x11, c + 1 + len(request), s + 1 + len(reply)))
    frames.append(segment(1, 0x11, s + 1 + len(reply), c + 2 + len(request)))
    return frames


def capture(frames):
    out = struct.pack("<IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, 1)
    for i, f in enumerate(frames):
        out += struct.pack("<IIII", 1700000000 + i, 0, len(f), len(f)) + f
    return out


def watch(*args, input=None):
    return subprocess.run([hotgate, "watch", "-C", *args], input=input, capture_output=True, timeout=60)


def valid(value, schema, path="$"):
    """Enough of JSON Schema for ours: type, required, properties, items, enum, additionalProperties."""
    kinds = {"object": dict, "array": list, "string": str, "integer": int, "boolean": bool}
    if "type" in schema and not isinstance(value, kinds[schema["type"]]):
        return "%s is no %s" % (path, schema["type"])
    if "enum" in schema and value not in schema["enum"]:
        return "%s is %r" % (path, value)
    if isinstance(value, dict):
        for key in schema.get("required", []):
            if key not in value:
                return "%s lacks %s" % (path, key)
        for key, item in value.items():
            if key in schema.get("properties", {}):
                wrong = valid(item, schema["properties"][key], path + "." + key)
                if wrong:
                    return wrong
            elif schema.get("additionalProperties") is False:
                return "%s.%s is not in the schema" % (path, key)
    if isinstance(value, list) and "items" in schema:
        for i, item in enumerate(value):
            wrong = valid(item, schema["items"], "%s[%d]" % (path, i))
            if wrong:
                return wrong
    return None


ok = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
attack = b"GET /?id=1'%20or%201=1--%20- HTTP/1.1\r\nHost: shop.example\r\nUser-Agent: sqlmap/1.0\r\n\r\n"
benign = b"GET /index.html HTTP/1.1\r\nHost: shop.example\r\nUser-Agent: Mozilla/5.0\r\nAccept: */*\r\n\r\n"
schema = json.loads((source / "schema/alert.json").read_text())

with tempfile.TemporaryDirectory() as work:
    work = pathlib.Path(work)
    (work / "attack.pcap").write_bytes(capture(conversation(attack, ok)))
    (work / "benign.pcap").write_bytes(capture(conversation(benign, ok)))

    run = watch(work / "attack.pcap")
    alerts = [json.loads(line) for line in run.stdout.splitlines()]
    check(run.returncode == 1, "an alert gives exit status 1: %d %s" % (run.returncode, run.stderr))
    check(len(alerts) >= 1, "the attack is alerted")
    for alert in alerts:
        check(valid(alert, schema) is None, "schema: %s" % valid(alert, schema))
        check(alert["http"]["hostname"] == "shop.example", "the host is named")
        check(alert["src_ip"] == "10.0.0.1" and alert["dest_port"] == 80, "the flow is named")
        check(alert["tunnel"] == [], "there is no tunnel")

    run = watch(work / "benign.pcap")
    check(run.returncode == 0 and run.stdout == b"", "a benign request gives nothing: %r" % run.stdout)

    subprocess.run([hotgate, "wrap", work / "attack.pcap", work / "wrapped.pcap", "--tunnel", "geneve,vxlan,aws"], check=True)
    run = watch(work / "wrapped.pcap")
    alerts = [json.loads(line) for line in run.stdout.splitlines()]
    check([t["type"] for t in alerts[0]["tunnel"]] == ["GENEVE", "VXLAN"], "both tunnels are named")
    check(alerts[0]["tunnel"][1]["vni"] == 4242, "the VNI is named")
    check(alerts[0]["tunnel"][0].get("aws_endpoint", "").startswith("vpce-"), "the AWS endpoint is named")
    check(valid(alerts[0], schema) is None, "schema: %s" % valid(alerts[0], schema))

    run = watch("-", input=gzip.compress((work / "attack.pcap").read_bytes()))
    check(run.returncode == 1, "gzip on standard input is read")

    run = watch("--summary", work / "attack.pcap", work / "benign.pcap")
    check(b"2 requests judged, 1 attacked" in run.stdout, "the summary counts verdicts")

    logs = work / "logs"
    logs.mkdir()
    run = watch("--log", logs, "--json", "--rotate", "3", work / "attack.pcap")
    names = sorted(p.name for p in logs.iterdir())
    check(any(n.startswith("alert") for n in names), "alerts go to the log folder: %s" % names)
    for p in logs.iterdir():
        for line in p.read_text().splitlines():
            json.loads(line)

    whole = (work / "attack.pcap").read_bytes()
    (work / "cut.pcap").write_bytes(whole[:-10])
    run = watch("--log", logs, work / "cut.pcap")
    check(run.returncode == 2 and b"ends too early" in run.stderr, "a cut capture is said to be cut")
    check((logs / "conn.log").exists(), "and its whole records are logged")

    run = watch("--limit", "nothing=3", work / "attack.pcap")
    check(run.returncode == 2 and run.stdout == b"", "an unknown limit is refused")

sys.exit(1 if failures else 0)
