#!/usr/bin/env python3
"""hotgate serve from the side of its clients: frames, verdicts, state, errors, limits, reload, JSON lines."""
import json, os, signal, socket, struct, subprocess, sys, threading, time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from client import Client, Daemon, pack

passed = failed = 0


def check(name, ok, detail=""):
    global passed, failed
    passed += bool(ok)
    failed += not ok
    if not ok:
        print("failed:", name, repr(detail)[:500])


def request(query=(), agent="curl"):
    return {"server.request.query": query, "server.request.method": "GET", "server.request.cookies": [],
            "server.request.uri.raw": "/", "server.request.headers.no_cookies": {"user-agent": agent},
            "server.request.body": [], "server.request.body.filenames": [], "server.request.body.files_field_names": [],
            "server.request.path_params": [], "http.client_ip": "203.0.113.9"}


def shutdown(c, key=0, truncated=False):
    return c.call("request_shutdown", {"server.response.status": "200", "server.response.headers.no_cookies": {}}, key, 7, truncated)


rules_path = "/tmp/hotgate-helper-rules-%d.json" % os.getpid()


def write_rules(word, version):
    json.dump({"version": "2.2", "metadata": {"rules_version": version}, "rules": [
        {"id": "w", "name": "w", "tags": {"type": "w", "category": "c"}, "on_match": ["block"],
         "conditions": [{"operator": "match_regex", "parameters": {"inputs": [{"address": "server.request.query"}], "regex": word}}]},
        {"id": "m", "name": "m", "tags": {"type": "m", "category": "c"},
         "conditions": [{"operator": "match_regex", "parameters": {"inputs": [{"address": "usr.id"}], "regex": "evil"}}]},
        {"id": "bad", "name": "x", "tags": {"type": "t"}, "conditions": []},
    ], "processors": [{"id": "s", "generator": "extract_schema", "evaluate": False, "output": True,
        "conditions": [{"operator": "equals", "parameters": {"inputs": [{"address": "waf.context.processor", "key_path": ["extract-schema"]}], "type": "boolean", "value": True}}],
        "parameters": {"mappings": [{"inputs": [{"address": "server.request.query"}], "output": "_dd.appsec.s.req.query"}]}}]},
        open(rules_path, "w"))


write_rules("attack", "1.0.0")
d = Daemon("--protocol", "json", "--socket", "/tmp/hotgate-json-%d.sock" % os.getpid(), rules=rules_path)
check("it listens", os.path.exists(d.path))

# the wire examples of the specification, byte for byte
c = Client(d.path)
reply = c.init()
check("client_init", reply[0] == "client_init" and reply[1][:3] == ["ok", "1.24.0", []] and reply[1][5] == "hotgate" and
      reply[1][3]["_dd.appsec.waf.version"] == "2.0.1", reply)
check("the first client hears of the rules", reply[1][4].get("_dd.appsec.event_rules.loaded") == 2.0 and
      reply[1][4].get("_dd.appsec.event_rules.error_count") == 1.0 and "bad" in reply[1][3]["_dd.appsec.event_rules.errors"], reply)
c.send("request_init", request())
head, body = c.frame()
check("nothing matched: the known bytes", (head + body).hex() == "6464730030000000" "9192ac726571756573745f696e6974949090c281b1"
      "6175746f5f757365725f696e737472756da9756e646566696e6564", (head + body).hex())
r = shutdown(c)
check("request_shutdown has six entries and a rules version", r[0] == "request_shutdown" and len(r[1]) == 6 and
      r[1][4]["_dd.appsec.event_rules.version"] == "1.0.0", r)
c.raw(bytes.fromhex("6464730011000000" "92ac726571756573745f65786563" "929080"))
check("request_exec with an empty array, outside a request", c.reply()[0] == "request_exec")
shutdown(c)

# a block, by the bytes of the example but for the trigger
r = c.call("request_init", request({"q": "an attack"}))
actions, triggers, keep, settings = r[1]
check("block: string parameters", actions[0][0] == "block" and actions[0][1]["status_code"] == "403" and
      actions[0][1]["type"] == "auto" and "security_response_id" in actions[0][1], actions)
check("block: one trigger, JSON", len(triggers) == 1 and json.loads(triggers[0])["rule"]["id"] == "w", triggers)
r = c.call("request_exec", {"usr.id": "evil"}, {})
check("a match without a blocking action records", [a[0] for a in r[1][0]] == ["record"] and len(r[1][1]) == 1, r)
r = c.call("request_exec", {"server.request.query": {"x": "fine"}}, {"rasp_rule": "lfi"})
check("rasp call", r[1][0] == [], r)
r = c.call("request_exec", {"usr.id": "evil"}, {"subctx_id": "a"})
check("a named sub-context reports once", [len(r[1][1]), len(c.call("request_exec", {"usr.id": "evil too"}, {"subctx_id": "a", "subctx_last_call": True})[1][1])] == [1, 0])
check("after its last call it starts anew", len(c.call("request_exec", {"usr.id": "evil"}, {"subctx_id": "a"})[1][1]) == 1)
shutdown(c, truncated=True)

# state: out of order, unknown, malformed; the connection stays
check("a second client_init is an error", c.init()[0] == "error")
check("an unknown command is an error", c.call("nonsense", 1)[0] == "error")
c.raw(b"dds\0" + struct.pack("=I", 3) + b"\x93\x01\x02")
check("a body that is no message is an error", c.reply() == ["error", None])
c.raw(b"dds\0" + struct.pack("=I", 0))
check("an empty body is an error", c.reply()[0] == "error")
check("data that is no map is an error", c.call("request_init", 5)[0] == "error")
shutdown(c)
c.call("request_init", request())
check("config_sync inside a request is an error", c.call("config_sync", "", {"service_name": "a", "env_name": ""})[0] == "error")
shutdown(c)
check("the connection still works", c.call("request_init", request())[0] == "request_init")
shutdown(c)
check("config_sync outside a request", c.call("config_sync", "", {"service_name": "shop", "env_name": "test"}) == ["config_features", [True]])
check("another service name", c.call("config_sync", "", {"service_name": "other", "env_name": ""}) == ["config_features", [True]])
check("requests go on there", c.call("request_init", request({"q": "attack"}))[1][0][0][0] == "block")
shutdown(c)
e = Client(d.path)
check("a command before client_init is an error", e.call("request_init", request())[0] == "error")
e.raw(b"GET / HTTP/1.1\r\n\r\n")
check("a bad marker is answered with error", e.reply()[0] == "error")
try:
    e.frame()
    check("and then closed", False)
except EOFError:
    check("and then closed", True)
e = Client(d.path)
e.raw(b"dds\0" + struct.pack("=I", 10485761))
check("more than 10 MiB is an error", e.reply()[0] == "error")

# pieces: a frame byte by byte, two frames at once
e = Client(d.path)
body = pack(["client_init", [1, "9.9.9", "8", True, {"rules_file": "", "waf_timeout_us": 0, "trace_rate_limit": 1,
    "obfuscator_key_regex": "", "obfuscator_value_regex": "", "schema_extraction": {"enabled": 1, "sampling_period": 30.0}},
    {"enabled": 0, "shmem_path": ""}, {"service_name": "", "env_name": ""}, {"session_id": "", "runtime_id": ""}]])
for byte in b"dds\0" + struct.pack("=I", len(body)) + body:
    e.raw(bytes([byte]))
check("byte by byte; any version is echoed", e.reply()[1][:2] == ["ok", "9.9.9"])
body = pack(["request_init", [request({"a": ["x", {"y": 1}]})]])
one = b"dds\0" + struct.pack("=I", len(body)) + body
body = pack(["request_shutdown", [{"server.response.status": "200"}, 12213822095188913349, 0, 0]])
e.raw(one + b"dds\0" + struct.pack("=I", len(body)) + body)
check("two frames in one piece", e.reply()[0] == "request_init")
r = e.reply()
check("a sampled key gets a schema", json.loads(r[1][4].get("_dd.appsec.s.req.query", "null")) is not None, r)
e.call("request_init", request({"a": "b"}))
check("within the period it is not sampled again", "_dd.appsec.s.req.query" not in shutdown(e, 12213822095188913349)[1][4])
e.call("request_init", request("x" * 9000000))
check("a nine megabyte message", shutdown(e)[0] == "request_shutdown")
n = Client(d.path)
check("not enabled: inactive", n.init(enabled=None)[1][0] == "ok" and n.call("request_init", request()) == ["config_features", [False]])
check("and config_sync says nothing", n.call("config_sync", "", {"service_name": "shop", "env_name": "test"}) == ["config_sync", None])
f = Client(d.path)
reply = f.init(rules_file="/etc/passwd")
check("a rules file that is not allowed", reply[1][0] == "fail" and "allow-rules" in reply[1][2][0], reply)
i = Client(d.path)
check("invalid UTF-8 is text like any other", i.init()[1][0] == "ok")
i.raw(b"dds\0" + struct.pack("=I", 43) + b"\x92\xacrequest_init\x91\x81\xb4server.request.query\xa6attack"[:43])
i.reply()

# reload
write_rules("sesame", "2.0.0")
d.process.send_signal(signal.SIGHUP)
for _ in range(100):
    blocked = c.call("request_init", request({"q": "open sesame"}))[1][0]
    version = shutdown(c)[1][4]["_dd.appsec.event_rules.version"]
    if blocked:
        break
    time.sleep(0.05)
check("SIGHUP: new rules and their version together", blocked and version == "2.0.0", version)

# a storm of connections
clients, start = [], time.time()
def storm():
    for _ in range(50):
        s = Client(d.path)
        if s.init()[1][0] == "ok":
            clients.append(s)
threads = [threading.Thread(target=storm) for _ in range(4)]
[t.start() for t in threads]
[t.join() for t in threads]
check("200 connections at once", len(clients) == 200)
m = d.metrics()
check("metrics count them", int(m["hotgate_connections"]) >= 200 and int(m["hotgate_blocks_total"]) >= 3 and
      int(m["hotgate_truncations_total"]) == 1 and int(m["hotgate_reloads_total{result=\"ok\"}"]) >= 1, m)
[s.s.close() for s in clients]

# JSON lines
j = socket.socket(socket.AF_UNIX)
j.connect("/tmp/hotgate-json-%d.sock" % os.getpid())
lines = j.makefile("rwb")
def ask(line):
    lines.write(line + b"\n")
    lines.flush()
    return json.loads(lines.readline())
r = ask(b'{"id": 7, "addresses": {"server.request.query": {"q": "open sesame"}}}')
check("JSON: match", r["id"] == 7 and r["verdict"] == "match" and r["events"][0]["rule"]["id"] == "w" and
      r["actions"]["block_request"]["status_code"] == 403 and r["duration_ns"] > 0, r)
check("JSON: ok", ask(b'{"id": "a", "addresses": {}}')["verdict"] == "ok")
check("JSON: no id", ask(b'{"addresses": {}}')["id"] is None)
check("JSON: a bad line", ask(b'{"id": 1, ')["id"] is None and "error" in ask(b"nonsense"))
check("JSON: addresses must be an object", "error" in ask(b'{"id":1,"addresses":[]}'))
check("JSON: a line over 1 MiB is refused, the next one served", "error" in ask(b"x" * 1200000) and ask(b'{"addresses":{}}')["verdict"] == "ok")

# a client that leaves in the middle of a frame
for cut in (1, 5, 8, 20):
    g = Client(d.path)
    g.raw((b"dds\0" + struct.pack("=I", 100) + b"\x92" * 100)[:cut])
    g.s.close()
check("after half frames it serves on", c.call("request_init", request())[0] == "request_init")

second = Daemon()
code, err = second.stop()
check("stops cleanly", code == 0 and err == "", (code, err))
check("and removes its socket and lock", not os.path.exists(second.path) and not os.path.exists(second.path[:-5] + ".lock"))
again = subprocess.run([os.path.join(os.environ["HOTGATE_BUILD"], "hotgate"), "serve", "--base", d.base, "--version", "1.24.0"], capture_output=True, text=True, timeout=20)
check("a second daemon on the same socket says who has it", again.returncode == 1 and str(d.process.pid) in again.stderr, again.stderr)
d.process.kill()
d.process.wait()
again = subprocess.Popen([os.path.join(os.environ["HOTGATE_BUILD"], "hotgate"), "serve", "--base", d.base, "--version", "1.24.0"])
for _ in range(100):
    try:
        fresh = Client(d.path)
        break
    except OSError:  # not there yet, or the one that is gone
        time.sleep(0.05)
check("a stale socket is replaced", fresh.init()[1][0] == "ok")
again.terminate()
again.wait()
os.unlink(rules_path)
print("%d passed, %d failed" % (passed, failed))
sys.exit(failed > 0)
