#!/usr/bin/env python3
"""Hotgate from Python: libddwaf's version 2 ABI and ctypes, nothing else. usage: waf_ctypes.py [LIBDDWAF.SO]"""
import ctypes as c
import json
import sys
lib = c.CDLL(sys.argv[1] if len(sys.argv) > 1 else "build/ddwaf2/libddwaf.so")


class Object(c.Structure):  # the 16 bytes of a ddwaf_object; functions look inside
    _fields_ = [("head", c.c_uint64), ("tail", c.c_uint64)]


P, O = c.c_void_p, c.POINTER(Object)
CALLS = {
    "get_version": [c.c_char_p], "get_default_allocator": [P], "init": [P, O, O], "destroy": [None, P],
    "context_init": [P, P, P], "context_eval": [c.c_int, P, O, P, O, c.c_uint64], "context_destroy": [None, P],
    "object_from_json": [c.c_bool, O, c.c_char_p, c.c_uint32, P], "object_destroy": [None, O, P],
    "object_get_type": [c.c_int, O], "object_get_size": [c.c_size_t, O],
    "object_get_string": [P, O, c.POINTER(c.c_size_t)], "object_get_bool": [c.c_bool, O],
    "object_get_unsigned": [c.c_uint64, O], "object_get_signed": [c.c_int64, O], "object_get_float": [c.c_double, O],
    "object_at_key": [O, O, c.c_size_t], "object_at_value": [O, O, c.c_size_t],
}
for name, (result, *arguments) in CALLS.items():
    function = getattr(lib, "ddwaf_" + name)
    function.restype, function.argtypes = result, arguments
HEAP = lib.ddwaf_get_default_allocator()


def write(value):
    text, obj = json.dumps(value).encode(), Object()
    assert lib.ddwaf_object_from_json(obj, text, len(text), HEAP)
    return obj


def read(obj):
    kind, size = lib.ddwaf_object_get_type(obj), c.c_size_t()
    if kind & 0x10:  # one of the three kinds of string
        return c.string_at(lib.ddwaf_object_get_string(obj, size), size.value).decode(errors="replace")
    values = [read(lib.ddwaf_object_at_value(obj, i)) for i in range(lib.ddwaf_object_get_size(obj))]
    if kind == 0x40:
        return {read(lib.ddwaf_object_at_key(obj, i)): value for i, value in enumerate(values)}
    getter = {2: "bool", 4: "signed", 6: "unsigned", 8: "float"}.get(kind)
    return values if kind == 0x20 else getter and getattr(lib, "ddwaf_object_get_" + getter)(obj)


test = {"operator": "match_regex", "parameters": {"inputs": [{"address": "q"}], "regex": r"(?:\.\./){2}"}}
rule = {"id": "traversal", "name": "n", "tags": {"type": "lfi"}, "on_match": ["block"], "conditions": [test]}
rules, report = write({"version": "2.2", "rules": [rule]}), Object()
waf = lib.ddwaf_init(rules, report)
print("version", lib.ddwaf_get_version().decode(), "loaded", read(report)["rules"]["loaded"])
for obj in (rules, report):
    lib.ddwaf_object_destroy(obj, HEAP)
for query in ({"file": ["report.pdf"]}, {"file": ["../../etc/passwd"]}):
    context, answer = lib.ddwaf_context_init(waf, HEAP), Object()
    matched = lib.ddwaf_context_eval(context, write({"q": query}), HEAP, answer, 1_000_000) == 1
    found = read(answer)
    print(*["match", found["events"][0]["rule_matches"][0]["parameters"][0]["key_path"], *found["actions"]] if matched else ["ok"])
    lib.ddwaf_object_destroy(answer, HEAP)
    lib.ddwaf_context_destroy(context)
lib.ddwaf_destroy(waf)
