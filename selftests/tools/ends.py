#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""How TCP connections end, and go on, whose frames a gateway's programs translate.

    ends.py CLIENT SERVER ROUTER ADDRESS

CLIENT, SERVER and ROUTER are namespaces; the server is at ADDRESS, the gateway is in ROUTER, which
counts frames with nf_conntrack_acct. Each way to end is a line: its name, and `ok` or what was
wrong.
"""

import re
import select
import socket
import struct
import sys
import time

import frames
from netns import inside

TCP_REPAIR, TCP_REPAIR_QUEUE, TCP_QUEUE_SEQ, SEND_QUEUE, REPAIR_OFF = 19, 20, 21, 2, -1
WINDOW = 0x40000000
RESET_TIMEOUT = 300  # s; 10, but where the far end was still sending when the reset came
CLIENT, SERVER, ROUTER, ADDRESS = sys.argv[1:5]
PORT = 4400


class Wrong(Exception):
    pass


class Pair:
    """A connection, both of its ends."""

    def __init__(self, listener, sport):
        self.sport = sport
        with inside(CLIENT):
            self.client = socket.socket(listener.family)
        self.client.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.client.bind(("", sport))
        self.client.settimeout(3)
        self.client.connect((ADDRESS, PORT))
        self.server, self.seen = listener.accept()
        self.server.settimeout(3)
        for sock in self.client, self.server:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def talk(self, times, pause=0.005):
        for i in range(times):
            for one, other in (self.client, self.server), (self.server, self.client):
                one.sendall(b"%08d" % i)
                if (got := other.recv(8)) != b"%08d" % i:
                    raise Wrong(f"got {got}")
            time.sleep(pause)

    def entry(self):
        """conntrack's: state, seconds left, packets of both directions"""
        with inside(ROUTER), open("/proc/thread-self/net/nf_conntrack", encoding="ascii") as file:
            for line in file:
                if f" sport={self.sport} dport={PORT} " in line and " tcp " in line:
                    words = line.split()
                    return words[5], int(words[4]), sum(map(int, re.findall(r"packets=(\d+)",
                                                                            line)))
        return "none", 0, 0

    def fast(self):
        """It goes on, and conntrack sees next to nothing of it."""
        self.talk(20)
        before = self.entry()[2]
        self.talk(60)
        if (seen := self.entry()[2] - before) > 40:
            raise Wrong(f"conntrack saw {seen} of 120 frames and more: not fast")

    def sequence(self):
        """The server's next."""
        sock = self.server
        sock.setsockopt(socket.IPPROTO_TCP, TCP_REPAIR, 1)
        sock.setsockopt(socket.IPPROTO_TCP, TCP_REPAIR_QUEUE, SEND_QUEUE)
        number = sock.getsockopt(socket.IPPROTO_TCP, TCP_QUEUE_SEQ)
        sock.setsockopt(socket.IPPROTO_TCP, TCP_REPAIR, REPAIR_OFF)
        return number & 0xffffffff

    def reset(self, offset):
        """A reset in the server's name, so far from what is next."""
        number = (self.sequence() + offset) & 0xffffffff
        packet, = frames.build([f"ip src={ADDRESS} dst={self.seen[0]} / tcp sport={PORT} "
                                f"dport={self.seen[1]} seq={number} flags=R win=0"])
        with inside(SERVER):
            raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_TCP)
        with raw:
            raw.bind((ADDRESS, 0))
            raw.sendto(packet[20:], (self.seen[0], 0))

    def close(self):
        self.client.close()
        self.server.close()


def ended(sock):
    if got := sock.recv(8):
        raise Wrong(f"got {got} where the end was to be")


def half_closed(pair):
    pair.fast()
    pair.client.shutdown(socket.SHUT_WR)
    ended(pair.server)
    for i in range(150):
        pair.server.sendall(b"%08d" % i)
        if (got := pair.client.recv(8)) != b"%08d" % i:
            raise Wrong(f"half closed, got {got}")
        time.sleep(0.015)
    pair.server.close()
    ended(pair.client)


def simultaneous(pair):
    pair.fast()
    pair.client.shutdown(socket.SHUT_WR)
    pair.server.shutdown(socket.SHUT_WR)
    ended(pair.server)
    ended(pair.client)
    time.sleep(0.2)
    if (state := pair.entry()[0]) == "ESTABLISHED":
        raise Wrong(f"both have closed, conntrack has {state}")


def aborted(pair):
    """Of a fast flow conntrack does not know the next octet: the entry must go all the same."""
    pair.fast()
    pair.client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    pair.client.close()
    if not select.select([pair.server], [], [], 3)[0]:
        raise Wrong("the reset did not come")
    try:
        ended(pair.server)
        raise Wrong("closed, not reset")
    except ConnectionResetError:
        pass
    if (left := pair.entry()[1]) > RESET_TIMEOUT:
        raise Wrong(f"the entry stays for {left} s")


def reset_by_server(pair):
    pair.fast()
    pair.reset(0)
    if not select.select([pair.client], [], [], 3)[0]:
        raise Wrong("the reset did not come")
    try:
        ended(pair.client)
        raise Wrong("closed, not reset")
    except ConnectionResetError:
        pass


def beyond_window(pair):
    pair.fast()
    pair.reset(WINDOW)
    pair.talk(20)
    pair.fast()


def before_window(pair):
    pair.fast()
    pair.reset(-WINDOW)
    pair.talk(20)
    pair.fast()


def idle(pair):
    pair.fast()
    time.sleep(2.5)
    pair.fast()
    if (state := pair.entry()[0]) != "ESTABLISHED":
        raise Wrong(f"conntrack has {state}")


def lives_on(pair):
    """Longer than conntrack keeps what is idle: a frame a second tells it."""
    with inside(ROUTER), open("/proc/sys/net/netfilter/nf_conntrack_tcp_timeout_established", "r+",
                            encoding="ascii") as file:
        was = file.read()
        file.seek(0)
        file.write("3")
        file.flush()
        try:
            end = time.monotonic() + 7
            while time.monotonic() < end:
                pair.fast()
        finally:
            file.seek(0)
            file.write(was)


def used_again(pair):
    """The server closes first and waits; the client comes again from the same port."""
    pair.fast()
    pair.server.close()
    ended(pair.client)
    pair.client.close()
    time.sleep(0.1)
    with inside(SERVER):
        again = Pair(LISTENER, pair.sport)
    again.fast()
    again.close()


def main():
    sport = 5100
    for way in (half_closed, simultaneous, aborted, reset_by_server, beyond_window, before_window,
                idle, lives_on, used_again):
        sport += 1
        try:
            pair = Pair(LISTENER, sport)
            way(pair)
            pair.close()
            print(f"{way.__name__}: ok", flush=True)
        except (Wrong, OSError) as error:
            print(f"{way.__name__}: {error!r}", flush=True)


with inside(SERVER):
    LISTENER = socket.create_server((ADDRESS, PORT), backlog=16)
LISTENER.settimeout(3)
main()
