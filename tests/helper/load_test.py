#!/usr/bin/env python3
"""hotgate load: what it counts, what it refuses, and that it notices a daemon that answers wrongly."""
import json, os, socket, subprocess, sys, tempfile, threading

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from client import HOTGATE, Daemon, pack, unpack

passed = failed = 0


def check(name, ok, detail=""):
    global passed, failed
    passed += bool(ok)
    failed += not ok
    if not ok:
        print("failed:", name, repr(detail)[:600])


def load(*args):
    done = subprocess.run([HOTGATE, "load", *map(str, args)], capture_output=True, text=True, timeout=120)
    runs = [json.loads(line) for line in done.stdout.splitlines() if line[:1] == "{"]
    return done.returncode, runs, done.stdout, done.stderr


# The first requests of a daemon make its automata, which takes sanitizers seconds.
SHORT = ("--seconds", 0.5, "--warmup", 3 if os.environ.get("HOTGATE_SANITIZE") else 0.2, "--timeout", 30, "--waf-timeout", 5000000, "--json", "-")

d = Daemon()
status, runs, out, err = load("--connections", "1,7", *SHORT, d.path)
check("a sweep has a run for each number of workers", status == 0 and [r["connections"] for r in runs] == [1, 7], (out, err))
check("a saturated run counts requests, and replies of all of them", all(r["case"] == "saturated" and r["requests"] > 0 and
      r["replies"] >= 2 * r["requests"] and r["wrong"] == r["lost"] == 0 for r in runs), runs)
check("percentiles ascend", all(r["latency_us"][a] <= r["latency_us"][b] for r in runs for a, b in
      (("p50", "p90"), ("p90", "p99"), ("p99", "p99.9"), ("p99.9", "max"))), runs)
check("the daemon is found by its socket", all(r["daemon"]["pid"] == d.process.pid and r["daemon"]["cpu_us_per_request"] > 0
      for r in runs), runs)
check("the table has a line a run", len([l for l in out.splitlines() if l.startswith("saturated")]) == 2, out)

status, runs, out, err = load("--rate", 200, "--connections", 8, *SHORT, d.path)
check("a fixed rate is kept", status == 0 and runs[0]["case"] == "fixed" and 60 <= runs[0]["requests"] <= 200 * runs[0]["seconds"] + 1, (runs, err))
status, runs, out, err = load("--attack", 50, "--rasp", 2, "--threads", 2, "--connections", 9, *SHORT, d.path)
check("attacks are reported, RASP calls answered", status == 0 and runs[0]["replies"] >= 4 * runs[0]["requests"] > 0, (runs, err))
status, runs, out, err = load("--attack", 50, "--expect", "redirect", "--connections", 2, *SHORT, d.path)
check("another verdict than the expected one is wrong", status == 1 and runs[0]["wrong"] > 0 and "wrong reply" in err, (status, runs))
status, runs, out, err = load("--trouble", 30, "--attack", 20, "--rasp", 2, "--connections", 12, *SHORT, d.path)
check("clients that misbehave cost no other its reply", status == 0 and runs[0]["troubled"] > 0 and runs[0]["reconnects"] > 0
      and runs[0]["requests"] > 0, (runs, err))
status, runs, out, err = load("--storm", 200, "--timeout", 30, "--json", "-", d.path)
check("a storm greets everybody", status == 0 and runs[0]["case"] == "storm" and runs[0]["requests"] == 200, (runs, err))
d.stop()


class Liar:
    """Answers client_init well and each later command with what `answer` makes of it."""

    def __init__(self, answer):
        self.path = tempfile.mkdtemp() + "/liar.sock"
        self.answer = answer
        self.s = socket.socket(socket.AF_UNIX)
        self.s.bind(self.path)
        self.s.listen(16)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            threading.Thread(target=self.serve, args=(self.s.accept()[0],), daemon=True).start()

    def serve(self, c):
        data = b""
        while chunk := c.recv(65536):
            data += chunk
            while len(data) >= 8 and len(data) - 8 >= int.from_bytes(data[4:8], "little"):
                end = 8 + int.from_bytes(data[4:8], "little")
                name = unpack(data[8:end])[0][0]
                data = data[end:]
                reply = self.answer(name) if name != "client_init" else [[name, ["ok", "1.24.0", [], {}, {}, None]]]
                if reply is None:
                    c.close()
                    return
                body = pack(reply) if isinstance(reply, list) else reply
                c.sendall(b"dds\0" + len(body).to_bytes(4, "little") + body)


def honest(name):
    return [[name, [[], [], False, {}] + ([{}, {}] if name == "request_shutdown" else [])]]


def lie(what, answer, field):
    liar = Liar(answer)
    for _ in range(10):  # on a busy machine it may not come to answer in time
        status, runs, out, err = load("--connections", 2, *SHORT, liar.path)
        if runs[0][field] > 0:
            break
    check(what, status == 1 and runs[0][field] > 0, (status, runs, err))


liar = Liar(honest)
status, runs, out, err = load("--connections", 2, *SHORT, liar.path)
check("honest answers of another daemon pass", status == 0 and runs[0]["wrong"] == runs[0]["lost"] == 0, (status, runs, err))
liar = Liar(lambda name: [[name, [[["ok", {}]]] + honest(name)[0][1][1:]]])
check("an ok action is no verdict", load("--connections", 2, *SHORT, liar.path)[0] == 0)
lie("a block of a harmless request is wrong", lambda n: [[n, [[["block", {}]], ["{}"], False, {}] + [{}, {}]]], "wrong")
lie("error is wrong", lambda n: [["error", None]], "wrong")
lie("the answer of another command is wrong", lambda n: honest("request_exec"), "wrong")
lie("an answer that lacks entries is wrong", lambda n: [[n, [[], [], False]]], "wrong")
lie("bytes behind the answer are wrong", lambda n: pack(honest(n)) + b"\xc0", "wrong")
lie("a closed connection loses the reply", lambda n: None if n == "request_shutdown" else honest(n), "lost")

check("nobody listens: status 3", load("--seconds", 1, "/tmp/hotgate-nobody-%d.sock" % os.getpid())[0] == 3)
check("an attack that is not reported is wrong", load("--attack", 100, "--connections", 1, *SHORT, Liar(honest).path)[0] == 1)
for bad in (["--connections", "0"], ["--connections", "1,x"], ["--attack", "101"], ["--expect", "shout"], ["--rate", "-1"],
            ["--reload", "1"], ["--seconds", "soon"], ["a", "b"], ["--storm", ""], ["--colour"]):
    check("usage: " + " ".join(bad), load(*bad)[0] == 2)
status, _, out, _ = load("--help")
check("help has examples", status == 0 and "Examples:" in out)

print("%d passed, %d failed" % (passed, failed))
sys.exit(failed > 0)
