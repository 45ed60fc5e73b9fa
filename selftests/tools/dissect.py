#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Prints the frames of a capture, a line each, as the words of frames.py.

    dissect.py [-f FIELD,... | -x] [-C | -u] FILE [CONDITION]...

A condition is `KEY=VALUE`, `KEY!=VALUE`, `KEY<NUMBER`, `KEY>NUMBER`, or `has:TEXT` for octets
anywhere in the frame. Only frames that meet every condition are shown. -f prints those fields
alone, -x the octets, -C the number of frames, -u each line once with how often. `in.` stands before
what a VXLAN, GRE or Geneve frame carries. In a condition's key `*` stands for anything, as in
`*.sum=bad`.
"""

import argparse
import collections
import fnmatch
import re

import frames


def values(out, key):
    if "*" in key:
        return [out[name] for name in out if fnmatch.fnmatch(name, key)]
    return [out[key]] if key in out else []


def meets(out, data, condition):
    if condition.startswith("has:"):
        return condition[4:].encode() in data
    key, sign, want = re.fullmatch(r"([^=!<>]+)(!=|=|<|>)(.*)", condition).groups()
    found = values(out, key)
    if sign == "=":
        return want in found
    if sign == "!=":
        return want not in found
    if sign == ">":
        return any(int(value, 0) > int(want, 0) for value in found)
    return any(int(value, 0) < int(want, 0) for value in found)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-f", dest="fields")
    parser.add_argument("-x", dest="octets", action="store_true")
    parser.add_argument("-C", dest="count", action="store_true")
    parser.add_argument("-u", dest="unique", action="store_true")
    parser.add_argument("-P", dest="port", type=int, default=4789)
    parser.add_argument("file")
    parser.add_argument("conditions", nargs="*")
    args = parser.parse_intermixed_args()

    lines = []
    for length, data in frames.read_pcap(args.file):
        out = frames.dissect(data, args.port)
        out["len"] = str(length)
        if not all(meets(out, data, condition) for condition in args.conditions):
            continue
        if args.octets:
            lines.append(data.hex())
        elif args.fields:
            lines.append(" ".join(out.get(name, "-") for name in args.fields.split(",")))
        else:
            lines.append(" ".join(f"{key}={value}" for key, value in out.items()))
    if args.count:
        print(len(lines))
    elif args.unique:
        for line, times in sorted(collections.Counter(lines).items()):
            print(times, line)
    else:
        print("\n".join(lines))


if __name__ == "__main__":
    main()
