#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Who answers ARP for an address, and for how long two do.

    whose.py ask DEV ADDRESS MAC=NAME...    asks each 50 ms
    whose.py claim DEV ADDRESS MAC SECONDS  announces it ten times a second as MAC's own

`ask` prints a line of JSON when it begins and at each SIGUSR1, about the questions since the line
before. `last` are the names that answered the last question whose answers are in. `two` is the
longest time in milliseconds in which several answered each question, `none` the longest time in
which nobody answered.
"""

import json
import signal
import socket
import struct
import sys
import time

EVERY, BROADCAST, ARP = 0.05, b"\xff" * 6, 0x0806


def mac_of(text):
    return bytes(int(octet, 16) for octet in text.split(":"))


def frame(source, op, sender, target):
    return (BROADCAST + source + struct.pack("!H", ARP) + struct.pack("!HHBBH", 1, 0x0800, 6, 4, op)
            + source + sender + bytes(6) + target)


class Asker:
    def __init__(self, dev, address, names):
        self.sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ARP))
        self.sock.bind((dev, ARP))
        self.source, self.names = self.sock.getsockname()[4], names
        self.address, self.asked, self.slots = socket.inet_aton(address), False, []

    def hear(self, until):
        heard = set()
        while (left := until - time.monotonic()) > 0:
            self.sock.settimeout(left)
            try:
                data = self.sock.recv(64)
            except TimeoutError:
                break
            if data[20:22] == b"\0\2" and data[28:32] == self.address:
                heard.add(self.names.get(data[22:28], "stranger"))
        return heard

    def longest(self, wanted):
        best = now = 0
        for heard in self.slots:
            now = now + 1 if wanted(len(heard)) else 0
            best = max(best, now)
        return round(best * EVERY * 1000)

    def tell(self):
        print(json.dumps({"last": sorted(self.slots[-1]) if self.slots else [],
                          "two": self.longest(lambda n: n > 1),
                          "none": self.longest(lambda n: not n)}), flush=True)
        self.asked, self.slots = False, []

    def run(self):
        def on_signal(*_):
            self.asked = True

        signal.signal(signal.SIGUSR1, on_signal)
        self.tell()
        while True:
            self.sock.send(frame(self.source, 1, bytes(4), self.address))
            self.slots.append(self.hear(time.monotonic() + EVERY))
            if self.asked:
                self.tell()


def claim(dev, address, mac, seconds):
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as sock:
        sock.bind((dev, 0))
        address = socket.inet_aton(address)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            sock.send(frame(mac_of(mac), 1, address, address))
            time.sleep(0.1)


if sys.argv[1] == "claim":
    claim(sys.argv[2], sys.argv[3], sys.argv[4], float(sys.argv[5]))
else:
    pairs = (word.split("=") for word in sys.argv[4:])
    Asker(sys.argv[2], sys.argv[3], {mac_of(mac): name for mac, name in pairs}).run()
