#!/usr/bin/env python3
"""The examples of docs/helper.md do what they say: the Python program, the socat line, the configuration."""
import json, os, re, shutil, subprocess, sys, tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from client import Daemon

text = open(os.path.join(os.environ["HOTGATE_SOURCE"], "docs/helper.md")).read()
folder = tempfile.mkdtemp()
path = folder + "/hotgate.sock"
d = Daemon("--protocol", "json", "--socket", path, "--socket-mode", "666")
program = re.search(r"```python\n(.*?)```", text, re.S)[1].replace("/run/hotgate.sock", path)
out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=20)
failed = []
if out.stdout.strip() != "match":
    failed.append(("python", out))
if shutil.which("socat"):
    line = re.search(r"^    (echo .*socat .*)$", text, re.M)[1].replace("/run/hotgate.sock", path)
    out = subprocess.run(line, shell=True, capture_output=True, text=True, timeout=20)
    if json.loads(out.stdout or "{}").get("verdict") != "match":
        failed.append(("socat", out))
    out = subprocess.run(["socat", "-t5", "-", "UNIX-CONNECT:" + path], capture_output=True, text=True, timeout=20,
                         input="".join('{"id":%d,"addresses":{"server.request.query":"%d"}}\n' % (i, i) for i in range(5000)))
    if [json.loads(l)["id"] for l in out.stdout.splitlines()] != list(range(5000)):
        failed.append(("socat, many lines", out.stdout[-200:]))
else:
    print("socat is not there; its example is left out")
config = json.loads(re.search(r"^    (\{\"rules\".*?\}\n)", text, re.S | re.M)[1])
known = subprocess.run([os.path.join(os.environ["HOTGATE_BUILD"], "hotgate"), "help", "serve"], capture_output=True, text=True).stdout
if not all("--%s " % key in known for key in config):
    failed.append(("configuration", config))
d.stop()
for f in failed:
    print("failed:", *f)
print("%d failed" % len(failed))
sys.exit(bool(failed))
