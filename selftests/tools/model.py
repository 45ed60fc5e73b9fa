#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""One of two worlds that live through the same at random, one by the fast way and one without it.

    model.py fast|slow SEED STEPS

Case gateway/fast-model builds each, with namespaces h1, h2, out, red-a, red-c, blue-a, blue-c,
green-a. What a step changes depends on SEED alone. Each frame says whose it is and has a number: a
frame where it does not belong is a line `stray`. `=` begins what must be the same in both worlds:
the change, and which numbered frames came, from where. They are sent before the change, at once
after it where no lease outlives it, and when a lease's second is over. At the end `way` tells how
many frames came in rounds without a loss, and how many the rules saw meanwhile. `~` begins what may
differ, because it depends on who sent first, or on a machine that was too slow.
"""

import collections
import os
import random
import re
import selectors
import socket
import struct
import subprocess
import sys
import time

from model_changes import PORT, SERVER, Change, Changes, router
from netns import inside

SLOW = int(os.environ.get("TSW_SLOW", "1"))
COUNT, SIZE = 8, 64  # questions of a round; octets
EVERY, PACE = 0.05 * SLOW, 0.015 * SLOW  # s between questions; in a round
GRACE, SETTLE, STALL = 0.15 * SLOW, 1.2 + 0.4 * SLOW, 0.08 * SLOW  # s
LATE, LOST, CONNECT = 0.8 * SLOW, 0.25 * SLOW, 1.5 * SLOW
ETH_ALL, OUTGOING, ICMP, NAT_PORT = 3, 4, (1, 58), 10000
OURS = re.compile(rb"<([QA]) (\S+) (\d+) (\d+) >")
DEVICES = {"out": ("br0", "up1"), **{ns: ("eth0",) for ns in
                                     ("red-a", "red-c", "blue-a", "blue-c", "green-a")}}
RESET = struct.pack("ii", 1, 0)


class Flow:
    """A client that asks, and a server that sends back what it is asked."""

    def __init__(self, index, client, kind, address, port, server):
        self.client, self.kind, self.to, self.server = client, kind, (address, port), server
        self.family = socket.AF_INET6 if ":" in address else socket.AF_INET
        self.name = f"{client}:{kind}:{address}:{port}".replace("::", "~")
        self.sport, self.times = 5000 + index, 0
        self.sock = self.waits = None  # for which answer
        self.next = 0.0

    def payload(self, what, number):
        return f"<Q {self.name} {what} {number} >".encode().ljust(SIZE)

    def open(self):
        """From another port each time: who is blocked does not learn that this ended."""
        with inside(self.client):
            self.sock = socket.socket(self.family, socket.SOCK_STREAM if self.kind == "tcp"
                                      else socket.SOCK_DGRAM)
        self.sock.setblocking(False)
        if self.kind == "tcp":
            self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        self.sock.bind(("", self.sport + self.times * 50))
        self.times = (self.times + 1) % 400
        self.waits = None
        try:
            self.sock.connect_ex(self.to)
        except OSError:  # no way there
            self.close()

    def close(self):
        if self.sock:
            self.sock.close()
        self.sock = None


def flows():
    """Two tenants with the same addresses and ports; answers of one would fit the other's flow."""
    result, index = [], collections.Counter()
    for client, kind, address, port, server in (
            *((f"{tenant}-a", kind, to, PORT, "out") for tenant in ("red", "blue")
              for kind in ("udp", "tcp") for to in SERVER),
            *((f"{tenant}-c", kind, to, PORT, "out") for tenant in ("red", "blue")
              for kind, to in (("udp", SERVER[0]), ("tcp", SERVER[1]))),
            *(("green-a", kind, to, PORT, "out") for kind, to in
              (("udp", SERVER[0]), ("tcp", SERVER[0]), ("udp", SERVER[1]))),
            ("out", "udp", "203.0.113.1", 80, "red-a"), ("out", "tcp", "203.0.113.1", 80, "red-a"),
            ("out", "tcp", "2001:db8:9::1", 80, "red-a"),
            ("out", "udp", "203.0.113.1", 81, "blue-a"),
            ("out", "tcp", "2001:db8:9::1", 81, "blue-a"),
            ("green-a", "udp", "10.0.0.1", PORT, "red-a"),
            ("green-a", "tcp", "fd00::1", PORT, "red-a"),
            ("red-a", "tcp", "10.2.0.1", PORT, "green-a"),
            ("red-a", "udp", "fd02::1", PORT, "green-a")):
        result.append(Flow(index[client], client, kind, address, port, server))
        index[client] += 1
    return result


class World:
    def __init__(self, fast):
        self.fast, self.strays, self.frames = fast, 0, 0
        self.ready = selectors.DefaultSelector()
        self.flows = {flow.name: flow for flow in flows()}
        self.round, self.came = 0, {}
        self.gap, self.turned = 0, time.monotonic()  # the longest that nobody looked
        self.served = {}  # flow: its connection at the server
        for ns, devices in DEVICES.items():
            for device in devices:
                self.watch(ns, device)
        for ns, address in (*(("out", to) for to in SERVER), ("red-a", "10.0.0.1"),
                            ("red-a", "fd00::1"), ("blue-a", "10.0.0.1"), ("blue-a", "fd00::1"),
                            ("green-a", "10.2.0.1"), ("green-a", "fd02::1")):
            self.serve(ns, address)

    # ---- who is there ----------------------------------------------------------------------

    def watch(self, ns, device):
        with inside(ns):
            sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
            sock.bind((device, ETH_ALL))
        sock.setblocking(False)
        self.ready.register(sock, selectors.EVENT_READ, (self.sees, ns))

    def serve(self, ns, address):
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        with inside(ns):
            udp = socket.socket(family, socket.SOCK_DGRAM)
            tcp = socket.create_server((address, PORT), family=family, backlog=64)
        udp.bind((address, PORT))
        for sock, then in (udp, self.echoes), (tcp, self.accepts):
            sock.setblocking(False)
            self.ready.register(sock, selectors.EVENT_READ, (then, ns))

    def echoes(self, sock, _):
        part, who = sock.recvfrom(4096)
        sock.sendto(part.replace(b"<Q", b"<A"), who)

    def accepts(self, sock, ns):
        try:
            end, _ = sock.accept()
        except OSError:
            return
        end.setblocking(False)
        end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        self.ready.register(end, selectors.EVENT_READ, (self.sends_back, ns))

    def sends_back(self, sock, _):
        try:
            part = sock.recv(4096)
            if part:
                sock.send(part.replace(b"<Q", b"<A"))
        except OSError:
            part = b""
        was = None
        if not part:
            was = sock
        elif match := OURS.search(part):
            was = self.served.get(match[2])
            self.served[match[2]] = sock
        if was and (was is not self.served.get(match[2]) if part else True):
            self.forget(was)

    def forget(self, sock):
        if sock.fileno() >= 0:
            self.ready.unregister(sock)
            sock.close()

    # ---- what comes -------------------------------------------------------------------------

    def sees(self, sock, ns):
        """Each frame that comes to NS, whoever there is to have it."""
        for _ in range(64):
            try:
                frame, (_, _, kind, *_) = sock.recvfrom(2048)
            except OSError:
                return
            if kind == OUTGOING:
                continue
            for match in OURS.finditer(frame):
                self.is_seen(ns, frame, match)

    def is_seen(self, ns, frame, match):
        flow = self.flows.get(match[2].decode())
        if frame[12:14] == b"\x08\0":
            proto, source = frame[23], socket.inet_ntop(socket.AF_INET, frame[26:30])
        else:
            proto, source = frame[20], socket.inet_ntop(socket.AF_INET6, frame[22:38])
        own = {flow.server if match[1] == b"Q" else flow.client} if flow else set()
        if flow and proto in ICMP:  # quotes it
            own = {flow.server, flow.client}
        leaks = ns == "out" and re.match(r"10\.0\.|fd00:", source) and proto not in ICMP
        if ns not in own or leaks:
            self.strays += 1
            print(f"stray: {match[0].decode()} at {ns} from {source}", flush=True)
        elif proto not in ICMP and int(match[3]) == self.round != 0:
            self.frames += 1
            if match[1] == b"A":  # what is asked has the NAT's port, which is at random
                at = 34 if frame[12:14] == b"\x08\0" else 54
                port = int.from_bytes(frame[at:at + 2], "big")
                source += f" {port}" if port < NAT_PORT else " NAT"
            self.came.setdefault((flow, match[1].decode()), {}).setdefault(source, set()).add(
                int(match[4]))

    def answers(self, sock, flow):
        try:
            part = sock.recv(4096)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            part = b""
        if flow.kind == "tcp" and not part:
            self.drop(flow)
        for match in OURS.finditer(part):
            if match[2].decode() != flow.name:
                self.strays += 1
                print(f"stray: {match[0].decode()} is what {flow.name} is told", flush=True)
            if (match[3], match[4]) == flow.waits:
                flow.waits = None

    # ---- traffic ----------------------------------------------------------------------------

    def drop(self, flow):
        if flow.sock:
            self.ready.unregister(flow.sock)
            flow.close()

    def ask(self, flow, number):
        """TCP has one question out at a time."""
        if not flow.sock or flow.waits and flow.kind == "tcp":
            return False
        try:
            flow.sock.send(flow.payload(self.round, number))
        except OSError:
            pass  # an error of before; or TCP's end, which is read
        flow.waits = b"%d" % self.round, b"%d" % number
        return True

    def turn(self, wait):
        """True: something happened."""
        now = time.monotonic()
        self.gap, self.turned = max(self.gap, now - self.turned), now
        events = self.ready.select(wait)
        for key, _ in events:
            then, what = key.data
            if key.fileobj.fileno() >= 0:  # it may have ended by what was before it
                then(key.fileobj, what)
        return bool(events)

    def go_on(self, until, still=False):
        """Traffic that nobody counts, until UNTIL() is."""
        while not until():
            now = time.monotonic()
            for flow in self.flows.values():
                if flow.next <= now and not still:
                    flow.next = now + EVERY * random.uniform(0.9, 1.1)
                    self.ask(flow, 0)
            self.turn(0.005)

    def wait(self, seconds, still=False):
        end = time.monotonic() + seconds
        self.go_on(lambda: time.monotonic() > end, still)

    def open(self):
        """All that ended, or hangs, begins anew."""
        new = []
        for flow in self.flows.values():
            if flow.waits:
                self.drop(flow)
            if not flow.sock:
                flow.open()
                if flow.sock:
                    self.ready.register(flow.sock, selectors.EVENT_READ, (self.answers, flow))
                    new.append(flow)
        end = time.monotonic() + CONNECT
        waiting = [flow for flow in new if flow.kind == "tcp"]
        while waiting and time.monotonic() < end:
            self.turn(0.01)
            waiting = [flow for flow in waiting if flow.sock and not connected(flow.sock)]
        for flow in waiting:
            self.drop(flow)

    def complete(self):
        return len(self.came) == 2 * len(self.flows) and \
            all(len(numbers) == COUNT for by in self.came.values() for numbers in by.values())

    def partial(self):
        return any((flow, "A") not in self.came for flow, way in self.came if way == "Q") or \
            any(len(numbers) < COUNT for by in self.came.values() for numbers in by.values())

    def count(self, number, name, uncertain=()):
        """A round of COUNT questions each; the lines that tell what came of them."""
        self.round, self.came, seen = number, {}, rules()
        frames = self.frames
        due = {flow: 0 for flow in self.flows.values()}
        begin = last = time.monotonic()
        while not self.complete():
            now = time.monotonic()
            for flow, asked in due.items():
                if asked < COUNT and now >= begin + asked * PACE and self.ask(flow, asked):
                    due[flow], last = asked + 1, now
            if self.turn(0.002):  # what waits is read first, however late it is
                continue
            if now - max(last, begin + COUNT * PACE) > (LATE if self.partial() else LOST):
                break
        whole, self.round = self.complete(), 0
        for flow in self.flows.values():
            parts = []
            for way in "QA":
                for source, numbers in sorted(self.came.get((flow, way), {}).items()):
                    parts.append(f"{way} {told(numbers)} from {source}")
            if any(part in flow.name for part in uncertain):
                print(f"~ {name} {flow.name}:")
            print(f"= {name} {flow.name}: {', '.join(parts) or 'nothing'}", flush=True)
        return whole, self.frames - frames, rules() - seen


def told(numbers):
    return "all" if len(numbers) == COUNT else " ".join(map(str, sorted(numbers)))


def connected(sock):
    try:
        sock.getpeername()
        return True
    except OSError:
        return False


def rules():
    """Frames that the router of h1, which serves when all is open, forwarded; 0: no rules."""
    text = subprocess.run(router("h1", "nft list table inet count"), capture_output=True,
                          check=False, text=True).stdout
    return sum(map(int, re.findall(r"packets (\d+)", text)))


def do(world, change):
    """Under traffic; the exit statuses."""
    result, still = [], 0 if change.back else change.still
    for command in change.commands:
        if callable(command):
            result.append(command())
            continue
        if not world.fast:
            command = ["off" if before == "fast" else word
                       for before, word in zip(["", *command], command)]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE) as process:
            world.go_on(lambda: process.poll() is not None, still)
            if process.returncode:
                print(f"# {' '.join(command)}: {process.stderr.read().decode().strip()}")
            result.append(process.returncode)
    world.wait(still, still)
    return result


def main():
    seed, steps = int(sys.argv[2]), int(sys.argv[3])
    world, changes = World(sys.argv[1] == "fast"), Changes(random.Random(seed))
    frames = seen = quiet = 0
    if any(do(world, Change("begin", changes.begin()))):
        sys.exit("it cannot be built")
    for step in range(1, steps + 1):
        world.open()
        whole, came, by_rules = world.count(3 * step, f"{step} before")
        if changes.all_open():
            print(f"= {step} all is open, {'and all came' if whole else 'yet NOT ALL CAME'}")
            if whole:
                frames, seen, quiet = frames + came, seen + by_rules, quiet + 1
        change = changes.draw()
        print(f"= {step} {change.name}", flush=True)
        world.gap = 0
        print(f"= {step} exit {do(world, change)}")
        if change.at_once:
            world.wait(GRACE)
            world.count(3 * step + 1, f"{step} at once")
        world.wait(SETTLE + change.more)
        late = change.if_late if world.gap > STALL else ()
        world.count(3 * step + 2, f"{step} behind", (*change.uncertain, *late))
    print(f"way {quiet} rounds {frames} frames {seen} by rules")
    print(f"strays {world.strays}")


main()
