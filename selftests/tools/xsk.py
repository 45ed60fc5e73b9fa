#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Sends a frame by an AF_XDP socket, which tells the kernel nothing of it but its octets.

    xsk.py DEV LAYER [KEY=VALUE]... [/ LAYER ...]...

The layers are those of frames.py.
"""

import ctypes
import errno
import mmap
import socket
import struct
import sys

import frames

AF_XDP, SOL_XDP, COPY = 44, 283, 2
MMAP_OFFSETS, TX_RING, UMEM_REG, FILL_RING, COMPLETION_RING = 1, 3, 4, 5, 6
SIZE, COUNT = 4096, 4


def ring_of(sock):
    """The TX ring, mapped, and where in it the producer and the descriptors are."""
    offsets = struct.unpack("16Q", sock.getsockopt(SOL_XDP, MMAP_OFFSETS, 128))
    producer, _, descriptors, _ = offsets[4:8]
    room = mmap.mmap(sock.fileno(), descriptors + COUNT * 16, offset=1 << 31)
    return room, producer, descriptors


def bind(sock, index):
    """Python's own knows no such addresses."""
    address = struct.pack("HHIII", AF_XDP, COPY, index, 0, 0)
    if ctypes.CDLL(None).bind(sock.fileno(), address, len(address)):
        sys.exit("cannot bind")


def main():
    frame = frames.build(sys.argv[2:])[0]
    memory = mmap.mmap(-1, SIZE * COUNT)
    memory[:len(frame)] = frame
    with socket.socket(AF_XDP, socket.SOCK_RAW) as sock:
        address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
        umem = struct.pack("QQIIII", address, SIZE * COUNT, SIZE, 0, 0, 0)
        sock.setsockopt(SOL_XDP, UMEM_REG, umem)
        for ring in FILL_RING, COMPLETION_RING, TX_RING:
            sock.setsockopt(SOL_XDP, ring, struct.pack("I", COUNT))
        room, producer, descriptors = ring_of(sock)
        bind(sock, socket.if_nametoindex(sys.argv[1]))
        struct.pack_into("QII", room, descriptors, 0, len(frame), 0)
        struct.pack_into("I", room, producer, 1)
        try:
            sock.send(b"", socket.MSG_DONTWAIT)
        except OSError as error:
            # So is a frame told that a program at the device drops: it has been sent.
            if error.errno != errno.EBUSY:
                raise


if __name__ == "__main__":
    main()
