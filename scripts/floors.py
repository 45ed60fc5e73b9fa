#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Who calls whom in user/, by floors: docs/architecture.md has their table.

    floors.py BUILD        prints FILE:LINE: what is wrong; exit 1 if anything is

Wrong are: a file that includes one of a higher floor; an object file that uses a symbol of one; two
folders of one floor below the command's that use each other. So are object files that use each
other in a circle, and a folder that is not in the table. In the library, which is all below the
command's floor, nothing may print, end the process, catch a signal or be kept for the whole
process.
"""

import collections
import os
import re
import subprocess
import sys

TABLE = "docs/architecture.md"
INCLUDE = re.compile(r'#include "([^"]+)\.h"')
# Of the C library, and not for a library.
MANNERS = re.compile(r"_?_?(exit|abort|v?printf|puts|putchar|stdout|stderr|perror|err|errx|warn|warnx|"
                     r"signal|sigaction|sigprocmask|setenv|chdir|umask)(_chk)?$")
# Threads that wait for a lock share the signal that wakes them.
SHARED = {"store/lock": {"sigaction", "waiters", "waiting", "before"}}
ROW = re.compile(r"^\| (\d+) \| (`[^|]*`) \|")


def floors():
    """Folder or file below user/ -> number of its floor; and the top one's."""
    numbers = {}
    with open(TABLE, encoding="utf-8") as table:
        for line in table:
            row = ROW.match(line)
            for name in re.findall(r"`([^`]+)`", row[2]) if row else []:
                numbers[name.removesuffix(".c")] = int(row[1])
    return numbers, max(numbers.values())


def symbols(top):
    """What each object defines, and what it uses."""
    defined, used = {}, collections.defaultdict(set)
    for directory, _, names in os.walk(top):
        for name in names:
            path = os.path.join(directory, name)
            source = os.path.relpath(path, top).removesuffix(".o")
            if not name.endswith(".o") or not os.path.exists(f"user/{source}.c"):
                continue
            for line in subprocess.check_output(["nm", path], text=True).splitlines():
                kind, symbol = line.split()[-2:]
                if kind == "U":
                    used[source].add(symbol)
                elif kind in "TDBRVWC":
                    defined[symbol] = source
    return defined, used


def manners(top, used, floor, command):
    """What a library does not do, and what it keeps for all threads."""
    for source in sorted(used):
        if (floor(source) or command) == command:
            continue
        path, may = os.path.join(top, source + ".o"), SHARED.get(source, set())
        for symbol in sorted(used[source] - may):
            if MANNERS.match(symbol):
                yield f"user/{source}.c:1: uses {symbol}, which is the command's to do"
        for line in subprocess.check_output(["nm", "-f", "sysv", path], text=True).splitlines():
            row = [cell.strip() for cell in line.split("|")]
            name = row[0].split(".")[0]
            if row[-1] in (".bss", ".data") and name not in may and row[3] == "OBJECT":
                yield f"user/{source}.c:1: keeps {name} for all threads: _Thread_local, or nothing"


def included(floor):
    """Each include that goes up."""
    for directory, _, names in os.walk("user"):
        for name in sorted(names):
            path = os.path.join(directory, name)
            here = floor(os.path.relpath(os.path.splitext(path)[0], "user"))
            if here is None or not name.endswith((".c", ".h")):
                continue
            with open(path, encoding="utf-8") as source:
                for number, line in enumerate(source, 1):
                    other = INCLUDE.match(line)
                    if other and (floor(other[1]) or 0) > here:
                        yield f"{path}:{number}: includes {other[1]}.h of a higher floor"


def circles(arrows):
    """Tarjan's strongly connected components of more than one."""
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in arrows[node]:
            if other not in index:
                visit(other)
            if other in stack:
                low[node] = min(low[node], low[other])
        if low[node] == index[node]:
            at = stack.index(node)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    for node in list(arrows):
        if node not in index:
            visit(node)
    return found


def main():
    (number, top), wrong = floors(), []
    defined, used = symbols(os.path.join(sys.argv[1], "user"))
    arrows, between = collections.defaultdict(set), {}

    def floor(source):
        return number.get(source, number.get(source.split("/")[0]))

    wrong += included(floor)
    wrong += manners(os.path.join(sys.argv[1], "user"), used, floor, top)
    for source in sorted(used):
        if floor(source) is None:
            wrong.append(f"{TABLE}:1: no floor has user/{source}.c")
            continue
        for symbol in sorted(used[source]):
            other = defined.get(symbol, source)
            if other == source or floor(other) is None:
                continue
            arrows[source].add(other)
            if floor(other) > floor(source):
                wrong.append(f"user/{source}.c:1: uses {symbol} of user/{other}.c, a higher floor")
            ends = source.split("/")[0], other.split("/")[0]
            if floor(other) == floor(source) < top and ends[0] != ends[1] and "/" in other:
                between.setdefault(ends, f"user/{source}.c:1: uses {symbol} of user/{other}.c")
    wrong += [text + ", and that folder this one" for ends, text in between.items()
              if ends[::-1] in between]
    wrong += [f"user/{circle[0]}.c:1: a circle: {', '.join(circle)}" for circle in circles(arrows)]
    print("\n".join(wrong), end="\n" if wrong else "")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
