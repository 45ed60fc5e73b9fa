#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Who answers, and whom does it see? TCP and UDP, IPv4 and IPv6.

    who.py serve NAME PORT...                   answers "NAME ADDRESS" with the asker's address,
                                                and at the end with how many octets came
    who.py ask tcp|udp ADDRESS PORT [as=ADDRESS] [from=PORT] [wait=SECONDS]
                                                prints the answer
    who.py hold tcp|udp ADDRESS PORT            asks again and again by one connection, prints
                                                each answer; ends when one fails to come
    who.py push ADDRESS PORT OCTETS             sends so much by TCP, prints how much came
Exit status 1: no answer; 2: refused or unreachable, with the error on stderr.
"""

import select
import socket
import sys
import time


ASK = b"who\n"


def plain(address):
    return address[0].removeprefix("::ffff:")


def serve(name, *ports):
    socks = {}
    for port in ports:
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
            sock = socket.socket(socket.AF_INET6, kind)
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
            sock.bind(("::", int(port)))
            if kind == socket.SOCK_STREAM:
                sock.listen(64)
            socks[sock] = None  # a connection has its peer and count here
    print("ready", flush=True)
    while True:
        for sock in select.select(list(socks), [], [])[0]:
            answer(name, sock, socks)


def answer(name, sock, socks):
    if sock.type == socket.SOCK_DGRAM:
        _, peer = sock.recvfrom(2048)
        sock.sendto(f"{name} {plain(peer)}\n".encode(), peer)
    elif socks[sock]:
        try:
            got = sock.recv(65536)
            socks[sock][1] += len(got)
            if got == ASK:
                sock.sendall(f"{name} {plain(socks[sock][0])}\n".encode())
            elif not got and socks[sock][1] > len(ASK):
                sock.sendall(f"{socks[sock][1]}\n".encode())
        except OSError:
            got = b""
        if not got:
            del socks[sock]
            sock.close()
    else:
        conn, peer = sock.accept()
        socks[conn] = [peer, 0]


def connect(proto, address, port, opts):
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    kind = socket.SOCK_STREAM if proto == "tcp" else socket.SOCK_DGRAM
    sock = socket.socket(family, kind)
    sock.settimeout(float(opts.get("wait", 3)))
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if "from" in opts or "as" in opts:
        any_address = "::" if ":" in address else "0.0.0.0"
        sock.bind((opts.get("as", any_address), int(opts.get("from", 0))))
    sock.connect((address, int(port)))
    return sock


def ask(sock):
    sock.sendall(ASK)
    got = sock.recv(2048).decode()
    if not got:
        raise TimeoutError("closed")
    print(got, end="", flush=True)


def push(address, port, octets):
    sock = connect("tcp", address, port, {"wait": 10})
    sock.sendall(bytes(int(octets)))
    sock.shutdown(socket.SHUT_WR)
    print(sock.recv(64).decode(), end="")


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    what, *words = sys.argv[1:]
    if what == "serve":
        serve(*words)
    opts = dict(word.split("=", 1) for word in words[3:])
    try:
        if what == "push":
            push(*words)
            return 0
        sock = connect(*words[:3], opts)
        ask(sock)
        while what == "hold":
            time.sleep(0.05)
            ask(sock)
    except TimeoutError:
        return 1
    except OSError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
