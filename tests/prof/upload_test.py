#!/usr/bin/env python3
"""Uploads: multipart over TCP and unix sockets; receivers that refuse, fail, or hang."""
import gzip, json, os, re, socket, subprocess, sys, tempfile, threading, time

MAKE = os.path.join(os.environ["HOTGATE_BUILD"], "tests", "prof_make_profile")
passed = failed = 0


def check(name, ok, detail=""):
    global passed, failed
    passed += bool(ok)
    failed += not ok
    if not ok:
        print("failed:", name, str(detail)[:800])


def serve(listener, answer, seen):
    while True:
        try:
            peer, _ = listener.accept()
        except OSError:
            return
        data = b""
        if answer is None:  # takes the connection and says nothing
            seen.append(peer)
            continue
        while b"\r\n\r\n" not in data:
            data += peer.recv(65536)
        head, _, body = data.partition(b"\r\n\r\n")
        length = int(re.search(rb"Content-Length: (\d+)", head).group(1))
        while len(body) < length:
            body += peer.recv(65536)
        seen.append((head, body))
        peer.sendall(answer)
        peer.close()


def run(url):
    start = time.time()
    out = subprocess.run([MAKE, "url", url], capture_output=True, text=True, timeout=60).stdout.split()
    return [int(v) for v in out], time.time() - start


def listening(kind):
    if kind == "tcp":
        s = socket.socket()
        s.bind(("127.0.0.1", 0))
        url = "http://127.0.0.1:%d" % s.getsockname()[1]
    else:
        path = os.path.join(tempfile.mkdtemp(), "agent.sock")
        s = socket.socket(socket.AF_UNIX)
        s.bind(path)
        url = "unix://" + path
    s.listen(8)
    return s, url


for kind in ("tcp", "unix"):
    listener, url = listening(kind)
    seen = []
    threading.Thread(target=serve, args=(listener, b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", seen), daemon=True).start()
    (status, exports, bad), _ = run(url)
    check(kind + ": delivered", (status, exports, bad) == (0, 1, 0), (status, exports, bad))
    head, body = seen[0]
    check(kind + ": path, headers", head.startswith(b"POST /profiling/v1/input HTTP/1.1\r\n") and b"Connection: close" in head, head)
    boundary = re.search(rb"boundary=(\S+)", head).group(1)
    parts = body.split(b"--" + boundary)
    check(kind + ": two parts", len(parts) == 4 and parts[3] == b"--\r\n", len(parts))
    event = json.loads(parts[1].partition(b"\r\n\r\n")[2])
    check(kind + ": event", event["attachments"] == ["profile.pprof"] and event["family"] == "native" and event["version"] == "4"
          and ",service:checkout,env:test,team:a,runtime_platform:" in event["tags_profiler"]
          and re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z", event["start"]) and event["start"] < event["end"]
          and event["internal"]["dropped_samples"] == 0, event)
    profile = parts[2].partition(b"\r\n\r\n")[2][:-2]
    if profile[:2] == b"\x1f\x8b":
        profile = gzip.decompress(profile)
    check(kind + ": the profile is there", b"leaf_1" in profile and b"timeline" in profile)
    listener.close()

listener, url = listening("tcp")
threading.Thread(target=serve, args=(listener, b"HTTP/1.1 500 No\r\n\r\n", []), daemon=True).start()
(status, exports, bad), _ = run(url)
check("an answer of 500 is a failed export", (exports, bad) == (0, 1), (exports, bad))
listener.close()

listener, url = listening("tcp")
port = listener.getsockname()[1]
listener.close()
(status, exports, bad), took = run("http://127.0.0.1:%d" % port)
check("a refused connection fails at once", (exports, bad) == (0, 1) and took < 2, (exports, bad, took))

listener, url = listening("tcp")
threading.Thread(target=serve, args=(listener, None, []), daemon=True).start()
(status, exports, bad), took = run(url)
check("a receiver that hangs costs 3 seconds, no more", (exports, bad) == (0, 1) and 2.5 < took < 5, (exports, bad, took))
print("%d passed, %d failed" % (passed, failed))
sys.exit(failed > 0)
