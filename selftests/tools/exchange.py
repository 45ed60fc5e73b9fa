#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Clients in several namespaces talk to one server at the same time, all from the same port.

    exchange.py SERVER ADDRESS KIND CLIENT... [KEY=VALUE]...

SERVER and each CLIENT are namespaces, KIND is tcp, udp or udpgso. The server sends back what it
gets. Each client has content of its own, and must get that and nothing else. With TCP all are
connected before one of them sends, so all have the same address and port at both ends. Also:
port=N, sport=N, bytes=N, count=N, size=N, batch=N, wait=SECONDS, seed=N. Prints a line for each
client: its name and the address that the server saw. Exit status as of xfer.py.
"""

import collections
import concurrent.futures
import errno
import random
import select
import socket
import sys
import threading

from xfer import (SO_RCVBUFFORCE, SOL_UDP, UDP_SEGMENT, UNABLE, WINDOW, Mismatch, Unable, family,
                  open_socket)

NAME = 16  # octets of a client's name, before its content
PART = 1 << 16


def named(client, content):
    return client.encode().ljust(NAME)[:NAME] + content


def connect(opts, client, kind):
    anywhere = "::" if ":" in opts["to"] else "0.0.0.0"
    sock = open_socket(client, anywhere, kind, opts["sport"])
    sock.settimeout(opts["wait"])
    sock.connect((opts["to"], opts["port"]))
    return sock


def read_all(sock):
    got = bytearray()
    while part := sock.recv(PART):
        got += part
    return got


def echo_tcp(sock, opts, saw):
    first = True
    with sock:
        sock.settimeout(opts["wait"])
        while part := sock.recv(PART):
            if first:
                saw[part[:NAME].decode(errors="replace").strip()] = sock.getpeername()[0]
            first = False
            sock.sendall(part)
        sock.shutdown(socket.SHUT_WR)


def talk_tcp(sock, client, opts):
    rng = random.Random(f"{opts['seed']} {client}")
    want = named(client, rng.randbytes(opts["bytes"] - NAME))

    def push():
        sock.sendall(want)
        sock.shutdown(socket.SHUT_WR)

    with sock, concurrent.futures.ThreadPoolExecutor() as pool:
        pushed = pool.submit(push)
        got = read_all(sock)
        pushed.result()
    if got != want:
        raise Mismatch(f"{client}: {len(want)} octets sent, {len(got)} came back, or others")


def tcp(opts, saw):
    with open_socket(opts["server"], opts["to"], socket.SOCK_STREAM, opts["port"]) as door, \
            concurrent.futures.ThreadPoolExecutor(3 * len(opts["clients"])) as pool:
        door.listen()
        door.settimeout(opts["wait"])
        opts["port"] = door.getsockname()[1]
        ends = [(client, connect(opts, client, socket.SOCK_STREAM)) for client in opts["clients"]]
        work = [pool.submit(echo_tcp, door.accept()[0], opts, saw) for _ in ends]
        work += [pool.submit(talk_tcp, sock, client, opts) for client, sock in ends]
        for job in work:
            job.result()


def send_back(sock, parts, at):
    """At once, or one by one: before Linux 6.11 a device without checksum offload takes no more."""
    if sock.getsockopt(SOL_UDP, UDP_SEGMENT):
        try:
            sock.sendto(b"".join(parts), at)
            return
        except OSError as error:
            if error.errno != errno.EIO:
                raise
        sock.setsockopt(SOL_UDP, UDP_SEGMENT, 0)
    for part in parts:
        sock.sendto(part, at)


def echo_udp(sock, opts, saw, over):
    """With batch, so many go back at once, as one send()."""
    waiting = collections.defaultdict(list)
    while not over.is_set():
        if not select.select([sock], [], [], 0.05)[0]:
            continue
        part, at = sock.recvfrom(PART)
        saw[part[:NAME].decode(errors="replace").strip()] = at[0]
        waiting[at].append(part)
        if len(waiting[at]) == opts["step"]:
            send_back(sock, waiting.pop(at), at)


def talk_udp(sock, client, opts):
    rng = random.Random(f"{opts['seed']} {client}")
    want = [named(client, i.to_bytes(4, "big") + rng.randbytes(opts["size"] - NAME - 4))
            for i in range(opts["count"])]
    got, given, step = [], 0, opts["step"]
    with sock:
        while given < len(want):
            sock.send(b"".join(want[given:given + step]))
            given += step
            while len(got) < given - WINDOW // 2 or (given >= len(want) and len(got) < given):
                if not select.select([sock], [], [], opts["wait"])[0]:
                    raise Mismatch(f"{client}: {given} datagrams sent, {len(got)} came back")
                got.append(sock.recv(PART))
    if sorted(got) != sorted(want):
        raise Mismatch(f"{client}: {len(want)} datagrams sent, {len(set(want) & set(got))} of "
                       f"the {len(got)} that came back are its own")


def udp(opts, saw):
    over = threading.Event()
    with open_socket(opts["server"], opts["to"], socket.SOCK_DGRAM, opts["port"]) as sock, \
            concurrent.futures.ThreadPoolExecutor(1 + len(opts["clients"])) as pool:
        opts["port"] = sock.getsockname()[1]
        ends = [(client, connect(opts, client, socket.SOCK_DGRAM)) for client in opts["clients"]]
        for each in [sock] + [end for _, end in ends]:
            each.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 24)
            if opts["step"] > 1:
                each.setsockopt(SOL_UDP, UDP_SEGMENT, opts["size"])
        echo = pool.submit(echo_udp, sock, opts, saw, over)
        work = [pool.submit(talk_udp, end, client, opts) for client, end in ends]
        try:
            for job in work:
                job.result()
        finally:
            over.set()
            echo.result()  # an error of the server is why nothing came back


def exchange(server, to, kind, clients, **words):
    """One round; gives what the server saw, {client: address}, raises where something is amiss."""
    opts = {"port": 0, "sport": 4000, "bytes": 300000, "count": 100, "size": 1200, "batch": 10,
            "wait": 5, "seed": 1}
    opts |= {key: int(value) for key, value in words.items()}
    opts |= {"server": server, "to": to, "clients": clients}
    opts["step"] = opts["batch"] if kind == "udpgso" else 1
    opts["count"] -= opts["count"] % opts["step"]
    saw = {}
    try:
        (tcp if kind == "tcp" else udp)(opts, saw)
    except OSError as error:
        if kind == "udpgso" and error.errno == errno.EIO:
            raise Unable("this kernel sends no UDP_SEGMENT from a device without checksum offload") \
                from error
        raise
    if sorted(saw) != sorted(clients):
        raise Mismatch(f"the server heard {', '.join(sorted(saw)) or 'nobody'}")
    return saw


def main():
    words = [word for word in sys.argv[1:] if "=" not in word]
    if len(words) < 4 or words[2] not in ("tcp", "udp", "udpgso"):
        sys.exit(__doc__)
    server, to, kind, *clients = words
    pairs = dict(word.split("=", 1) for word in sys.argv[1:] if "=" in word)
    try:
        saw = exchange(server, to, kind, clients, **pairs)
    except (OSError, Mismatch) as error:
        sys.exit(f"{kind} with {to}, {family(to).name}: {error}")
    except Unable as error:
        print(error)
        sys.exit(UNABLE)
    for client in clients:
        print(client, saw[client])


if __name__ == "__main__":
    main()
