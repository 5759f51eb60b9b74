#!/usr/bin/env python3
"""Matches go to Kafka: librdkafka's mock cluster receives what the event log says."""
import json, os, subprocess, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from client import HOTGATE, Client, Daemon

peer = os.path.join(os.environ["HOTGATE_BUILD"], "tests", "kafka_peer")
if not os.path.exists(peer):
    print("skipped: built without librdkafka")
    sys.exit(77)
COUNT = 20
cluster = subprocess.Popen([peer, "matches", str(COUNT)], stdout=subprocess.PIPE, text=True)
bootstrap = cluster.stdout.readline().strip()
log = "/tmp/hotgate-kafka-%d.json" % os.getpid()
d = Daemon("--kafka", "topic=matches;bootstrap.servers=%s;linger.ms=5" % bootstrap, "--events", log)
assert d.process.poll() is None, d.process.stderr.read()
c = Client(d.path)
c.init()
for i in range(COUNT):
    c.call("request_init", {"server.request.query": {"q%d" % i: "<script>alert(%d)</script>" % i}})
    c.call("request_shutdown", {"server.response.status": "200"}, 0, 0, False)
out, _ = cluster.communicate(timeout=60)
code, err = d.stop()
got, logged = [json.loads(line) for line in out.splitlines()], [json.loads(line) for line in open(log)]
os.unlink(log)
wrong = subprocess.run([HOTGATE, "serve", "--protocol", "json", "--kafka", "topic=x;no.such.setting=1"], capture_output=True, text=True, timeout=20)
checks = {
    "every match arrives": cluster.returncode == 0 and len(got) == COUNT,
    "as the log has it": got == logged[:COUNT],
    "nothing is lost": code == 0 and "not delivered" not in err,
    "a wrong setting is named": wrong.returncode == 1 and "no.such.setting" in wrong.stderr,
}
for name, ok in checks.items():
    if not ok:
        print("failed:", name, len(got), len(logged), code, err, wrong)
print("%d passed, %d failed" % (sum(checks.values()), len(checks) - sum(checks.values())))
sys.exit(not all(checks.values()))
