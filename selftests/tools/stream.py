#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Sends numbered datagrams at a steady rate until it is told to stop, and misses none.

    stream.py FROM TO ADDRESS [rate=N] [port=N] [wait=SECONDS] [window=N]

FROM and TO are namespaces. Each datagram has its number and as much content of its own, between
16 and 1400 octets. At most so many are under way (200): while nothing comes no more are sent, so an
outage that is to be counted needs a larger one. On SIGTERM it stops sending, waits for what is
under way, and tells how many came. Exit status 0 when every one did, once, and as it was sent; 3
when some did not come, and all else is well.
"""

import collections
import random
import select
import signal
import socket
import sys
import threading
import time

from xfer import SO_RCVBUFFORCE, open_socket

LONGEST, WAIT = 1400, 3
POOL = random.Random(1).randbytes(1 << 16)
TICK = 0.002
CATCH_UP = 64  # at once, where the machine was busy with other things: a veth's queue holds 256
WINDOW = 200  # under way at once: WireGuard's queue holds 1024, and drops the rest
STUCK = 1.0  # seconds in which nothing comes: what is under way is lost, or the way is long


def datagram(number):
    size = 16 + number * 37 % (LONGEST - 15)
    at = number * 101 % (len(POOL) - LONGEST)
    return number.to_bytes(8, "big") + POOL[at:at + size - 8]


class Receiver(threading.Thread):
    def __init__(self, sock, window):
        super().__init__(daemon=True)
        self.sock, self.window, self.last, self.over = sock, window, -1, False
        self.when = time.monotonic()  # the last one came
        self.count = collections.Counter()
        self.seen = set()

    def run(self):
        while not self.over or select.select([self.sock], [], [], 0)[0]:
            if not select.select([self.sock], [], [], 0.1)[0]:
                continue
            got = self.sock.recv(65536)
            number = int.from_bytes(got[:8], "big")
            self.count["twice"] += number in self.seen
            self.count["late"] += number < self.last
            self.count["changed"] += got != datagram(number)
            self.seen.add(number)
            self.last = max(self.last, number)
            self.when = time.monotonic()

    def room(self, number):
        """How many of those from NUMBER on may be sent."""
        stuck = time.monotonic() - self.when > STUCK
        return max(self.window - (number - 1 - self.last), int(stuck))


def send(out, rate, stop, receiver):
    """Until told to stop; how many, in how many seconds."""
    start, number = time.monotonic(), 0
    while not stop.is_set():
        now = time.monotonic()
        due = int((now - start) * rate) - number
        for _ in range(min(due, CATCH_UP, receiver.room(number))):
            out.send(datagram(number))
            number += 1
        time.sleep(TICK)
    return number, time.monotonic() - start


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    src, dst, address, *rest = sys.argv[1:]
    opts = dict(word.split("=", 1) for word in rest)
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())

    come = open_socket(dst, address, socket.SOCK_DGRAM, int(opts.get("port", 0)))
    come.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 25)
    out = open_socket(src, "::" if ":" in address else "0.0.0.0", socket.SOCK_DGRAM)
    out.connect(come.getsockname())
    receiver = Receiver(come, int(opts.get("window", WINDOW)))
    receiver.start()
    print("ready", flush=True)
    sent, took = send(out, int(opts.get("rate", 5000)), stop, receiver)
    end = time.monotonic() + float(opts.get("wait", WAIT))
    while len(receiver.seen) < sent and time.monotonic() < end:
        time.sleep(0.01)
    receiver.over = True
    receiver.join()
    lost = sent - len(receiver.seen)
    print(f"{sent} sent in {took:.1f} s, {sent / took:.0f}/s; {lost} lost, "
          + ", ".join(f"{receiver.count[word]} {word}" for word in ("twice", "changed", "late")))
    if receiver.count["twice"] or receiver.count["changed"] or not sent:
        sys.exit(1)
    sys.exit(3 if lost else 0)


if __name__ == "__main__":
    main()
