#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Which maps each program of the switch reaches, by what its object file refers to.

    maps.py OBJECT...              a line for each map: its programs
    maps.py --check DOC OBJECT...  where the table of maps in DOC says otherwise, as lint's lines

A map is reached through any function that is called, whether or not a program ever gets there.
"""

import collections
import re
import subprocess
import sys

SECTION = re.compile(r"Disassembly of section (\S+):")
FUNCTION = re.compile(r"([0-9a-f]+) <(?!LBB)(\w+)>:")
CALL = re.compile(r"\s+(\d+):\s+85 10 .*\bcall (-?0x[0-9a-f]+|-?\d+)$")  # not of a helper
RELOCATION = re.compile(r"\s+[0-9a-f]+:\s+R_BPF_64_(64|32)\s+(\S+)")
WIDTH = 8  # octets of an instruction


class Function:
    def __init__(self, section):
        self.section, self.maps, self.calls = section, set(), set()


def read(path):
    """The functions of an object by their names, and by {section, number of the instruction}."""
    text = subprocess.run(["llvm-objdump", "-dr", path], capture_output=True, text=True, check=True)
    names, places, section, last = {}, {}, None, None
    for line in text.stdout.splitlines():
        if found := SECTION.match(line):
            section = found[1]
        elif found := FUNCTION.match(line):
            function = names[found[2]] = Function(section)
            places[section, int(found[1], 16) // WIDTH] = function
        elif found := CALL.match(line):
            last = int(found[2], 0)
            function.calls.add((section, int(found[1]) + 1 + last))
        elif found := RELOCATION.match(line):
            if found[1] == "64":
                function.maps.add(found[2])
            elif found[2] == ".text":  # the number is in the instruction, less one
                function.calls.add((".text", last + 1))
            else:
                function.calls.add(found[2])
    return names, places


def reach(function, names, places, seen):
    if function not in seen:
        seen.add(function)
        for call in function.calls:
            called = names.get(call) if isinstance(call, str) else places.get(call)
            if called:
                reach(called, names, places, seen)
    return seen


def programs(paths, maps):
    """Map -> the programs that reach it, in the order of the source."""
    found, every = collections.defaultdict(list), []
    for path in paths:
        names, places = read(path)
        for name, function in names.items():
            if function.section == ".text":
                continue
            every.append(name.removeprefix("tsw_"))
            for each in {m for f in reach(function, names, places, set()) for m in f.maps}:
                if maps is None or each in maps:
                    found[each].append(every[-1])
    return found, every


def words(some, every):
    if not some:
        return "the command alone"
    lack = [name for name in every if name not in some]
    if len(lack) > 4:
        return ", ".join(some)
    return "all but " + ", ".join(lack) if lack else "all"


def check(doc, paths):
    found, every = programs(paths, None)
    here = False
    with open(doc, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            here = line.startswith("## Maps") if line.startswith("## ") else here
            cells = [cell.strip() for cell in line.split("|")]
            maps = re.findall(r"`(tsw_\w+)`", cells[1]) if here and len(cells) == 5 else []
            some = {program for each in maps for program in found[each]}
            want = words([program for program in every if program in some], every)
            if maps and cells[3] != want:
                print(f"{doc}:{number}: {cells[1]}: its programs are: {want}")


if __name__ == "__main__":
    if sys.argv[1] == "--check":
        check(sys.argv[2], sys.argv[3:])
    else:
        for each, some in sorted(programs(sys.argv[1:], None)[0].items()):
            print(each, *some)
