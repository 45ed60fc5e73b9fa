#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""A flow's entry is lost while the flow is leased, and its ports become another's at once.

    lost.py CONTAINER OUT HOST ROUTER ADDRESS

A container's connection to ADDRESS goes the fast way. Conntrack of ROUTER, in which HOST's gateways
are, forgets all entries. The far end resets its side, unseen by anybody. Then it connects from the
same port to the port that the container had, where a server of the host's own waits. Prints what
that server got, and how many frames from there the container still had.
"""

import socket
import struct
import sys
import time

from netns import inside

PORT, ROUNDS, PART = 4001, 500, b"a question of the container's".ljust(64)
ETH_ALL, WAIT, OFTEN = 3, 3, 0.004
NETFILTER, FLUSH = 12, 1 << 8 | 2  # IPCTNL_MSG_CT_DELETE of NFNL_SUBSYS_CTNETLINK
REQUEST_ACK = 5


def exactly(sock, size):
    got = b""
    while len(got) < size:
        part = sock.recv(size - len(got))
        if not part:
            break
        got += part
    return got


def in_host(host, make):
    with inside(host):
        return make()


def listener(address, port):
    sock = socket.create_server((address, port))
    sock.settimeout(WAIT)
    return sock


def forget_all():
    sock = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETFILTER)
    sock.bind((0, 0))
    sock.send(struct.pack("=IHHIIBBH", 20, FLUSH, REQUEST_ACK, 1, 0, socket.AF_UNSPEC, 0, 0))
    error = struct.unpack_from("=i", sock.recv(4096), 16)[0]
    if error:
        sys.exit(f"conntrack is not emptied: {error}")


def watch():
    sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_ALL))
    sock.bind(("eth0", ETH_ALL))
    sock.setblocking(False)
    return sock


def strays(sock):
    """Frames that come from that port."""
    n = 0
    while True:
        try:
            frame = sock.recv(2048)
        except BlockingIOError:
            return n
        n += frame[12:14] == b"\x08\0" and frame[34:36] == PORT.to_bytes(2, "big")


def main(container, out, host, router, address):
    first = in_host(out, lambda: listener("0.0.0.0", PORT))
    mine = in_host(container, lambda: socket.create_connection((address, PORT), WAIT))
    theirs, (outside, port) = first.accept()
    for sock in mine, theirs:
        sock.settimeout(WAIT)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    server = in_host(host, lambda: listener(outside, port))
    seen = in_host(container, watch)
    for _ in range(ROUNDS):
        mine.sendall(PART)
        theirs.sendall(exactly(theirs, len(PART)))
        exactly(mine, len(PART))
        time.sleep(OFTEN)
    theirs.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    in_host(router, forget_all)
    first.close()
    theirs.close()
    strays(seen)
    again = in_host(out, lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM))
    again.settimeout(WAIT)
    again.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    again.bind(("0.0.0.0", PORT))
    again.connect((outside, port))
    ours, _ = server.accept()
    ours.settimeout(WAIT)
    for _ in range(20):
        again.sendall(PART)
    print(f"served {len(exactly(ours, 20 * len(PART)))} strays {strays(seen)}")


main(*sys.argv[1:6])
