#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Sends N queries of DNS to SERVER with octets changed, cut or added, the same ones at each run.
An answer may tell names of red's endpoints, their addresses, and the zone of a missing name. Exit
status 1 if it tells anything else, or cannot be read.
usage: dns_mutate.py SERVER N"""
import ipaddress
import random
import socket
import struct
import sys

NAMES = {"a", "b", "c"}
NETS = [ipaddress.ip_network("10.0.0.0/29"), ipaddress.ip_network("fd00:a::/125")]
A, SOA, PTR, AAAA, OPT = 1, 6, 12, 28, 41


def wire(name):
    return b"".join(bytes([len(label)]) + label.encode() for label in name.split(".")) + b"\0"


def query(name, kind, opt):
    head = struct.pack("!6H", random.randrange(65536), 0x0100, 1, 0, 0, int(opt))
    tail = b"\0" + struct.pack("!HHIH", OPT, 1232, 0, 0) if opt else b""
    return head + wire(name) + struct.pack("!HH", kind, 1) + tail


BASE = [
    ("b.red.tsw.internal", A),
    ("c", AAAA),
    ("3.0.0.10.in-addr.arpa", PTR),
    (".".join("3" + "0" * 26 + "a00df") + ".ip6.arpa", PTR),
    ("b.blue.tsw.internal", 255),
]


def mutated():
    octets = bytearray(query(*random.choice(BASE), random.random() < 0.5))
    for _ in range(random.choice((0, 1, 1, 2, 4))):
        at = random.randrange(len(octets))
        octets[at] = random.choice((0, 1, 63, 64, 192, 255, 46, random.randrange(256)))
    if random.random() < 0.1:
        del octets[random.randrange(len(octets)) :]
    if random.random() < 0.1:
        octets += random.randbytes(random.randrange(1200))
    return bytes(octets)


def skip(octets, at):
    while octets[at]:
        if octets[at] >= 0xC0:
            return at + 2
        at += 1 + octets[at]
    return at + 1


def text(octets, at):
    labels = []
    while octets[at]:
        if octets[at] >= 0xC0:
            at = struct.unpack_from("!H", octets, at)[0] & 0x3FFF
            continue
        labels.append(octets[at + 1 : at + 1 + octets[at]].decode())
        at += 1 + octets[at]
    return ".".join(labels)


def is_told_rightly(asked, octets):
    number, flags, questions, answers, authorities, more = struct.unpack_from("!6H", octets)
    at = 12
    if number != struct.unpack_from("!H", asked)[0] or not flags & 0x8000:
        return False
    for _ in range(questions):
        at = skip(octets, at) + 4
    if octets[12:at] != asked[12:at]:
        return False
    if authorities > (answers == 0):
        return False
    for _ in range(answers + authorities + more):
        zone = text(octets, at).lower()
        at = skip(octets, at)
        kind, _, _, size = struct.unpack_from("!HHIH", octets, at)
        at += 10
        data = octets[at : at + size]
        if kind in (A, AAAA) and not any(ipaddress.ip_address(data) in net for net in NETS):
            return False
        if kind == PTR and text(octets, at) not in {name + ".red.tsw.internal" for name in NAMES}:
            return False
        if kind == SOA and not zone.endswith(("red.tsw.internal", ".in-addr.arpa", ".ip6.arpa")):
            return False
        if kind not in (A, AAAA, PTR, OPT, SOA):
            return False
        at += size
    return at == len(octets)


def main():
    server, n = sys.argv[1], int(sys.argv[2])
    answered = told = 0
    random.seed(1)
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.connect((server, 53))
    for i in range(n):
        asked = mutated()
        s.send(asked)
        try:
            octets = s.recv(2048, socket.MSG_DONTWAIT)
        except BlockingIOError:
            continue
        answered += 1
        told += octets[6:8] != b"\0\0"
        if not is_told_rightly(asked, octets):
            print(f"query {i}, {asked.hex()}, is answered by {octets.hex()}")
            return 1
    print(f"{n} mutated queries, {answered} answered, {told} of them told something")
    return 0 if n > answered > n // 2 > told > n // 20 else 1


sys.exit(main())
