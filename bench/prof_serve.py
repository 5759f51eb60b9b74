#!/usr/bin/env python3
"""What profiling costs the daemon: pairs of saturated runs of `hotgate load`, one against `hotgate serve`, one against
`hotgate serve --profile`, in turns. Prints the medians of the pairs' ratios; profiles of the runs stay in --keep.

usage: bench/prof_serve.py [--pairs 15] [--seconds 5] [--connections 32] [--into FILE] [--keep DIR]
With --into, pairs are added to FILE and all of its pairs are summed up, so that a long measurement can be made in parts."""
import argparse, json, os, signal, statistics, subprocess, sys, tempfile, time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HOTGATE = os.path.join(os.environ.get("HOTGATE_BUILD", os.path.join(ROOT, "build")), "hotgate")
parser = argparse.ArgumentParser()
parser.add_argument("--pairs", type=int, default=15)
parser.add_argument("--seconds", type=float, default=5)
parser.add_argument("--connections", type=int, default=32)
parser.add_argument("--into")
parser.add_argument("--keep")
options = parser.parse_args()


def start(folder, profile):
    os.makedirs(folder)
    arguments = [HOTGATE, "serve", "--base", folder, "--version", "1.24.0", "--loops", "1", "--log", "error"]
    daemon = subprocess.Popen(arguments + (["--profile", profile] if profile else []))
    address = os.path.join(folder, f"ddappsec_1.24.0_{os.getuid()}.sock")
    while not os.path.exists(address) and daemon.poll() is None:
        time.sleep(0.05)
    return daemon, address


def run(daemon, address):
    out = subprocess.run([HOTGATE, "load", "--connections", str(options.connections), "--seconds", str(options.seconds),
                          "--warmup", "0.3", "--pid", str(daemon.pid), "--json", "-", address],
                         capture_output=True, text=True, check=True).stdout
    seen = json.loads([line for line in out.splitlines() if line.startswith("{")][-1])
    return {"requests_per_second": seen["requests_per_second"], "cpu_us": seen["daemon"]["cpu_us_per_request"]}


def pairs(folder):
    kept = options.keep or os.path.join(folder, "profiles")
    os.makedirs(kept, exist_ok=True)
    plain, profiled = start(os.path.join(folder, "plain"), None), start(os.path.join(folder, "profiled"), kept)
    try:
        for i in range(options.pairs):
            first, second = (plain, profiled) if i % 2 == 0 else (profiled, plain)
            a, b = run(*first), run(*second)
            yield {"plain": a, "profiled": b} if i % 2 == 0 else {"plain": b, "profiled": a}
    finally:
        for daemon, _ in (plain, profiled):
            daemon.send_signal(signal.SIGTERM)
            daemon.wait(20)


def show(name, values):
    ordered = sorted(values)
    low, high = ordered[len(ordered) // 4], ordered[(3 * len(ordered)) // 4]
    print(f"{name:38} median {100 * (statistics.median(values) - 1):+.2f} %   quartiles {100 * (low - 1):+.2f} % "
          f"{100 * (high - 1):+.2f} %")


with tempfile.TemporaryDirectory() as folder:
    measured = []
    for pair in pairs(folder):
        measured.append(pair)
        print("pair %2d: plain %8.0f requests/s %7.2f us CPU, profiled %8.0f requests/s %7.2f us CPU" %
              (len(measured), *pair["plain"].values(), *pair["profiled"].values()), flush=True)
        if options.into:
            with open(options.into, "a") as out:
                out.write(json.dumps(pair) + "\n")
if options.into:
    with open(options.into) as rows:
        measured = [json.loads(row) for row in rows]
print(f"{len(measured)} pairs of {options.seconds:g} s, profiled against plain:")
for name, key in (("requests a second", "requests_per_second"), ("daemon CPU a request", "cpu_us")):
    show(name, [pair["profiled"][key] / pair["plain"][key] for pair in measured])
