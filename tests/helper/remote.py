"""The writer's side of remote configuration: a directory and files in shared memory, as the sidecar makes them."""
import base64, hashlib, os, struct


class Remote:
    def __init__(self, name=None, owner=None):
        self.name = name or "/ddrc%d-t%d" % (os.geteuid(), os.getpid())
        self.path = "/dev/shm" + self.name
        self.generation = 0
        self.files = {}  # remote-config path -> object name
        self.objects = []
        self.version = 0

    def put(self, path, content):
        """A changed file always gets a new object."""
        self.version += 1
        name = "/ddrc%d-%d-%s" % (os.geteuid(), self.version, base64.urlsafe_b64encode(hashlib.sha224(
            (path + str(os.getpid())).encode()).digest()).decode().rstrip("="))
        with open("/dev/shm" + name, "wb") as f:
            f.write(content if isinstance(content, bytes) else content.encode())
        self.objects.append(name)
        self.files[path] = name

    def remove(self, path):
        del self.files[path]

    def publish(self, text=None):
        if text is None:
            lines = ["runtime-id"] + ["%s:%d:%s" % (name, i, base64.urlsafe_b64encode(path.encode()).decode().rstrip("="))
                                      for i, (path, name) in enumerate(self.files.items())]
            text = "".join(line + "\n" for line in lines) if self.files else ""
        payload = text.encode() + b"\0"
        self.generation += 2
        mode = "r+b" if os.path.exists(self.path) else "w+b"
        with open(self.path, mode) as f:
            f.write(struct.pack("=QQ", self.generation - 1, len(payload)) + payload)
            f.flush()
            f.truncate(max(os.fstat(f.fileno()).st_size, 4096))
            f.seek(0)
            f.write(struct.pack("=Q", self.generation))

    def close(self):
        for name in [self.name] + self.objects:
            if os.path.exists("/dev/shm" + name):
                os.unlink("/dev/shm" + name)
