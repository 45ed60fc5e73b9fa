#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Requests from several namespaces to one server that go on while something changes, and none of
which may get lost.

    series.py SERVER CLIENT,... ADDRESS... [rate=N] [kinds=KIND,...]

SERVER and the CLIENTs are namespaces. From each client to each ADDRESS of the server's, `rate` a
second (20 / TSW_SLOW), whether or not the ones before were answered:
    ping   echo requests of one identifier      udp    datagrams from one port
    query  datagrams, each from a port of its own
and one after the other:
    new    TCP connections, each with one request; slowest over 1000 ms: a SYN was lost
    load   one download over one TCP connection, compared with what was sent; over when it breaks
Prints `ready` when each has had an answer. On SIGUSR1: `on N` when each has had 20 more or is over.
On SIGUSR2 the same for 5 more. On SIGTERM it ends, with a line for each:
    CLIENT ADDRESS KIND got N lost N slowest MS first error
"""

import os
import select
import signal
import socket
import struct
import sys
import threading
import time

from frames import checksum
from netns import inside
from xfer import family

STOP = threading.Event()
# As for retry of lib.sh; such a machine gets less to do, too, or its answers are late for that.
SLOW = float(os.environ.get("TSW_SLOW", "1"))
LAST = 1.0 * SLOW  # seconds for answers that are under way at the end
WAIT = 3.0 * SLOW  # seconds for TCP's
RATE = 20 / SLOW
BLOCK = 8192
LOAD_RATE = 200 / SLOW  # blocks a second
# What comes while these threads do not run waits in the socket: a raw one has room for 300 pings.
BUFFER = 1 << 23


class Server:
    """Echoes; to who asks for a load it sends numbered blocks until the connection ends."""

    def __init__(self, netns):
        with inside(netns):
            self.door = socket.socket(socket.AF_INET6, socket.SOCK_STREAM)
            self.datagrams = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
        self.door.bind(("::", 0))
        self.door.listen(200)
        self.port = self.door.getsockname()[1]
        self.datagrams.bind(("::", self.port))
        with_room(self.datagrams)
        for work in (self.accept, self.echo):
            threading.Thread(target=work, daemon=True).start()

    def accept(self):
        while True:
            sock, _ = self.door.accept()
            threading.Thread(target=self.serve, args=(sock,), daemon=True).start()

    @staticmethod
    def serve(sock):
        try:
            with sock:
                sock.settimeout(60)
                asked = sock.recv(64)
                number, begin = 0, time.monotonic()
                while asked == b"load":
                    sock.sendall(block(number))
                    number += 1
                    time.sleep(max(0, begin + number / LOAD_RATE - time.monotonic()))
                while asked:
                    sock.sendall(asked)
                    asked = sock.recv(64)
        except OSError:
            pass

    def echo(self):
        while True:
            data, at = self.datagrams.recvfrom(2048)
            self.datagrams.sendto(data, at)


def with_room(sock):
    sock.setsockopt(socket.SOL_SOCKET, 33, BUFFER)  # SO_RCVBUFFORCE


def block(number):
    return number.to_bytes(8, "big") * (BLOCK // 8)


class Series(threading.Thread):
    def __init__(self, client, address, port, rate):
        super().__init__(daemon=True)
        self.client, self.address, self.port, self.rate = client, address, port, rate
        self.done, self.lost, self.slowest, self.why, self.over = 0, 0, 0.0, "", False

    def socket(self, kind, proto=0):
        with inside(self.client):
            sock = socket.socket(family(self.address), kind, proto)
        if kind != socket.SOCK_STREAM:
            with_room(sock)
        return sock

    def took(self, start):
        self.done += 1
        self.slowest = max(self.slowest, time.monotonic() - start)

    def failed(self, error):
        self.lost += 1
        self.why = self.why or f"after {self.done}: {error}"

    def run(self):
        try:
            self.go()
        except Exception as error:  # whatever it is, it is told
            self.failed(repr(error))
        self.over = True

    def __str__(self):
        return (f"{self.client} {self.address} {type(self).__name__.lower()} got {self.done} "
                f"lost {self.lost} slowest {self.slowest * 1000:.0f} {self.why}")


class Udp(Series):
    """Each tick one request; answers are taken whenever they come."""

    fresh = False

    def open(self):
        sock = self.socket(socket.SOCK_DGRAM)
        sock.connect((self.address, self.port))
        return sock

    def request(self, number):
        return number.to_bytes(8, "big")

    def number(self, answer):
        return int.from_bytes(answer, "big")

    def take(self, socks, due, until):
        while (left := until - time.monotonic()) > 0 and due:
            for sock in select.select(socks, [], [], left)[0]:
                try:
                    number = self.number(sock.recv(2048))
                except OSError as error:  # an ICMP error
                    self.why = self.why or f"after {self.done}: {error}"
                    continue
                if number in due:
                    self.took(due.pop(number))
                    if self.fresh:
                        socks.remove(sock)
                        sock.close()

    def go(self):
        socks, due, number, begin = [], {}, 0, time.monotonic()
        while not STOP.is_set():
            if self.fresh or not socks:
                socks.append(self.open())
            due[number] = time.monotonic()
            try:
                socks[-1].send(self.request(number))
            except OSError as error:
                self.why = self.why or f"after {self.done}: {error}"
            number += 1
            next_one = begin + number / self.rate
            self.take(socks, due, next_one)
            time.sleep(max(0, next_one - time.monotonic()))
        self.take(socks, due, time.monotonic() + LAST)
        self.lost = len(due)
        if due:
            self.why = self.why or "no answer to " + " ".join(map(str, sorted(due)[:10]))


class Query(Udp):
    fresh = True


class Ping(Udp):
    ident = 0x7450

    def open(self):
        v6 = ":" in self.address
        sock = self.socket(socket.SOCK_RAW, socket.IPPROTO_ICMPV6 if v6 else socket.IPPROTO_ICMP)
        sock.connect((self.address, 0))
        return sock

    def request(self, number):
        kind = 128 if ":" in self.address else 8
        head = struct.pack("!BBHHH", kind, 0, 0, self.ident, number & 0xFFFF)
        return head[:2] + struct.pack("!H", checksum(head)) + head[4:]

    def number(self, answer):
        if ":" not in self.address:
            answer = answer[(answer[0] & 15) * 4:]
        kind, _, _, ident, number = struct.unpack("!BBHHH", answer[:8])
        return number if kind in (0, 129) and ident == self.ident else -1


class New(Series):
    def go(self):
        number = 0
        while not STOP.is_set():
            start, number = time.monotonic(), number + 1
            try:
                with self.socket(socket.SOCK_STREAM) as sock:
                    sock.settimeout(WAIT)
                    sock.connect((self.address, self.port))
                    sock.sendall(number.to_bytes(8, "big"))
                    if sock.recv(64) != number.to_bytes(8, "big"):
                        raise ConnectionError("another answer, or none")
                self.took(start)
            except OSError as error:
                self.failed(error)
            time.sleep(1 / self.rate / 2)


class Load(Series):
    def go(self):
        with self.socket(socket.SOCK_STREAM) as sock:
            sock.settimeout(WAIT)
            sock.connect((self.address, self.port))
            sock.sendall(b"load")
            while not STOP.is_set():
                start, got = time.monotonic(), b""
                while len(got) < BLOCK:
                    part = sock.recv(BLOCK - len(got))
                    if not part:
                        raise ConnectionError("closed by the server")
                    got += part
                if got != block(self.done):
                    raise ConnectionError("not what was sent")
                self.took(start)


KINDS = {kind.__name__.lower(): kind for kind in (Ping, Udp, Query, New, Load)}


class Progress:
    """Tells when all have gone on."""

    def __init__(self, series):
        self.series, self.asked, self.told = series, [], 0

    def ask(self, answers):
        self.asked.append({each: each.done + answers for each in self.series})

    def look(self):
        while self.asked and all(each.over or each.done >= n for each, n in self.asked[0].items()):
            self.asked.pop(0)
            self.told += 1
            print(f"on {self.told}", flush=True)


def main():
    words = [word for word in sys.argv[1:] if "=" not in word]
    opts = dict(word.split("=", 1) for word in sys.argv[1:] if "=" in word)
    if len(words) < 3:
        sys.exit(__doc__)
    server, clients, *addresses = words
    port, rate = Server(server).port, float(opts.get("rate", RATE))
    series = [KINDS[kind](client, address, port, rate)
              for client in clients.split(",") for address in addresses
              for kind in opts.get("kinds", ",".join(KINDS)).split(",")]
    progress = Progress(series)
    signal.signal(signal.SIGTERM, lambda *_: STOP.set())
    signal.signal(signal.SIGUSR1, lambda *_: progress.ask(20))
    signal.signal(signal.SIGUSR2, lambda *_: progress.ask(5))
    for each in series:
        each.start()
    while not STOP.is_set() and not all(each.done or each.over for each in series):
        time.sleep(0.01)
    print("ready", flush=True)
    while not STOP.is_set():
        progress.look()
        time.sleep(0.01)
    end = time.monotonic() + WAIT + LAST
    for each in series:
        each.join(max(0, end - time.monotonic()))
        print(each, flush=True)
    os._exit(0)  # threads that wait for the network are not waited for


if __name__ == "__main__":
    main()
