#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Sends many frames that differ in one or two numbers, up to 60,000 a second.

    spray.py NETNS DEV COUNT LAYER [KEY=VALUE]... [/ LAYER ...]

The layers are those of frames.py: IPv4 with TCP or UDP. The frame is built once; of each copy the
destination has the number of the copy added where a word is `+dst`, the source port where one is
`+sport`, the identification where one is `+id`. Checksums are corrected. Prints how many were sent
and in how many seconds.
"""

import socket
import struct
import sys
import time

import frames
from netns import enter

SO_SNDBUFFORCE = 32
# Offsets in the frame.
IDENT, PROTO, IP_SUM, DESTINATION, SOURCE_PORT = 18, 23, 24, 30, 34
UPPER_SUM = {6: 50, 17: 40}


def write(frame, at, value, sums):
    """A word of 16 bits, and what sums it (RFC 1624)."""
    old, = struct.unpack_from("!H", frame, at)
    struct.pack_into("!H", frame, at, value)
    for place in sums:
        total, = struct.unpack_from("!H", frame, place)
        total = (~total & 0xFFFF) + (~old & 0xFFFF) + value
        total = (total & 0xFFFF) + (total >> 16)
        total = (total & 0xFFFF) + (total >> 16)
        struct.pack_into("!H", frame, place, ~total & 0xFFFF)


def copies(frame, count, adds):
    frame = bytearray(frame)
    port, = struct.unpack_from("!H", frame, SOURCE_PORT)
    address, = struct.unpack_from("!I", frame, DESTINATION)
    place = UPPER_SUM[frame[PROTO]]
    upper = [place] if any(frame[place:place + 2]) else []  # without a checksum: none
    for i in range(count):
        if "+sport" in adds:
            write(frame, SOURCE_PORT, 1 + (port + i - 1) % 65535, upper)
        if "+id" in adds:
            write(frame, IDENT, i & 0xFFFF, [IP_SUM])
        if "+dst" in adds:
            more = address + (i if "+sport" not in adds else i // 65535)
            write(frame, DESTINATION, more >> 16 & 0xFFFF, [IP_SUM, *upper])
            write(frame, DESTINATION + 2, more & 0xFFFF, [IP_SUM, *upper])
        yield frame


def main():
    netns, dev, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    adds = {word for word in sys.argv[4:] if word.startswith("+")}
    frame, = frames.build([word for word in sys.argv[4:] if word not in adds])
    enter(netns)
    sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
    sock.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, 1 << 24)
    sock.bind((dev, 0))
    begin = time.monotonic()
    for i, each in enumerate(copies(frame, count, adds)):
        sock.send(each)
        if i % 64 == 63:  # more at once the kernel drops in front of its stack
            time.sleep(0.001)
    print(count, f"{time.monotonic() - begin:.2f}")


if __name__ == "__main__":
    main()
