#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Sends as fast as it gets through, or is told to, and tells how fast it came: bits a second, as
Ethernet frames.

    rate.py FROM TO tcp ADDRESS [seconds=N] [flows=N] [cc=NAME]
    rate.py FROM TO udp ADDRESS [seconds=N] [offer=BITS]

FROM and TO are namespaces. TCP's headers are counted as those of full segments, when they are read;
datagrams when they came, by the kernel's clock: a reader that waits for a processor finds those of
before. `skip=N`: the first N seconds are not counted.
"""

import socket
import struct
import sys
import threading
import time

from xfer import SO_RCVBUFFORCE, open_socket

SIZE = 1300  # of a datagram
UDP_HEADERS, TCP_HEADERS = 14 + 20 + 8, 14 + 20 + 32
TICK = 0.002
CATCH_UP = 64  # at once, where the machine was busy with other things
SO_TIMESTAMPNS = 35
TIMESPEC = struct.Struct("qq")


class Count:
    """Octets on the wire, from one moment to another."""

    def __init__(self, begin, end):
        self.begin, self.end, self.octets = begin, end, 0
        self.lock = threading.Lock()

    def take(self, octets, came):
        if self.begin <= came < self.end:
            with self.lock:
                self.octets += octets

    def bits(self):
        return int(8 * self.octets / (self.end - self.begin))


def receive_datagrams(sock, count):
    """Until the end of time, and what has come until then."""
    sock.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
    sock.settimeout(0.2)
    behind = time.time() - time.monotonic()
    came = 0
    while came < count.end:
        try:
            block, told, _, _ = sock.recvmsg(SIZE, socket.CMSG_SPACE(TIMESPEC.size))
        except socket.timeout:
            came = time.monotonic()
            continue
        seconds, ns = TIMESPEC.unpack(told[0][2])
        came = seconds + ns / 1e9 - behind
        count.take(len(block) + UDP_HEADERS, came)


def receive(sock, count, headers, mss):
    """Until the end of time."""
    sock.settimeout(0.2)
    room = bytearray(1 << 20)
    while time.monotonic() < count.end:
        try:
            got = sock.recv_into(room)
        except socket.timeout:
            continue
        if not got:
            return
        count.take(got + headers * got / mss, time.monotonic())


def push(sock, end):
    block = bytes(1 << 17)
    sock.settimeout(0.2)
    while time.monotonic() < end:
        try:
            sock.send(block)
        except socket.timeout:
            pass


def tcp(src, dst, address, opts, count):
    threads, socks = [], []
    door = open_socket(dst, address, socket.SOCK_STREAM)
    door.listen()
    for _ in range(int(opts.get("flows", 1))):
        out = open_socket(src, "::" if ":" in address else "0.0.0.0", socket.SOCK_STREAM)
        if "cc" in opts:
            out.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, opts["cc"].encode())
        out.connect(door.getsockname())
        come, _ = door.accept()
        mss = out.getsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG)
        threads += [threading.Thread(target=receive, args=(come, count, TCP_HEADERS, mss)),
                    threading.Thread(target=push, args=(out, count.end))]
        socks += [come, out]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def udp(src, dst, address, opts, count):
    come = open_socket(dst, address, socket.SOCK_DGRAM)
    come.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 25)
    out = open_socket(src, "::" if ":" in address else "0.0.0.0", socket.SOCK_DGRAM)
    out.connect(come.getsockname())
    receiver = threading.Thread(target=receive_datagrams, args=(come, count))
    receiver.start()
    each = int(opts.get("offer", 100000000)) / 8 / (SIZE + UDP_HEADERS)  # datagrams a second
    start, sent, block = time.monotonic(), 0, bytes(SIZE)
    while time.monotonic() < count.end:
        due = min(int((time.monotonic() - start) * each) - sent, CATCH_UP)
        for _ in range(due):
            out.send(block)
        sent += due
        time.sleep(TICK)
    receiver.join()


def main():
    if len(sys.argv) < 5 or sys.argv[3] not in ("tcp", "udp"):
        sys.exit(__doc__)
    src, dst, kind, address, *rest = sys.argv[1:]
    opts = dict(word.split("=", 1) for word in rest)
    begin = time.monotonic() + float(opts.get("skip", 0))
    count = Count(begin, begin + float(opts.get("seconds", 5)))
    {"tcp": tcp, "udp": udp}[kind](src, dst, address, opts, count)
    print(count.bits())


if __name__ == "__main__":
    main()
