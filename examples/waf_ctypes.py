#!/usr/bin/env python3
"""Hotgate from Python, through libddwaf's version 2 ABI and ctypes, without any binding.

usage: waf_ctypes.py [LIBDDWAF.SO]   (default: build/ddwaf2/libddwaf.so)
"""
import ctypes
import json
import sys


class Object(ctypes.Structure):
    """The 16 bytes of a ddwaf_object; functions look inside."""

    _fields_ = [("head", ctypes.c_uint64), ("tail", ctypes.c_uint64)]


def declare(library):
    pointer, obj = ctypes.c_void_p, ctypes.POINTER(Object)
    for name, result, *arguments in (
        ("ddwaf_get_version", ctypes.c_char_p),
        ("ddwaf_get_default_allocator", pointer),
        ("ddwaf_init", pointer, obj, obj),
        ("ddwaf_destroy", None, pointer),
        ("ddwaf_context_init", pointer, pointer, pointer),
        ("ddwaf_context_eval", ctypes.c_int, pointer, obj, pointer, obj, ctypes.c_uint64),
        ("ddwaf_context_destroy", None, pointer),
        ("ddwaf_object_from_json", ctypes.c_bool, obj, ctypes.c_char_p, ctypes.c_uint32, pointer),
        ("ddwaf_object_destroy", None, obj, pointer),
        ("ddwaf_object_get_type", ctypes.c_int, obj),
        ("ddwaf_object_get_size", ctypes.c_size_t, obj),
        ("ddwaf_object_get_string", pointer, obj, ctypes.POINTER(ctypes.c_size_t)),
        ("ddwaf_object_get_unsigned", ctypes.c_uint64, obj),
        ("ddwaf_object_get_signed", ctypes.c_int64, obj),
        ("ddwaf_object_get_float", ctypes.c_double, obj),
        ("ddwaf_object_get_bool", ctypes.c_bool, obj),
        ("ddwaf_object_at_key", obj, obj, ctypes.c_size_t),
        ("ddwaf_object_at_value", obj, obj, ctypes.c_size_t),
    ):
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments


class Waf:
    """An instance of one ruleset."""

    def __init__(self, path, ruleset):
        self.library = ctypes.CDLL(path)
        declare(self.library)
        self.heap = self.library.ddwaf_get_default_allocator()
        rules, report = self.write(ruleset), Object()
        self.handle = self.library.ddwaf_init(rules, report)
        self.diagnostics = self.take(report)
        self.library.ddwaf_object_destroy(rules, self.heap)
        if not self.handle:
            raise ValueError(self.diagnostics)

    def judge(self, request):
        """Judges one request; returns whether it matches, and the result."""
        context = self.library.ddwaf_context_init(self.handle, self.heap)
        data, result = self.write(request), Object()
        code = self.library.ddwaf_context_eval(context, data, self.heap, result, 1_000_000)  # the context owns data
        found = self.take(result) if code >= 0 else {}
        self.library.ddwaf_context_destroy(context)
        return code == 1, found

    def close(self):
        self.library.ddwaf_destroy(self.handle)

    def write(self, value):
        text, obj = json.dumps(value).encode(), Object()
        if not self.library.ddwaf_object_from_json(obj, text, len(text), self.heap):
            raise ValueError(value)
        return obj

    def take(self, obj):
        value = self.read(obj)
        self.library.ddwaf_object_destroy(obj, self.heap)
        return value

    def read(self, obj):
        lib, kind = self.library, self.library.ddwaf_object_get_type(obj)
        if kind & 0x10:
            length = ctypes.c_size_t()
            address = lib.ddwaf_object_get_string(obj, length)
            return ctypes.string_at(address, length.value).decode(errors="replace")
        if kind == 0x20:
            return [self.read(lib.ddwaf_object_at_value(obj, i)) for i in range(lib.ddwaf_object_get_size(obj))]
        if kind == 0x40:
            return {
                self.read(lib.ddwaf_object_at_key(obj, i)): self.read(lib.ddwaf_object_at_value(obj, i))
                for i in range(lib.ddwaf_object_get_size(obj))
            }
        readers = {2: "bool", 4: "signed", 6: "unsigned", 8: "float"}
        return getattr(lib, "ddwaf_object_get_" + readers[kind])(obj) if kind in readers else None


RULES = {
    "version": "2.2",
    "rules": [
        {
            "id": "traversal",
            "name": "Path traversal",
            "tags": {"type": "lfi", "category": "attack_attempt"},
            "on_match": ["block"],
            "conditions": [
                {
                    "operator": "match_regex",
                    "parameters": {"inputs": [{"address": "server.request.query"}], "regex": r"(?:\.\./){2}"},
                }
            ],
        }
    ],
}


def main():
    waf = Waf(sys.argv[1] if len(sys.argv) > 1 else "build/ddwaf2/libddwaf.so", RULES)
    print("version", waf.library.ddwaf_get_version().decode(), "loaded", waf.diagnostics["rules"]["loaded"])
    for query in ({"file": ["report.pdf"]}, {"file": ["../../etc/passwd"]}):
        match, result = waf.judge({"server.request.query": query})
        if match:
            parameter = result["events"][0]["rule_matches"][0]["parameters"][0]
            print("match", parameter["key_path"], parameter["highlight"], sorted(result["actions"]))
        else:
            print("ok")
    waf.close()


if __name__ == "__main__":
    main()
