#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Links between the documents of this tree.

    links.py FILE...   a line for each link to a file or a heading that does not exist
"""

import os
import re
import sys

CODE = re.compile(r"(?ms)^\s*```.*?^\s*```")
LINK = re.compile(r"\]\((?!\w+:)([^)#\s]*)#?([^)\s]*)\)")
HEADING = re.compile(r"(?m)^#+ (.*)$")
OUTSIDE = "../../"  # pages of the site that hosts the repository


def prose(path):
    """The text of a document, with its code blocks as empty lines."""
    with open(path, encoding="utf-8") as file:
        return CODE.sub(lambda m: "\n" * m[0].count("\n"), file.read())


def anchor(heading):
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower().strip()
    return re.sub(r"[^\w -]", "", text).replace(" ", "-")


def faults(path):
    text = prose(path)
    for link in LINK.finditer(text):
        if link[1].startswith(OUTSIDE):
            continue
        target = os.path.normpath(os.path.join(os.path.dirname(path), link[1])) if link[1] else path
        line = text.count("\n", 0, link.start()) + 1
        if not os.path.exists(target):
            yield f"{path}:{line}: there is no {target}"
        elif link[2] and link[2] not in map(anchor, HEADING.findall(prose(target))):
            yield f"{path}:{line}: {target} has no heading #{link[2]}"


def main():
    for path in sys.argv[1:]:
        for fault in faults(path):
            print(fault)


if __name__ == "__main__":
    main()
