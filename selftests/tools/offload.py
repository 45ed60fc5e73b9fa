#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tries every combination of tx checksumming, tso, gso and gro with real transfers.

    offload.py [-k KIND,...] [-b BYTES] -g NETNS:DEV,... [-g ...] FROM TO ADDRESS...

Each -g is a group of devices that are set alike; with two groups all 16 x 16 are tried. In
each, KIND (of xfer.py: tcp, udp, udpgso) is sent from namespace FROM to each ADDRESS, which
is in TO. Devices get back what they had. Exit status 0 when everything arrived.
"""

import argparse
import ctypes
import fcntl
import itertools
import socket
import struct
import sys
import time

from netns import inside
from xfer import Mismatch, transfer

SIOCETHTOOL = 0x8946
GET = {"tx": 0x16, "tso": 0x1E, "gso": 0x23, "gro": 0x2B}  # ETHTOOL_G*; set is one more
ENOUGH = 10  # failures: each takes seconds, and the rest would say the same
ALL = list(itertools.product((1, 0), repeat=len(GET)))


class Device:
    def __init__(self, place):
        self.netns, self.name = place.split(":")
        with inside(self.netns):
            self.sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.first = self.get()

    def ioctl(self, command, value=0):
        data = ctypes.create_string_buffer(struct.pack("II", command, value))
        fcntl.ioctl(self.sock, SIOCETHTOOL,
                    struct.pack("16sP16x", self.name.encode(), ctypes.addressof(data)))
        return struct.unpack("II", data.raw[:8])[1]

    def get(self):
        return tuple(self.ioctl(command) for command in GET.values())

    def set(self, values):
        for (word, command), value in zip(GET.items(), values):
            self.ioctl(command + 1, value)
            if not value and self.ioctl(command):
                raise OSError(f"{self.netns}:{self.name}: {word} stays on")


def words(values):
    return " ".join(f"{word} {'on' if value else 'off'}" for word, value in zip(GET, values))


def tries(args):
    for kind in args.kinds.split(","):
        for at in args.addresses:
            yield kind, at


def attempt(args, kind, at, seed):
    try:
        transfer(args.source, args.target, kind, at, seed=seed, bytes=args.bytes, count=args.count,
                 wait=2)
        return None
    except (OSError, Mismatch) as error:
        return f"{kind} to {at}: {error}"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-k", dest="kinds", default="tcp,udp,udpgso")
    parser.add_argument("-b", dest="bytes", type=int, default=1000000)
    parser.add_argument("-c", dest="count", type=int, default=100)
    parser.add_argument("-g", dest="groups", action="append", required=True)
    parser.add_argument("source")
    parser.add_argument("target")
    parser.add_argument("addresses", nargs="+")
    args = parser.parse_args()

    groups = [[Device(place) for place in group.split(",")] for group in args.groups]
    start, done, failed, took = time.monotonic(), 0, [], set()
    try:
        for setting in itertools.product(ALL, repeat=len(groups)):
            for group, values in zip(groups, setting):
                for device in group:
                    device.set(values)
            took.add(tuple(device.get() for group in groups for device in group))
            for kind, at in tries(args):
                error = attempt(args, kind, at, done)
                done += 1
                if error:
                    failed.append("; ".join(map(words, setting)) + ": " + error)
            if len(failed) >= ENOUGH:
                break
    finally:
        for device in itertools.chain(*groups):
            device.set(device.first)
    print(f"{done} transfers in {len(ALL) ** len(groups)} settings, {len(took)} of them different "
          f"after the kernel's own rules, {len(failed)} failed, {time.monotonic() - start:.0f} s")
    print("\n".join(failed))
    sys.exit(bool(failed) or not done)


if __name__ == "__main__":
    main()
