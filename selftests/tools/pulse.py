#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Flows that go on until they are stopped, to see when that is.

    pulse.py serve PORT                                  sends back what comes, by TCP and UDP
    pulse.py beat NAME KIND ADDRESS PORT SPORT SECONDS   asks there each few milliseconds
    pulse.py push PORT                                   sends to the first who asks by UDP, until
                                                         nobody is there: prints `refused`
    pulse.py ask ADDRESS PORT SPORT                      asks there 60 times by UDP, and ends

KIND is tcp or udp. Each question has the asker's name and its number; an answer that is another's
ends it with exit status 1. Asked is with DSCP EF and ECT(1). For each answer there is a line: the
time in milliseconds, CLOCK_MONOTONIC. TCP's connection may be lost: that is no fault.
"""

import selectors
import socket
import sys
import threading
import time

EVERY, WAIT, SIZE, TOS = 0.004, 0.04, 64, 46 << 2 | 1


def serve_udp(sock):
    while True:
        sock.sendto(*sock.recvfrom(4096))


def serve_tcp(sock):
    try:
        while part := sock.recv(4096):
            sock.sendall(part)
    except OSError:
        pass
    sock.close()


def serve(port):
    both = socket.create_server(("::", port), family=socket.AF_INET6, dualstack_ipv6=True,
                                backlog=64)
    for family, anywhere in (socket.AF_INET, "0.0.0.0"), (socket.AF_INET6, "::"):
        udp = socket.socket(family, socket.SOCK_DGRAM)
        if family == socket.AF_INET6:
            udp.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        udp.bind((anywhere, port))
        threading.Thread(target=serve_udp, args=(udp,), daemon=True).start()
    print("ready", flush=True)
    while True:
        sock, _ = both.accept()
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=serve_tcp, args=(sock,), daemon=True).start()


def connect(kind, address, port, sport):
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM if kind == "tcp" else socket.SOCK_DGRAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if family == socket.AF_INET6:
        sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_TCLASS, TOS)
    else:
        sock.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, TOS)
    if kind == "tcp":
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    sock.bind(("::" if family == socket.AF_INET6 else "0.0.0.0", sport))
    sock.settimeout(3)
    sock.connect((address, port))
    return sock


def push(port):
    sock = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)  # IPv4, too
    sock.bind(("::", port))
    print("ready", flush=True)
    sock.connect(sock.recvfrom(SIZE)[1])
    try:
        for _ in range(600):
            sock.send(b"x")
            time.sleep(0.005)
    except ConnectionRefusedError:
        print("refused", flush=True)


def ask(address, port, sport):
    sock = connect("udp", address, port, sport)
    for _ in range(60):
        sock.send(b"x")
        sock.recv(SIZE)


def take(kind, got, part, name):
    """What is complete of GOT and PART: how many answers, and the rest."""
    got += part
    asked = 0
    while len(got) >= SIZE:
        if not got.startswith(name):
            sys.exit(f"{kind}: an answer that is another's: {bytes(got[:SIZE])}")
        del got[:SIZE]
        asked += 1
    return asked


def beat(name, kind, address, port, sport, seconds):
    sock = connect(kind, address, port, sport)
    sock.setblocking(False)
    ready = selectors.DefaultSelector()
    ready.register(sock, selectors.EVENT_READ)
    name, number, got, end = name.encode() + b"\0", 0, bytearray(), time.monotonic() + seconds
    while time.monotonic() < end:
        number += 1
        try:
            sock.send((name + b"%d" % number).ljust(SIZE, b"\0"))
        except (BlockingIOError, ConnectionRefusedError, OSError):
            pass
        if ready.select(WAIT):
            try:
                part = sock.recv(4096)
            except OSError:
                part = b""
            if kind == "tcp" and not part:
                break
            for _ in range(take(kind, got, part, name)):
                print(int(time.monotonic() * 1000), flush=True)
        time.sleep(EVERY)


if sys.argv[1] in ("serve", "push"):
    {"serve": serve, "push": push}[sys.argv[1]](int(sys.argv[2]))
elif sys.argv[1] == "ask":
    ask(sys.argv[2], *map(int, sys.argv[3:5]))
else:
    beat(*sys.argv[2:5], *map(int, sys.argv[5:7]), float(sys.argv[7]))
