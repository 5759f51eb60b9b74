#!/usr/bin/env python3
"""Our pprof files in other readers (npm pprof-format, go tool pprof, protobuf-c), theirs in ours; the tool's verbs."""
import glob, gzip, json, os, re, shutil, subprocess, sys, tempfile

BUILD, SOURCE = os.environ["HOTGATE_BUILD"], os.environ["HOTGATE_SOURCE"]
HOTGATE, MAKE = os.path.join(BUILD, "hotgate"), os.path.join(BUILD, "tests", "prof_make_profile")
work = tempfile.mkdtemp()
passed = failed = 0
missing = []


def check(name, ok, detail=""):
    global passed, failed
    passed += bool(ok)
    failed += not ok
    if not ok:
        print("failed:", name, str(detail)[:600])


def prof(*args, data=None):
    done = subprocess.run([HOTGATE, "prof", *args], input=data, capture_output=True)
    return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


subprocess.run([MAKE, "file", os.path.join(work, "p")], check=True, capture_output=True)
made = glob.glob(os.path.join(work, "p.1.pb*"))[0]
plain = os.path.join(work, "plain.pb")
status, _, err = prof("convert", "--format", "pprof", "--plain", "--output", plain, made)
check("convert to plain", status == 0, err)
leaf = {0: "leaf_0", 1: "leaf_1", 2: 'leaf_2 <b>&"'}
expected = {}
for i in range(1, 21):
    expected[leaf[i % 3]] = expected.get(leaf[i % 3], 0) + i * i

_, out, _ = prof("top", "--type", "timeline", "--format", "json", made)
top = {f["name"]: f for f in json.loads(out)["functions"]}
check("top: own cost by function", {k: top[k]["self"] for k in expected} == expected, top)
check("top: the root carries all", top["root"]["total"] == sum(expected.values()) and top["root"]["self"] == 0, top)
_, folded, _ = prof("convert", "--format", "folded", "--type", "timeline", made)
sums = {}
for line in folded.splitlines():
    stack, _, value = line.rpartition(" ")
    sums[stack.split(";")[-1]] = sums.get(stack.split(";")[-1], 0) + int(value)
    check("folded is root first", stack.startswith("root;middle;"), stack) if not stack.startswith("root;middle;") else None
check("folded sums", sums == expected, sums)
merged = os.path.join(work, "merged.pb")
check("merge", prof("merge", "--output", merged, made, made)[0] == 0)
_, out, _ = prof("top", "--type", "timeline", "--format", "json", merged)
check("merge doubles", json.loads(out)["total"] == 2 * sum(expected.values()), out)
_, out, _ = prof("diff", "--type", "timeline", "--format", "json", made, merged)
check("diff of a profile and its double shows no change of shares",
      all(abs(f["share_before"] - f["share_after"]) < 1e-9 for f in json.loads(out)["functions"]), out)
_, page, _ = prof("flame", made)
check("flame: nothing is fetched", not re.search(r"(src|href)\s*=|@import|url\(", page), "")
check("flame: names cannot end the script", page.count("</script>") == 1 and "leaf_2 \\u003cb>" in page)

# protobuf-c
peer = os.path.join(BUILD, "tests", "prof_protobuf_peer")
if os.path.exists(peer):
    out = subprocess.run([peer, plain], capture_output=True, text=True).stdout
    by_leaf, exceptions = {}, 0
    for line in out.splitlines():
        m = re.match(r'(.*?):[^;]*;.*? (-?\d+(?:,-?\d+)*) ', line)
        values = [int(v) for v in m.group(2).split(",")]
        by_leaf[m.group(1)] = by_leaf.get(m.group(1), 0) + values[5]
        exceptions += values[6]
    check("protobuf-c decodes equal content", by_leaf == expected and exceptions == 6, out)
    check("protobuf-c sees the labels", "thread name=maker" in out and "event=gc" in out and "exception type=Error" in out)
else:
    missing.append("protobuf-c")

# go tool pprof
if shutil.which("go"):
    done = subprocess.run(["go", "tool", "pprof", "-raw", made], capture_output=True, text=True,
                          env={**os.environ, "HOME": work, "GOCACHE": work, "GOFLAGS": "-mod=mod"})
    check("go tool pprof reads it", done.returncode == 0 and "timeline/nanoseconds" in done.stdout, done.stderr)
    names = {int(a): b for a, b in re.findall(r"^\s+(\d+): 0x0 (\S.*?) \S*:\d+", done.stdout, re.M)}
    rows = re.findall(r"^\s*((?:\d+\s+){7}|(?:-?\d+\s+){7})?:? ", done.stdout, re.M)
    total = sum(int(m.group(1)) for m in re.finditer(r"^\s+(?:\d+\s+){5}(\d+)\s+\d+:", done.stdout, re.M))
    check("go tool pprof sees the same total", total == sum(expected.values()), (total, done.stdout[:800]))
else:
    missing.append("go")

# npm pprof-format: both ways
module = os.path.join(BUILD, "peers", "node_modules", "pprof-format")
if os.path.isdir(module) and shutil.which("node"):
    script = os.path.join(work, "peer.cjs")
    with open(script, "w") as f:
        f.write("""
const {Profile, ValueType, Sample, Function, Location, Line, StringTable, Label} = require(process.argv[2]);
const fs = require('fs'), zlib = require('zlib');
let bytes = fs.readFileSync(process.argv[3]);
if (bytes[0] === 0x1f) bytes = zlib.gunzipSync(bytes);
const p = Profile.decode(bytes), s = i => p.stringTable.strings[Number(i)];
const fn = new Map(p.function.map(f => [String(f.id), f])), loc = new Map(p.location.map(l => [String(l.id), l]));
const at = p.sampleType.findIndex(t => s(t.type) === 'timeline'), sums = {};
for (const x of p.sample) {
  const name = s(fn.get(String(loc.get(String(x.locationId[0])).line[0].functionId)).name);
  sums[name] = (sums[name] || 0) + Number(x.value[at]);
}
const t = new StringTable();
const made = new Profile({
  sampleType: [new ValueType({type: t.dedup('cpu'), unit: t.dedup('nanoseconds')})],
  sample: [new Sample({locationId: [7, 3], value: [1000n * 3n], label: [new Label({key: t.dedup('k'), str: t.dedup('v')})]}),
           new Sample({locationId: [3], value: [-5]})],
  location: [new Location({id: 3, line: [new Line({functionId: 9, line: 12})]}),
             new Location({id: 7, line: [new Line({functionId: 4, line: 1}), new Line({functionId: 9, line: 2})]})],
  function: [new Function({id: 9, name: t.dedup('outer'), filename: t.dedup('a.js')}), new Function({id: 4, name: t.dedup('inlined')})],
  stringTable: t, timeNanos: 5, durationNanos: 6, periodType: new ValueType({type: t.dedup('cpu'), unit: t.dedup('nanoseconds')}), period: 10});
fs.writeFileSync(process.argv[4], made.encode());
console.log(JSON.stringify(sums));
""")
    theirs = os.path.join(work, "theirs.pb")
    done = subprocess.run(["node", script, module, made, theirs], capture_output=True, text=True)
    check("pprof-format decodes equal content", done.returncode == 0 and json.loads(done.stdout or "{}") == expected,
          done.stdout + done.stderr)
    _, out, err = prof("convert", "--format", "folded", theirs)
    check("a file of pprof-format opens in ours, inlined frames too",
          out == "outer;outer;inlined 3000\nouter -5\n", out + err)
    again = os.path.join(work, "again.pb")
    prof("convert", "--format", "pprof", "--output", again, theirs)
    _, out2, _ = prof("convert", "--format", "folded", again)
    check("round trip of theirs is equal", out2 == out, out2)
else:
    missing.append("pprof-format")

# broken files: a message and status 3, never a crash
bytes_ = open(plain, "rb").read()
packed = gzip.compress(bytes_)
for name, data in (("empty", b""), ("text", b"hello world\n"), ("cut", bytes_[: len(bytes_) // 2]),
                   ("cut gzip", packed[:-20]), ("noise", bytes(range(256)) * 8), ("zip bomb start", packed[:10] + b"\0" * 50),
                   ("zstd", b"\x28\xb5\x2f\xfd" + bytes_)):
    path = os.path.join(work, "bad")
    open(path, "wb").write(data)
    status, _, err = prof("top", path)
    check("%s: an error that names the file" % name, status == 3 and path in err, (status, err))
check("zstd: what to do is told", "zstd -d" in err, err)
status, out, _ = prof("top", "--type", "timeline", "-", data=bytes_.replace(b"middle", b"mi\x1b[2J"))
check("a name cannot speak to the terminal", status == 0 and "\x1b" not in out and "mi\\x1b[2J" in out, out)
for at in range(0, len(bytes_), 7):
    data = bytearray(bytes_)
    data[at] ^= 0xff
    status, _, _ = prof("top", "-", data=bytes(data))
    if status not in (0, 3):
        check("a changed byte is an error or a profile", False, (at, status))
        break
check("usage errors", prof("top")[0] == 2 and prof("nonsense")[0] == 2 and prof("diff", made)[0] == 2 and prof("merge", made)[0] == 2)
check("an unknown type names the known ones", "timeline" in prof("top", "--type", "x", made)[2])
shutil.rmtree(work)
print("%d passed, %d failed" % (passed, failed))
if missing:
    print("skipped: not installed:", ", ".join(missing))
sys.exit(1 if failed else 77 if missing else 0)
