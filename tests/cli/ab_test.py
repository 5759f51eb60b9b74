#!/usr/bin/env python3
"""hotgate ab: verdicts, statistics against scipy, formats, exit statuses."""
import csv, json, math, os, random, subprocess, sys, tempfile, time

HOTGATE = os.path.join(os.environ["HOTGATE_BUILD"], "hotgate")
CASES = os.environ.get("HOTGATE_CASES")
SEED = int(os.environ.get("SEED", "1"))
passed = failed = 0
work = tempfile.mkdtemp()


def check(name, ok, detail=""):
    global passed, failed
    if ok:
        passed += 1
    else:
        failed += 1
        print("failed:", name, detail)


def run(*args):
    done = subprocess.run([HOTGATE, "ab", *args], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def write(name, text):
    path = os.path.join(work, name)
    with open(path, "w") as f:
        f.write(text)
    return path


def lines(benchmarks):
    """{(class, method, params, toolchain): [ns...] or ([ns...], bytes)} as measurement lines"""
    out = []
    for (cls, method, params, chain), values in benchmarks.items():
        values, size = values if isinstance(values, tuple) else (values, None)
        for i, ns in enumerate(values):
            row = {"suite": "t", "class": cls, "method": method, "params": params, "toolchain": chain, "launch": 0,
                   "iteration": i, "stage": "measured", "ops": 1, "ns": ns}
            if size is not None:
                row["bytes"] = size
            out.append(json.dumps(row))
    return "\n".join(out) + "\n"


def compare(base, diff, *args):
    status, out, err = run("--format", "json", *args, write("a.jsonl", lines(base)), write("b.jsonl", lines(diff)))
    return status, (json.loads(out) if out else None), err


def key(i):
    return ("C", "m%05d" % i, "", "")


def statistics():
    try:
        from scipy import stats
    except ImportError:
        print("skipped: python3-scipy is not installed")
        sys.exit(77)
    rng = random.Random(SEED)
    base, diff = {}, {}
    for i in range(150):
        n, m = rng.randint(3, 45), rng.randint(5, 45)
        shift = rng.choice([0, 0, 2, 5])
        ties = i % 3 == 0
        make = (lambda mu: float(round(rng.gauss(mu, 5)))) if ties else (lambda mu: rng.gauss(mu, 5))
        base[key(i)] = [make(100) for _ in range(n)]
        diff[key(i)] = [make(100 + shift) for _ in range(m)]
    exact = ["--threshold", "0", "--absolute", "0ns"]
    _, mw, _ = compare(base, diff, "--judge", "mw", *exact)
    _, wl, _ = compare(base, diff, "--judge", "welch", *exact)
    worst = dict(exact=0, normal=0, ties=0, welch=0, interval=0)
    for i, (a, b) in enumerate(zip(mw["benchmarks"], wl["benchmarks"])):
        x, y = base[key(i)], diff[key(i)]
        n, m = len(x), len(y)
        ranks = stats.rankdata(x + y)
        u = sum(ranks[:n]) - n * (n + 1) / 2
        if n + m > 65:
            z = (u - n * m / 2) / math.sqrt(n * m * (n + m + 1) / 12)
            worst["normal"] = max(worst["normal"], abs(a["p_faster"] - stats.norm.sf(z)))
        elif i % 3:
            want = stats.mannwhitneyu(x, y, alternative="greater", method="exact").pvalue
            worst["exact"] = max(worst["exact"], abs(a["p_faster"] - want))
        else:  # ties: averaged ranks, the distribution without ties at the rounded-down U
            want = stats.mannwhitneyu(list(range(n)), [v + 0.5 for v in range(m)], method="exact")
            from scipy.stats._mannwhitneyu import _mwu_state
            p = _mwu_state.sf(math.floor(u), n, m) if hasattr(_mwu_state, "sf") else None
            if p is not None:
                worst["ties"] = max(worst["ties"], abs(a["p_faster"] - float(p)))
        t = stats.ttest_ind(x, y, equal_var=False, alternative="greater")
        worst["welch"] = max(worst["welch"], abs(b["p_faster"] - t.pvalue))
        va, vb = stats.tvar(x) / n, stats.tvar(y) / m
        df = (va + vb) ** 2 / (va * va / (n - 1) + vb * vb / (m - 1))
        half = stats.t.ppf(0.975, df) * math.sqrt(va + vb)
        low = (stats.tmean(y) - stats.tmean(x) - half) / stats.tmean(x)
        worst["interval"] = max(worst["interval"], abs(b["change_low"] - low))
    for what, error in worst.items():
        check("%s p values equal scipy's" % what, error < 1e-9, "largest difference %g" % error)


def published_tables():
    # Mann and Whitney 1947, table I; e.g. n = m = 5: P(U <= 4) = 0.0476, P(U <= 2) = 0.0159
    for u, want in ((4, 0.0476), (2, 0.0159)):
        # base has U = 25 - u wins over diff
        base = [10, 11, 12, 13, 14]
        diff = {4: [1, 2, 3, 10.5, 13.5], 2: [1, 2, 3, 4, 11.5]}[u]
        wins = sum(b > d for b in base for d in diff)
        _, r, _ = compare({key(0): base}, {key(0): diff}, "--threshold", "0", "--absolute", "0ns")
        got = r["benchmarks"][0]["p_faster"]
        check("exact table n=m=5 U=%d" % u, wins != 25 - u or abs(got - want) < 5e-5, (wins, got))


def golden():
    if not CASES:
        print("golden data: skipped (HOTGATE_CASES is not set)")
        return
    folder = os.path.join(CASES, "reports")
    base, diff, want = {}, {}, {}
    for row in csv.DictReader(open(os.path.join(folder, "golden.csv"))):
        full, _, params = row["benchmark"].partition("(")
        cls, _, method = full.rpartition(".")
        k = (cls, method, params[:-1], row["toolchain"])
        base[k] = [float(row["base_median_ns"])] * 9
        diff[k] = [float(row["diff_median_ns"])] * 9
        want[k] = (row["printed_ratio"], row["direction"])
    # the eight faster rows that the page does not list: ratios of means from the raw rows. Order of the file: the 18
    # of master, then the 18 of the pull request; in each, per size, without and then with attack.
    scale = {"ns": 1, "μs": 1e3, "ms": 1e6}

    def ns(text):
        unit = next(u for u in ("μs", "ms", "ns") if text.endswith(u))
        return float(text[: -len(unit)].replace(",", "")) * scale[unit]
    rows = list(csv.DictReader(open(os.path.join(folder, "waf-raw.tsv")), delimiter="\t"))
    names = [(method, "args: NestedMap (%s)" % (size + extra)) for size in ("10", "100", "1000")
             for method, extra in (("RunWaf", ""), ("RunWafWithAttack", ", attack")) for _ in range(3)]
    for i, (method, params) in enumerate(names):
        before, after = rows[i], rows[i + 18]
        assert before["toolchain"] == after["toolchain"] and before["branch"] == "master" != after["branch"]
        k = ("Benchmarks.Trace.Asm.AppSecWafBenchmark", method, params, before["toolchain"])
        if k not in want:
            base[k], diff[k] = [ns(before["mean"])] * 9, [ns(after["mean"])] * 9
    status, r, _ = compare(base, diff)
    check("golden: a slower benchmark gives status 1", status == 1, status)
    for b in r["benchmarks"]:
        k = (b["class"], b["method"], b["params"], b["toolchain"])
        if k in want:
            check("golden ratio " + " ".join(k), ("%.3f" % b["ratio"], b["verdict"]) == want[k],
                  (b["ratio"], b["verdict"], want[k]))
    check("golden: 20 faster", r["faster"] == 20, r["faster"])
    check("golden: 1 slower, 1.134", r["slower"] == 1 and "%.3f" % r["slower_geometric_mean"] == "1.134", r["slower"])
    check("golden: geometric mean 2.093 to 2.095", 2.0925 <= r["faster_geometric_mean"] <= 2.0955,
          r["faster_geometric_mean"])
    _, text, _ = run("--format", "markdown", os.path.join(work, "a.jsonl"), os.path.join(work, "b.jsonl"))
    check("golden: markdown prints 3.884 and both medians", "| 3.884 | 49,313.75 | 12,695.19 |" in text)
    check("golden: execution times are charted", gantt_of_seed())


def gantt_of_seed():
    """HttpMessageHandler: PR mean 1,141 (1,095 to 1,187), master 1,124 (1,098 to 1,149): not red."""
    rng = random.Random(7)

    def runs(mean, half):
        sd = half / 2.3263
        v = [rng.gauss(0, 1) for _ in range(20)]
        mu = sum(v) / len(v)
        spread = math.sqrt(sum((x - mu) ** 2 for x in v) / (len(v) - 1))
        return [(mean + sd * (x - mu) / spread) / 1000 for x in v]
    a = write("h1.json", json.dumps({"results": [{"command": "HttpMessageHandler", "times": runs(1123.5, 25.5)}]}))
    b = write("h2.json", json.dumps({"results": [{"command": "HttpMessageHandler", "times": runs(1141, 46)}]}))
    status, text, _ = run("--format", "markdown", "--base-name", "master", "--name", "This PR", a, b)
    want = ["This PR - mean (1,141ms) : 1095, 1187", "master - mean (1,124ms) : 1098, 1149", "milestone, 1141,"]
    return status == 0 and all(w in text for w in want) and "crit" not in text


def false_positives():
    """A/A comparisons of real runs, interleaved as the tool does it."""
    rng = random.Random(SEED)
    clock, count, n = time.perf_counter_ns, 1000, 30
    base, diff = {}, {}
    data = bytes(256)
    for i in range(count):
        sides = [[], []]
        for _ in range(n):
            first = rng.randint(0, 1)
            for which in (first, 1 - first):
                start = clock()
                for _ in range(8):
                    hash(data[1:])
                sides[which].append((clock() - start) / 8)
        base[key(i)], diff[key(i)] = sides
    for threshold, limit in (("0", 0.05), ("10", 0.01)):
        _, r, _ = compare(base, diff, "--threshold", threshold)
        faster, slower = r["faster"] / count, r["slower"] / count
        print("A/A, threshold %s %%: %.1f %% faster, %.1f %% slower" % (threshold, 100 * faster, 100 * slower))
        # three standard errors of a rate of `limit` over 1,000 comparisons
        bound = limit + 3 * math.sqrt(limit * (1 - limit) / count)
        check("A/A threshold " + threshold, faster <= bound and slower <= bound, (faster, slower))


def power():
    rng = random.Random(SEED)
    trials, n = 400, 30
    for judge, slow in (("mw", 1.20), ("welch", 1.10)):
        base, diff = {}, {}
        for i in range(trials):
            base[key(i)] = [rng.gauss(1e9, 5e7) for _ in range(n)]
            diff[key(i)] = [rng.gauss(slow * 1e9, 5e7) for _ in range(n)]
        _, r, _ = compare(base, diff, "--judge", judge)
        print("power, %s, %.0f %% slower: %.1f %% found" % (judge, 100 * slow - 100, 100 * r["slower"] / trials))
        check("power " + judge, r["slower"] >= 0.95 * trials, r["slower"])


def formats():
    five = [100.0, 101.0, 102.0, 103.0, 104.0]
    fast = [50.0, 51.0, 52.0, 53.0, 54.0]
    plain_a, plain_b = write("p1", "# runs\n" + "\n".join(map(str, five))), write("p2", "\n".join(map(str, fast)))
    status, out, _ = run("--format", "json", plain_a, plain_b)
    r = json.loads(out)
    check("plain numbers: faster, status 0", status == 0 and r["faster"] == 1, out)
    check("swapped: slower, status 1", run(plain_b, plain_a)[0] == 1)
    status, out, _ = run("--format", "json", "--unit", "us", plain_a, plain_b)
    check("the unit scales", json.loads(out)["benchmarks"][0]["base"]["median_ns"] == 102000)
    rows = "class,method,params,toolchain,stage,ops,ns,bytes\n"
    csv_a = write("a.csv", rows + "".join('K,"m, ""q""",p,t,measured,10,%g,20\n' % (v * 10) for v in five) +
                  "K,x,p,t,warmup,1,1,1\n")
    csv_b = write("b.csv", rows + "".join('K,"m, ""q""",p,t,measured,10,%g,40\n' % (v * 10) for v in five))
    status, out, _ = run("--format", "json", csv_a, csv_b)
    b = json.loads(out)["benchmarks"]
    check("CSV: quoted names, ops divide, warm-up left out, allocations compared",
          len(b) == 1 and b[0]["method"] == 'm, "q"' and b[0]["base"]["median_ns"] == 102 and
          b[0]["allocation"] == "more" and b[0]["verdict"] == "same" and b[0]["base"]["bytes"] == 2, out)
    bdn = write("bdn.csv", "Target;Target_Type;Target_Method;Job_Display;Params;Measurement_IterationMode;"
                "Measurement_IterationStage;Measurement_Operations;Measurement_Nanoseconds;Allocated_Bytes\n" +
                "".join("x;T;M;net6;n=1;Workload;Result;100;%g;7\n" % (v * 100) for v in five) +
                "x;T;M;net6;n=1;Workload;Actual;100;1;7\nx;T;M;net6;n=1;Overhead;Result;100;1;7\n")
    status, out, _ = run("--format", "json", bdn, bdn)
    b = json.loads(out)["benchmarks"][0]
    check("BenchmarkDotNet CSV", b["base"]["count"] == 5 and b["base"]["bytes"] == 7 and b["verdict"] == "same", out)
    full = {"Benchmarks": [{"Namespace": "N", "Type": "T", "Method": "M", "Parameters": "p=1",
                            "Memory": {"BytesAllocatedPerOperation": 64, "Gen0Collections": 2, "Gen1Collections": 0,
                                       "Gen2Collections": 0, "TotalOperations": 1000},
                            "Measurements": [{"IterationMode": "Workload", "IterationStage": "Warmup",
                                              "Operations": 1, "Nanoseconds": 9e9}] +
                            [{"IterationMode": "Workload", "IterationStage": "Result", "Operations": 4,
                              "Nanoseconds": 4 * v} for v in five]}]}
    path = write("bdn.json", json.dumps(full, indent=1))
    status, out, _ = run("--format", "markdown", path, path)
    check("BenchmarkDotNet JSON: generations that are not zero have a column", "Gen 0" in out and "Gen 1" not in out, out)
    _, out, _ = run("--format", "html", plain_a, plain_b)
    check("the page is self-contained", "<svg" in out and "http" not in out.replace("http-equiv", ""))


def errors():
    good = write("g", "1\n2\n3\n4\n5\n")
    for name, text in (("empty", ""), ("broken json", "{\"Benchmarks\": [1,"), ("not a number", "1\n2\nx\n"),
                       ("other json", "{\"a\": 1}"), ("csv without ns", "method,count\na,1\n")):
        status, _, err = run(write("bad", text), good)
        check("%s is unusable data with a message" % name, status == 3 and len(err) > 20, (status, err))
    check("a missing file is unusable data", run("/nonexistent", good)[0] == 3)
    check("one argument is a usage error", run(good)[0] == 2)
    check("an unknown option is a usage error", run("--nonsense", good, good)[0] == 2)
    check("a bad threshold is a usage error", run("--threshold", "x", good, good)[0] == 2)
    check("nothing in common is unusable data", run(good, write("o.jsonl", lines({key(1): [1, 2, 3, 4, 5]})))[0] == 3)
    few_a, few_b = write("f1", "1\n2\n"), write("f2", "9\n8\n7\n")
    status, out, _ = run("--format", "json", few_a, few_b)
    check("too few values are unknown, not a verdict", json.loads(out)["unknown"] == 1 and status == 0)
    check("only negative values are unusable data", run(few_a, write("f3", "-1\n-2\n"))[0] == 3)
    check("a failing command is unusable data", run("--runs", "1", "--", "exit 3", "true")[0] == 3)


def judge_rules():
    near = {key(0): [0.00243 + i * 1e-6 for i in range(20)]}
    far = {key(0): [0.000182 + i * 1e-6 for i in range(20)]}
    _, r, _ = compare(near, far)
    check("a factor of 13 below 0.3 ns is the same", r["same"] == 1, r)
    two = [100 + (i % 10) * 0.1 for i in range(20)] + [200 + (i % 10) * 0.1 for i in range(20)]
    _, r, _ = compare({key(0): two}, {key(0): two})
    check("two humps are named", r["benchmarks"][0]["base"]["modality"] in ("bimodal", "multimodal"),
          r["benchmarks"][0]["base"]["modality"])
    out = [100.0 + i * 0.1 for i in range(20)] + [900.0]
    _, r, _ = compare({key(0): out}, {key(0): out})
    check("outliers are counted and kept", r["benchmarks"][0]["base"]["outliers"] == 1 and
          r["benchmarks"][0]["base"]["max_ns"] == 900)
    _, r, _ = compare({key(0): (two, 1000)}, {key(0): (two, 1004)})
    check("0.4 % more bytes are the same", r["benchmarks"][0]["allocation"] == "same")
    _, r, _ = compare({key(0): (two, 0)}, {key(0): (two, 8)})
    check("from nothing to something is more", r["benchmarks"][0]["allocation"] == "more")


def commands():
    status, out, err = run("--runs", "8", "--warmup", "1", "--seed", "3", "--format", "json", "--save",
                           os.path.join(work, "kept"), "--", "sleep 0.01", "sleep 0.3")
    r = json.loads(out)
    check("commands: the slower one is found", status == 1 and r["benchmarks"][0]["base"]["count"] == 8, out + err)
    status, out, _ = run("--format", "json", os.path.join(work, "kept.base.jsonl"), os.path.join(work, "kept.candidate.jsonl"))
    check("saved measurements give the same verdict", status == 1 and json.loads(out)["benchmarks"][0]["test"] == "welch")


for part in (statistics, published_tables, golden, false_positives, power, formats, errors, judge_rules, commands):
    part()
print("%d passed, %d failed" % (passed, failed))
sys.exit(failed > 0)
