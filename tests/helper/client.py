"""A scripted client of the helper protocol, and the little MessagePack that it needs."""
import os, socket, struct, subprocess, tempfile, time

HOTGATE = os.path.join(os.environ["HOTGATE_BUILD"], "hotgate")


def pack(v):
    if v is None:
        return b"\xc0"
    if v is True or v is False:
        return b"\xc3" if v else b"\xc2"
    if isinstance(v, int):
        if 0 <= v < 128:
            return bytes([v])
        if v >= 0:
            for code, fmt, top in ((0xcc, ">B", 1 << 8), (0xcd, ">H", 1 << 16), (0xce, ">I", 1 << 32), (0xcf, ">Q", 1 << 64)):
                if v < top:
                    return bytes([code]) + struct.pack(fmt, v)
        return b"\xd3" + struct.pack(">q", v)
    if isinstance(v, float):
        return b"\xcb" + struct.pack(">d", v)
    if isinstance(v, str):
        v = v.encode()
        kind = (0xa0, 0xd9, 0xda, 0xdb)
        if len(v) < 32:
            return bytes([kind[0] | len(v)]) + v
        return (bytes([kind[1], len(v)]) if len(v) < 256 else bytes([kind[2]]) + struct.pack(">H", len(v)) if len(v) < 65536
                else bytes([kind[3]]) + struct.pack(">I", len(v))) + v
    if isinstance(v, bytes):
        return b"\xc6" + struct.pack(">I", len(v)) + v
    if isinstance(v, (list, tuple)):
        head = bytes([0x90 | len(v)]) if len(v) < 16 else b"\xdd" + struct.pack(">I", len(v))
        return head + b"".join(pack(x) for x in v)
    head = bytes([0x80 | len(v)]) if len(v) < 16 else b"\xdf" + struct.pack(">I", len(v))
    return head + b"".join(pack(k) + pack(x) for k, x in v.items())


def unpack(b, at=0):
    c = b[at]
    at += 1
    if c < 0x80:
        return c, at
    if c >= 0xe0:
        return c - 256, at
    if 0x80 <= c < 0x90 or c in (0xde, 0xdf):
        n, at = (c & 15, at) if c < 0x90 else (struct.unpack_from(">H" if c == 0xde else ">I", b, at)[0], at + (2 if c == 0xde else 4))
        out = {}
        for _ in range(n):
            k, at = unpack(b, at)
            out[k], at = unpack(b, at)
        return out, at
    if 0x90 <= c < 0xa0 or c in (0xdc, 0xdd):
        n, at = (c & 15, at) if c < 0xa0 else (struct.unpack_from(">H" if c == 0xdc else ">I", b, at)[0], at + (2 if c == 0xdc else 4))
        out = []
        for _ in range(n):
            v, at = unpack(b, at)
            out.append(v)
        return out, at
    if 0xa0 <= c < 0xc0 or c in (0xd9, 0xda, 0xdb, 0xc4, 0xc5, 0xc6):
        if c < 0xc0:
            n = c & 31
        else:
            width = {0xd9: 1, 0xda: 2, 0xdb: 4, 0xc4: 1, 0xc5: 2, 0xc6: 4}[c]
            n, at = int.from_bytes(b[at:at + width], "big"), at + width
        return b[at:at + n].decode("utf-8", "surrogateescape"), at + n
    fixed = {0xc0: None, 0xc2: False, 0xc3: True}
    if c in fixed:
        return fixed[c], at
    fmt = {0xca: ">f", 0xcb: ">d", 0xcc: ">B", 0xcd: ">H", 0xce: ">I", 0xcf: ">Q", 0xd0: ">b", 0xd1: ">h", 0xd2: ">i", 0xd3: ">q"}[c]
    return struct.unpack_from(fmt, b, at)[0], at + struct.calcsize(fmt)


class Daemon:
    def __init__(self, *args, rules=None, base=None):
        self.folder = tempfile.mkdtemp()
        self.base = base or self.folder
        self.version = "1.24.0"
        command = [HOTGATE, "serve", "--base", self.base, "--version", self.version, "--loops", "2", "--log", "warn",
                   "--metrics", "unix:" + self.folder + "/metrics", *args]
        if rules:
            command += ["--rules", rules]
        self.path = "%s/ddappsec_%s_%d.sock" % (self.base, self.version, os.getuid())
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        for _ in range(200):
            if os.path.exists(self.folder + "/metrics") or self.process.poll() is not None:
                break
            time.sleep(0.05)
        time.sleep(0.05)

    def stop(self):
        self.process.terminate()
        self.process.wait(20)
        return self.process.returncode, self.process.stderr.read()

    def metrics_text(self):
        s = socket.socket(socket.AF_UNIX)
        s.connect(self.folder + "/metrics")
        s.sendall(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
        text = b""
        while chunk := s.recv(65536):
            text += chunk
        return text.decode().split("\r\n\r\n", 1)[1]

    def metrics(self):
        return dict(line.rsplit(" ", 1) for line in self.metrics_text().splitlines() if line[:1] != "#")


class Client:
    def __init__(self, path, timeout=5):
        self.s = socket.socket(socket.AF_UNIX)
        self.s.settimeout(timeout)
        self.s.connect(path)

    def send(self, name, *args):
        body = pack([name, list(args)])
        self.raw(b"dds\0" + struct.pack("=I", len(body)) + body)

    def raw(self, data):
        self.s.sendall(data)

    def read(self, n):
        data = b""
        while len(data) < n:
            chunk = self.s.recv(n - len(data))
            if not chunk:
                raise EOFError
            data += chunk
        return data

    def frame(self):
        head = self.read(8)
        assert head[:4] == b"dds\0", head
        return head, self.read(struct.unpack("=I", head[4:])[0])

    def reply(self):
        body = self.frame()[1]
        value, end = unpack(body)
        assert end == len(body) and len(value) == 1
        return value[0]

    def call(self, name, *args):
        self.send(name, *args)
        return self.reply()

    def init(self, enabled=True, **settings):
        engine = {"rules_file": "", "waf_timeout_us": 1000000, "trace_rate_limit": 100, "obfuscator_key_regex": "",
                  "obfuscator_value_regex": "", "schema_extraction": {"enabled": False, "sampling_period": 30.0}}
        remote = {"enabled": False, "shmem_path": ""}
        remote.update(settings.pop("remote", {}))
        engine.update(settings)
        return self.call("client_init", 9159, "1.24.0", "8.2.36", enabled, engine, remote,
                         {"service_name": "shop", "env_name": "test"}, {"session_id": "", "runtime_id": ""})
