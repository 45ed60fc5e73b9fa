# SPDX-License-Identifier: GPL-2.0-only
"""Traffic with checked contents, for soak.py: every frame bears its tenant, sender, receiver,
sequence, time and checksum, and whoever sees one tells whether it may be there.

A packet socket in each container hears all that arrives, whatever its address is. One on the
underlay's wire checks that each tenant's frames go out under that tenant's id. One outside checks
that no tenant's address gets there. A thread of its own sends and reads.
"""

import random
import select
import socket
import struct
import threading
import time
import zlib

from netns import inside

MAGIC = b"tsw soak"
HEAD = struct.Struct("!8sBcBBId")  # magic, tenant, kind, from, to, sequence, when
UNICAST, BROADCAST, ECHO, PUBLISHED, PEER = b"u", b"b", b"e", b"p", b"x"
PORT, ECHO_PORT, CLIENT_PORT, PUBLISHED_PORT = 7000, 7100, 7101, 40000  # NAT has those below
OUTGOING, ALL = 4, 3  # PACKET_OUTGOING, ETH_P_ALL
SO_RCVBUFFORCE = 33
FILL = bytes(range(256)) * 6
TICK = 0.025
LATE = 4.0  # seconds after which a frame counts as lost


def pack(tenant, kind, sender, receiver, sequence, size=0):
    head = HEAD.pack(MAGIC, tenant, kind, sender, receiver, sequence, time.monotonic())
    body = head + FILL[sequence & 255:][:size]
    return body + struct.pack("!HI", len(body), zlib.crc32(body))


def unpack(frame, at):
    """The fields, or None where the checksum is wrong."""
    if len(frame) < at + HEAD.size + 6:
        return None
    fields = HEAD.unpack_from(frame, at)[1:]
    for end in (len(frame) - 6, *range(at + HEAD.size, len(frame) - 5)):
        length, crc = struct.unpack_from("!HI", frame, end)
        if length == end - at and crc == zlib.crc32(frame[at:end]):
            return fields
    return None


def quoted(frame, at):
    """The fields where an ICMP error has this frame in it, which may be cut; else None."""
    v6 = frame[12:14] == b"\x86\xdd"
    if (frame[20] if v6 else frame[23]) not in (1, 58) or len(frame) < at + HEAD.size:
        return None
    return HEAD.unpack_from(frame, at)[1:]


def packet_socket(netns):
    with inside(netns):
        sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ALL))
    sock.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 8 << 20)
    sock.setblocking(False)
    return sock


def udp_socket(netns, family, port):
    with inside(netns):
        sock = socket.socket(family, socket.SOCK_DGRAM)
    if family == socket.AF_INET6:
        sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
    sock.bind(("", port))
    sock.setblocking(False)
    return sock


class Station:
    """A container: what it sends with and hears by. Without NET6 it has no IPv6."""

    def __init__(self, netns, tenant, index, net4, net6):
        self.netns, self.tenant, self.index = netns, tenant, index
        self.net4, self.net6 = net4, net6
        self.live = False
        self.heard = packet_socket(netns)
        self.udp4 = udp_socket(netns, socket.AF_INET, PORT)
        self.udp6 = udp_socket(netns, socket.AF_INET6, PORT)

    def __str__(self):
        return self.netns

    def close(self):
        for sock in self.heard, self.udp4, self.udp6:
            sock.close()


class Traffic(threading.Thread):
    """`still` is a tenant of which not one frame may be lost."""

    def __init__(self, stations, ids, still, seed):
        super().__init__(daemon=True)
        self.stations, self.ids, self.still = stations, ids, still
        self.random = random.Random(seed)
        self.wire = packet_socket("wire")
        self.outside = packet_socket("out")
        self.echo = udp_socket("out", socket.AF_INET, ECHO_PORT)
        self.client = udp_socket("out", socket.AF_INET, CLIENT_PORT)
        self.of = {s.heard.fileno(): s for s in stations}
        self.sequence = 0
        self.wrong = []
        self.sent, self.checked, self.lost, self.arrived = 0, 0, 0, 0
        self.by_kind = {}
        self.pending = {}  # of unicast: key -> when it was sent
        self.known = {}  # of unicast that came lately: key -> when
        self.excused = []  # [begin, end] in which `still` may lose
        self.peers = {}  # {tenant, tenant} -> until when frames may cross
        self.published = set()  # tenants with a published port
        self.uplinks = []
        self.ending = threading.Event()
        self.between = {}  # (from, to) -> how many came, of all stations
        self.answered = {}  # (tenant, station) -> how many answers came from outside
        self.changes = []  # of stations: (those that end, those that come, when it is done)
        self.lock = threading.Lock()

    # ---- sending ------------------------------------------------------------------------

    def send(self, station, kind, receiver, address, port=PORT):
        """True where the kernel took it."""
        self.sequence += 1
        size = self.random.choice((0, 10, 200, 1000, 1250))
        frame = pack(station.tenant, kind, station.index, receiver, self.sequence, size)
        sock = station.udp6 if ":" in address else station.udp4
        key = (station.tenant, station.index, receiver, self.sequence)
        if kind == UNICAST:  # before it is sent: another thread reads
            self.pending[key] = time.monotonic()
        try:
            sock.sendto(frame, (address, port))
        except OSError:
            self.pending.pop(key, None)
            return False
        self.sent += 1
        return True

    def send_to(self, station, other):
        kind = UNICAST if station.tenant == other.tenant else PEER
        if self.random.random() < 0.5 or kind == PEER or not other.net6:
            self.send(station, kind, other.index, f"{other.net4}{other.index}")
        else:
            self.send(station, kind, other.index, f"{other.net6}{other.index:x}")

    def send_all(self, tick):
        live = [s for s in self.stations if s.live]
        for station in live:
            mates = [s for s in live if s.tenant == station.tenant and s is not station]
            if station.tenant == self.still:
                for other in mates:
                    self.send_to(station, other)
            elif mates:
                self.send_to(station, self.random.choice(mates))
            if (tick + station.index) % 8 == 0:
                self.send(station, BROADCAST, 255, f"{station.net4}255")
            if (tick + station.index) % 4 == 0:
                self.send(station, ECHO, station.index, "203.0.113.9", ECHO_PORT)
            strangers = [s for s in live if s.tenant != station.tenant
                         and s.net4 != station.net4]
            if strangers and tick % 4 == 1:
                self.send_to(station, self.random.choice(strangers))
        if tick % 8 == 3:
            self.ask_published()

    def ask_published(self):
        for tenant in list(self.published):
            for address in self.uplinks:
                self.sequence += 1
                frame = pack(tenant, PUBLISHED, 0, 0, self.sequence)
                try:
                    self.client.sendto(frame, (address, PUBLISHED_PORT + tenant))
                except OSError:
                    pass

    # ---- reading ------------------------------------------------------------------------

    def violation(self, text):
        if len(self.wrong) < 100:
            self.wrong.append(text)

    def may_cross(self, a, b, when):
        return self.peers.get(frozenset((a, b)), 0) >= when

    def judge(self, station, fields):
        """Why this frame may not be at this station, or None."""
        tenant, kind, sender, receiver, _, when = fields
        if tenant != station.tenant:
            if kind == PEER and self.may_cross(tenant, station.tenant, when):
                return None
            return f"of tenant {tenant}"
        if kind in (UNICAST, ECHO) and receiver != station.index:
            return f"for {receiver}"
        if kind == BROADCAST and sender == station.index:
            return "its own broadcast"
        return None

    def take(self, station, frame):
        at = frame.find(MAGIC)
        if at < 0:
            return
        error = quoted(frame, at)
        if error:
            if error[0] != station.tenant:
                self.violation(f"{station} got an ICMP error about another's frame: {error}")
            return
        fields = unpack(frame, at)
        if not fields:
            self.violation(f"{station} got a frame with a wrong checksum: {frame.hex()}")
            return
        self.checked += 1
        tenant, kind, sender, receiver, sequence, _ = fields
        self.by_kind[kind] = self.by_kind.get(kind, 0) + 1
        why = self.judge(station, fields)
        if why:
            self.violation(f"{station} got a frame {why}: {fields}")
        if kind == ECHO:
            self.answered[tenant, sender] = self.answered.get((tenant, sender), 0) + 1
        if kind != UNICAST:
            return
        key = (tenant, sender, receiver, sequence)
        if key in self.known:
            self.violation(f"{station} got a frame twice: {fields}")
        self.known[key] = time.monotonic()
        if self.pending.pop(key, None):
            self.arrived += 1
        pair = (tenant, sender, receiver)
        self.between[pair] = self.between.get(pair, 0) + 1

    def look_at_wire(self, frame):
        """A tunnel frame: is the tenant inside the one of the VNI or key?"""
        at = frame.find(MAGIC)
        if at < 0 or quoted(frame, at):  # an ICMP error to a host that was readdressed
            return
        fields = unpack(frame, at)
        if not fields:
            return
        ident = wire_id(frame)
        tenant, kind, when = fields[0], fields[1], fields[5]
        if ident is None:
            self.violation(f"on the wire outside a tunnel: {fields}, "
                           f"{frame[:64].hex()}")
        elif ident != self.ids[tenant] and not (kind == PEER and any(
                self.may_cross(tenant, other, when)
                for other, its in self.ids.items() if its == ident)):
            self.violation(f"on the wire under id {ident}: {fields}")

    def look_outside(self, frame):
        at = frame.find(MAGIC)
        if at < 0 or frame[12:14] != b"\x08\x00":
            return
        if frame[26] == 10 or frame[30] == 10:
            self.violation(f"a tenant's address outside: {frame.hex()}")

    def read_all(self, wait):
        socks = [*self.of, self.wire.fileno(), self.outside.fileno(), self.echo.fileno()]
        for fd in select.select(socks, [], [], wait)[0]:
            for _ in range(200):
                if not self.read_one(fd):
                    break

    def read_one(self, fd):
        try:
            if fd == self.echo.fileno():
                data, peer = self.echo.recvfrom(2048)
                self.echo.sendto(data, peer)
                return True
            sock = self.wire if fd == self.wire.fileno() else \
                self.outside if fd == self.outside.fileno() else self.of[fd].heard
            frame, where = sock.recvfrom(4096)
        except OSError as error:
            return not isinstance(error, BlockingIOError)
        if where[2] == OUTGOING or where[0] == "lo":
            return True
        if sock is self.wire:
            self.look_at_wire(frame)
        elif sock is self.outside:
            self.look_outside(frame)
        else:
            self.take(self.of[fd], frame)
        return True

    # ---- counting -----------------------------------------------------------------------

    def is_excused(self, when):
        return any(begin <= when <= end for begin, end in self.excused)

    def sweep(self):
        now = time.monotonic()
        for key in [k for k, when in self.pending.items() if when < now - LATE]:
            when = self.pending.pop(key)
            self.lost += 1
            if key[0] == self.still and not self.is_excused(when):
                self.violation(f"lost of the tenant that is left alone: {key}, sent at {when:.3f}")
        for key in [k for k, when in self.known.items() if when < now - 2 * LATE]:
            del self.known[key]

    def run(self):
        tick, due = 0, time.monotonic()
        while not self.ending.is_set():
            due = max(due + TICK, time.monotonic() - 5 * TICK)
            with self.lock:
                self.send_all(tick)
            tick += 1
            while (left := due - time.monotonic()) > 0:
                self.read_all(left)
            self.read_all(0)
            while self.changes:
                self.change(*self.changes.pop(0))
            if tick % 40 == 0:
                with self.lock:
                    self.sweep()

    def change(self, gone, come, done):
        with self.lock:
            for station in gone:
                self.stations.remove(station)
                del self.of[station.heard.fileno()]
                station.close()
            self.stations += come
            self.of.update({s.heard.fileno(): s for s in come})
        done.set()

    # ---- for the other thread -------------------------------------------------------------

    def exchange(self, gone, come):
        """Stations that end, for others that come."""
        done = threading.Event()
        self.changes.append((gone, come, done))
        while not done.wait(1) and self.is_alive():
            pass

    def excuse(self, begin):
        """From then until a little after now."""
        self.excused.append((begin - 0.2, time.monotonic() + 0.3))
        del self.excused[:-200]

    def silent_pairs(self, before):
        """Pairs of live stations of a tenant between which nothing has come since."""
        live = [s for s in self.stations if s.live]
        return [(s.tenant, s.index, d.index) for s in live for d in live
                if s is not d and s.tenant == d.tenant and
                self.between.get((s.tenant, s.index, d.index), 0) ==
                before.get((s.tenant, s.index, d.index), 0)]

    def probe(self, pairs):
        of = {(s.tenant, s.index): s for s in self.stations}
        with self.lock:
            for tenant, sender, receiver in pairs:
                self.send_to(of[tenant, sender], of[tenant, receiver])

    def all_reach(self, seconds):
        """Pairs that do not, after so long."""
        before, end = dict(self.between), time.monotonic() + seconds
        while (pairs := self.silent_pairs(before)) and time.monotonic() < end:
            self.probe(pairs)
            time.sleep(0.2)
        return pairs


def wire_id(frame):
    """The VNI or key of a tunnel frame, or None."""
    v6 = frame[12:14] == b"\x86\xdd"
    proto, at = (frame[20], 54) if v6 else (frame[23], 34)
    if proto == socket.IPPROTO_UDP and frame[at + 2:at + 4] == struct.pack("!H", 4789):
        return int.from_bytes(frame[at + 12:at + 15], "big")
    if proto == 47 and frame[at] & 0x20:
        at += 8 if frame[at] & 0x80 else 4
        return int.from_bytes(frame[at:at + 4], "big")
    return None
