#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Finds sentences that are too long, and turns of phrase that make a reader stop.

Usage: english.py [FILE...]   default: every document and source file that git knows
Reads documents (all text outside of code), and in sources the comments and the messages.
Prints FILE:LINE: what is wrong; exit status 1 if anything is.
"""

import re
import subprocess
import sys

MOST = 35  # words of a sentence
MOST_OCTETS = 160  # of a refusal: two lines with the command before it

# The changelogs say what was true then; the others are licences, data, or made by a program.
NEVER = ("CHANGELOG.md", "LICENSE", "docs/benchmarks/tables.md", "fuzz/corpus/", "debian/changelog",
         "selftests/abi/")

# Each of these hides its subject, or says by a negation what could be named.
RIDDLES = re.compile(r"""\b(?!is\ None)(?i:
	(?<!there\ )(is|are|was|were|be)\ none(?!\ of\b|-) | of\ none | that\ of\ (what|whom?)
	| (one|those|what)\ that\ (is|are)\ none | one\ that\ nobody
	| so\ does\ one | all\ else\ that | more\ there\ cannot\ be | it\ does\ no\ longer
	| what\ (it|they)\ gave | that\ it\ is\ not\ is | behind\ it\ there\ is\ none
)\b""", re.VERBOSE)

MD, C, SCRIPT = (".md",), (".c", ".h", ".proto"), (".sh", ".bash", ".py", ".awk", ".jq", ".txt")


def blocks_of_markdown(text):
    """Yields (line, text) for each paragraph, item, and cell of a table."""
    code, start, now = False, 0, []
    for n, line in enumerate(text.split("\n") + [""], 1):
        fence = line.lstrip().startswith(("```", "~~~"))
        new = fence or code or not line.strip() or line.startswith(("|", "#", "    ")) \
            or re.match(r"\s*([-*]|\d+\.) ", line)
        if new and now:
            yield start, " ".join(now)
            now = []
        code ^= fence
        if code or fence or line.startswith(("#", "    ", "!")) or not line.strip():
            continue
        if line.startswith("|"):
            for cell in re.sub(r"`[^`]*`", "CODE", line).split("|"):
                yield from ((n, item) for item in cell.split(";"))
            continue
        start = start if now else n
        now.append(re.sub(r"^\s*([-*]|\d+\.) ", "", line).strip())


C_TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'', re.DOTALL)


def blocks_of_c(text):
    """Yields (line, text) for each paragraph of a comment, and for each message."""
    ended, message, start = 0, "", 0
    for token in C_TOKEN.finditer(text):
        line = text.count("\n", 0, token.start()) + 1
        if token[0][0] == '"':  # strings next to each other are one
            if message and text[ended:token.start()].strip():
                yield start, message
                message = ""
            start = start if message else line
            message += token[0][1:-1].replace("\\n", ". ")
            ended = token.end()
        elif token[0][0] == "/":
            yield from paragraphs(line, re.sub(r"^/[*/]+|\*/$", "", token[0]).split("\n"),
                                  r"^\s*\*? ?")
    if message:
        yield start, message


# Drawings, examples and lists are indented. A line for a program is no text.
NO_TEXT = re.compile(r"  |\t|.*[─-╿═◄►]|SPDX-|shellcheck |(full|long|alone|pair):")


def paragraphs(line, lines, mark):
    """Yields (line, text) for what stands between empty lines and lines that are no text."""
    now, start = [], line
    for n, one in enumerate(lines + [""], line):
        one = re.sub(mark, "", one, count=1).rstrip()
        if not one or NO_TEXT.match(one):
            if now:
                yield start, " ".join(now)
            now = []
        elif one.strip("-= "):
            start = start if now else n
            now.append(one.strip())


def blocks_of_script(text):
    """Yields (line, text) for each paragraph of comments, and for each comment behind code."""
    now, start = [], 0
    for n, line in enumerate(text.split("\n") + [""], 1):
        if re.match(r"\s*#(?!!)", line):
            start = start if now else n
            now.append(line.strip())
            continue
        if now:
            yield from paragraphs(start, now, r"^#+ ?")
            now = []
        behind = re.search(r"""^[^'"]*?\s# ([^'"]*)$""", line)
        if behind:
            yield n, behind[1]


def blocks_of_python(text):
    """The same, and docstrings."""
    yield from blocks_of_script(text)
    for doc in re.finditer(r'^( *)"""(.*?)"""', text, re.DOTALL | re.MULTILINE):
        yield from paragraphs(text.count("\n", 0, doc.start()) + 1, doc[2].split("\n"),
                              "^" + doc[1])


def sentences(text):
    """Words of code and links count as one each."""
    text = re.sub(r"``.*?``|`[^`]*`", "CODE", text)
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"\b(e\.g|i\.e|cf|etc|vs|No|St)\.", r"\1", text)
    return re.split(r"(?<=[.!?])[\"')*]*\s+|\s+#\s+", text)


def blocks(path, text):
    if path.endswith(MD):
        return blocks_of_markdown(text)
    if path.endswith(C):
        return blocks_of_c(text)
    return blocks_of_python(text) if path.endswith(".py") else blocks_of_script(text)


REFUSAL = re.compile(r'\b(?:fail|misuse)\((?:[^;"]|"(?:[^"\\\n]|\\.)*")*\);')


DEFINE = re.compile(r'^#define (\w+) (.*".*)$', re.MULTILINE)


def long_refusals(text):
    """Yields (line, octets) for each message of a refusal that is too long, with its macros."""
    for name, value in reversed(DEFINE.findall(text)):
        text = re.sub(rf"\b{name}\b", lambda _: value, text)
    for call in REFUSAL.finditer(text):
        octets = sum(len(s[0]) - 2 for s in re.finditer(r'"(?:[^"\\\n]|\\.)*"', call[0]))
        if octets > MOST_OCTETS:
            yield text.count("\n", 0, call.start()) + 1, octets


def check(path):
    """Prints what is wrong there, and tells whether anything is."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    wrong = False
    for line, octets in long_refusals(text) if path.endswith(".c") else ():
        print(f"{path}:{line}: a message of {octets} octets, at most {MOST_OCTETS}")
        wrong = True
    for line, block in blocks(path, text):
        for riddle in RIDDLES.finditer(block):
            print(f"{path}:{line}: say it plainly: \"{riddle[0]}\"")
            wrong = True
        for one in sentences(block):
            words = [word for word in one.split() if re.search(r"\w", word)]
            if len(words) > MOST:
                print(f"{path}:{line}: a sentence of {len(words)} words: "
                      f"{' '.join(words[:6])} ...")
                wrong = True
    return wrong


def known():
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], check=True,
                            capture_output=True, text=True).stdout.split("\n")
    plain = ("Makefile", ".ci/run", "bench/run")
    return sorted({path for path in listed if path.endswith(MD + C + SCRIPT) or path in plain})


def main():
    paths = sys.argv[1:] or [path for path in known() if not path.startswith(NEVER)]
    return any([check(path) for path in paths])


sys.exit(main())
