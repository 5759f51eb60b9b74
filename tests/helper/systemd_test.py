#!/usr/bin/env python3
"""Under systemd: what the unit exposes, sockets that were opened for the daemon, readiness."""
import json, os, re, shutil, socket, struct, subprocess, sys, tempfile, time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from client import HOTGATE, Client

unit = os.path.join(os.environ["HOTGATE_SOURCE"], "share/systemd/hotgate.service")
if not shutil.which("systemd-analyze") or not shutil.which("systemd-socket-activate"):
    print("skipped: no systemd")
    sys.exit(77)
passed = failed = 0


def check(name, ok, detail=""):
    global passed, failed
    passed += bool(ok)
    failed += not ok
    if not ok:
        print("failed:", name, repr(detail)[:600])


out = subprocess.run(["systemd-analyze", "security", "--offline=true", "--no-pager", unit], capture_output=True, text=True)
level = re.search(r"Overall exposure level for hotgate.service: ([0-9.]+)", out.stdout)
check("the unit's exposure is at most 3.0", level and float(level[1]) <= 3.0, out.stdout[-300:] + out.stderr)
print("exposure level", level and level[1])
text = open(unit).read()
check("the unit keeps two capabilities", "\nCapabilityBoundingSet=CAP_SETUID CAP_DAC_READ_SEARCH\n" in text)
command = re.search(r"^ExecStart=/usr/bin/hotgate (serve .*)$", text, re.M)[1].split()
known = subprocess.run([HOTGATE, "help", "serve"], capture_output=True, text=True).stdout
check("the unit's flags are known", all(flag in known for flag in command if flag.startswith("--")), command)

folder = tempfile.mkdtemp()
lines, helper = folder + "/lines.sock", folder + "/ddappsec_1.24.0_%d.sock" % os.getuid()
p = subprocess.Popen(["systemd-socket-activate", "-l", lines, "-l", helper, "--fdname=json:helper", HOTGATE, "serve", "--log", "warn"],
                     stderr=subprocess.DEVNULL)
for _ in range(200):
    if os.path.exists(helper):
        break
    time.sleep(0.02)
s = socket.socket(socket.AF_UNIX)
s.settimeout(10)
s.connect(lines)  # starts the daemon
s.sendall(b'{"id":1,"addresses":{}}\n')
check("socket activation: JSON lines by the socket's name", json.loads(s.recv(65536))["verdict"] == "ok")
c = Client(helper)
check("socket activation: the helper protocol on the other", c.init()[1][0] == "ok")
p.terminate()
check("socket activation: it stops cleanly", p.wait(20) == 0)
check("socket activation: sockets of others are left alone", os.path.exists(lines) and os.path.exists(helper))

notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
notify.bind(folder + "/notify")
notify.settimeout(10)
p = subprocess.Popen([HOTGATE, "serve", "--protocol", "json", "--socket", folder + "/n.sock", "--log", "warn"], env={**os.environ, "NOTIFY_SOCKET": folder + "/notify"})
check("readiness is told", b"READY=1" in notify.recv(256))
s = socket.socket(socket.AF_UNIX)
s.connect(folder + "/n.sock")
s.sendall(b'{"addresses":{}}\n')
check("and true", b'"ok"' in s.recv(4096))
p.terminate()
check("the end is told", b"STOPPING=1" in notify.recv(256))
p.wait(20)
print("%d passed, %d failed" % (passed, failed))
sys.exit(failed > 0)
