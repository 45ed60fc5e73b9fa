#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""rename.py FROM TO MAP...: a name in keys and values of pinned maps becomes another of as many
octets, as an older tsw may have left it there. FROM and TO as in Python's strings: red\\u202e."""
import json
import subprocess
import sys


def octets(words):
    return bytes(int(word, 16) for word in words)


def words(data):
    return ["%02x" % octet for octet in data]


def bpftool(*args):
    return subprocess.run(["bpftool", "-j", "map", *args], check=True, capture_output=True).stdout


def main():
    old, new = (text.encode().decode("unicode_escape").encode() for text in sys.argv[1:3])
    if len(old) != len(new):
        sys.exit("rename.py: %r and %r differ in length" % (old, new))
    for pin in sys.argv[3:]:
        for entry in json.loads(bpftool("dump", "pinned", pin)):
            key, value = octets(entry["key"]), octets(entry["value"])
            key_now, value_now = key.replace(old, new), value.replace(old, new)
            if (key, value) == (key_now, value_now):
                continue
            if key != key_now:
                bpftool("delete", "pinned", pin, "key", "hex", *words(key))
            bpftool("update", "pinned", pin, "key", "hex", *words(key_now),
                    "value", "hex", *words(value_now))


main()
