#!/usr/bin/env python3
"""What the protocol demands of a daemon, point by point (specification, section 23: MUST). The table below names the
checks of each point; those marked * are in the other tests of this folder.

  abstract and file sockets, exact length, per-uid         sockets_*   * protocol_test.py: stale socket, second daemon
  frames in pieces, 10 MiB in, 4 MiB out                   frames_*    * protocol_test.py: byte by byte, two at once
  empty arrays for maps, integers for booleans, bytes, bin lenient_*
  replies with all fields, string-only parameters          replies_*   * fuzz/helper.c: of any message
  the client's version echoed, client_init answered soon   init_*
  no connection waits for a rebuild, contexts keep theirs  reload_*
  out-of-order commands: error, the connection stays       order_*     * protocol_test.py
  sliding-window limiter, one decision a request           limiter_*   * limiter_test.c
  record injection, attributes, schemas                    actions_*, schema_*   * sampler_test.c
  remote configuration                                     remote_*
  counters of every metric                                 telemetry_* * operations_test.py: the text is well-formed
"""
import base64, gzip, json, os, signal, socket, struct, sys, tempfile, threading, time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from client import Client, Daemon, pack, unpack
from remote import Remote

passed = failed = 0


def check(name, ok, detail=""):
    global passed, failed
    passed += bool(ok)
    failed += not ok
    if not ok:
        print("failed:", name, repr(detail)[:600])


def eventually(what, seconds=8):
    end = time.time() + seconds
    while time.time() < end:
        result = what()
        if result:
            return result
        time.sleep(0.05)
    return what()


def rule(name, address, word, actions=(), operator="match_regex", enabled=True):
    parameters = {"inputs": [{"address": address}]}
    parameters["regex" if operator == "match_regex" else "list"] = word if operator == "match_regex" else [word]
    return {"id": name, "name": name, "tags": {"type": name, "category": "c"}, "on_match": list(actions), "enabled": enabled,
            "conditions": [{"operator": operator, "parameters": parameters}]}


def ruleset(rules, version=None, **more):
    out = {"version": "2.2", "rules": rules, **more}
    if version:
        out["metadata"] = {"rules_version": version}
    return json.dumps(out)


SCHEMA = [{"id": "s", "generator": "extract_schema", "evaluate": False, "output": True, "conditions": [{"operator": "equals",
          "parameters": {"inputs": [{"address": "waf.context.processor", "key_path": ["extract-schema"]}], "type": "boolean", "value": True}}],
          "parameters": {"mappings": [{"inputs": [{"address": "server.request.body"}], "output": "_dd.appsec.s.req.body"}]}}]
ACTIONS = [{"id": "go", "type": "redirect_request", "parameters": {"location": "/elsewhere", "status_code": 302}},
           {"id": "teapot", "type": "block_request", "parameters": {"status_code": 418, "type": "json"}}]
folder = tempfile.mkdtemp()
rules_path = folder + "/rules.json"
base = ruleset([rule("r-block", "server.request.query", "attack", ["block"]), rule("r-go", "server.request.query", "elsewhere", ["go"]),
                rule("r-teapot", "server.request.query", "tea", ["teapot"]), rule("r-stack", "server.request.query", "stack", ["stack_trace"]),
                rule("r-both", "server.request.query", "both", ["block", "stack_trace"]), rule("r-mon", "usr.id", "evil"), rule("r-rasp", "server.io.fs.file", "passwd", ["block"]),
                rule("r-status", "server.response.status", "^500$"),
                {"id": "r-attr", "name": "a", "tags": {"type": "attr", "category": "c"}, "output": {"event": False, "keep": True,
                 "attributes": {"_dd.appsec.trace.n": {"value": 7}, "_dd.appsec.trace.t": {"value": "text"}}},
                 "conditions": [{"operator": "match_regex", "parameters": {"inputs": [{"address": "server.request.query"}], "regex": "mark"}}]},
                {"id": "broken", "name": "x", "tags": {"type": "t"}, "conditions": []}],
               "1.0.0", actions=ACTIONS, processors=SCHEMA)
open(rules_path, "w").write(base)
d = Daemon("--allow-rules", folder + "/client-*.json", rules=rules_path)


def request(query=(), body=()):
    return {"server.request.query": query, "server.request.method": "GET", "server.request.cookies": [],
            "server.request.uri.raw": "/", "server.request.headers.no_cookies": {"user-agent": "curl"}, "server.request.body": body}


def shutdown(c, key=0, truncated=False, status="200"):
    return c.call("request_shutdown", {"server.response.status": status, "server.response.headers.no_cookies": {"x": ["y"]}}, key, 7, truncated)[1]


def fresh(**settings):
    c = Client(d.path)
    c.first = c.init(**settings)
    assert c.first[0] == "client_init" and c.first[1][0] == "ok", c.first
    return c


def verdicts(c, query, body=()):
    """Actions of a whole request."""
    r = c.call("request_init", request(query, body))
    assert r[0] == "request_init", r
    shutdown(c)
    return [a[0] for a in r[1][0]]


def closed(c):
    try:
        c.frame()
    except (EOFError, ConnectionResetError):
        return True
    return False


# ---- sockets
abstract = "hotgate-test-%d" % os.getpid()
second = Daemon("--version", "2.0.0,2.0.1", base="@" + abstract + "/")
try:
    s = socket.socket(socket.AF_UNIX)
    s.connect("\0%s/ddappsec_2.0.1_%d.sock" % (abstract, os.getuid()))
    exact = True
except OSError:
    exact = False
check("sockets_abstract: the name has its exact length, one for each version", exact)
try:
    padded = socket.socket(socket.AF_UNIX)
    padded.connect(("\0%s/ddappsec_2.0.1_%d.sock" % (abstract, os.getuid())).ljust(108, "\0"))
    check("sockets_abstract: a padded name is another one", False)
except OSError:
    check("sockets_abstract: a padded name is another one", True)
creds = struct.unpack("3i", s.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
check("sockets_peer: clients see our pid and user", creds[0] == second.process.pid and creds[1] == os.geteuid(), creds)
check("sockets_end: it stops cleanly", second.stop()[0] == 0)
if os.geteuid() == 0:
    served = Daemon("--uid", "12345")
    path = "%s/ddappsec_1.24.0_12345.sock" % served.base
    eventually(lambda: os.path.exists(path))
    s = socket.socket(socket.AF_UNIX)
    s.connect(path)
    check("sockets_uid: listening as the user that is served", struct.unpack("3i", s.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[1] == 12345)
    os.chmod(served.base, 0o755)

    def try_as(uid):
        """What a client of another user gets."""
        pid = os.fork()
        if pid == 0:
            try:
                os.setresuid(uid, uid, uid)
                c = Client(path, 3)
                os._exit(0 if c.init()[1][0] == "ok" else 1)
            except BaseException:
                os._exit(2)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    check("sockets_uid: that user is served", try_as(12345) == 0)
    check("sockets_uid: another one is not", try_as(12346) == 2)
    check("sockets_uid: root is", Client(path).init()[1][0] == "ok")
    served.stop()

# ---- frames
c = fresh()
big = request("x" * 4000000)
check("frames_in: four megabytes", c.call("request_init", big)[0] == "request_init")
check("frames_in: twice in a request", c.call("request_exec", {"usr.id": "y" * 4000000}, {})[0] == "request_exec")
shutdown(c)
body = pack(["request_exec", [{"usr.id": "z"}, {}]])
c.raw(b"dds\0" + struct.pack("=I", 10485760))
chunk = body.ljust(65536, b"\xc0")
sent = 0
while sent < 10485760:
    sent += c.s.send(chunk[:min(65536, 10485760 - sent)])
check("frames_in: exactly 10 MiB are read to their end", c.reply()[0] == "error")
check("frames_in: and the connection goes on", verdicts(c, {"q": "attack"}) == ["block"])
c.raw(b"dds\0" + struct.pack("=I", 10485761))
check("frames_in: a byte more is an error", c.reply()[0] == "error")
check("frames_in: and the end", closed(c))
c = fresh()
c.raw(b"ddt\0" + struct.pack("=I", 3) + b"abc")
check("frames_marker: a bad marker is an error, then the end", c.reply()[0] == "error" and closed(c))
c = fresh()
flood = request({"q": "attack", "pad": "p" * 100})
frame = pack(["request_init", [flood]])
frame = b"dds\0" + struct.pack("=I", len(frame)) + frame
end = pack(["request_shutdown", [{"server.response.status": "200"}, 0, 0, False]])
end = b"dds\0" + struct.pack("=I", len(end)) + end
answers = []
reader = threading.Thread(target=lambda: answers.extend(c.reply()[0] for _ in range(4000)))
reader.start()
for _ in range(2000):
    c.raw(frame + end)
reader.join()
check("frames_ahead: whoever sends ahead gets every answer in order", answers == ["request_init", "request_shutdown"] * 2000)

# ---- lenient reading
c = fresh()
check("lenient: an empty array stands for a map of addresses", c.call("request_init", [])[0] == "request_init")
check("lenient: and for options", c.call("request_exec", [], [])[0] == "request_exec")
shutdown(c)
check("lenient: bytes are text", [a[0] for a in c.call("request_exec", {"server.request.query": b"an attack"}, {})[1][0]] == ["block"])
shutdown(c)
body = b"\x92\xacrequest_init\x91\x81\xb4server.request.query\xa8\xff\xfeattack"
c.raw(b"dds\0" + struct.pack("=I", len(body)) + body)
r = c.reply()
check("lenient: invalid UTF-8 is looked at", r[1][0][0][0] == "block" and "\ufffd" in json.loads(r[1][1][0])["rule_matches"][0]["parameters"][0]["value"], r)
shutdown(c)
other = Client(d.path)
check("lenient: unknown members and arguments, integers for booleans", other.call("client_init", 1, "1.24.0", "8", 1, {"future": {"a": 1},
      "rules_file": "", "waf_timeout_us": 1000000, "schema_extraction": {"enabled": 1, "sampling_period": 0, "more": 2}}, {"enabled": 0, "shmem_path": "", "z": 1},
      {"service_name": "", "env_name": ""}, {"session_id": ""}, "an argument of later versions")[1][0] == "ok")
check("lenient: and it judges", verdicts(other, {"q": "attack"}) == ["block"])
other = Client(d.path)
check("lenient: records by position", other.call("client_init", 1, "1.24.0", "8", True, ["", 1000000, 100, "", "", [True, 30.0]], [False, ""], ["s", "e"], ["", ""])[1][0] == "ok" and
      verdicts(other, {"q": "attack"}) == ["block"])
other = Client(d.path)
check("lenient: too few arguments are an error", other.call("client_init", 1, "1.24.0")[0] == "error" and other.init()[1][0] == "ok")

# ---- replies
c = fresh()
check("replies: client_init has six", len(c.first[1]) == 6 and c.first[1][5] == "hotgate", c.first)
check("replies: config_sync", c.call("config_sync", "", {"service_name": "shop", "env_name": "test"}) == ["config_features", [True]])
r = c.call("request_init", request({"q": "tea"}))
check("replies: parameters are strings", [a[0] for a in r[1][0]] == ["block"] and
      all(isinstance(v, str) for v in r[1][0][0][1].values()) and r[1][0][0][1]["status_code"] == "418" and r[1][0][0][1]["type"] == "json", r)
check("replies: request_init has four and tells the mode", len(r[1]) == 4 and r[1][3] == {"auto_user_instrum": "undefined"})
r = c.call("request_exec", {"usr.id": "evil"}, {})
check("replies: request_exec has four", len(r[1]) == 4 and r[1][3] == {})
r = shutdown(c)
check("replies: request_shutdown has six", len(r) == 6 and isinstance(r[4], dict) and isinstance(r[5], dict) and r[3] == {})
check("replies: metrics are numbers", all(isinstance(v, (int, float)) for v in r[5].values()) and all(isinstance(v, str) for v in r[4].values()), r)
c.call("request_init", request())
shutdown(c)
check("replies: a redirect", verdicts(fresh(), {"q": "elsewhere"}) == ["redirect"])

# ---- client_init
for version in ("1.24.0", "0.0.1-rc.1", "1.24.0+" + "a" * 40, "9" * 300):
    other = Client(d.path)
    r = other.call("client_init", 1, version, "8.2", True, {"rules_file": "", "waf_timeout_us": 10000, "trace_rate_limit": 100, "obfuscator_key_regex": "",
                   "obfuscator_value_regex": "", "schema_extraction": {"enabled": False, "sampling_period": 1.0}}, {"enabled": False, "shmem_path": ""},
                   {"service_name": "", "env_name": ""}, {"session_id": "", "runtime_id": ""})
    check("init: any version is echoed", r[1][0] == "ok" and r[1][1] == version, r)
times = []
for i in range(20):
    other, start = Client(d.path), time.time()
    other.init(obfuscator_key_regex="secret%d" % i, trace_rate_limit=i + 1)
    times.append(time.time() - start)
check("init: settings never seen before need no build", sorted(times)[10] < 0.1, times)
open(folder + "/client-a.json", "w").write(ruleset([rule("own", "server.request.query", "theirs", ["block"])], "5.0"))
start = time.time()
other = fresh(rules_file=folder + "/client-a.json")
check("init: a rules file that a client names is built in time", time.time() - start < 1.0 and verdicts(other, {"q": "theirs"}) == ["block"])
check("init: it replaces the daemon's rules", verdicts(other, {"q": "attack"}) == [])
open(folder + "/client-b.json", "w").write("{")
r = Client(d.path).init(rules_file=folder + "/client-b.json")
check("init: a broken one fails with a reason", r[1][0] == "fail" and "client-b.json" in r[1][2][0], r)
r = Client(d.path).init(rules_file=folder + "/client-none.json")
check("init: one that is not there too", r[1][0] == "fail" and "No such file" in r[1][2][0], r)
for bad in ("/etc/passwd", folder + "/../x/client-a.json", folder + "/sub/client-a.json", "client-a.json"):
    r = Client(d.path).init(rules_file=bad)
    check("init: one beyond --allow-rules", r[1][0] == "fail" and "allow-rules" in r[1][2][0], (bad, r))
c1, c2 = Client(d.path), None
ahead = pack(["client_init", [1, "1.24.0", "8", True, {"rules_file": folder + "/client-c.json"}, {}, {}, {}]])
open(folder + "/client-c.json", "w").write(ruleset([rule("own", "server.request.query", "later", ["block"])]))
nxt = pack(["request_init", [request({"q": "later"})]])
c1.raw(b"dds\0" + struct.pack("=I", len(ahead)) + ahead + b"dds\0" + struct.pack("=I", len(nxt)) + nxt)
check("init: what is sent while rules are built is not lost", c1.reply()[1][0] == "ok" and c1.reply()[1][0][0][0] == "block")

# ---- order
c = Client(d.path)
for command, arguments in (("request_init", [request()]), ("request_exec", [{}, {}]), ("request_shutdown", [{}, 0, 0, False]), ("config_sync", ["", {}])):
    check("order: %s before client_init" % command, c.call(command, *arguments) == ["error", None])
check("order: and client_init still works", c.init()[1][0] == "ok")
check("order: request_exec without request_init is judged", [a[0] for a in c.call("request_exec", {"server.request.query": "attack"}, {})[1][0]] == ["block"])
check("order: request_shutdown ends it", len(shutdown(c)) == 6)
check("order: request_shutdown alone is judged", [a[0] for a in shutdown(c, status="500")[0]] == ["record"])
c.call("request_init", request())
check("order: a second request_init in a request", c.call("request_init", request())[0] == "error")
check("order: config_sync in a request", c.call("config_sync", "", {"service_name": "", "env_name": ""})[0] == "error")
check("order: a second client_init in a request", c.init()[0] == "error")
check("order: the request goes on", [a[0] for a in c.call("request_exec", {"usr.id": "evil"}, {})[1][0]] == ["record"])
shutdown(c)
for bad in ([], ["request_init"], ["request_init", [], 1], [5, []], ["request_init", {}], "request_init", None):
    body = pack(bad)
    c.raw(b"dds\0" + struct.pack("=I", len(body)) + body)
    check("order: a body that is no message", c.reply() == ["error", None], bad)
for arguments in ([], ["text"], [["x"]], [7]):
    check("order: data that is no map", c.call("request_init", *arguments)[0] == "error", arguments)
check("order: config_sync with wrong arguments", c.call("config_sync", 5, 6)[0] == "error" and c.call("config_sync")[0] == "error")
check("order: after all that it judges", verdicts(c, {"q": "attack"}) == ["block"])
for i in range(70):
    last = c.call("request_exec", {"usr.id": "evil"}, {"subctx_id": "n%d" % i})
check("order: too many sub-contexts are an error", last[0] == "error", last)
shutdown(c)

# ---- sub-contexts and RASP
c.call("request_init", request())
seen = [len(c.call("request_exec", {"usr.id": "evil"}, options)[1][1]) for options in ({}, {}, {"subctx_id": "a"}, {"subctx_id": "a"}, {"subctx_id": "b"},
        {"subctx_id": "a", "subctx_last_call": True}, {"subctx_id": "a"})]
check("rasp: each call without a name stands alone, names remember", seen == [1, 1, 1, 0, 1, 0, 1], seen)
r = c.call("request_exec", {"server.io.fs.file": "/etc/passwd"}, {"rasp_rule": "lfi", "rule_variant": "v1"})
check("rasp: a match blocks", r[1][0][0][0] == "block" and len(r[1][1]) == 1, r)
c.call("request_exec", {"server.io.net.url": "http://x/"}, {"rasp_rule": "ssrf"})
r = shutdown(c)
check("rasp: counted in the request's metrics", r[5]["_dd.appsec.rasp.rule.eval"] == 2 and "_dd.appsec.rasp.duration" in r[5] and "_dd.appsec.rasp.timeout" not in r[5], r[5])
c.call("request_init", request())
r = c.call("request_exec", {"server.request.query": "attack"}, {"rasp_rule": "lfi"})
check("rasp: request addresses are an ordinary run", r[1][0][0][0] == "block" and "_dd.appsec.rasp.rule.eval" not in shutdown(c)[5], r)

# ---- actions
r = c.call("request_init", request({"q": "stack"}))
check("actions: a stack trace comes with a record", sorted(a[0] for a in r[1][0]) == ["record", "stack_trace"] and
      all(a[1].get("stack_id") for a in r[1][0] if a[0] == "stack_trace"), r)
shutdown(c)
r = c.call("request_init", request({"q": "both"}))
check("actions: with a block there is no record", sorted(a[0] for a in r[1][0]) == ["block", "stack_trace"], r)
shutdown(c)
c.call("request_init", request())
check("actions: triggers alone are recorded", [a[0] for a in c.call("request_exec", {"usr.id": "evil"}, {})[1][0]] == ["record"])
shutdown(c)
r = c.call("request_init", request({"q": "mark"}))
check("actions: attributes without an event are no action", r[1][:2] == [[], []], r)
r = shutdown(c)
check("attributes: texts are meta, numbers metrics", r[4].get("_dd.appsec.trace.t") == "text" and r[5].get("_dd.appsec.trace.n") == 7, r)

# ---- obfuscator
def shown(c, query):
    value = json.loads(c.call("request_init", request(query))[1][1][0])["rule_matches"][0]["parameters"][0]["value"]
    shutdown(c)
    return value
check("obfuscator: defaults", shown(fresh(), {"password": "attack"}) == "<Redacted>" and shown(fresh(), {"colour": "attack"}) == "attack")
own = fresh(obfuscator_key_regex="^colour$", obfuscator_value_regex="zzz")
check("obfuscator: the client's", shown(own, {"colour": "attack"}) == "<Redacted>" and shown(own, {"password": "attack"}) == "attack" and
      shown(own, {"a": "attack zzz"}) == "<Redacted>")

# ---- limiter
c = fresh(trace_rate_limit=3)
keeps = []
for _ in range(8):
    first = c.call("request_init", request({"q": "attack"}))[1][2]
    again = c.call("request_exec", {"usr.id": "evil"}, {})[1][2]
    check("limiter: one decision a request", first == again)
    keeps.append(first)
    shutdown(c)
check("limiter: at most so many a second", 3 <= sum(keeps) <= 6 and keeps[:3] == [True] * 3, keeps)
other = fresh(trace_rate_limit=3)
check("limiter: it is the service's, not the connection's", not other.call("request_init", request({"q": "attack"}))[1][2] or sum(keeps) > 3)
c = fresh(trace_rate_limit=0)
check("limiter: 0 keeps all", all(c.call("request_init", request({"q": "attack"}))[1][2] and shutdown(c) for _ in range(50)))

# ---- schemas
body = {"a": {"b": [1, "x"]}}
c = fresh(schema_extraction={"enabled": True, "sampling_period": 30.0})
c.call("request_init", request(body=body))
check("schema: extracted when the key is due", json.loads(shutdown(c, 111)[4].get("_dd.appsec.s.req.body", "null")) == [{"a": [{"b": [[[4], [8]], {"len": 2}]}]}])
c.call("request_init", request(body=body))
check("schema: not twice in a period", "_dd.appsec.s.req.body" not in shutdown(c, 111)[4])
c.call("request_init", request(body=body))
check("schema: key 0 is never sampled", "_dd.appsec.s.req.body" not in shutdown(c, 0)[4])
wide = {"field-%04d" % i: "x" for i in range(200)}
c.call("request_init", request(body=wide))
packed = shutdown(c, 222)[4].get("_dd.appsec.s.req.body", "")
check("schema: a long one is packed", set(json.loads(gzip.decompress(base64.b64decode(packed)))[0]) <= set(wide) and len(packed) % 4 == 0, packed[:80])
c = fresh(schema_extraction={"enabled": True, "sampling_period": 0.5})
for _ in range(3):
    c.call("request_init", request(body=body))
    check("schema: without a period every key is due", "_dd.appsec.s.req.body" in shutdown(c, 111)[4])
c = fresh(schema_extraction={"enabled": False, "sampling_period": 1.0})
c.call("request_init", request(body=body))
check("schema: off is off", "_dd.appsec.s.req.body" not in shutdown(c, 333)[4])

# ---- reload
c, running = fresh(), fresh()
running.call("request_init", request())
open(rules_path, "w").write(base.replace("attack", "sesame").replace("1.0.0", "2.0.0"))
d.process.send_signal(signal.SIGHUP)
slowest, blocked = 0.0, False
patience = time.time() + 8
while time.time() < patience:
    start = time.time()
    blocked = verdicts(c, {"q": "sesame"}) == ["block"]
    slowest = max(slowest, time.time() - start)
    if blocked:
        break
check("reload: new rules come into force", blocked)
check("reload: nobody waits for them", slowest < 0.7, slowest)
r = running.call("request_exec", {"server.request.query": "attack"}, {})
check("reload: a request keeps the rules it began with", [a[0] for a in r[1][0]] == ["block"], r)
check("reload: and their version", shutdown(running)[4]["_dd.appsec.event_rules.version"] == "1.0.0")
check("reload: the next one has the new version", verdicts(running, {"q": "sesame"}) == ["block"])
first = fresh().first
check("reload: the first client after it hears of the rules", first[1][4].get("_dd.appsec.event_rules.loaded") == 9.0 and
      first[1][4].get("_dd.appsec.event_rules.error_count") == 1.0 and "broken" in first[1][3]["_dd.appsec.event_rules.errors"], first)
check("reload: the second does not", "_dd.appsec.event_rules.loaded" not in fresh().first[1][4])
open(rules_path, "w").write("{ this is not JSON")
d.process.send_signal(signal.SIGHUP)
eventually(lambda: d.metrics()['hotgate_reloads_total{result="failed"}'] != "0")
check("reload: broken rules change nothing", verdicts(c, {"q": "sesame"}) == ["block"])
open(rules_path, "w").write(base)
d.process.send_signal(signal.SIGHUP)
check("reload: and good ones do again", eventually(lambda: verdicts(c, {"q": "attack"}) == ["block"]))

# ---- remote configuration
remote = Remote()
sync = {"service_name": "shop", "env_name": "test"}
try:
    def with_remote(**more):
        return fresh(enabled=None, remote={"enabled": True, "shmem_path": remote.name}, **more)
    c = with_remote()
    check("remote: no directory yet is no error, and nobody enables", c.call("config_sync", remote.name, sync) == ["config_sync", None] and
          c.call("request_init", request()) == ["config_features", [False]])
    remote.put("datadog/2/ASM_FEATURES/a/config", '{"asm":{"enabled":true}}')
    remote.publish()
    check("remote: features enable", eventually(lambda: c.call("config_sync", remote.name, sync) == ["config_features", [True]]))
    check("remote: requests are judged by the daemon's rules", verdicts(c, {"q": "attack"}) == ["block"])
    remote.put("datadog/2/ASM_FEATURES/b/config", '{"auto_user_instrum":{"mode":"Anonymization"}}')
    remote.publish()
    def mode():
        r = c.call("request_init", request())[1][3]["auto_user_instrum"]
        shutdown(c)
        return r
    check("remote: the mode of user tracking", eventually(lambda: mode() == "anonymization"))
    remote.put("datadog/2/ASM_FEATURES/c/config", '{"auto_user_instrum":{"mode":"other"}}')
    remote.publish()
    check("remote: later paths win, an unknown mode is unknown", eventually(lambda: mode() == "unknown"))
    remote.put("datadog/2/ASM_FEATURES/d/config", '{"asm":{"enabled":"FALSE"}}')
    remote.publish()
    check("remote: a later file disables", eventually(lambda: c.call("request_init", request()) == ["config_features", [False]] or (shutdown(c), False)[1]))
    remote.put("datadog/2/ASM_FEATURES/d/config", '{"asm":{"enabled":5}}')
    remote.publish()
    check("remote: a file of another type says nothing", eventually(lambda: c.call("config_sync", remote.name, sync) == ["config_features", [True]]))

    # ASM_DD replaces the daemon's rules
    twin = with_remote(trace_rate_limit=7)
    remote.put("datadog/2/ASM_DD/rules/config", ruleset([rule("remote-rule", "server.request.query", "distant", ["block"]),
               rule("r-block", "server.request.query", "anew", ["block"])], "7.7.7"))
    remote.publish()
    check("remote: rules come into force", eventually(lambda: verdicts(c, {"q": "distant"}) == ["block"]))
    check("remote: the daemon's are gone, an id may be used again", verdicts(c, {"q": "attack"}) == [] and verdicts(c, {"q": "anew"}) == ["block"])
    c.call("request_init", request())
    check("remote: with their version", shutdown(c)[4]["_dd.appsec.event_rules.version"] == "7.7.7")
    check("remote: all services of the path", verdicts(twin, {"q": "distant"}) == ["block"])
    check("remote: no others", verdicts(fresh(), {"q": "distant"}) == [] and verdicts(fresh(), {"q": "attack"}) == ["block"])
    d.process.send_signal(signal.SIGHUP)
    time.sleep(0.3)
    check("remote: a reload of the daemon's rules does not bring them back", verdicts(c, {"q": "attack"}) == [] and verdicts(c, {"q": "distant"}) == ["block"])
    start = time.time()
    late = with_remote(trace_rate_limit=11)
    check("remote: a new client has them at its first request", verdicts(late, {"q": "distant"}) == ["block"] and time.time() - start < 0.25)
    remote.put("datadog/2/ASM/over/config", json.dumps({"rules_override": [{"id": "remote-rule", "enabled": False}]}))
    remote.publish()
    check("remote: overrides", eventually(lambda: verdicts(c, {"q": "distant"}) == []))
    remote.remove("datadog/2/ASM/over/config")
    remote.publish()
    check("remote: and their end", eventually(lambda: verdicts(c, {"q": "distant"}) == ["block"]))
    remote.put("datadog/2/ASM_DD/rules/config", "no JSON at all")
    remote.publish()
    time.sleep(1.3)
    check("remote: a file that cannot be read changes nothing", verdicts(c, {"q": "distant"}) == ["block"])
    remote.put("datadog/2/ASM_DD/rules/config", ruleset([{"id": "none"}]))
    remote.publish()
    check("remote: rules of which none loads bring the daemon's back", eventually(lambda: verdicts(c, {"q": "attack"}) == ["block"]))
    c.call("request_init", request())
    check("remote: with their version", shutdown(c)[4]["_dd.appsec.event_rules.version"] == "1.0.0")
    remote.put("datadog/2/ASM_DD/rules/config", ruleset([rule("x", "server.request.query", "third", ["block"])], "8"))
    remote.publish()
    check("remote: good rules again", eventually(lambda: verdicts(c, {"q": "third"}) == ["block"]) and verdicts(c, {"q": "attack"}) == [])
    remote.remove("datadog/2/ASM_DD/rules/config")
    remote.publish()
    check("remote: when they go, the daemon's come back", eventually(lambda: verdicts(c, {"q": "attack"}) == ["block"]))
    remote.put("employee/ASM_DATA/1/config", json.dumps({"rules_data": []}))
    remote.put("datadog/2/OTHER/1/config", "whatever")
    remote.publish()
    remote.publish("no line end")
    time.sleep(1.3)
    check("remote: a text without a line is an error that changes nothing", verdicts(c, {"q": "attack"}) == ["block"])
    remote.publish("")
    check("remote: an empty text takes everything away", eventually(lambda: c.call("config_sync", remote.name, sync) == ["config_sync", None]))
    remote.publish()
    check("remote: and it comes back", eventually(lambda: c.call("config_sync", remote.name, sync) == ["config_features", [True]]))
    moved = fresh(enabled=None, remote={"enabled": True, "shmem_path": ""})
    check("remote: a path that comes with config_sync", eventually(lambda: moved.call("config_sync", remote.name, sync) == ["config_features", [True]]))
    off = fresh(enabled=None, remote={"enabled": False, "shmem_path": remote.name})
    check("remote: ignored by whom it is off for", off.call("config_sync", remote.name, sync) == ["config_sync", None])
    if os.geteuid() == 0:
        os.chown(remote.path, 12345, 12345)
        remote.put("datadog/2/ASM_FEATURES/a/config", '{"asm":{"enabled":false}}')
        remote.remove("datadog/2/ASM_FEATURES/d/config")
        remote.publish()
        time.sleep(1.3)
        check("remote: objects of another user do not count", c.call("config_sync", remote.name, sync) == ["config_features", [True]])
finally:
    remote.close()

# ---- telemetry
m = d.metrics()
def total(name, **labels):
    return sum(float(v) for k, v in m.items() if k.split("{")[0] == name and all('%s="%s"' % (a, b) in k for a, b in labels.items()))
check("telemetry: waf_requests by outcome", total("waf_requests", rule_triggered="true", request_blocked="true", waf_error="false", waf_timeout="false",
      input_truncated="false", rate_limited="false") > 5 and total("waf_requests") == float(m["hotgate_requests_total"]), m)
check("telemetry: limited ones", total("waf_requests", rate_limited="true") >= 2)
check("telemetry: waf_init and waf_updates", total("waf_init", success="true") >= 2 and total("waf_init", success="false") >= 2 and
      total("waf_updates", success="true") >= 4 and total("waf_updates", success="false") >= 1)
check("telemetry: waf_config_errors", total("waf_config_errors", action="init", config_key="rules", scope="item") >= 1)
check("telemetry: common labels", total("waf_requests", waf_version="2.0.1", event_rules_version="1.0.0") > 0 and total("waf_requests", event_rules_version="7.7.7") > 0)
check("telemetry: waf_duration and rasp_duration", total("waf_duration_count") > 20 and total("rasp_duration_count") >= 1 and total("waf_duration_sum") > 0)
check("telemetry: rasp by rule", total("rasp_rule_eval", rule_type="lfi", rule_variant="v1") == 1 and total("rasp_rule_eval", rule_type="ssrf") == 1 and
      total("rasp_rule_match", rule_type="lfi", block="success") == 1, [k for k in m if k.startswith("rasp")])
check("telemetry: timeouts are told even when there are none", 'rule_type="ssrf"' in "".join(k for k in m if k.startswith("rasp_timeout")))
check("telemetry: workers of a service", total("helper_service_worker_count", service="shop", env="test") >= 5)
check("telemetry: matches by rule", total("hotgate_rule_matches_total", rule="r-block") > 5 and total("hotgate_rule_matches_total", rule="r-rasp") == 1)
check("telemetry: reached limits", total("hotgate_limit_hits_total", limit="subcontexts") >= 1 and total("hotgate_limit_hits_total", limit="frame") >= 1)
c = fresh(waf_timeout_us=1)
c.call("request_init", request({"q": ["x" * 4000] * 200}))
c.call("request_exec", {"server.io.fs.file": ["y" * 4000] * 200}, {"rasp_rule": "lfi"})
r = shutdown(c, truncated=True)
m = d.metrics()
check("telemetry: timeouts and truncation", total("waf_requests", waf_timeout="true", input_truncated="true") == 1 and
      total("rasp_timeout", rule_type="lfi") == 1 and r[5].get("_dd.appsec.rasp.timeout") == 1, r)

code, err = d.stop()
check("it stops cleanly", code == 0, (code, err))
print("%d passed, %d failed" % (passed, failed))
sys.exit(failed > 0)
