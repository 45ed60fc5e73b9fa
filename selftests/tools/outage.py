#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""How long a flow of datagrams is interrupted.

    outage.py echo PORT                 sends back whatever comes
    outage.py ask ADDRESS PORT MS       a numbered datagram each MS milliseconds

`ask` prints a line of JSON when it begins and at each SIGUSR1, about the time since the last
line. It tells how many were sent, how many came back, and the longest time in milliseconds in
which none came. `twice` counts those that came more than once.
"""

import json
import selectors
import signal
import socket
import struct
import sys
import time


def echo(port):
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.bind(("", port))
    while True:
        data, who = sock.recvfrom(64)
        sock.sendto(data, who)


class Asker:
    def __init__(self, to):
        self.sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.sock.setblocking(False)
        self.to, self.number, self.had = to, 0, set()
        self.asked = False
        self.begin()

    def begin(self):
        self.sent = self.back = self.twice = 0
        self.gap, self.last = 0.0, time.monotonic()

    def note_gap(self):
        now = time.monotonic()
        self.gap, self.last = max(self.gap, now - self.last), now

    def hear(self):
        while True:
            try:
                data = self.sock.recv(64)
            except BlockingIOError:
                return
            except OSError:
                continue  # an ICMP error of a way that is no more
            number = struct.unpack("!I", data)[0]
            self.twice += number in self.had
            self.had.add(number)
            self.back += 1
            self.note_gap()

    def send(self):
        self.number += 1
        self.sent += 1
        try:
            self.sock.sendto(struct.pack("!I", self.number), self.to)
        except OSError:
            pass  # it is lost

    def tell(self):
        self.asked = False
        gap = max(self.gap, time.monotonic() - self.last)
        print(json.dumps({"sent": self.sent, "back": self.back, "twice": self.twice,
                          "gap": round(gap * 1000)}), flush=True)
        self.begin()


def ask(address, port, step):
    asker = Asker((address, port))
    waits = selectors.DefaultSelector()
    waits.register(asker.sock, selectors.EVENT_READ)

    def on_signal(*_):
        asker.asked = True

    signal.signal(signal.SIGUSR1, on_signal)
    asker.tell()
    due = time.monotonic()
    while True:
        waits.select(max(0, due - time.monotonic()))
        asker.hear()
        if asker.asked:
            asker.tell()
        if time.monotonic() >= due:
            asker.send()
            due = max(due + step, time.monotonic())


if sys.argv[1] == "echo":
    echo(int(sys.argv[2]))
ask(sys.argv[2], int(sys.argv[3]), float(sys.argv[4]) / 1000)
