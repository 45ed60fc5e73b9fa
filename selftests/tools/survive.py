#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""How many connections survive.

    survive.py serve PORT                          TCP and UDP: sends back whatever comes
    survive.py ask NAME ADDRESS PORT SPORT TCP UDP [MS]    so many, from ports SPORT on

`ask` sends a line each 100 ms, or MS, in each connection, with NAME, the connection's number and
a number that counts up, and waits for it to come back. When it begins and at each SIGUSR1 it prints
a line of JSON about the time since the line before. It counts the connections that are alive, that
is without a reset and with an answer in the last second; those that ended; and answers that were
another's (`wrong`), and all answers (`back`). It has the longest time without an answer, in
milliseconds, of those that are alive, and of all that have not ended (`gap`).
`serve` tells at SIGUSR1 how often one connection spoke for two (`wrong`), and who spoke from which
address.
"""

import asyncio
import json
import signal
import socket
import sys
import time

STEP = float(sys.argv[8]) / 1000 if sys.argv[8:] else 0.1


class Speaker:
    """One connection's numbers."""

    def __init__(self, name, number):
        self.name, self.number = name, number
        self.count, self.sent = 0, b""
        self.ended = False
        self.wrong = self.gap = self.back = 0
        self.last = time.monotonic()

    def line(self):
        self.count += 1
        self.sent = b"%s %d %d\n" % (self.name, self.number, self.count)
        return self.sent

    def hear(self, line):
        now = time.monotonic()
        if not line.startswith(b"%s %d " % (self.name, self.number)):
            self.wrong += 1
            return
        self.gap, self.last, self.back = max(self.gap, now - self.last), now, self.back + 1

    def is_alive(self):
        return not self.ended and time.monotonic() - self.last < 1


async def tcp(speaker, to, sport, family_any):
    try:
        reader, writer = await asyncio.open_connection(*to, local_addr=(family_any, sport))
        due = time.monotonic()
        while True:
            writer.write(speaker.line())
            line = await reader.readline()
            if not line:
                break
            speaker.hear(line)
            due = max(due + STEP, time.monotonic())
            await asyncio.sleep(due - time.monotonic())
    except OSError:
        pass
    speaker.ended = True


class Datagrams(asyncio.DatagramProtocol):
    def __init__(self, speaker):
        self.speaker = speaker

    def datagram_received(self, data, addr):
        self.speaker.hear(data)


async def udp(speaker, to, sport, family_any):
    loop = asyncio.get_running_loop()
    transport, _ = await loop.create_datagram_endpoint(
        lambda: Datagrams(speaker), remote_addr=to, local_addr=(family_any, sport))
    while True:
        transport.sendto(speaker.line())
        await asyncio.sleep(STEP)


def tell(kinds):
    now = time.monotonic()
    told = {}
    for kind, speakers in kinds.items():
        alive = {s: round(1000 * max(s.gap, now - s.last)) for s in speakers if s.is_alive()}
        told[kind] = len(alive)
        told[kind + "_gap"] = max(alive.values(), default=0)
        told["gap"] = max([told.get("gap", 0), *(round(1000 * max(s.gap, now - s.last))
                                                 for s in speakers if not s.ended)])
        told[kind + "_ended"] = sum(s.ended for s in speakers)
        told["wrong"] = told.get("wrong", 0) + sum(s.wrong for s in speakers)
        told["back"] = told.get("back", 0) + sum(s.back for s in speakers)
        for s in speakers:
            s.gap = s.back = 0
    print(json.dumps(told), flush=True)


async def ask(name, address, port, sport, n_tcp, n_udp):
    to, any_of = (address, port), "::" if ":" in address else "0.0.0.0"
    name = name.encode()
    kinds = {"tcp": [Speaker(name, i) for i in range(n_tcp)],
             "udp": [Speaker(name, 10000 + i) for i in range(n_udp)]}
    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, tell, kinds)
    tell(kinds)
    jobs = [tcp(s, to, sport + i, any_of) for i, s in enumerate(kinds["tcp"])]
    jobs += [udp(s, to, sport + i, any_of) for i, s in enumerate(kinds["udp"])]
    await asyncio.gather(*jobs, asyncio.Event().wait())


class Server(asyncio.DatagramProtocol):
    def __init__(self):
        self.whose, self.wrong = {}, 0

    def listen(self, who, line):
        speaker = tuple(line.split()[:2])
        self.wrong += self.whose.setdefault(who, speaker) != speaker

    async def accept(self, reader, writer):
        who = ("tcp",) + writer.get_extra_info("peername")[:2]
        self.whose.pop(who, None)
        try:
            while line := await reader.readline():
                self.listen(who, line)
                writer.write(line)
        except OSError:
            pass
        writer.close()

    def connection_made(self, transport):
        self.transport = transport

    def datagram_received(self, data, addr):
        self.listen(("udp",) + addr[:2], data)
        self.transport.sendto(data, addr)

    def tell(self):
        speakers = {}
        for who, (name, _) in self.whose.items():
            key = name.decode() + " " + who[1].removeprefix("::ffff:")
            speakers[key] = speakers.get(key, 0) + 1
        print(json.dumps({"wrong": self.wrong, "speakers": speakers}), flush=True)


async def serve(port):
    server = Server()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGUSR1, server.tell)
    sock = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
    sock.bind(("::", port))
    await loop.create_datagram_endpoint(lambda: server, sock=sock)
    await asyncio.start_server(server.accept, None, port, backlog=1000)
    await asyncio.Event().wait()


if sys.argv[1] == "serve":
    asyncio.run(serve(int(sys.argv[2])))
else:
    asyncio.run(ask(*sys.argv[2:4], *map(int, sys.argv[4:8])))
