#!/usr/bin/env python3
"""No verb that reads files crashes, hangs or ends with a status of its own making, whatever is in the file."""
import gzip
import os
import random
import resource
import subprocess
import sys
import tempfile

HOTGATE = os.path.join(os.environ.get("HOTGATE_BUILD", "build"), "hotgate")
SECONDS = 120 if os.environ.get("HOTGATE_SANITIZE") else 30
MEMORY = 1 << 30
failures = 0


def hostile(folder):
    """Name -> path of files that nobody would send in good faith."""
    noise = random.Random(7)
    deep = b"[" * 200000
    texts = {
        "nothing": b"",
        "one-byte": b"\x00",
        "line": b"A" * (3 << 20),
        "spaces": b" " * (3 << 20),
        "binary": noise.randbytes(1 << 18),
        "zeros": bytes(1 << 20),
        "broken-utf8": b'{"a":"' + b"\xff\xfe\xc0\xaf\xed\xa0\x80" * 5000 + b'"}\n' * 3,
        "deep-lists": deep,
        "deep-maps": b'{"a":' * 200000,
        "deep-har": b'{"log":{"entries":[' + b'{"request":' * 100000,
        "deep-closed": deep + b"]" * len(deep),
        "har-of-scalars": b'{"log":{"entries":[' + b"1," * 50000 + b"null]}}",
        "keys": b"{" + b",".join(b'"k%d":%d' % (i, i) for i in range(50000)) + b"}",
        "number": b'{"a":' + b"9" * 200000 + b"}",
        "quote": b'{"a":"' + b"\\" * 200001,
        "lines": b"\n" * 300000,
        "separators": b"###\n" * 100000,
        "headers": b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 50000 + b"\r\n",
        "content-length": b"POST / HTTP/1.1\r\nContent-Length: 18446744073709551615\r\n\r\nx",
        "chunks": b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nx",
        "log-quotes": b'1.2.3.4 - - [x] "' + b'\\"' * 200000,
        "log-fields": b'1.2.3.4 - - [12/Mar/2026:08:14:02 +0100] "GET / HTTP/1.1" 200 1' + b' "x"' * 100000,
        "log-date": b'1.2.3.4 - - [99/Foo/99999999999:99:99:99 +9999] "GET / HTTP/1.1" 200 1 "-" "-"\n',
        "yaml": b"tests:\n" + b"- " * 20000 + b"x",
        "pcap": b"\xd4\xc3\xb2\xa1\x02\x00\x04\x00" + bytes(8) + b"\xff\xff\xff\xff\x01\x00\x00\x00" + b"\xff" * 4000,
        "pcapng": b"\x0a\x0d\x0d\x0a\xff\xff\xff\xff\x4d\x3c\x2b\x1a" + b"\xff" * 4000,
        "pprof": b"\x0a\xff\xff\xff\xff\x0f" + b"\x12\x80\x80\x80\x80\x10" * 2000,
        "csv": b"a,b\n" + b'"' * 100000 + b",1e999999\n",
    }
    packed = gzip.compress(b'{"a":"b"}\n' * 20000, mtime=0)
    texts["gzip-cut"] = packed[:-12]
    texts["gzip-head"] = packed[:9]
    texts["gzip-broken"] = packed[:40] + b"\xff" * 40 + packed[80:]
    texts["gzip-bomb"] = gzip.compress(gzip.compress(bytes(64 << 20), mtime=0), mtime=0)
    for name, text in texts.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(text)
    return {name: os.path.join(folder, name) for name in texts}


def limit():
    if not os.environ.get("HOTGATE_SANITIZE"):
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(arguments, statuses):
    """The verb must end by itself, with one of the statuses, and say why when it is not 0 or 1."""
    global failures
    try:
        done = subprocess.run([HOTGATE, *arguments], capture_output=True, timeout=SECONDS, preexec_fn=limit, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        print("FAIL takes too long:", *arguments)
        failures += 1
        return
    silent = done.returncode > 1 and not done.stderr and not done.stdout
    if done.returncode not in statuses or silent:
        print("FAIL", *arguments, "ends with", done.returncode, done.stderr[-300:].decode("utf-8", "replace"))
        failures += 1


def main():
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out")
        fine = os.path.join(folder, "fine.jsonl")
        with open(fine, "w") as file:
            file.write("1\n2\n3\n")
        for name, path in hostile(folder).items():
            run(["scan", path], {0, 1, 3})
            for kind in ("http", "log", "har", "ndjson"):
                run(["scan", "--input", kind, "--format", "json", "--all", path], {0, 1, 3})
            run(["scan", "--report", out, path], {0, 1, 3})
            run(["scan", "--rules", path, path], {0, 1, 3})
            run(["explain", path], {0, 3})
            run(["check", path], {0, 1})
            run(["test", path], {0, 1, 3})
            run(["test", "rules/hotgate.json", path], {0, 1, 3})
            run(["tune", path], {0, 3})
            run(["ab", fine, path], {0, 1, 3})
            for verb in ("top", "flame", "convert --format folded", "merge --output " + out):
                run(["prof", *verb.split(), path], {0, 3})
            run(["prof", "diff", path, path], {0, 3})
            run(["watch", "--summary", path], {0, 1, 2})
            run(["wrap", path, out, "--tunnel", "geneve"], {0, 1})
            run(["regex", "a+b", path], {0, 1})
            with open(path, "rb") as file:
                pattern = file.read(5000).replace(b"\x00", b"")
            run(["regex", "--", pattern], {0, 1})
        run(["scan", folder], {3})
        run(["check", folder], {1})
    return failures > 0


os.chdir(os.environ.get("HOTGATE_SOURCE", "."))
sys.exit(main())
