#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""What the heads of the selftests say, and whether it is true.

    cases.py          prints FILE:LINE: what is wrong; exit status 1 if anything is
    cases.py full     prints the cases that only `make test-all` runs, and what covers them

A head may have the lines `# long:`, `# pair:`, `# alone:` and `# full:` that selftests/netns.sh
reads. Each gives a reason. That of `# full:` names the cases and C tests that cover it in
`make test`.
"""

import pathlib
import re
import sys

CASES = pathlib.Path("selftests/cases")
DOCUMENT = pathlib.Path("docs/testing.md")
NAMING = [DOCUMENT, pathlib.Path("SECURITY.md"), pathlib.Path("docs/attacks.md")]
TEST = re.compile(r"\b(?:unit|packet)_[a-z0-9_]+\b")


def heads():
    """Of each case, by its AREA/NAME: {kind of line: (line, reason)}."""
    found = {}
    for file in sorted(CASES.glob("*/*.sh")):
        lines = found[f"{file.parent.name}/{file.stem}"] = {}
        for n, line in enumerate(file.read_text().split("\n"), 1):
            if not line.startswith("#"):
                break
            if said := re.match(r"# (long|pair|alone|full):\s*(.*)", line):
                lines[said[1]] = (n, said[2])
    return found


def mention(areas):
    """An AREA/NAME in a text, and neither a longer path nor a file with an ending."""
    return re.compile(rf"(?<![\w/.-])(?:selftests/cases/)?((?:{'|'.join(areas)})/[a-z0-9-]+)"
                      r"(?:\.sh)?(?![\w/*-]|\.[a-z])")


def wrong_head(name, lines, found, cases):
    for kind, (n, reason) in lines.items():
        if not reason:
            yield n, f"'# {kind}:' without a reason"
    if "full" not in lines:
        return
    n, reason = lines["full"]
    covering = cases.findall(reason)
    for other in covering:
        if "full" in found.get(other, {}):
            yield n, f"{other} is not in make test, either"
    if not covering and not TEST.search(reason):
        yield n, "'# full:' names nothing that covers it"


def wrong_names(text, found, cases):
    """What a text mentions that is not there."""
    for n, line in enumerate(text.split("\n"), 1):
        for name in cases.findall(line):
            if name not in found:
                yield n, f"there is no case {name}"
        for test in TEST.findall(line):
            if not pathlib.Path(f"tests/{test}.c").exists():
                yield n, f"there is no test {test}"


def wrong_counts(found):
    """The rows `| area | ... | in make test | only in make test-all | ...` of the document."""
    counts = {}
    for name, lines in found.items():
        counts.setdefault(name.split("/")[0], [0, 0])["full" in lines] += 1
    told = {}
    for line in DOCUMENT.read_text().split("\n"):
        if row := re.match(r"\| ([a-z]+) \|[^|]*\| (\d+) \| (\d+) \|", line):
            told[row[1]] = [int(row[2]), int(row[3])]
    for area in sorted(counts.keys() | told.keys()):
        if counts.get(area) != told.get(area):
            yield f"area {area}: cases in make test, in make test-all alone: {counts.get(area)}"


def wrong(found):
    """Yields (file, line, what)."""
    cases = mention(sorted({name.split("/")[0] for name in found}))
    for name, lines in found.items():
        file = CASES / f"{name}.sh"
        for n, what in wrong_head(name, lines, found, cases):
            yield file, n, what
        head = file.read_text().split("\n. ", 1)[0]
        for n, what in wrong_names(head, found, cases):
            yield file, n, what
    for file in NAMING:
        for n, what in wrong_names(file.read_text(), found, cases):
            yield file, n, what
    yield from ((DOCUMENT, 1, what) for what in wrong_counts(found))


def main():
    found = heads()
    if sys.argv[1:] == ["full"]:
        print("\n".join(f"{name}: {lines['full'][1]}"
                        for name, lines in found.items() if "full" in lines))
        return 0
    complaints = list(wrong(found))
    for file, n, what in complaints:
        print(f"{file}:{n}: {what}")
    return bool(complaints)


sys.exit(main())
