#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Sends random content from one namespace to another and compares every octet.

    xfer.py FROM TO tcp ADDRESS [bytes=N] [write=N]
    xfer.py FROM TO udp ADDRESS [count=N] [size=N]
    xfer.py FROM TO udpgso ADDRESS [count=N] [size=N] [batch=N]

FROM and TO are namespaces; one process holds the sockets of both, so it needs no other way
between them. `write` is how much goes into one send(); udpgso hands the kernel `batch`
datagrams at once (UDP_SEGMENT, as QUIC does). Also: from=ADDRESS, port=N, sport=N, tos=N,
seed=N, wait=SECONDS. Exit status 0 when what came is what was sent.
"""

import hashlib
import random
import select
import socket
import sys
import threading

from netns import inside

SO_RCVBUFFORCE = 33
SOL_UDP, UDP_SEGMENT = 17, 103
WINDOW = 64  # datagrams under way at a time: a veth's queue holds 256


class Mismatch(Exception):
    """What came is not what was sent."""


def family(address):
    return socket.AF_INET6 if ":" in address else socket.AF_INET


def open_socket(netns, address, kind, port=0, tos=0):
    """A socket bound in a namespace."""
    with inside(netns):
        sock = socket.socket(family(address), kind)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if tos and family(address) == socket.AF_INET:
        sock.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, tos)
    elif tos:
        sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_TCLASS, tos)
    sock.bind((address, port))
    return sock


def sender(opts, kind):
    origin = opts.get("from", "::" if ":" in opts["to"] else "0.0.0.0")
    sock = open_socket(opts["src"], origin, kind, int(opts.get("sport", 0)),
                       int(opts.get("tos", "0"), 0))
    sock.settimeout(opts["wait"])
    return sock


def tcp(opts):
    content = random.Random(opts["seed"]).randbytes(int(opts.get("bytes", 2000000)))
    step = int(opts.get("write", 65536))
    failed = []

    def push(sock):
        try:
            for at in range(0, len(content), step):
                sock.sendall(content[at:at + step])
            sock.shutdown(socket.SHUT_WR)
        except OSError as error:
            failed.append(error)

    with open_socket(opts["dst"], opts["to"], socket.SOCK_STREAM, int(opts.get("port", 0))) as door:
        door.listen()
        door.settimeout(opts["wait"])
        with sender(opts, socket.SOCK_STREAM) as out:
            out.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            out.connect(door.getsockname())
            come, _ = door.accept()
            thread = threading.Thread(target=push, args=(out,))
            thread.start()
            try:
                got = drain(come, opts["wait"])
            finally:
                thread.join(opts["wait"])
                come.close()
    if failed:
        raise Mismatch(f"sending stopped: {failed[0]}")
    if got != content:
        raise Mismatch(f"{len(content)} octets sent, {len(got)} came, "
                       f"sha256 {digest(content)} -> {digest(got)}")
    return f"{len(content)} octets, sha256 {digest(content)}"


def drain(sock, wait):
    parts = []
    sock.settimeout(wait)
    try:
        while part := sock.recv(1 << 18):
            parts.append(part)
    except TimeoutError:
        pass  # the comparison tells what is missing
    return b"".join(parts)


def digest(content):
    return hashlib.sha256(content).hexdigest()[:16]


def collect(sock, got, until, wait):
    """Read datagrams until there are as many, or none came for a while."""
    while len(got) < until and select.select([sock], [], [], wait)[0]:
        got.append(sock.recv(65536))


def udp(opts, batched=False):
    count, size = int(opts.get("count", 200)), int(opts.get("size", 1200))
    step = int(opts.get("batch", 50)) if batched else 1
    rng = random.Random(opts["seed"])
    sent = [i.to_bytes(4, "big")[-size:] + rng.randbytes(max(size - 4, 0)) for i in range(count)]
    got, given = [], 0
    with open_socket(opts["dst"], opts["to"], socket.SOCK_DGRAM, int(opts.get("port", 0))) as come:
        come.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 24)
        with sender(opts, socket.SOCK_DGRAM) as out:
            if batched:
                out.setsockopt(SOL_UDP, UDP_SEGMENT, size)
            out.connect(come.getsockname())
            while given < count:
                out.send(b"".join(sent[given:given + step]))
                given = min(given + step, count)
                if given % WINDOW < step:
                    collect(come, got, given, opts["wait"])
            collect(come, got, count, opts["wait"])
            collect(come, got, count + 1, 0)  # one too many shows here
    if sorted(got) != sorted(sent):
        whole = len(set(sent) & set(got))
        raise Mismatch(f"{count} datagrams sent, {len(got)} came, {whole} of them whole")
    return f"{count} datagrams of {size}"


def transfer(src, dst, kind, to, **opts):
    """One transfer; gives a line that tells what went, raises where that did not arrive."""
    opts = {**opts, "src": src, "dst": dst, "to": to, "seed": int(opts.get("seed", 1)),
            "wait": float(opts.get("wait", 3))}
    if kind == "tcp":
        return tcp(opts)
    return udp(opts, batched=kind == "udpgso")


def main():
    if len(sys.argv) < 5 or sys.argv[3] not in ("tcp", "udp", "udpgso"):
        sys.exit(__doc__)
    src, dst, kind, to, *rest = sys.argv[1:]
    try:
        print(transfer(src, dst, kind, to, **dict(word.split("=", 1) for word in rest)))
    except (OSError, Mismatch) as error:
        sys.exit(f"{kind} to {to}: {error}")


if __name__ == "__main__":
    main()
