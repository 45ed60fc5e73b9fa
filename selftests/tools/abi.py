#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The layout of a switch's maps, as selftests/abi/N keeps it of ABI version N.

    abi.py show DIR            writes that of the maps pinned below DIR, for such a file
    abi.py make DIR FILE       gives these maps the layout of FILE: one that has another is made
                               anew, with the heads of the values that it has now, and pinned in
                               its place; one that it has not is unpinned. The first word of
                               tsw_config becomes N.
    abi.py contents DIR        all entries, sorted, a map after the other, each value in hex;
                               counters as sums over the CPUs, without what is kept behind them

DIR is /sys/fs/bpf/tsw/INSTANCE/maps. A line of the file: name, type, octets of key and value,
most entries, flags. What the running programs have stays with them: they go on with the maps that
they were loaded with.
"""

import json
import os
import subprocess
import sys

CONFIG, WORD = "tsw_config", 4
COUNTERS = {"tsw_stats": 112, "tsw_host_stats": 32}  # octets; behind them is what is asked anew


def bpftool(lines):
    """Runs them all at once; what each says."""
    out = subprocess.run(["bpftool", "-j", "batch", "file", "-"], check=True, text=True,
                         input="".join(f"map {line}\n" for line in lines),
                         stdout=subprocess.PIPE).stdout
    return [answer.get("output") for answer in json.loads(out)]


def pins(directory):
    return [os.path.join(directory, name) for name in sorted(os.listdir(directory))]


def layouts(directory):
    for info in bpftool(f"show pinned {pin}" for pin in pins(directory)):
        yield [info["name"], info["type"], *(str(info[key]) for key in (
            "bytes_key", "bytes_value", "max_entries", "flags"))]


def octets(entry, key):
    return bytes(int(octet, 16) for octet in entry[key])


def numbers(data):
    return " ".join(map(str, data))


def dumps(paths):
    """(pin, [(key, [value of each CPU])])"""
    paths = list(paths)
    for path, dump in zip(paths, bpftool(f"dump pinned {path}" for path in paths)):
        yield path, [(octets(entry, "key"), [octets(part, "value")
                                             for part in entry.get("values", [entry])])
                     for entry in dump or []]


def make_one(path, wanted, version):
    name, kind, key, value, most, flags = wanted
    fresh = path + "_new"
    if kind.startswith("devmap"):
        flags = 0  # the kernel's own
    words = [f"create {fresh} type {kind} key {key} value {value} entries {most} name {name}"
             f" flags {flags}"]
    for at, (had, *_) in next(dumps([path]))[1]:
        had = had[:int(value)]
        if name == CONFIG:
            had = version.to_bytes(WORD, sys.byteorder) + had[WORD:]
        words.append(f"update pinned {fresh} key {numbers(at)} value {numbers(had)}")
    bpftool(words)
    os.rename(fresh, path)


def make(directory, file):
    version = int(os.path.basename(file))
    with open(file, encoding="ascii") as lines:
        wanted = {line.split()[0]: line.split() for line in lines}
    for path, layout in zip(pins(directory), layouts(directory)):
        name = layout[0]  # the pin's, as far as the kernel keeps it
        if name not in wanted:
            os.unlink(path)
        elif layout != wanted[name] or name == CONFIG:
            make_one(path, wanted[name], version)


def sums(values, octets_counted):
    return [sum(int.from_bytes(value[at:at + 8], sys.byteorder) for value in values)
            for at in range(0, octets_counted, 8)]


def contents(directory):
    # Who follows frames at the moment is no state, nor what is in use.
    for path, entries in dumps(pin for pin in pins(directory) if not any(
            part in pin for part in ("/tsw_watch", "/tsw_fair", "/tsw_conns"))):
        name = os.path.basename(path)
        for key, values in sorted(entries):
            if name in COUNTERS:
                print(name, key.hex(), *sums(values, COUNTERS[name]))
            else:
                print(name, key.hex(), *(value.hex() for value in values))


def main():
    what, directory, *rest = sys.argv[1:] + [""]
    if what == "show":
        for layout in layouts(directory):
            print(*layout)
    elif what == "make":
        make(directory, rest[0])
    elif what == "contents":
        contents(directory)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
