#!/usr/bin/env python3
"""hotgate scan needs as much memory for a long input as for a short one, and finds exactly the attacks in both.

Access logs, HAR and NDJSON come through a pipe from tools/gen-log, so that nothing is stored. SIZE and SEED in the
environment make it long: SIZE=2G SEED=7 tests/cli/scan_memory_test.py"""
import os
import resource
import subprocess
import sys
import tempfile
import time

SOURCE = os.environ.get("HOTGATE_SOURCE", ".")
BUILD = os.environ.get("HOTGATE_BUILD", "build")
SIZE = os.environ.get("SIZE", "24M")
SEED = os.environ.get("SEED", "1")
ATTACKS = 1000
MOST = 64 << 20  # bytes that a scan may hold, whatever the length of its input
MORE = 2 << 20  # bytes that a long input may need beyond a short one


def size_of(text):
    return int(text[:-1]) << {"K": 10, "M": 20, "G": 30}[text[-1]] if text[-1] in "KMG" else int(text)


def watch(process):
    """Peak memory of a child in bytes, and its times. What wait4 says counts this interpreter before the exec, too: where
    that is all, the mark that the kernel kept for the program itself is taken, as last seen."""
    mark = 0
    while True:
        try:
            with open(f"/proc/{process.pid}/status") as status:
                mark = next((int(line.split()[1]) << 10 for line in status if line.startswith("VmHWM")), mark)
        except OSError:
            pass
        pid, code, usage = os.wait4(process.pid, os.WNOHANG)
        if pid != 0:
            break
        time.sleep(0.05)
    process.returncode = os.waitstatus_to_exitcode(code)
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return usage.ru_maxrss << 10 if usage.ru_maxrss > own or mark == 0 else mark, usage


def scan(kind, size, folder):
    """Peak memory in bytes, seconds of processor time, and whether the attacks and nothing else were found."""
    answers, found = os.path.join(folder, "answers"), []
    generator = subprocess.Popen(
        [os.path.join(SOURCE, "tools/gen-log"), "--seed", SEED, "--size", str(size), "--attacks", str(ATTACKS),
         "--answers", answers, "--format", kind], stdout=subprocess.PIPE)
    with open(os.path.join(folder, "found"), "w+b") as output:
        scanner = subprocess.Popen([os.path.join(BUILD, "hotgate"), "scan", "--format", "json", "-"],
                                   stdin=generator.stdout, stdout=output)
        generator.stdout.close()
        peak, usage = watch(scanner)
        output.seek(0)
        for line in output:
            found.append(int(line.split(b'"index":', 1)[1].split(b",", 1)[0]))
    good = generator.wait() == 0 and scanner.returncode == 1
    with open(answers) as lines:
        good = good and found == [int(line.split("\t")[0]) for line in lines]
    return peak, usage.ru_utime + usage.ru_stime, good


def main():
    failed = False
    size = size_of(SIZE)
    measured = not os.environ.get("HOTGATE_SANITIZE")
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("log", "har", "ndjson"):
            short, _, short_good = scan(kind, size // 8, folder)
            began = time.monotonic()
            long, cpu, long_good = scan(kind, size, folder)
            print(f"{kind}: {size >> 20} MiB in {time.monotonic() - began:.1f} s, {size / 1e6 / cpu:.0f} MB per second of CPU; "
                  f"peak memory {long >> 10} KiB, of an eighth of it {short >> 10} KiB")
            if not (short_good and long_good):
                print(f"FAIL {kind}: not exactly the attacks were found")
                failed = True
            if measured and (long > MOST or long > short + MORE):
                print(f"FAIL {kind}: memory grows with the input")
                failed = True
    if not measured:
        print("memory not judged: sanitizers need more of their own")
    return 1 if failed else 0


sys.exit(main())
