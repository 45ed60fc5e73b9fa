#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tells a host's agent of flows, as docs/wire.md has it, whether they are true or not.

    flows.py FROM TO [KEY=VALUE...]   one report; TO's agent is told from FROM, port 974
    flows.py FROM TO garbage N        N datagrams of octets at random, in part from a true one

Keys: tenant, src, dst, nat, sport, dport, nport, proto, state, expiry, flags, port (that it is sent
from), cut (octets that are left), priority (of the socket, as the agent's).
"""

import ipaddress
import random
import socket
import struct
import sys

words = {"tenant": "100", "src": "10.0.0.3", "dst": "203.0.113.9", "nat": "203.0.113.77",
         "sport": "5555", "dport": "5555", "nport": "30000", "proto": "6", "state": "3",
         "expiry": "1000", "flags": "0", "port": "974", "cut": "0", "priority": "0"}


def number(key):
    return int(words[key])


def datagram():
    addrs = [ipaddress.ip_address(words[key]).packed for key in ("src", "dst", "nat")]
    head = struct.pack("!4sBBH", b"tswf", 1, 0, 1)
    report = struct.pack("!BBBBIIHHHH", number("flags"), number("proto"), number("state"), 0,
                         number("tenant"), number("expiry"), number("sport"), number("dport"),
                         number("nport"), 0)
    whole = head + report + b"".join(addrs)
    return whole[:number("cut")] if number("cut") else whole


def garbage(true):
    octets = bytearray(true * random.randrange(3) + random.randbytes(random.randrange(1232)))
    for _ in range(random.randrange(8)):
        if octets:
            octets[random.randrange(len(octets))] = random.randrange(256)
    return bytes(octets[:random.randrange(1300)])


sender, to = sys.argv[1:3]
words.update(word.split("=") for word in sys.argv[3:] if "=" in word)
family = socket.AF_INET6 if ":" in to else socket.AF_INET
with socket.socket(family, socket.SOCK_DGRAM) as sock:
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_PRIORITY, struct.pack("I", number("priority")))
    sock.bind((sender, number("port")))
    if "garbage" in sys.argv:
        random.seed(7)
        for _ in range(int(sys.argv[-1])):
            sock.sendto(garbage(datagram()), (to, 974))
    else:
        sock.sendto(datagram(), (to, 974))
