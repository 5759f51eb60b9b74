#!/usr/bin/env python3
"""hotgate serve from the side of who runs it: configuration, reload of changed files, metrics, events, limits, status."""
import json, math, os, re, signal, socket, struct, subprocess, sys, tempfile, time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from client import HOTGATE, Client, Daemon

passed = failed = 0
folder = tempfile.mkdtemp()
schema_folder = os.path.join(os.environ["HOTGATE_SOURCE"], "schema")


def check(name, ok, detail=""):
    global passed, failed
    passed += bool(ok)
    failed += not ok
    if not ok:
        print("failed:", name, repr(detail)[:800])


def eventually(what, seconds=8):
    end = time.time() + seconds
    while time.time() < end:
        if what():
            return True
        time.sleep(0.05)
    return what()


def write_rules(path, word, version="1"):
    text = json.dumps({"version": "2.2", "metadata": {"rules_version": version}, "rules": [
        {"id": 'q"uoted\\', "name": "w", "tags": {"type": "w", "category": "c"}, "on_match": ["block"],
         "conditions": [{"operator": "match_regex", "parameters": {"inputs": [{"address": "server.request.query"}], "regex": word}}]}]})
    with open(path + ".new", "w") as f:
        f.write(text)
    os.rename(path + ".new", path)


def blocks(c, word):
    r = c.call("request_init", {"server.request.query": {"q": word}})
    c.call("request_shutdown", {"server.response.status": "200"}, 0, 0, False)
    return [a[0] for a in r[1][0]] == ["block"]


def valid(v, schema):
    """The little of JSON Schema that the schema uses; True or what is wrong."""
    kinds = {"object": dict, "array": list, "string": str, "integer": int}
    if "type" in schema and (not isinstance(v, kinds[schema["type"]]) or isinstance(v, bool)):
        return "%r is no %s" % (v, schema["type"])
    if "enum" in schema and v not in schema["enum"]:
        return "%r is none of %r" % (v, schema["enum"])
    if isinstance(v, dict):
        properties = schema.get("properties", {})
        missing = [k for k in schema.get("required", []) if k not in v]
        extra = [k for k in v if k not in properties] if schema.get("additionalProperties") is False else []
        if missing or extra:
            return "missing %r, extra %r" % (missing, extra)
        for k in v:
            if k in properties and valid(v[k], properties[k]) is not True:
                return valid(v[k], properties[k])
    for item in v if isinstance(v, list) and "items" in schema else []:
        if valid(item, schema["items"]) is not True:
            return valid(item, schema["items"])
    return True


def strict(text):
    """A strict reader of the text format: the families with their samples, or an AssertionError."""
    families, current, seen = {}, None, set()
    assert text.endswith("\n")
    for line in text[:-1].split("\n"):
        if line.startswith("# HELP "):
            name, _ = line[7:].split(" ", 1)
            assert name not in families, ("twice", name)
            families[name] = {"type": None, "samples": []}
            current = name
        elif line.startswith("# TYPE "):
            name, kind = line[7:].split(" ")
            assert name == current and kind in ("counter", "gauge", "histogram") and families[name]["type"] is None, line
            families[name]["type"] = kind
        else:
            m = re.fullmatch(r'([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{((?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\\\|\\"|\\n)*"(?:,|(?=\})))*)\})? (\S+)', line)
            assert m, ("no sample", line)
            name, labels, value = m[1], m[2] or "", float(m[3])
            pairs = re.findall(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\\\|\\"|\\n)*)"', labels)
            assert len({k for k, _ in pairs}) == len(pairs), ("label twice", line)
            family = re.sub(r"_(bucket|sum|count)$", "", name) if families[current]["type"] == "histogram" else name
            assert family == current, ("outside its family", line)
            assert (name, tuple(sorted(pairs))) not in seen, ("sample twice", line)
            seen.add((name, tuple(sorted(pairs))))
            assert families[current]["type"] == "gauge" or value >= 0
            families[current]["samples"].append((name, dict(pairs), value))
    for name, family in families.items():
        if family["type"] != "histogram":
            continue
        series = {}
        for sample, labels, value in family["samples"]:
            key = tuple(sorted((k, v) for k, v in labels.items() if k != "le"))
            series.setdefault(key, {"buckets": []})
            if sample.endswith("_bucket"):
                series[key]["buckets"].append((float(labels["le"].replace("+Inf", "inf")), value))
            else:
                series[key][sample[len(name):]] = value
        for s in series.values():
            bounds, counts = zip(*s["buckets"])
            assert list(bounds) == sorted(bounds) and bounds[-1] == math.inf, name
            assert list(counts) == sorted(counts) and counts[-1] == s["_count"] and "_sum" in s, name
    return families


# ---- configuration
def run_config(text, *flags):
    path = folder + "/config.json"
    open(path, "w").write(text)
    p = subprocess.run([HOTGATE, "serve", "--config", path, *flags], capture_output=True, text=True, timeout=20)
    return p.returncode, p.stderr.replace(path, "CONFIG")
check("config: an unknown key is named with its place", run_config('{\n  "loops": 1,\n  "lops": 2\n}') == (2, "hotgate serve: CONFIG:3:3: unknown key 'lops'\n"), run_config('{\n  "loops": 1,\n  "lops": 2\n}'))
check("config: a wrong value too", run_config('{"loops": "many"}') == (2, "hotgate serve: CONFIG:1:11: not a number in range: 'many'\n"), run_config('{"loops": "many"}'))
check("config: malformed JSON too", run_config('{"loops": 1,\n}')[0] == 2 and run_config('{"loops": 1,\n}')[1].startswith("hotgate serve: CONFIG:2:1: "), run_config('{"loops": 1,\n}'))
check("config: a value of another kind too", run_config('{"loops": {}}')[1].startswith("hotgate serve: CONFIG:1:11: a text"), run_config('{"loops": {}}'))
check("config: no object", run_config("[1]")[0] == 2)
check("config: a file does not name a file", run_config('{"config": "x"}') == (2, "hotgate serve: CONFIG:1:2: unknown key 'config'\n"))
check("config: a missing file", subprocess.run([HOTGATE, "serve", "--config", folder + "/none"], capture_output=True).returncode == 2)
rules, events = folder + "/rules.json", folder + "/events.json"
write_rules(rules, "first")
json.dump({"rules": rules, "version": ["1.24.0", "9.9.9"], "uid": os.getuid(), "base": folder + "/elsewhere", "events": events, "max-line": 2048,
           "max-frame": 65536, "max-memory": 200000, "protocol": "json", "socket": folder + "/lines.sock", "socket-mode": "660"},
          open(folder + "/config.json", "w"))
d = Daemon("--config", folder + "/config.json", "--max-connections", "3", "--loops", "1")
check("config: options of the file, and flags prevail", os.path.exists(d.path) and not os.path.exists(folder + "/elsewhere"), d.path)
check("config: the mode of the socket", os.stat(folder + "/lines.sock").st_mode & 0o777 == 0o660)
c = Client(d.path)
check("config: it serves", c.init()[1][0] == "ok" and blocks(c, "first"))

# ---- changed files
write_rules(rules, "second", "2")
check("watch: a replaced rules file is read again", eventually(lambda: blocks(c, "second")))
with open(rules) as f:
    text = f.read()
with open(rules, "w") as f:
    f.write(text.replace("second", "third"))
check("watch: one that was written to too", eventually(lambda: blocks(c, "third")))
open(rules, "w").write("{")
check("watch: a broken one is counted", eventually(lambda: int(d.metrics()['hotgate_reloads_total{result="failed"}']) >= 1))
check("watch: and the old rules stay", blocks(c, "third"))

# ---- events
schema = json.load(open(schema_folder + "/event.json"))
def lines(path=events):
    return [json.loads(line) for line in open(path)] if os.path.exists(path) else []
check("events: a line for each match", eventually(lambda: len(lines()) >= 4), lines())
check("events: as the schema says", all(valid(e, schema) is True for e in lines()), [valid(e, schema) for e in lines()])
check("events: whose and what", lines()[0]["service"] == "shop" and lines()[0]["verdict"] == "block" and lines()[0]["command"] == "request_init" and
      lines()[0]["rule"]["id"] == 'q"uoted\\' and lines()[0]["client_uid"] == os.getuid(), lines()[0])
for signal_number in (signal.SIGUSR1, signal.SIGHUP):
    os.rename(events, events + ".1")
    d.process.send_signal(signal_number)
    check("events: the log is opened anew", eventually(lambda: os.path.exists(events)))
    before = len(lines(events + ".1"))
    blocks(c, "third")
    check("events: and goes on there", eventually(lambda: len(lines()) == 1) and len(lines(events + ".1")) == before)
j = socket.socket(socket.AF_UNIX)
j.connect(folder + "/lines.sock")
j.sendall(b'{"id":1,"addresses":{"server.request.query":{"q":"third"}}}\n')
j.recv(65536)
check("events: JSON lines too", eventually(lambda: lines()[-1]["door"] == "json") and valid(lines()[-1], schema) is True)

# ---- limits that report
j.sendall(b"x" * 4000 + b"\n")
check("limits: a line", b'"error"' in j.recv(65536))
big = Client(d.path)
big.init()
big.raw(b"dds\0" + struct.pack("=I", 65537))
check("limits: a frame", big.reply()[0] == "error")
many = Client(d.path)
many.init()
many.call("request_init", {"server.request.query": "x"})
answers = [many.call("request_exec", {"usr.id": "y" * 50000}, {})[0] for _ in range(6)]
check("limits: memory of a request", answers[0] == "request_exec" and answers[-1] == "error", answers)
many.call("request_shutdown", {}, 0, 0, False)
check("limits: and the next request has it again", many.call("request_exec", {"usr.id": "y" * 50000}, {})[0] == "request_exec")
many.call("request_shutdown", {}, 0, 0, False)
wide = Client(d.path) if big.s.close() is None and eventually(lambda: int(d.metrics()["hotgate_connections"]) == 3) else None
try:
    refused = wide.init() and False
except (EOFError, ConnectionError):
    refused = True
check("limits: connections", refused)
m = d.metrics()
check("limits: all are counted", all(int(m['hotgate_limit_hits_total{limit="%s"}' % k]) >= 1 for k in ("line", "frame", "memory", "connections")), m)

# ---- metrics
flooded = Daemon("--loops", "1")
f = Client(flooded.path)
f.init()
names = [f.call("config_sync", "", {"service_name": "s%d" % i, "env_name": ""})[0] for i in range(1100)]
check("limits: services", names[0] == "config_features" and names[-1] == "error" and f.call("request_init", {})[0] == "request_init", names[-1])
check("limits: services are counted", int(flooded.metrics()['hotgate_limit_hits_total{limit="services"}']) >= 1)
flooded.stop()
families = strict(d.metrics_text())
check("metrics: the text is well-formed", len(families) > 20)
for name in ("hotgate_requests_total", "hotgate_rule_matches_total", "hotgate_blocks_total", "hotgate_timeouts_total", "hotgate_truncations_total",
             "hotgate_bytes_total", "hotgate_reloads_total", "hotgate_connections", "hotgate_evaluation_seconds", "waf_init", "waf_updates",
             "waf_config_errors", "waf_requests", "waf_error", "waf_duration", "rasp_duration", "rasp_rule_eval", "rasp_rule_match",
             "rasp_timeout", "rasp_error", "helper_service_worker_count"):
    check("metrics: %s is there" % name, name in families)
check("metrics: odd names are escaped", any(labels.get("rule") == 'q\\"uoted\\\\' for _, labels, _ in families["hotgate_rule_matches_total"]["samples"]),
      families["hotgate_rule_matches_total"])
check("metrics: requests of both doors, matches of the rule",
      families["hotgate_requests_total"]["samples"][0][2] >= 8 and families["hotgate_blocks_total"]["samples"][0][2] >= 6)
check("metrics: directions", {s[1]["dir"] for s in families["hotgate_bytes_total"]["samples"]} == {"in", "out"})
s = socket.socket(socket.AF_UNIX)
s.connect(d.folder + "/metrics")
s.sendall(b"GET /nothing HTTP/1.1\r\n\r\n")
check("metrics: other paths are not found", b"404" in s.recv(4096))
port = Daemon("--metrics", "127.0.0.1:0")
check("metrics: on a loopback port", port.process.poll() is None or "127" in port.stop()[1])
if port.process.poll() is None:
    port.stop()
refused = subprocess.run([HOTGATE, "serve", "--protocol", "json", "--socket", folder + "/m.sock", "--metrics", "0.0.0.0:9"], capture_output=True, text=True, timeout=20)
check("metrics: never on other interfaces", refused.returncode == 1 and "127.0.0.1" in refused.stderr, refused.stderr)

# ---- status and top
address = "unix:" + d.folder + "/metrics"
status = subprocess.run([HOTGATE, "status", address], capture_output=True, text=True, timeout=20)
check("status: for people", status.returncode == 0 and "process %d" % d.process.pid in status.stdout and "shop / test" in status.stdout and
      "memory" in status.stdout, status)
machine = json.loads(subprocess.run([HOTGATE, "status", "--json", address], capture_output=True, text=True, timeout=20).stdout)
check("status: for programs", machine["pid"] == d.process.pid and machine["requests"] >= 8 and machine["limits"]["frame"] == 1 and
      machine["services"][0]["service"] == "shop" and machine["rules_version"] == "2", machine)
check("status: nobody there", subprocess.run([HOTGATE, "status", "unix:" + folder + "/none"], capture_output=True).returncode == 1)
top = subprocess.run([HOTGATE, "top", "--interval", "0.2", "--count", "3", address], capture_output=True, text=True, timeout=20)
check("top: a line an interval", top.returncode == 0 and len(top.stdout.splitlines()) == 4 and "requests/s" in top.stdout, top)
code, err = d.stop()
check("it stops cleanly", code == 0, (code, err))
check("limits were logged", "limit of memory reached" in err and err.count("limit of") < 12, err)
print("%d passed, %d failed" % (passed, failed))
sys.exit(failed > 0)
