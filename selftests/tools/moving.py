#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Numbered datagrams to an address that moves from one namespace to another.

    moving.py FROM,... ADDRESS,... TO,... [also=FROM,ADDRESS,...]

From each namespace FROM, 500 a second, to port 5000 of each ADDRESS. Each namespace TO takes
them at any address and port 5000, and answers. Prints `ready`; on SIGUSR1 `FROM ADDRESS at TO`
for each. On SIGTERM it ends, with a line for each, where `gap` is the most that were lost in a
row, of datagrams and of answers, and the changes follow with what each of them lost:
    FROM ADDRESS sent N got N gap N answered N gap N; TO lost N -> TO; ...
"""

import signal
import socket
import struct
import sys
import time

from netns import inside

PORT = 5000
HEAD = struct.Struct("!II")  # index of the address, number


def family(address):
    return socket.AF_INET6 if ":" in address else socket.AF_INET


def in_ns(ns, make):
    with inside(ns):
        return make()


def receiver():
    sock = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
    sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
    sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_RECVPKTINFO, 1)
    sock.bind(("::", PORT))
    sock.setblocking(False)
    return sock


class Flow:
    def __init__(self, ns, address, index):
        self.name, self.index, self.to = f"{ns} {address}", index, (address, PORT)
        self.sock = in_ns(ns, lambda: socket.socket(family(address), socket.SOCK_DGRAM))
        self.sock.setblocking(False)
        self.sent, self.answered, self.got, self.gap = 0, 0, 0, 0
        self.heard, self.unheard = -1, 0
        self.last, self.at, self.changes = -1, None, []

    def send(self):
        try:
            self.sock.sendto(HEAD.pack(self.index, self.sent), self.to)
        except OSError:
            pass  # an error that came back: the number is lost
        self.sent += 1

    def take_answers(self):
        while True:
            try:
                number = HEAD.unpack(self.sock.recv(64)[:HEAD.size])[1]
                self.answered += 1
                if number > self.heard:
                    self.unheard = max(self.unheard, number - self.heard - 1)
                    self.heard = number
            except BlockingIOError:
                return
            except OSError:
                pass

    def arrived(self, number, name):
        lost = number - self.last - 1
        if self.last >= 0:
            self.gap = max(self.gap, lost)
        if self.at is not None and self.at != name:
            self.changes.append(f"{self.at} lost {max(lost, 0)} -> {name}")
        self.got += 1
        self.last, self.at = max(number, self.last), name

    def line(self):
        text = f"{self.name} sent {self.sent} got {self.got} gap {self.gap}"
        text += f" answered {self.answered} gap {self.unheard}"
        return "; ".join([text] + self.changes)


def main():
    clients, addresses, names = (sys.argv[i].split(",") for i in (1, 2, 3))
    also, rate, stop = [], 500.0, []
    for word in sys.argv[4:]:
        if word.startswith("also="):
            ns, *theirs = word[5:].split(",")
            also += [(ns, address) for address in theirs]
    ways = [(ns, address) for ns in clients for address in addresses] + also
    flows = [Flow(*way, i) for i, way in enumerate(ways)]
    socks = {name: in_ns(name, receiver) for name in names}
    signal.signal(signal.SIGTERM, lambda *_: stop.append(1))
    signal.signal(signal.SIGUSR1, lambda *_: print(
        "\n".join(f"{f.name} at {f.at}" for f in flows), flush=True))
    print("ready", flush=True)
    begin, n = time.monotonic(), 0
    while not stop:
        for flow in flows:
            flow.send()
        n += 1
        # Late ones are not made up for: a number is a slice of time, and no burst is lost at once.
        begin = max(begin, time.monotonic() - n / rate - 0.004)
        time.sleep(max(0, begin + n / rate - time.monotonic()))
        for name, sock in socks.items():
            while True:
                try:
                    data, where, _, peer = sock.recvmsg(64, 64)
                except BlockingIOError:
                    break
                index, number = HEAD.unpack(data[:HEAD.size])
                flows[index].arrived(number, name)
                # From the address that it came to, by whatever device leads back.
                where = [(level, kind, info[:16] + bytes(4)) for level, kind, info in where]
                try:
                    sock.sendmsg([data], where, 0, peer)
                except OSError:
                    pass
        for flow in flows:
            flow.take_answers()
    for flow in flows:
        print(flow.line(), flush=True)


main()
