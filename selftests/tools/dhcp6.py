#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""A client of DHCPv6 that says what it is told (RFC 8415).

    dhcp6.py NETNS DEV [--to IP] [--pad N] MESSAGE...

It sends each MESSAGE in turn, as renew, and prints a line for each answer:

    MESSAGE ANSWER ADDRESS of SENDER status N

Of an answer that lacks the address or the status, that part is missing. Without an answer it is
`MESSAGE nothing`, after two seconds. --pad: a vendor's option of N octets in each message.
"""

import argparse
import fcntl
import os
import socket
import struct
import time

from netns import enter

TYPES = ["", "solicit", "advertise", "request", "confirm", "renew", "rebind", "reply", "release"]
TYPES += ["decline", "reconfigure", "information"]
CLIENT, SERVER, IA_NA, ADDRESS, STATUS, VENDOR = 1, 2, 3, 5, 13, 17
NAMES_SERVER = ("request", "renew", "release", "decline")
WAIT = 2  # seconds
SIOCGIFHWADDR = 0x8927


def option(code, value):
    return struct.pack("!HH", code, len(value)) + value


def options(data):
    found = {}
    while len(data) >= 4:
        code, size = struct.unpack_from("!HH", data)
        found[code] = data[4 : 4 + size]
        data = data[4 + size :]
    return found


class Client:
    def __init__(self, dev, pad):
        name = struct.pack("40s", dev.encode())
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
            self.mac = fcntl.ioctl(asked, SIOCGIFHWADDR, name)[18:24]
        self.server = self.address = None
        self.pad = pad
        self.socket = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(("::", 546))
        self.index = socket.if_nametoindex(dev)

    def message(self, name, transaction):
        held = option(ADDRESS, self.address + bytes(8)) if self.address else b""
        data = bytes([TYPES.index(name)]) + transaction
        data += option(CLIENT, struct.pack("!HH", 3, 1) + self.mac)
        if name in NAMES_SERVER and self.server:
            data += option(SERVER, self.server)
        if name != "information":
            data += option(IA_NA, bytes([0, 0, 0, 7]) + bytes(8) + held)
        return data + (option(VENDOR, bytes(self.pad)) if self.pad else b"")

    def ask(self, name, to):
        transaction = os.urandom(3)
        self.socket.sendto(self.message(name, transaction), (to, 547, 0, self.index))
        end = time.monotonic() + WAIT
        while (left := end - time.monotonic()) > 0:
            self.socket.settimeout(left)
            try:
                data, sender = self.socket.recvfrom(4096)
            except TimeoutError:
                break
            if data[1:4] == transaction:
                return self.read(name, data, sender[0].split("%")[0])
        return f"{name} nothing"

    def read(self, name, data, sender):
        told = options(data[4:])
        within = options(told.get(IA_NA, bytes(12))[12:])
        self.server = told.get(SERVER, self.server)
        said = [name, TYPES[data[0]]]
        if ADDRESS in within:
            self.address = within[ADDRESS][:16]
            said.append(socket.inet_ntop(socket.AF_INET6, self.address))
        said += ["of", sender]
        for status in (told.get(STATUS), within.get(STATUS)):
            if status:
                said += ["status", str(struct.unpack_from("!H", status)[0])]
        return " ".join(said)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("netns")
    parser.add_argument("dev")
    parser.add_argument("--to", default="ff02::1:2")
    parser.add_argument("--pad", type=int, default=0)
    parser.add_argument("messages", nargs="+", choices=TYPES[1:])
    asked = parser.parse_args()
    enter(asked.netns)
    client = Client(asked.dev, asked.pad)
    for name in asked.messages:
        print(client.ask(name, asked.to), flush=True)


main()
