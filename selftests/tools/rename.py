#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""rename.py FROM TO MAP...: a name in keys and values of pinned maps becomes another of as many
octets, as an older tsw may have left it there. FROM and TO as in Python's strings: red\\u202e."""
import sys

from abi import bpftool, dumps, numbers

old, new = (text.encode().decode("unicode_escape").encode() for text in sys.argv[1:3])
if len(old) != len(new):
    sys.exit(f"rename.py: {old!r} and {new!r} differ in length")
for pin, entries in dumps(sys.argv[3:]):
    for key, (value, *_) in entries:
        if old in key:
            bpftool([f"delete pinned {pin} key {numbers(key)}"])
        if old in key or old in value:
            bpftool([f"update pinned {pin} key {numbers(key.replace(old, new))}"
                     f" value {numbers(value.replace(old, new))}"])
