#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Sends frames and tells the fate of each: which drop counter moves, and who else sees it.

    fate.py -t TSW -b LAYERS -k COUNTER HOST NETNS:DEV < TABLE

A line of the table has four columns parted by `|`, and stands in a group:

    = GROUP
    what it is | COUNTER of `stats drops`, or - | pass, or - | layers, as for inject.py

HOST must count each frame there and nowhere else, and only with `pass` does its own IP see it.
Behind the frames of a line the barrier -b is sent, for which -k must count: once that has
happened, what the others could move has moved. A COUNTER is "tenant reason direction".
Prints TAP, a point for each group; exit status 0 when it ran.
"""

import argparse
import collections
import itertools
import json
import os
import socket
import subprocess
import sys
import time

import frames
from netns import inside

SO_SNDBUFFORCE = 32
# Seconds for counters to become what they should be; TSW_SLOW as for retry of lib.sh.
WAIT = 2 * int(os.environ.get("TSW_SLOW", "1"))
Seen = collections.namedtuple("Seen", "drops stack")


class Host:
    def __init__(self, tsw, name):
        self.tsw, self.name = tsw, name

    def drops(self):
        out = subprocess.run([self.tsw, "-n", self.name, "-j", "stats", "drops"], check=True,
                             capture_output=True).stdout
        return collections.Counter({
            f"{row['tenant'] or 'null'} {row['reason']} {row['direction']}": row["packets"]
            for row in json.loads(out)})

    def stack(self):
        """Packets that its IP and IPv6 have received, sound or not."""
        with inside(self.name):
            with open("/proc/thread-self/net/snmp", encoding="ascii") as file:
                names, values = [line.split() for line in file if line.startswith("Ip:")]
            with open("/proc/thread-self/net/snmp6", encoding="ascii") as file:
                six = dict(line.split() for line in file)
        return int(dict(zip(names, values))["InReceives"]) + int(six["Ip6InReceives"])

    def seen(self):
        return Seen(self.drops(), self.stack())


class Watch:
    def __init__(self, host, sock, barrier, key):
        self.host, self.sock, self.key = host, sock, key
        self.barrier = frames.build(barrier.split())
        self.seen = host.seen()

    def send(self, todo, what, key, passes):
        """Gives what differs from what is wanted, as text."""
        for frame in todo + self.barrier:
            self.sock.send(frame)
        want = Seen(self.seen.drops + collections.Counter({self.key: len(self.barrier)}),
                    self.seen.stack + (len(todo) if passes else 0))
        if key != "-":
            want.drops[key] += len(todo)
        self.wait_for(want)
        told = f"{what}: wanted {key}, {'pass' if passes else '-'} for {len(todo)}; "
        for counter in sorted(self.seen.drops | want.drops):
            if self.seen.drops[counter] != want.drops[counter]:
                yield told + f"{counter}: {self.seen.drops[counter] - want.drops[counter]:+}"
        if self.seen.stack != want.stack:
            yield told + f"what the host's own IP saw: {self.seen.stack - want.stack:+}"

    def wait_for(self, want):
        end = time.monotonic() + WAIT
        self.seen = self.host.seen()
        while self.seen != want and time.monotonic() < end:
            time.sleep(0.002)
            self.seen = self.host.seen()


def tell(point, wrong):
    print(f"{'not ok' if wrong else 'ok'} {point}")
    for text in wrong:
        print(f"# {text}")
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-t", dest="tsw", required=True)
    parser.add_argument("-b", dest="barrier", required=True)
    parser.add_argument("-k", dest="key", required=True)
    parser.add_argument("host")
    parser.add_argument("source", metavar="NETNS:DEV")
    args = parser.parse_args()

    # One CPU has one queue of received frames: the barrier cannot overtake.
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    netns, dev = args.source.split(":")
    with inside(netns):
        sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
    sock.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, 1 << 24)
    sock.bind((dev, 0))
    watch = Watch(Host(args.tsw, args.host), sock, args.barrier, args.key)
    group, wrong, kinds, sent = "", [], 0, 0
    for line in itertools.chain(sys.stdin, ["= "]):
        if line.startswith("= "):
            if kinds:
                tell(f"{group} ({kinds} kinds, {sent} frames)", wrong)
            group, wrong, kinds, sent = line[2:].strip(), [], 0, 0
            continue
        what, key, fate, words = (column.strip() for column in line.split("|", 3))
        todo = frames.build(words.split())
        wrong += watch.send(todo, what, key, fate == "pass")
        kinds, sent = kinds + 1, sent + len(todo)


if __name__ == "__main__":
    main()
