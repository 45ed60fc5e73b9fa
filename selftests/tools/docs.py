#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The examples of the documents: runs them, and compares what they print.

    docs.py run PAGE NAME=PID...   runs the blocks of PAGE, and prints TAP
    docs.py lint PAGE...           prints FILE:LINE: what is wrong with the marks of blocks

The word behind the ``` of a block says what it is:

    console       commands and what they print: `# COMMAND` on the first machine, or `h2# COMMAND`
    sh            a script for the first machine: each of its commands ends with status 0
    text REASON   it is not run, for this reason
    json, c ...   the content of a file

A command ends where the shell finds it whole. What it prints is compared line by line. A line `…`
stands for any lines, `…` within a line for any text. These may differ, and nothing else:

    ifindexes, times, source ports, versions, revisions  any number is like any other
    packets, bytes                                       0 is 0, and no other number is
    MACs, but for 02:00:..., link-local addresses, names of devices of containers
                                                         each stands for the same one everywhere
"""

import json
import os
import pathlib
import re
import select
import subprocess
import sys
import time

FENCE = re.compile(r"^( *)```(\S*) *(.*)$")
PROMPT = re.compile(r"^((?:[a-z][a-z0-9-]*)?)# (.*)$")
CONTENT = ("json", "c", "ini", "yaml", "nft", "xml", "mermaid")
LIMIT = 60  # seconds for a command
CASES = pathlib.Path("selftests/cases/docs")

MAC = r"(?!02:00:)(?:[0-9a-f]{2}:){5}[0-9a-f]{2}"
VALUES = {
    "number": r"(?<=\bifindex )\d+|(?<=\bdevice )\d+|(?<=\bsource[_-]port )\d+|(?<=\brevision )\d+|(?<=@if)\d+",
    "count": r"(?<=\bpackets )\d+|(?<=\bbytes )\d+|(?<=\"packets\":)\d+|(?<=\"bytes\":)\d+",
    "time": r"\d{4}-\d\d-\d\dT[\d:]+Z|\d+(?:\.\d+)?(?= ?ms\b)",
    "version": r"(?<=\bversion )\d+\.\d+\.\d+\S*",
    "name": rf"\b{MAC}\b|\bfe80::[0-9a-f:]+|\btsw[a-z2-7]{{12}}\b",
    "any": "…",
}
VALUE = re.compile("|".join(f"(?P<{kind}>{one})" for kind, one in VALUES.items()))


def blocks(path):
    """Yields (line, kind, reason, lines of the block)."""
    inside = None
    for n, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        fence = FENCE.match(line)
        if inside and fence and not fence[2]:
            yield inside
            inside = None
        elif inside:
            inside[3].append(line.removeprefix(indent))
        elif fence:
            indent, inside = fence[1], (n, fence[2], fence[3], [])


def is_whole(command):
    said = subprocess.run(["bash", "-n", "-c", command], capture_output=True, text=True,
                          check=False).stderr
    return not command.endswith("\\") and \
        not re.search("unexpected end of file|unexpected EOF|here-document", said)


def commands(kind, lines):
    """Yields (offset in the block, machine, command, lines that it prints)."""
    now = None
    for n, line in enumerate(lines):
        prompt = PROMPT.match(line) if kind == "console" else ("", "", line)
        if now and not is_whole(now[2]):
            now[2] += "\n" + line
        elif prompt and (kind == "console" or line.strip()):
            if now:
                yield now
            now = [n, prompt[1], prompt[2], []]
        elif now and kind == "console":
            now[3].append(line.rstrip())
    if now:
        yield now


class Difference(Exception):
    pass


class Names:
    """Which name of a run stands for which one of the page."""

    def __init__(self):
        self.of = {}

    def fits(self, kind, told, got):
        if kind == "count":
            return (told == "0") == (got == "0")
        if kind != "name":
            return True
        if told not in self.of and got in self.of.values():
            return False
        return self.of.setdefault(told, got) == got

    def line(self, told, got):
        """Whether the line got is what the page tells; notes the names if so."""
        pattern, end, kinds = "", 0, []
        for value in VALUE.finditer(told):
            kind = value.lastgroup
            pattern += re.escape(told[end:value.start()])
            pattern += "(.*)" if kind == "any" else f"({VALUES[kind]})"
            kinds.append((kind, value[0]))
            end = value.end()
        found = re.fullmatch(pattern + re.escape(told[end:]), got)
        if not found:
            return False
        before = dict(self.of)
        if all(self.fits(*told, got) for told, got in zip(kinds, found.groups())):
            return True
        self.of = before
        return False

    def lines(self, told, got):
        if not told:
            return not got
        if told[0].strip() == "…":
            return any(self.lines(told[1:], got[n:]) for n in range(len(got) + 1))
        return bool(got) and self.line(told[0], got[0]) and self.lines(told[1:], got[1:])


class Shell:
    """One shell, so that variables and jobs stay, as for who types the commands."""

    MARK = "-- docs.py: ended with"

    def __init__(self, words):
        self.process = subprocess.Popen([*words, "bash", "--norc"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.run(f"cd {os.environ['DOCS']}")

    def run(self, command):
        """What it prints, and its status."""
        self.process.stdin.write(f"{{ {command}\n}} </dev/null\nprintf '\\n{self.MARK} %s\\n' $?\n"
                                 .encode())
        self.process.stdin.flush()
        text, end = b"", time.monotonic() + LIMIT
        while not (mark := re.search(rf"\n{self.MARK} (\d+)\n".encode(), text)):
            if not select.select([self.process.stdout], [], [], max(0, end - time.monotonic()))[0]:
                self.process.kill()
                raise Difference(f"not ended after {LIMIT} s: {text.decode(errors='replace')}")
            more = self.process.stdout.read1()
            if not more:
                raise Difference(f"the shell ended: {text.decode(errors='replace')}")
            text += more
        return text[:mark.start()].decode(errors="replace"), int(mark[1])


def shell_of(machine, machines):
    if machine == "" or machine in machines:
        pid = machines[machine] if machine else next(iter(machines.values()))
        return Shell(["nsenter", "-t", pid, "-m", "-n", "--"])
    return Shell(["nsenter", f"--net=/run/netns/{machine}", "--"])


def differs(shell, kind, command, told, names):
    """Runs it. Raises Difference where it does not do what the page tells."""
    if kind == "sh":  # a command within a loop counts, too
        command = f"failed=; trap 'failed=1' ERR\n{command}\ntrap - ERR; [ -z \"$failed\" ]"
    text, status = shell.run(command)
    got = [line.rstrip() for line in text.rstrip("\n").split("\n")] if text.strip() else []
    while told and not told[-1]:
        told.pop()
    if kind == "sh" or not told:
        if status:
            raise Difference(f"status {status}\n{text}")
    if kind != "sh" and not names.lines(told, got):
        raise Difference("\n".join(["the page tells:", *told, "it printed:", *got]))


def run(page, machines):
    path, shells, names, bad = pathlib.Path(page), {}, Names(), 0
    for line, kind, _, lines in blocks(path):
        if kind not in ("console", "sh"):
            continue
        wrong = []
        for n, machine, command, told in commands(kind, lines):
            try:
                if machine not in shells:
                    shells[machine] = shell_of(machine, machines)
                differs(shells[machine], kind, command, told, names)
            except Difference as difference:
                wrong.append(f"{page}:{line + 1 + n}: {command}\n{difference}")
                break
        print(f"{'not ok' if wrong else 'ok'} the block at {page}:{line}", flush=True)
        for one in wrong:
            print("\n".join("# " + text for text in one.split("\n")), flush=True)
        bad += bool(wrong)
    return bad > 0


def wrong_marks(page):
    kinds = set()
    for line, kind, reason, lines in blocks(pathlib.Path(page)):
        kinds.add(kind)
        if kind == "text" and not reason:
            yield line, "a block that is not run, without a reason: ```text REASON"
        elif kind not in ("console", "sh", "text") + CONTENT:
            yield line, "a block without a mark: ```console, ```sh or ```text REASON"
        elif kind == "console" and not PROMPT.match(lines[0] if lines else ""):
            yield line, "a console block begins with a command"
        elif kind == "json":
            try:
                json.loads("\n".join(lines))
            except ValueError as error:
                yield line, f"no JSON: {error}"
    cases = "".join(case.read_text() for case in CASES.glob("*.sh"))
    if kinds & {"console", "sh"} and f"\nruns {page} " not in cases:
        yield 1, f"nothing runs its blocks: no case in {CASES} has `runs {page} ...`"


def lint(pages):
    wrong = [(page, line, what) for page in pages for line, what in wrong_marks(page)]
    for page, line, what in wrong:
        print(f"{page}:{line}: {what}")
    return bool(wrong)


if sys.argv[1] == "lint":
    sys.exit(lint(sys.argv[2:]))
sys.exit(run(sys.argv[2], dict(word.split("=") for word in sys.argv[3:])))
