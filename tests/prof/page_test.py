#!/usr/bin/env python3
"""The flame graph page in a browser: usual, empty and huge profiles are shown, and no script error is reported."""
import os, re, shutil, subprocess, sys, tempfile

HOTGATE = os.path.join(os.environ["HOTGATE_BUILD"], "hotgate")
browser = shutil.which("chromium")
if browser is None:
    print("skipped: chromium is not installed")
    sys.exit(77)
passed = failed = 0


def check(name, ok, detail=""):
    global passed, failed
    passed += bool(ok)
    failed += not ok
    if not ok:
        print("failed:", name, str(detail)[:600])


def number(n):
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def field(n, body):
    return number(n << 3 | 2) + number(len(body)) + body if isinstance(body, bytes) else number(n << 3) + number(body)


def profile(stacks):
    """pprof bytes of stacks {(names, leaf first): value}; files are src/ROOM/x.c, ROOM the name up to '_'."""
    strings, out = {"": 0, "cpu": 1, "nanoseconds": 2}, field(1, field(1, 1) + field(2, 2))
    functions = {}
    for stack, value in stacks.items():
        for name in stack:
            if name not in functions:
                functions[name] = len(functions) + 1
        out += field(2, field(1, b"".join(number(functions[n]) for n in stack)) + field(2, number(value)))
    for name, i in functions.items():
        source = "src/" + name.split("_")[0] + "/x.c"
        for text in (name, source):
            strings.setdefault(text, len(strings))
        out += field(4, field(1, i) + field(4, field(1, i))) + field(5, field(1, i) + field(2, strings[name]) + field(4, strings[source]))
    return out + b"".join(field(6, s.encode()) for s in strings)


def shown(work, stacks):
    data, page = os.path.join(work, "p.pb"), os.path.join(work, "p.html")
    open(data, "wb").write(profile(stacks))
    made = subprocess.run([HOTGATE, "prof", "flame", "--output", page, data], capture_output=True, text=True)
    check("the page is made", made.returncode == 0, made.stderr)
    done = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
                           "--no-first-run", "--user-data-dir=" + os.path.join(work, "browser"), "--enable-logging=stderr",
                           "--window-size=1400,900", "--virtual-time-budget=1000", "--dump-dom", "file://" + page], capture_output=True, text=True, timeout=120)
    check("no script error", "CONSOLE" not in done.stderr, re.findall(".*CONSOLE.*", done.stderr))
    return done.stdout.split("<script>")[0]


with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as work:
    dom = shown(work, {("waf_scan", "helper_loop"): 3000000, ("libc_send", "helper_loop"): 1000000})
    check("functions are in the table", "waf_scan" in dom and "75.00" in dom, dom)
    check("places are in the legend", re.search(r">waf<span>75.0 %", dom), dom)
    check("a graph is there", re.search(r'<div id="graph">', dom) and 'id="empty" hidden' in dom, dom)
    dom = shown(work, {})
    check("an empty profile says so", "This profile has no samples." in dom and re.search(r'id="graph" hidden', dom), dom)
    many = {tuple(f"room{k % 13}_f{(i * 7 + k * k) % 4000}" for k in range(8 + i % 40)): 1000 + i for i in range(20000)}
    dom = shown(work, many)
    check("a huge profile is drawn", dom.count("<tr>") >= 25, len(dom))
print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
