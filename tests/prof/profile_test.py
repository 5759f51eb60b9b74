#!/usr/bin/env python3
"""hotgate scan --profile and hotgate serve --profile: the program's own functions are in the files."""
import glob, json, os, random, signal, socket, subprocess, tempfile, time

BUILD = os.environ["HOTGATE_BUILD"]
HOTGATE = os.path.join(BUILD, "hotgate")
passed = failed = 0


def check(name, ok, detail=""):
    global passed, failed
    passed += bool(ok)
    failed += not ok
    if not ok:
        print("failed:", name, str(detail)[:800])


def run(*args):
    return subprocess.run([HOTGATE, *args], capture_output=True, text=True, timeout=60)


def top(*files):
    out = run("prof", "top", "--format", "json", "--count", "1000", *files)
    return json.loads(out.stdout) if out.returncode == 0 else {"functions": [], "total": 0, "error": out.stderr}


def request(i):
    random.seed(i)
    text = "".join(random.choice("abc'\"<>=( ") for _ in range(2000))
    return json.dumps({"id": i, "addresses": {"server.request.query": {"q": text}}})


def scan(folder):
    path, rows = os.path.join(folder, "scan.pb.gz"), os.path.join(folder, "in.ndjson")
    with open(rows, "w") as f:
        for i in range(1500):
            f.write(json.dumps(json.loads(request(i))["addresses"]) + "\n")
    out = run("scan", "--profile", path, rows)
    check("scan ends as without --profile", out.returncode == run("scan", rows).returncode, out.stderr)
    seen = top(path)
    names = [f["name"] for f in seen["functions"]]
    if not os.environ.get("HOTGATE_SANITIZE"):  # stacks and signals of those are not the program's
        check("scan's own function is in its profile", "cli_scan" in names, (names, seen))
        check("CPU time was sampled", seen["total"] > 10_000_000, seen["total"])
    check("only the one file", sorted(os.listdir(folder)) == ["in.ndjson", "scan.pb.gz"], os.listdir(folder))
    out = run("scan", "--profile", os.path.join(folder, "none", "x"), rows)
    check("an unwritable path is told at once", out.returncode == 2 and "--profile" in out.stderr and not out.stdout, out)


def serve(folder):
    name = f"@hotgate-profile-test-{os.getpid()}"
    daemon = subprocess.Popen([HOTGATE, "serve", "--protocol", "json", "--socket", name, "--loops", "1", "--profile",
                               folder, "--log", "error"], stderr=subprocess.PIPE, text=True)
    peer = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    for _ in range(200):
        try:
            peer.connect("\0" + name[1:])
            break
        except OSError:
            time.sleep(0.05)
    lines = peer.makefile("rw")
    texts, end = [request(i) for i in range(50)], time.time() + 1.5
    while time.time() < end:
        lines.write("\n".join(texts) + "\n")
        lines.flush()
        for _ in texts:
            lines.readline()
    daemon.send_signal(signal.SIGTERM)
    errors = daemon.communicate(timeout=20)[1]
    check("the daemon stops", daemon.returncode == 0, (daemon.returncode, errors))
    files = glob.glob(os.path.join(folder, f"hotgate-serve-*Z-{daemon.pid}-1.pb*"))
    check("the file at the end is named with its time", len(files) == 1 and len(os.listdir(folder)) == 1,
          os.listdir(folder))
    seen = top(*files)
    names = [f["name"] for f in seen["functions"]]
    check("the loop's functions are in it", "loop_main" in names, (names, seen))
    out = run("serve", "--protocol", "json", "--socket", name, "--profile", os.path.join(folder, "none"))
    check("a folder that is not there is told at once", out.returncode == 2 and "--profile" in out.stderr, out)


with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
    scan(one)
    serve(two)
print(f"{passed} passed, {failed} failed")
raise SystemExit(1 if failed else 0)
