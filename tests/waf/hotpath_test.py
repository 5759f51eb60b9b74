#!/usr/bin/env python3
"""No lock, no atomic read-modify-write and no call into the system on the way of a judgement.

Disassembles the library and walks the calls from the functions that every judgement runs through. What only happens
before a thread is warm, or when something changes, is named in COLD with its reason and not entered."""
import os
import re
import shutil
import subprocess
import sys

BUILD = os.environ.get("HOTGATE_BUILD", "build")
LIBRARY = os.path.join(BUILD, "libhotgate.so")

ROOTS = {"hg_context_new", "hg_context_eval", "hg_context_run", "hg_context_free"}

# Called through tables: operators, transformers, generators.
TABLES = {"match", "detect", "generate"}

COLD = {
    "shell_new": "a thread's first context",
    "hg_shell_free": "the instance was replaced, or the pool is full",
    "is_registered": "a thread's first context",
    "release_shared": "contexts with subcontexts",
    "hg_context_make_plain": "ephemeral data of libddwaf 1",
    "hg_arena_grow": "until the arenas are large enough; takes from the thread's pool",
    "return_older": "more than one chunk was needed; gives back to the thread's pool",
    "hg_pool_return": "more than one chunk was needed; gives back to the thread's pool",
    "hg_pool_rent": "until the arenas are large enough",
    "hg_workspace_new": "a thread's first judgement",
    "hg_workspace_free": "memory ran out, or a thread's pool is there already",
    "hg_workspace_grow_hits": "until the room for hits is large enough",
    "hg_workspace_grow_texts": "until the lists of texts are large enough",
    "hg_workspace_grow_table": "until the table of texts is large enough",
    "free_texts": "after a huge request",
    "rx_scratch_fit": "until the scratch is large enough",
    "rx_scratch_grow": "until the scratch is large enough",
    "rx_regex_open": "a pattern's automaton is made on its first use",
    "open_bits": "a pattern's bits are made when its automaton is full for the first time",
    "rx_work_reserve": "until the scratch is large enough",
    "rx_sim_reserve": "until the scratch is large enough",
    "hg_pool_tick": "counts calls; every thousandth may give memory back",
    "hg_json_read": "the parts of a JWT, when a request has one",
    "hg_hash_seed": "made once for the process",
    "hg_cpu": "asks the environment once",
    "rx_dfa_grow": "an automaton learns a transition; a try-lock, never waited for",
    "hg_buffer_append": "redacted values, in the arena",
}

# Of the C library: nothing that allocates, locks or enters the kernel.
ALLOWED = {"memcpy", "memmove", "memset", "memcmp", "memchr", "memmem", "memrchr", "strlen", "strchr", "strnlen",
           "clock_gettime", "bcmp", "snprintf", "sprintf", "strtol", "strtod", "strcmp", "strcpy", "__stack_chk_fail"}


def functions(path):
    """Address -> (name without what the compiler adds, instructions)."""
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", path], check=True, capture_output=True,
                          text=True).stdout
    found, body = {}, None
    for line in text.splitlines():
        start = re.match(r"^([0-9a-f]+) <([^>]+)>:$", line)
        if start:
            body = []
            name = re.sub(r"\.(constprop|isra|part|lto_priv)[.\d]*", "", start.group(2))
            found[int(start.group(1), 16)] = (name, body)
        elif body is not None and "\t" in line:
            body.append(line.split("\t", 1)[1].strip())
    return found


def callees(body):
    """(address, name) of what is called or jumped to outside the function."""
    for instruction in body:
        jump = re.match(r"(?:call|j[a-z]+)\s+([0-9a-f]+) <([^>+]+)>", instruction)
        if jump:
            yield int(jump.group(1), 16), jump.group(2)


def faults(body):
    for instruction in body:
        if instruction.startswith("lock ") or re.match(r"xchg\s.*\(", instruction) or instruction.startswith("syscall"):
            yield instruction


def main():
    if not shutil.which("objdump") or not os.path.exists(LIBRARY) or os.uname().machine != "x86_64":
        print("skipped: needs objdump and an x86-64 library")
        return 77
    if os.environ.get("HOTGATE_BUILD_TYPE") == "Debug":
        print("skipped: says something of optimised builds only")
        return 77
    known = functions(LIBRARY)
    names = {}
    for address, (name, _) in known.items():
        names.setdefault(name, []).append(address)
    if "hg_context_eval" not in names or any(name.startswith(("__asan", "__tsan")) for name in names):
        print("skipped: an instrumented library")
        return 77
    transforms = {name for name in names if re.match(r"hg_(url_|css_|js_|html_|base64|shell_un|remove_|normalize_|"
                                                     r"compress_|lowercase|unicode_)", name)}
    waiting = [(address, name) for name in sorted(ROOTS | TABLES | transforms) for address in names.get(name, [])]
    seen, complaints = set(), set()
    while waiting:
        address, way = waiting.pop()
        name, body = known[address]
        if address in seen or name in COLD:
            continue
        seen.add(address)
        complaints.update(f"{way}: {fault}" for fault in faults(body))
        for target, callee in callees(body):
            if callee.endswith("@plt"):
                own = names.get(callee[:-4])
                if own:
                    waiting += [(a, f"{way} > {callee[:-4]}") for a in own]
                elif callee[:-4] not in ALLOWED:
                    complaints.add(f"{way}: calls {callee[:-4]}")
            elif target in known and target != address:
                waiting.append((target, f"{way} > {known[target][0]}"))
    for complaint in sorted(complaints):
        print(complaint)
    print(f"{len(seen)} functions walked, {len(complaints)} complaints")
    return 1 if complaints or len(seen) < 100 else 0


sys.exit(main())
