#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tries every combination of tx checksumming, tso, gso and gro with real transfers.

    offload.py [-k KIND,...] [-b BYTES] [-s N] -g NETNS:DEV,... [-g ...] FROM TO ADDRESS...
    offload.py [-k KIND,...] [-b BYTES] -w 'NETNS:DEV,... FEATURE on|off ...; ...' ...
               FROM TO ADDRESS...

Each -g is a group of devices that are set alike; with two groups all 16 x 16 are tried. Each -w is
one setting in words of `ethtool -K`, tried alone. In each, KIND (of xfer.py: tcp, udp, udpgso) is
sent from namespace FROM to each ADDRESS, which is in TO. With -e it is sent back, too, and FROM may
name several, parted by commas: see exchange.py. -s: each Nth combination only. Devices get back
what they had. Exit status 0 when everything arrived.
"""

import argparse
import contextlib
import ctypes
import fcntl
import itertools
import socket
import struct
import subprocess
import sys
import time

from exchange import exchange
from netns import inside
from xfer import Mismatch, Unable, transfer

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


class Features:
    """A setting in words of ethtool."""

    def __init__(self, text):
        self.text = text
        self.parts = [part.split() for part in text.split(";")]
        self.first = {place: self.get(place) for places, *_ in self.parts
                      for place in places.split(",")}

    @staticmethod
    def ethtool(place, *args):
        netns, name = place.split(":")
        with inside(netns):
            return subprocess.run(["ethtool", args[0], name, *args[1:]], check=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                  text=True).stdout

    def get(self, place):
        lines = (line.split() for line in self.ethtool(place, "-k").splitlines()[1:])
        return {line[0].rstrip(":"): line[1] for line in lines if "[fixed]" not in line}

    def set(self):
        for places, *words_of in self.parts:
            for place in places.split(","):
                self.ethtool(place, "-K", *words_of)

    def took(self):
        return tuple(tuple(self.get(place).items()) for place in self.first)

    def undo(self):
        for place, first in self.first.items():
            changed = [(name, value) for name, value in self.get(place).items()
                       if first[name] != value]
            if changed:
                self.ethtool(place, "-K", *(word for pair in changed for word in
                                            (pair[0], first[pair[0]])))


def words(values):
    return " ".join(f"{word} {'on' if value else 'off'}" for word, value in zip(GET, values))


def tries(args):
    for kind in args.kinds.split(","):
        for at in args.addresses:
            yield kind, at


def attempt(args, kind, at, seed):
    try:
        if args.exchange:
            exchange(args.target, at, kind, args.source.split(","), seed=seed, bytes=args.bytes,
                     count=args.count, wait=2)
            return None
        transfer(args.source, args.target, kind, at, seed=seed, bytes=args.bytes, count=args.count,
                 wait=2)
        return None
    except (OSError, Mismatch) as error:
        return f"{kind} to {at}: {error}"


def groups(args, took):
    """Sets one combination after the other, and tells what it is."""
    devices = [[Device(place) for place in group.split(",")] for group in args.groups]
    try:
        for setting in list(itertools.product(ALL, repeat=len(devices)))[::args.step]:
            for group, values in zip(devices, setting):
                for device in group:
                    device.set(values)
            took.add(tuple(device.get() for group in devices for device in group))
            yield "; ".join(map(words, setting))
    finally:
        for device in itertools.chain(*devices):
            device.set(device.first)


def settings(args, took):
    for setting in map(Features, args.settings):
        try:
            setting.set()
            took.add(setting.took())
            yield setting.text
        finally:
            setting.undo()


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-k", dest="kinds", default="tcp,udp,udpgso")
    parser.add_argument("-b", dest="bytes", type=int, default=1000000)
    parser.add_argument("-c", dest="count", type=int, default=100)
    parser.add_argument("-s", dest="step", type=int, default=1)
    parser.add_argument("-g", dest="groups", action="append", default=[])
    parser.add_argument("-w", dest="settings", action="append", default=[])
    parser.add_argument("-e", dest="exchange", action="store_true")
    parser.add_argument("source")
    parser.add_argument("target")
    parser.add_argument("addresses", nargs="+")
    args = parser.parse_args()

    start, took = time.monotonic(), set()
    run = groups(args, took) if args.groups else settings(args, took)
    done, unable, failed, tried = 0, 0, [], 0
    with contextlib.closing(run):
        for setting in run:
            tried += 1
            for kind, at in tries(args):
                try:
                    error = attempt(args, kind, at, done)
                except Unable:
                    unable += 1
                    continue
                done += 1
                if error:
                    failed.append(f"{setting}: {error}")
            if len(failed) >= ENOUGH:
                break
    print(f"{done} transfers in {tried} settings, {len(took)} of them different after the "
          f"kernel's own rules, {len(failed)} failed, {time.monotonic() - start:.0f} s"
          + (f"; {unable} more are beyond this kernel" if unable else ""))
    print("\n".join(failed))
    sys.exit(bool(failed) or not done)


if __name__ == "__main__":
    main()
