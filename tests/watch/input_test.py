"""hotgate watch: where frames come from and where logs go: several files, standard input, gzip, filters, growing captures
and folders, rotation by time and by SIGHUP."""
import gzip
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

build = pathlib.Path(os.environ.get("HOTGATE_BUILD", "build"))
hotgate = build / "hotgate"
failures = 0


def check(condition, what):
    global failures
    if not condition:
        failures += 1
        print("FAIL", what)


def datagram(port, second, size=20):
    udp = struct.pack(">HHHH", 40000, port, 8 + size, 0) + bytes(size)
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), 0, 0, 64, 17, 0, b"\x0a\0\0\x01", b"\x0a\0\0\x02")
    frame = bytes(12) + b"\x08\x00" + ip + udp
    return struct.pack("<IIII", 1700000000 + second, 0, len(frame), len(frame)) + frame


HEAD = struct.pack("<IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, 1)


def capture(*records):
    return HEAD + b"".join(records)


def watch(*args, **more):
    return subprocess.run([hotgate, "watch", "-C", "--no-rules", *args], capture_output=True, timeout=60, **more)


def ports(folder):
    """The responder ports of all conn logs of the folder, sorted."""
    rows = [line.split("\t") for p in folder.glob("conn*.log") for line in p.read_text().splitlines() if line[0] != "#"]
    return sorted(int(row[5]) for row in rows)


def whole(path):
    lines = path.read_text().splitlines()
    return lines[0].startswith("#separator") and lines[-1].startswith("#close")


def fresh(work):
    logs = work / "logs"
    shutil.rmtree(logs, ignore_errors=True)
    logs.mkdir()
    return logs


def wait_for(condition, seconds=20):
    until = time.monotonic() + seconds
    while not condition() and time.monotonic() < until:
        time.sleep(0.1)
    return condition()


def started(logs, *args):
    return subprocess.Popen([hotgate, "watch", "-C", "--no-rules", "--log", logs, *args], stderr=subprocess.PIPE)


def stopped(process):
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=20)
    return process.returncode


with tempfile.TemporaryDirectory() as work:
    work = pathlib.Path(work)
    one, two = work / "one.pcap", work / "two.pcap"
    one.write_bytes(capture(datagram(1001, 0), datagram(1002, 1)))
    two.write_bytes(capture(datagram(1003, 2)))

    logs = fresh(work)
    check(watch("--log", logs, one, "-r", two).returncode == 0, "several files are read")
    check(ports(logs) == [1001, 1002, 1003], "and all their flows logged: %s" % ports(logs))

    logs = fresh(work)
    watch("--log", logs, "-", input=one.read_bytes())
    check(ports(logs) == [1001, 1002], "standard input is read")

    (work / "packed.pcap.gz").write_bytes(gzip.compress(one.read_bytes()))
    logs = fresh(work)
    run = watch("--log", logs, work / "packed.pcap.gz")
    check(run.returncode == 0 and ports(logs) == [1001, 1002] or b"support" in run.stderr, "gzip is unpacked")

    logs = fresh(work)
    run = watch("--log", logs, "--filter", "udp port 1002", one)
    if run.returncode == 0:
        check(ports(logs) == [1002], "a filter lets through what it names: %s" % ports(logs))
        check(watch("--filter", "no such thing", one).returncode == 2, "a wrong filter is refused")
    else:
        check(b"libpcap" in run.stderr, "without libpcap a filter is refused: %s" % run.stderr)

    # a file that grows, in pieces that end within a record
    logs, growing, more = fresh(work), work / "growing.pcap", datagram(1002, 70)
    growing.write_bytes(capture(datagram(1001, 0)) + more[:30])
    process = started(logs, "--follow", growing)
    time.sleep(0.5)
    with growing.open("ab") as out:
        out.write(more[30:] + datagram(1003, 140))
    check(wait_for(lambda: (logs / "conn.log").exists() and len(ports(logs)) == 2), "flows that ended are logged under way")
    check(stopped(process) == 0 and ports(logs) == [1001, 1002, 1003], "a growing file is followed: %s" % ports(logs))
    check(whole(logs / "conn.log"), "the log of a stopped watch is complete")

    # a folder that captures arrive in
    logs, spool = fresh(work), work / "spool"
    spool.mkdir()
    shutil.copy(one, spool / "a.pcap")
    process = started(logs, "--follow", spool)
    time.sleep(0.5)
    (spool / "b.pcap").write_bytes(capture(datagram(1003, 140), datagram(1004, 280)))
    check(wait_for(lambda: (logs / "conn.log").exists() and len(ports(logs)) >= 3), "new files of a folder are read")
    check(stopped(process) == 0 and ports(logs) == [1001, 1002, 1003, 1004], "each once: %s" % ports(logs))

    # SIGHUP closes the logs and starts fresh ones
    logs = fresh(work)
    growing.write_bytes(capture(datagram(1001, 0), datagram(1002, 70)))
    process = started(logs, "--follow", growing)
    check(wait_for(lambda: (logs / "conn.log").exists()), "a row is there before the hangup")
    process.send_signal(signal.SIGHUP)
    check(wait_for(lambda: list(logs.glob("conn.*Z.log"))), "a hangup renames the log")
    stopped(process)
    check(len(list(logs.glob("conn*.log"))) == 2 and all(whole(p) for p in logs.glob("conn*.log")),
          "old and new logs have head and close: %s" % sorted(p.name for p in logs.iterdir()))
    check(ports(logs) == [1001, 1002], "nothing is lost over a hangup")

    # rotation by packet time
    logs, long = fresh(work), work / "long.pcap"
    long.write_bytes(capture(*[datagram(2000 + i, i * 100) for i in range(64 * 3)]))
    watch("--log", logs, "--rotate", "3600", long)
    names = sorted(p.name for p in logs.glob("conn*.log"))
    check(len(names) >= 3 and all(whole(logs / n) for n in names), "logs are rotated by packet time: %s" % names)
    check(ports(logs) == [2000 + i for i in range(64 * 3)], "nothing is lost over rotations")

    for verb in ("watch", "wrap"):
        text = subprocess.run([hotgate, verb, "--help"], capture_output=True).stdout.lower()
        check(b"example" in text and b"exit status" in text, "%s --help has an example" % verb)

sys.exit(1 if failures else 0)
