#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""What a browser shows of a page: the document as `chromium --dump-dom` prints it.

    dom.py FILE ID        the text of the element ID; of each row of its tables a line
    dom.py FILE --tags    how many elements of each name there are
"""

import collections
import html.parser
import sys

EMPTY = {"meta", "link", "input", "br", "img"}


class Page(html.parser.HTMLParser):
    def __init__(self, wanted):
        super().__init__()
        self.wanted, self.depth, self.lines, self.line = wanted, 0, [], []
        self.tags = collections.Counter()

    def flush(self):
        if self.line:
            self.lines.append(" | ".join(self.line))
        self.line = []

    def handle_starttag(self, tag, attrs):
        self.tags[tag] += 1
        if tag in EMPTY:
            return
        if self.depth or dict(attrs).get("id") == self.wanted:
            self.depth += 1
        if tag in ("tr", "svg", "p", "div", "h2", "b"):
            self.flush()

    def handle_endtag(self, tag):
        if self.depth:
            self.depth -= 1
            if tag in ("tr", "svg", "p", "div", "h2", "b") or not self.depth:
                self.flush()

    def handle_data(self, data):
        if self.depth and data.strip():
            self.line.append(data.strip())


def main():
    page = Page(sys.argv[2])
    with open(sys.argv[1], encoding="utf-8") as file:
        page.feed(file.read())
    if sys.argv[2] == "--tags":
        page.lines = [f"{tag} {n}" for tag, n in sorted(page.tags.items())]
    print("\n".join(page.lines))


main()
