#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Sends random content from one namespace to another and compares: TCP by hash, UDP whole.

    xfer.py FROM TO tcp ADDRESS [bytes=N] [write=N] [pace=BITS]
    xfer.py FROM TO udp ADDRESS [count=N] [size=N]
    xfer.py FROM TO udpgso ADDRESS [count=N] [size=N] [batch=N]

FROM and TO are namespaces; one process holds the sockets of both, so it needs no other way
between them. `bytes` may be 64M or 1G; `write` is how much goes into one send(), `pace` how many
bits a second at most; udpgso hands the kernel `batch` datagrams at once (UDP_SEGMENT, as QUIC
does). Also: from=ADDRESS, port=N, sport=N, tos=N, seed=N, wait=SECONDS. Exit status 0 when what
came is what was sent, 77 when the kernel cannot send such a thing from such a device.
"""

import errno
import hashlib
import random
import select
import socket
import sys
import threading

from netns import inside

SO_RCVBUFFORCE = 33
SOL_UDP, UDP_SEGMENT = 17, 103
SO_MAX_PACING_RATE = 47
UNABLE = 77
BLOCK = 1 << 20  # what is random in a stream; each repetition bears its place
WINDOW = 64  # datagrams under way at a time: a veth's queue holds 256


class Mismatch(Exception):
    """What came is not what was sent."""


class Unable(Exception):
    """The kernel cannot send such a thing from such a device."""


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


class Tally:
    """What went by: how much, and its hash."""

    def __init__(self):
        self.octets, self.sha256 = 0, hashlib.sha256()

    def take(self, part):
        self.octets += len(part)
        self.sha256.update(part)

    def __str__(self):
        return f"{self.octets} octets, sha256 {self.sha256.hexdigest()}"


def stream(total, step, seed):
    """`total` random octets, cut for send(). One block is drawn; its number makes each another."""
    block = random.Random(seed).randbytes(max(BLOCK, step) - 8)
    for start in range(0, total, len(block) + 8):
        part = memoryview(start.to_bytes(8, "big") + block)[:total - start]
        for at in range(0, len(part), step):
            yield part[at:at + step]


def tcp(opts):
    total, step = size_of(opts.get("bytes", "2000000")), int(opts.get("write", 65536))
    sent, got, failed = Tally(), Tally(), []

    def push(sock):
        try:
            for part in stream(total, step, opts["seed"]):
                sock.sendall(part)
                sent.take(part)
            sock.shutdown(socket.SHUT_WR)
        except OSError as error:
            failed.append(error)

    with open_socket(opts["dst"], opts["to"], socket.SOCK_STREAM, int(opts.get("port", 0))) as door:
        door.listen()
        door.settimeout(opts["wait"])
        with sender(opts, socket.SOCK_STREAM) as out:
            out.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if "pace" in opts:
                out.setsockopt(socket.SOL_SOCKET, SO_MAX_PACING_RATE, int(opts["pace"]) // 8)
            out.connect(door.getsockname())
            come, _ = door.accept()
            thread = threading.Thread(target=push, args=(out,))
            thread.start()
            try:
                drain(come, got, opts["wait"])
            finally:
                thread.join(opts["wait"])
                come.close()
    if failed:
        raise Mismatch(f"sending stopped: {failed[0]}")
    if str(got) != str(sent) or sent.octets != total:
        raise Mismatch(f"{total} octets to send; sent {sent}; came {got}")
    return f"{got}"


def drain(sock, got, wait):
    sock.settimeout(wait)
    try:
        while part := sock.recv(1 << 18):
            got.take(part)
    except TimeoutError:
        pass  # the comparison tells what is missing


def size_of(text):
    """67108864, 64M, 1G"""
    text = str(text)
    unit = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}.get(text[-1:].upper())
    return int(text[:-1]) * unit if unit else int(text)


def collect(sock, got, until, wait):
    """Read datagrams until there are as many, or none came for a while."""
    while len(got) < until and select.select([sock], [], [], wait)[0]:
        got.append(sock.recv(65536))


def udp(opts, batched=False):
    count, size = int(opts.get("count", 200)), int(opts.get("size", 1200))
    step = int(opts.get("batch", 50)) if batched else 1
    rng = random.Random(opts["seed"])
    number = slice(4 - min(size, 4), 4)
    sent = [i.to_bytes(4, "big")[number] + rng.randbytes(max(size - 4, 0)) for i in range(count)]
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
    try:
        return udp(opts, batched=kind == "udpgso")
    except OSError as error:
        # So Linux before 6.11 refuses UDP_SEGMENT where the device computes no checksums.
        if kind == "udpgso" and error.errno == errno.EIO:
            raise Unable("this kernel sends no UDP_SEGMENT from a device without checksum offload") \
                from error
        raise


def main():
    if len(sys.argv) < 5 or sys.argv[3] not in ("tcp", "udp", "udpgso"):
        sys.exit(__doc__)
    src, dst, kind, to, *rest = sys.argv[1:]
    try:
        print(transfer(src, dst, kind, to, **dict(word.split("=", 1) for word in rest)))
    except (OSError, Mismatch) as error:
        sys.exit(f"{kind} to {to}: {error}")
    except Unable as error:
        print(error)
        sys.exit(UNABLE)


if __name__ == "__main__":
    main()
