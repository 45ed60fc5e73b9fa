#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Plays a hostile guest: frames with virtio headers that no driver would write.

    virtio.py [-b] NETNS TAP COUNT SEED LAYER [KEY=VALUE]... [/ LAYER ...]...
    virtio.py [-b] NETNS TAP COUNT SEED - < FILE      one frame a line
    virtio.py -g KIND,SIZE,START,OFFSET NETNS TAP COUNT SEED LAYER...
    virtio.py -t SIZE NETNS TAP COUNT SEED LAYER...

The layers are those of frames.py. A frame is taken at random, and now and then octets behind the
Ethernet header are changed. A header is drawn for it: the segments' kind and size, the headers'
length, where a checksum is summed and written. With -b no checksum is left to the device.
With -g each frame stays as it is, a super-frame of that kind (1 TCP, 4 TCP over IPv6, 5 UDP) in
segments of SIZE. Its checksum is left to the device, but where START is 0. With -t it is one of
VXLAN with TCP inside, IPv4 in IPv4 without options: virtio's UDP tunnel GSO. Exit status 77: this
kernel's taps have none of it (before Linux 6.17). Prints how many frames the kernel took and how
many it refused.
"""

import argparse
import fcntl
import os
import random
import struct
import sys

from inject import frames_of
from netns import enter
from tap import TUNSETOFFLOAD, open_tap

NEEDS_CSUM = 1
TUNSETVNETHDRSZ, OFFLOADS = 0x400454D8, 0xE7  # CSUM, TSO4, TSO6, USO4, USO6, UDP_TUNNEL_GSO
TCPV4_IN_UDP, OUTER_L4, INNER_L3, INNER_L4 = 0x21, 34, 64, 84
KINDS = [0, 1, 3, 4, 5, 0x81, 0x84, 0x85]  # none, TCP, fragments, TCP over IPv6, UDP; with ECN
SIZES = [0, 1, 2, 8, 100, 500, 536, 1400, 1460, 9000, 65535]
LENGTHS = [0, 13, 14, 33, 34, 42, 54, 62, 74, 128, 1500, 65535]
OFFSETS = [0, 2, 4, 6, 8, 10, 12, 16, 65535]


def header(rnd, frame, bare):
    flags = rnd.choice([0, NEEDS_CSUM, NEEDS_CSUM, 2, 3, rnd.randrange(256)])
    if bare:
        flags &= ~NEEDS_CSUM
    start = rnd.choice([14, 20, 24, 26, 30, 34, 54, len(frame), rnd.randrange(1 << 16)])
    return struct.pack("=BBHHHH", flags, rnd.choice(KINDS),
                       rnd.choice([*LENGTHS, len(frame), rnd.randrange(1 << 16)]),
                       rnd.choice([*SIZES, rnd.randrange(1 << 16)]), start,
                       rnd.choice([*OFFSETS, rnd.randrange(1 << 16)]))


def in_tunnel(fd, size):
    """A header in which the number of buffers, the hash and its kind are 0."""
    try:
        fcntl.ioctl(fd, TUNSETVNETHDRSZ, struct.pack("i", 24))
        fcntl.ioctl(fd, TUNSETOFFLOAD, OFFLOADS)
    except OSError:
        sys.exit(77)
    return struct.pack("=BBHHHH10xHH", NEEDS_CSUM, TCPV4_IN_UDP, INNER_L4 + 20, size, INNER_L4, 16,
                       OUTER_L4, INNER_L3)


def changed(rnd, frame):
    """Each second frame has up to four octets of its headers changed."""
    frame = bytearray(frame)
    for _ in range(rnd.choice([0, 0, 1, 4]) if rnd.random() < 0.7 else 0):
        at = rnd.randrange(14, min(len(frame), 80)) if len(frame) > 14 else 0
        frame[at] = rnd.randrange(256)
    return bytes(frame)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-b", dest="bare", action="store_true")
    parser.add_argument("-g", dest="gso", metavar="KIND,SIZE,START,OFFSET")
    parser.add_argument("-t", dest="tunnel", metavar="SIZE", type=int)
    parser.add_argument("netns")
    parser.add_argument("tap")
    parser.add_argument("count", type=int)
    parser.add_argument("seed", type=int)
    parser.add_argument("layers", nargs="+")
    args = parser.parse_args()
    rnd, base = random.Random(args.seed), frames_of(args.layers)
    enter(args.netns)
    fd = open_tap(args.tap)
    head = in_tunnel(fd, args.tunnel) if args.tunnel else b""
    if args.gso:
        kind, size, start, offset = map(int, args.gso.split(","))
        head = struct.pack("=BBHHHH", NEEDS_CSUM if start else 0, kind, 0, size, start, offset)
    taken = refused = 0
    for _ in range(args.count):
        frame = rnd.choice(base)
        octets = head + frame if head else header(rnd, frame, args.bare) + changed(rnd, frame)
        try:
            os.write(fd, octets)
            taken += 1
        except OSError:
            refused += 1
    print(f"taken {taken} refused {refused}")


if __name__ == "__main__":
    main()
