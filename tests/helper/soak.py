#!/usr/bin/env python3
"""A daemon under everything at once: steady workers, workers that are killed, misbehaving ones, slow readers, half frames,
garbage, storms of connections and new rules all the time. At the end every reply of the steady workers must have been
right, none lost, memory flat to 1 % (a run of less than ten minutes: 5 %) and no descriptor left over.

  tests/helper/soak.py [--seconds N] [--seed N] [--rate N]

All choices are made from the seed. Memory is compared where no sanitizer adds its own."""
import argparse, json, os, random, signal, socket, statistics, subprocess, sys, threading, time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from client import HOTGATE, Client, Daemon, pack

options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
options.add_argument("--seconds", type=float, default=1800)
options.add_argument("--seed", type=int, default=1)
options.add_argument("--rate", type=float, default=100, help="requests a second of the steady workers")
o = options.parse_args()

SOURCE = os.environ.get("HOTGATE_SOURCE", os.getcwd())
SANITIZED = any(line.startswith("HG_SANITIZE:STRING=") and line.strip() != "HG_SANITIZE:STRING="
                for line in open(os.path.join(os.environ["HOTGATE_BUILD"], "CMakeCache.txt")))
MEMORY_GROWTH = 1.01 if o.seconds >= 600 else 1.05  # short runs do not tell a slope from settling
RULES = "/tmp/hotgate-soak-rules-%d.json" % os.getpid()
PATIENT = ["--timeout", "120", "--waf-timeout", "10000000"]
SCANNER = {"server.request.headers.no_cookies": {"user-agent": "Arachni/v1.5.1"}}

failures = []
over = threading.Event()
done = dict.fromkeys(("reloads", "kills", "slow readers", "half frames", "garbage", "storms"), 0)


def fail(what):
    failures.append(what)
    print("failed:", what, flush=True)


def write_rules(number):
    """The embedded rules and one that blocks; the version changes each time."""
    rules = json.load(open(os.path.join(SOURCE, "rules/hotgate.json")))
    rules.setdefault("metadata", {})["rules_version"] = "1.%d.0" % number
    rules["rules"].append({"id": "soak-scanner", "name": "scanner", "tags": {"type": "scanner", "category": "attack_attempt"},
                           "on_match": ["block"], "conditions": [{"operator": "match_regex", "parameters": {
                               "inputs": [{"address": "server.request.headers.no_cookies", "key_path": ["user-agent"]}],
                               "regex": "^Arachni/v%s" % ("1" if number % 2 else "[0-9]")}}]})
    with open(RULES + ".new", "w") as file:
        json.dump(rules, file)
    os.replace(RULES + ".new", RULES)


def steadily(name, random_source, step, low, high):
    """A thread that does a step every so often until the end."""

    def run():
        while not over.wait(random_source.uniform(low, high)):
            try:
                step(random_source)
                done[name] += 1
            except (OSError, EOFError) as e:
                if not over.is_set():
                    fail("%s: %r" % (name, e))

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def start_load(*args):
    return subprocess.Popen([HOTGATE, "load", *map(str, args), "--pid", str(daemon.process.pid), "--json", "-", *PATIENT, daemon.path],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def reload(r):
    write_rules(done["reloads"] + 2)
    daemon.process.send_signal(signal.SIGHUP)


def kill_workers(r):
    process = start_load("--connections", r.randint(1, 20), "--seconds", 60, "--attack", 20, "--rasp", 2, "--rate", 200)
    over.wait(r.uniform(0.05, 1.5))
    process.kill()
    process.communicate()


def slow_reader(r):
    """Sends a request's commands ahead and takes the answers byte by byte, or not at all."""
    c = Client(daemon.path, timeout=120)
    c.init(waf_timeout_us=10000000)
    count = r.randint(10, 200)
    for _ in range(count):
        c.send("request_init", SCANNER)
        c.send("request_shutdown", {"server.response.status": "403"}, 0, 0, False)
    over.wait(r.uniform(0, 2))
    if r.random() < 0.5:
        c.s.close()
        return
    for _ in range(count):
        head = b"".join(c.read(1) for _ in range(8))
        body = c.read(int.from_bytes(head[4:], "little"))
        if b"\xa5block" not in body:
            fail("a slow reader's attack is not blocked: %r" % body[:80])
        c.reply()


def half_frame(r):
    """Stops in the middle of a frame, and goes on much later or never."""
    c = Client(daemon.path, timeout=120)
    c.init(waf_timeout_us=10000000)
    body = pack(["request_init", [SCANNER]])
    frame = b"dds\0" + len(body).to_bytes(4, "little") + body
    at = r.randrange(1, len(frame))
    c.raw(frame[:at])
    over.wait(r.uniform(0, 3))
    if r.random() < 0.5:
        c.raw(frame[at:])
        reply = c.reply()
        if reply[0] != "request_init" or not any(a[0] == "block" for a in reply[1][0]):
            fail("a frame in two halves is answered wrongly: %r" % reply)
    c.s.close()


def garbage(r):
    """Bytes that are no frame, or a frame that is no message: error, then closed or not, but never silence."""
    c = Client(daemon.path, timeout=120)
    if r.random() < 0.5:
        c.init(waf_timeout_us=10000000)
    noise = r.randbytes(r.randint(1, 300))
    if r.random() < 0.5:
        c.raw(b"X" + noise)
    else:
        c.raw(b"dds\0" + len(noise).to_bytes(4, "little") + noise)
        c.send("no_such_command")
    if c.reply()[0] != "error":
        fail("garbage is not answered with error")
    c.s.close()


def storm(r):
    process = start_load("--storm", r.randint(50, 300))
    out, err = process.communicate()
    if process.returncode != 0:
        fail("a storm: status %d %s" % (process.returncode, err[-300:]))


def resident():
    for line in open("/proc/%d/status" % daemon.process.pid):
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    return 0


def descriptors():
    return len(os.listdir("/proc/%d/fd" % daemon.process.pid))


def check_steady(name, process):
    out, err = process.communicate()
    runs = [json.loads(line) for line in out.splitlines() if line[:1] == "{"]
    if process.returncode != 0 or not runs:
        fail("%s: status %d\n%s%s" % (name, process.returncode, out[-600:], err[-1200:]))
    for r in runs:
        print("%s: %d requests, %d replies checked, %d wrong, %d lost, %d misbehaved, p99 %.1f ms, max %.1f ms" % (
            name, r["requests"], r["replies"], r["wrong"], r["lost"], r["troubled"], r["latency_us"]["p99"] / 1000, r["latency_us"]["max"] / 1000))


write_rules(1)
daemon = Daemon("--protocol", "json", "--socket", "@hotgate-soak-%d" % os.getpid(), rules=RULES)
if not os.path.exists(daemon.path):
    sys.exit("the daemon does not start: " + daemon.stop()[1])
Client(daemon.path, timeout=120).init()
time.sleep(0.5)
at_rest = descriptors()
began, samples = time.monotonic(), []
steady = {
    "workers": start_load("--connections", 24, "--rate", o.rate, "--seconds", o.seconds, "--attack", 20, "--rasp", 2, "--expect", "block", "--seed", o.seed),
    "misbehaving workers": start_load("--connections", 16, "--rate", o.rate / 2, "--seconds", o.seconds, "--attack", 20, "--rasp", 1, "--trouble", 25,
                                      "--expect", "block", "--seed", o.seed + 1),
}
seeds = random.Random(o.seed)
threads = [steadily(name, random.Random(seeds.random()), step, low, high) for name, step, low, high in (
    ("reloads", reload, 0.5, 3), ("kills", kill_workers, 0.1, 2), ("slow readers", slow_reader, 0.2, 2), ("half frames", half_frame, 0.1, 1),
    ("garbage", garbage, 0.1, 1), ("storms", storm, 2, 10))]

while time.monotonic() - began < o.seconds and daemon.process.poll() is None and not failures:
    time.sleep(0.5)
    samples.append(resident() if daemon.process.poll() is None else 0)
over.set()
for thread in threads:
    thread.join()
if failures:
    for process in steady.values():
        process.terminate()
for name, process in steady.items():
    check_steady(name, process)
print("done: " + ", ".join("%d %s" % (count, name) for name, count in done.items()))
for name, count in done.items():
    if count == 0:
        fail("no %s" % name)

if daemon.process.poll() is not None:
    fail("the daemon has ended: %s" % daemon.process.returncode)
else:
    for _ in range(100):
        time.sleep(0.1)
        if descriptors() <= at_rest:
            break
    if descriptors() > at_rest:
        fail("descriptors: %d at rest before, %d after" % (at_rest, descriptors()))
    part = max(len(samples) // 6, 1)
    settled = 3 * part if o.seconds < 600 else part
    early, late = sorted(samples[settled:settled + part]), sorted(samples[-part:])
    # Peaks depend on how many requests are under way; what stays is what the lowest tenth does not fall below.
    before, after = early[len(early) // 10], late[len(late) // 10]
    print("resident: %d KiB once settled, %d KiB in the last sixth (%+.2f %%); medians %d and %d, %d at most; %d descriptors at rest" % (
        before, after, 100 * (after / before - 1), statistics.median(early), statistics.median(late), max(samples), at_rest))
    if not SANITIZED and after > before * MEMORY_GROWTH:
        fail("memory has grown by more than %.0f %%" % (100 * (MEMORY_GROWTH - 1)))
    reply = Client(daemon.path, timeout=120).init()
    if reply[1][0] != "ok":
        fail("the daemon greets nobody any more: %r" % reply)
status, said = daemon.stop()
if status != 0:
    fail("the daemon ends with %d" % status)
if "Sanitizer" in said or "runtime error" in said:
    fail("a sanitizer has spoken:\n" + said[-4000:])
os.unlink(RULES)
print("%d failures" % len(failures))
sys.exit(bool(failures))
