#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""One TCP flow from each of many namespaces, all at once, to one server or to one each.

A flow is the sender's namespace, its server that of --server, at --address; or it says all of it:
SENDER@SERVER/ADDRESS, the address as the sender reaches it. Prints what arrived of each within
the same stretch of time, as a list of bits a second in JSON, in the order of the flows."""

import argparse
import errno
import json
import select
import socket
import sys
import time

from netns import inside

CHUNK = bytes(1 << 16)
BUFFER = bytearray(1 << 20)
NUMBER = 4  # octets with which a flow says whose it is: NAT hides its address


def wanted():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--server", help="namespace of the server")
    parser.add_argument("--address", help="the server's, as the senders reach it")
    parser.add_argument("--port", type=int, default=5001)
    parser.add_argument("--warm", type=float, default=1, help="seconds before it counts")
    parser.add_argument("--seconds", type=float, default=3, help="seconds that count")
    parser.add_argument("--congestion", help="congestion control of the senders")
    parser.add_argument("flow", nargs="+", help="SENDER, or SENDER@SERVER/ADDRESS")
    args = parser.parse_args()
    args.flow = [flow_of(parser, args, word) for word in args.flow]
    return args


def flow_of(parser, args, word):
    """Namespaces of sender and server, and the server's address."""
    sender, _, rest = word.partition("@")
    server, _, address = rest.partition("/")
    flow = (sender, server, address) if "@" in word else (sender, args.server, args.address)
    if not all(flow):
        parser.error(f"'{word}' names no sender, server or address, nor do --server and --address")
    return flow


class Crowd:
    def __init__(self, args):
        self.args = args
        self.flows = args.flow
        self.poll = select.epoll()
        self.doors = {}  # fd -> where a server listens
        self.senders = {}  # fd -> [socket, what it has still to say of its number, its name]
        self.arriving = {}  # fd -> [socket, its number as far as it has come]
        self.count = [0] * len(self.flows)
        self.known = set()  # numbers that have arrived
        for server in {server for _, server, _ in self.flows}:
            self.listen(server)

    def listen(self, name):
        with inside(name):
            door = socket.create_server(("", self.args.port), backlog=1024)
        door.setblocking(False)
        self.doors[door.fileno()] = door
        self.poll.register(door, select.EPOLLIN)

    def connect(self):
        for number, (name, _, address) in enumerate(self.flows):
            with inside(name):
                sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            if self.args.congestion:
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION,
                                self.args.congestion.encode())
            sock.setblocking(False)
            status = sock.connect_ex((address, self.args.port))
            if status not in (0, errno.EINPROGRESS):
                sys.exit(f"{name}: cannot connect: {errno.errorcode[status]}")
            self.senders[sock.fileno()] = [sock, number.to_bytes(NUMBER, "big"), name]
            self.poll.register(sock, select.EPOLLOUT)

    def accept(self, fd):
        while True:
            try:
                sock, _ = self.doors[fd].accept()
            except BlockingIOError:
                return
            sock.setblocking(False)
            self.arriving[sock.fileno()] = [sock, b""]
            self.poll.register(sock, select.EPOLLIN)

    def send(self, fd):
        sock, say, name = self.senders[fd]
        try:
            if say:
                self.senders[fd][1] = say[sock.send(say):]
            else:
                sock.send(CHUNK)
        except BlockingIOError:
            pass
        except OSError as why:
            sys.exit(f"{name}: {why.strerror}")

    def receive(self, fd):
        state = self.arriving[fd]
        sock, number = state
        try:
            if len(number) < NUMBER:
                state[1] = number + sock.recv(NUMBER - len(number))
                if len(state[1]) == NUMBER:
                    self.known.add(int.from_bytes(state[1], "big"))
            else:
                self.count[int.from_bytes(number, "big")] += sock.recv_into(BUFFER)
        except BlockingIOError:
            pass

    def run(self, until, enough=lambda: False):
        while not enough() and (left := until - time.monotonic()) > 0:
            for fd, _ in self.poll.poll(left):
                if fd in self.doors:
                    self.accept(fd)
                elif fd in self.senders:
                    self.send(fd)
                else:
                    self.receive(fd)

    def measure(self):
        self.connect()
        everybody = len(self.flows)
        self.run(time.monotonic() + 20, lambda: len(self.known) == everybody)
        if len(self.known) < everybody:
            silent = [flow[0] for i, flow in enumerate(self.flows) if i not in self.known]
            sys.exit("nothing came from " + " ".join(silent))
        self.run(time.monotonic() + self.args.warm)
        self.count = [0] * everybody
        begin = time.monotonic()
        self.run(begin + self.args.seconds)
        took = time.monotonic() - begin
        return [n * 8 / took for n in self.count]


if __name__ == "__main__":
    print(json.dumps(Crowd(wanted()).measure()))
