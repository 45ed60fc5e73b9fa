#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Sends and receives frames by an AF_XDP socket, which tells the kernel nothing but their octets.

    xsk.py DEV LAYER [KEY=VALUE]... [/ LAYER ...]...    sends one; the layers are those of frames.py
    xsk.py -r MAP [-e] DEV FILE                         receives, until it is ended

With -r the socket is the first entry of the XSKMAP with the number MAP. Each frame is written to
FILE as tcpdump reads it. With -e UDP over IPv4 to port 7 is sent back as well.
"""

import argparse
import ctypes
import errno
import mmap
import select
import socket
import struct
import sys
import time

import frames

AF_XDP, SOL_XDP, COPY = 44, 283, 2
MMAP_OFFSETS, RX_RING, TX_RING, UMEM_REG, FILL_RING, COMPLETION_RING = range(1, 7)
SIZE, COUNT = 4096, 256
PAGES = {RX_RING: 0, TX_RING: 1 << 31, FILL_RING: 1 << 32, COMPLETION_RING: 3 << 31}
PLACES = {RX_RING: 0, TX_RING: 4, FILL_RING: 8, COMPLETION_RING: 12}  # in struct xdp_mmap_offsets
ENTRY = {RX_RING: "QII", TX_RING: "QII", FILL_RING: "Q", COMPLETION_RING: "Q"}
PCAP_HEAD = struct.pack("IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
ECHO = b"\x00\x07"
MINE = (COUNT - 1) * SIZE  # the place of frames to send


class Ring:
    """One of the four rings that a socket shares with the kernel."""

    def __init__(self, sock, which):
        sock.setsockopt(SOL_XDP, which, struct.pack("I", COUNT))
        offsets = struct.unpack("16Q", sock.getsockopt(SOL_XDP, MMAP_OFFSETS, 128))
        self.producer, self.consumer, self.entries, _ = offsets[PLACES[which]:][:4]
        self.entry = ENTRY[which]
        self.size = struct.calcsize(self.entry)
        self.room = mmap.mmap(sock.fileno(), self.entries + COUNT * self.size, offset=PAGES[which])

    def at(self, offset):
        return struct.unpack_from("I", self.room, offset)[0]

    def put(self, *entry):
        at = self.at(self.producer)
        struct.pack_into(self.entry, self.room, self.entries + at % COUNT * self.size, *entry)
        struct.pack_into("I", self.room, self.producer, (at + 1) % (1 << 32))

    def take(self):
        """All that the kernel has put there."""
        at, end = self.at(self.consumer), self.at(self.producer)
        while at != end:
            yield struct.unpack_from(self.entry, self.room, self.entries + at % COUNT * self.size)
            at = (at + 1) % (1 << 32)
            struct.pack_into("I", self.room, self.consumer, at)


class Xsk:
    def __init__(self, device):
        self.memory = mmap.mmap(-1, SIZE * COUNT)
        self.sock = socket.socket(AF_XDP, socket.SOCK_RAW)
        address = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))
        umem = struct.pack("QQIIII", address, SIZE * COUNT, SIZE, 0, 0, 0)
        self.sock.setsockopt(SOL_XDP, UMEM_REG, umem)
        self.fill, self.completion, self.tx, self.rx = (
            Ring(self.sock, ring) for ring in (FILL_RING, COMPLETION_RING, TX_RING, RX_RING))
        # Python's own bind() knows no such addresses.
        address = struct.pack("HHIII", AF_XDP, COPY, socket.if_nametoindex(device), 0, 0)
        if ctypes.CDLL(None).bind(self.sock.fileno(), address, len(address)):
            sys.exit("cannot bind")

    def send(self, frame):
        self.memory[MINE:MINE + len(frame)] = frame
        self.tx.put(MINE, len(frame), 0)
        try:
            self.sock.send(b"", socket.MSG_DONTWAIT)
        except OSError as error:
            # So is a frame told that a program at the device drops: it has been sent.
            if error.errno != errno.EBUSY:
                raise
        for _ in self.completion.take():
            pass

    def receive(self, number):
        """Becomes the first entry of that map, and yields what comes."""
        libbpf = ctypes.CDLL("libbpf.so.1")
        entry = ctypes.c_int(self.sock.fileno())
        for i in range(COUNT - 1):
            self.fill.put(i * SIZE)
        if libbpf.bpf_map_update_elem(libbpf.bpf_map_get_fd_by_id(number),
                                      ctypes.byref(ctypes.c_int(0)), ctypes.byref(entry),
                                      ctypes.c_uint64(0)):
            sys.exit("cannot enter the map")
        print("ready", flush=True)
        ready = select.poll()
        ready.register(self.sock, select.POLLIN)
        while True:
            ready.poll()
            for at, length, _ in self.rx.take():
                yield self.memory[at:at + length]
                self.fill.put(at // SIZE * SIZE)


def answer(frame):
    """The same frame on its way back; its checksums stay right. None: it is not for port 7."""
    if frame[12:15] != b"\x08\x00\x45" or frame[23] != socket.IPPROTO_UDP or frame[36:38] != ECHO:
        return None
    return (frame[6:12] + frame[:6] + frame[12:26] + frame[30:34] + frame[26:30] +
            frame[36:38] + frame[34:36] + frame[38:])


def record(xsk, number, path, echo):
    with open(path, "wb", buffering=0) as file:
        file.write(PCAP_HEAD)
        for frame in xsk.receive(number):
            second, micro = divmod(time.time_ns() // 1000, 1000000)
            file.write(struct.pack("IIII", second, micro, len(frame), len(frame)) + frame)
            back = answer(frame) if echo else None
            if back:
                xsk.send(back)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-r", dest="number", metavar="MAP", type=int)
    parser.add_argument("-e", dest="echo", action="store_true")
    parser.add_argument("device")
    parser.add_argument("words", nargs="+", metavar="FILE|LAYER")
    args = parser.parse_args()
    xsk = Xsk(args.device)
    if args.number:
        record(xsk, args.number, args.words[0], args.echo)
    else:
        xsk.send(frames.build(args.words)[0])


if __name__ == "__main__":
    main()
