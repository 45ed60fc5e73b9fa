# SPDX-License-Identifier: GPL-2.0-only
"""For model.py: what may be changed, and how it is taken back."""

import dataclasses
import os
import re
import socket
import struct

from netns import inside

TSW = os.environ["TSW"]
LEASE = 7.2  # s longer than model.py waits: what is changed by hand in the router holds then
PORT = 4000
SERVER = "203.0.113.9", "2001:db8:9::9"
HOSTS = "h1", "h2"
# tenant: id, its networks' first parts, its containers' hosts
TENANTS = {"red": (100, ("10.0.0.", "fd00::"), {"a": "h1", "c": "h2"}),
           "blue": (200, ("10.0.0.", "fd00::"), {"a": "h1", "c": "h2"}),
           "green": (300, ("10.2.0.", "fd02::"), {"a": "h1"})}
LAST = {"a": 1, "c": 3}
PEERS_TCP = ":tcp:fd00~1:", ":tcp:10.2."
PUBLISHED = {"red": 80, "blue": 81}
HOOKS = ("forward priority 0", "forward priority -200", "prerouting priority -100",
         "prerouting priority -300", "postrouting priority 200")
MATCHES = ("meta l4proto udp", "meta l4proto tcp", "th dport 4000", "th sport 4000",
           "ip daddr 203.0.113.9", "ip6 saddr 2001:db8:9::9", "iifname tsw-gw", "oifname tsw-gw",
           "ct state established", "ct direction reply", "ct direction original",
           "ip saddr 10.2.0.0/24", "iifname tsw-up", "ct mark != 0", "th dport 80-81")
NETFILTER, CT_DELETE, REQUEST_ACK = 12, 1 << 8 | 2, 5
ENTRY = re.compile(r"src=(\S+) dst=(\S+) sport=(\d+) dport=(\d+)(?: .*?)??"
                   r"(?: zone(?:-orig)?=(\d+))? src=")


@dataclasses.dataclass
class Change:
    name: str
    commands: list  # or functions, that give a status
    back: list = None
    more: float = 0  # s until it has its full effect, besides the usual
    at_once: bool = False  # no lease is good for a moment more
    uncertain: tuple = ()  # parts of the names of flows that may go on behind it or not
    if_late: tuple = ()  # likewise, where an answer took long
    alone: bool = False  # and taken back before anything else
    still: float = 0  # s without traffic when it is back, while the kernel comes to terms with it


def sw(host, words):
    return [TSW, "-n", host, *words.split()]


def on(host, words):
    return ["nsenter", f"--net=/run/netns/{host}", "--", *words.split()]


def router(host, words):
    """Where the gateways of that host are, if it has some."""
    return on(f"tsw-gw.{host}", words)


def everywhere(words):
    return [sw(host, words) for host in HOSTS]


def nft(host, text):
    return [*router(host, "nft"), text]


def counting(host):
    return nft(host, "table inet count { chain forward { type filter hook forward priority 10; "
                     "meta l4proto { tcp, udp } counter; }; }")


def attr(kind, octets):
    return struct.pack("=HH", 4 + len(octets), kind) + octets.ljust(-len(octets) % 4 + len(octets),
                                                                   b"\0")


def delete_of(line, words):
    """What `conntrack -D` sends for a line of /proc/net/nf_conntrack."""
    src, dst, sport, dport, zone = words
    family = socket.AF_INET6 if ":" in src else socket.AF_INET
    first = 3 if family == socket.AF_INET6 else 1  # CTA_IP_V6_SRC, CTA_IP_V4_SRC
    nested = 0x8000
    address = attr(first, socket.inet_pton(family, src)) + \
        attr(first + 1, socket.inet_pton(family, dst))
    proto = attr(1, bytes([6 if " tcp " in line else 17])) + \
        attr(2, struct.pack("!H", int(sport))) + attr(3, struct.pack("!H", int(dport)))
    body = struct.pack("=BBH", family, 0, 0) + \
        attr(nested | 1, attr(nested | 1, address) + attr(nested | 2, proto))
    return body + (attr(18, struct.pack("!H", int(zone))) if zone else b"")


def conntrack_delete(host, wanted):
    """`conntrack -D` of all lines with WANTED."""
    with inside(f"tsw-gw.{host}"):
        sock = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETFILTER)
        with open("/proc/thread-self/net/nf_conntrack", encoding="ascii") as file:
            lines = [line for line in file if re.search(wanted, line)]
    with sock:
        sock.bind((0, 0))
        for line in lines:
            if not (match := ENTRY.search(line)):
                continue
            body = delete_of(line, match.groups())
            sock.send(struct.pack("=IHHII", 16 + len(body), CT_DELETE, REQUEST_ACK, 1, 0) + body)
            error = -struct.unpack_from("=i", sock.recv(4096), 16)[0]
            if error not in (0, 2):  # it has just ended
                return f"{error} for {line}"
    return 0


class Changes:
    """All hangs on the numbers that RAND gives, and on nothing that happens."""

    def __init__(self, rand):
        self.rand, self.undo = rand, []
        self.home = {"red": "h1", "blue": "h1", "green": "h1"}

    def all_open(self):
        return not self.undo

    def begin(self):
        commands = []
        for tenant in TENANTS:
            commands += self.tenant(tenant)
        commands.append(counting("h1"))
        for tenant in "red", "green":
            commands += self.peerings(tenant)
        return commands

    # ---- what there is ----------------------------------------------------------------------

    def endpoint(self, tenant, name):
        _, nets, at = TENANTS[tenant]
        words = f"endpoint add {name} tenant {tenant} mac 02:00:00:00:00:0{LAST[name]} " + \
            " ".join(f"ip {net}{LAST[name]}" for net in nets)
        return [sw(host, f"{words} " + (f"dev {tenant}-{name}" if host == at[name]
                                        else f"host {at[name]}")) for host in HOSTS]

    def gateway(self, tenant):
        _, (net4, net6), _ = TENANTS[tenant]
        return everywhere(f"gateway add {tenant} ip {net4}254/24 ip {net6}fe/64 "
                          f"host {self.home[tenant]} fast on")

    @staticmethod
    def publish(tenant, proto):
        return [line for net in ("10.0.0.1", "[fd00::1]") for line in everywhere(
            f"publish add {tenant} proto {proto} port {PUBLISHED[tenant]} to {net}:{PORT}")]

    def tenant(self, tenant):
        ident, _, at = TENANTS[tenant]
        commands = everywhere(f"tenant add {tenant} id {ident}")
        for name in at:
            commands += self.endpoint(tenant, name)
        commands += self.gateway(tenant)
        if tenant in PUBLISHED:
            commands += self.publish(tenant, "tcp") + self.publish(tenant, "udp")
        return commands

    @staticmethod
    def peerings(tenant):
        return everywhere(f"peer add {tenant} with {'green' if tenant == 'red' else 'red'}")

    # ---- what may change --------------------------------------------------------------------

    def draw(self):
        if self.undo and (len(self.undo) > 1 or self.undo[-1].alone or self.rand.random() < 0.5):
            last = self.undo.pop()
            return Change(f"back: {last.name}", last.back, more=last.more,
                          still=last.still, uncertain=last.uncertain)
        change = self.rand.choice(self.KINDS)(self)
        if change.back:
            self.undo.append(change)
        return change

    def rule(self):
        """In the router, in a table of its own."""
        host, match = self.rand.choice(("h1", "h1", "h2")), self.rand.choice(MATCHES)
        verdict = self.rand.choice(("drop", "drop", "reject"))
        hook = self.rand.choice(HOOKS if verdict == "drop" else HOOKS[:2])
        text = f"add table inet m; add chain inet m c {{ type filter hook {hook}; }}; " \
            f"add rule inet m c meta l4proto {{ tcp, udp }} {match} {verdict}"
        return Change(f"{host} {hook}: {match} {verdict}", [nft(host, text)],
                      [nft(host, "delete table inet m")], more=LEASE)

    def admin_nat(self):
        """Of the administrator's own, for what begins from now on."""
        text = "add table ip n; add chain ip n c { type nat hook postrouting priority 90; }; " \
            "add rule ip n c oifname tsw-up udp dport 4000 " \
            "snat to 203.0.113.1:20000-30000 fully-random"
        return Change("h1 snat in the router", [nft("h1", text)],
                      [nft("h1", "delete table ip n")], more=LEASE)

    def flush(self):
        return Change("h1 nft flush ruleset", [router("h1", "nft flush ruleset")],
                      [sw("h1", "switch repair"), counting("h1")], more=LEASE, alone=True)

    def forget(self):
        """An answer that comes first, to what is forgotten, is a new flow of who was asked."""
        host, wanted, name = self.rand.choice((
            ("h1", " tcp ", "TCP"), ("h1", " udp ", "UDP"), ("h1", " ", "all"),
            ("h1", "dport=8[01] ", "published"),
            ("h1", f"sport={5000 + self.rand.randrange(4)} ", "one of each"),
            ("h1", "10.2.0.1", "green's")))
        return Change(f"{host} conntrack -D {name}", [lambda: conntrack_delete(host, wanted)],
                      more=LEASE, if_late=("out:",))

    def route(self):
        way, to = self.rand.choice((
            ("blackhole", SERVER[0]), ("unreachable", SERVER[1]), ("prohibit", SERVER[0])))
        return Change(f"h1 route {way} {to}", [on("h1", f"ip route add {way} {to} proto static")],
                      [on("h1", f"ip route del {way} {to} proto static")])

    def other_way(self):
        to, via = self.rand.choice(((SERVER[0], "198.51.100.9"), (SERVER[1], "2001:db8:51::9")))
        return Change(f"h1 route {to} by up1", [on("h1", f"ip route add {to} via {via} dev up1")],
                      [on("h1", f"ip route del {to} via {via} dev up1")])

    def policy(self):
        words = self.rand.choice((f"to {SERVER[0]} ipproto udp", "iif tsw-up ipproto tcp"))
        return Change(f"h1 ip rule {words}",
                      [on("h1", f"ip rule add {words} priority 50 blackhole")],
                      [on("h1", "ip rule del priority 50")])

    def link(self):
        up, down = on("h1", "ip link set up0 up"), on("h1", "ip link set up0 down")
        return self.rand.choice((
            Change("h1 up0 down", [down], [up], at_once=True, still=1),
            Change("h1 up0 has no carrier", [on("out", "ip link set h1 down")],
                   [on("out", "ip link set h1 up")], at_once=True, still=1),
            Change("h1 up0 flaps", [down, up], still=0.3)))

    def published(self):
        tenant, proto = self.rand.choice(("red", "blue")), self.rand.choice(("tcp", "udp"))
        return Change(f"publish del {tenant} {proto}", everywhere(
            f"publish del {tenant} proto {proto} port {PUBLISHED[tenant]}"),
            self.publish(tenant, proto), at_once=True)

    def peering(self):
        tenant, other = self.rand.sample(("red", "green"), 2)
        return Change(f"peer del {tenant}", everywhere(f"peer del {tenant} with {other}"),
                      self.peerings(tenant), at_once=True)

    def translation(self):
        words, back = self.rand.choice((("nat off", "nat on"), (
            "snat 203.0.113.71 snat 2001:db8:9::71", "snat none")))
        return Change(f"green {words}", everywhere(f"gateway set green {words}"),
                      everywhere(f"gateway set green {back}"), at_once=True)

    def fast_off(self):
        tenant = self.rand.choice(list(TENANTS))
        return Change(f"{tenant} fast off", everywhere(f"gateway set {tenant} fast off"),
                      everywhere(f"gateway set {tenant} fast on"), at_once=True)

    def endpoint_del(self):
        tenant, name = self.rand.choice((("red", "a"), ("blue", "a"), ("red", "c"), ("blue", "c"),
                                         ("green", "a")))
        return Change(f"endpoint del {tenant} {name}",
                      everywhere(f"endpoint del {name} tenant {tenant}"),
                      self.endpoint(tenant, name), at_once=True)

    def tenant_del(self):
        tenant = self.rand.choice(list(TENANTS))
        back, commands = self.tenant(tenant), []
        if tenant != "blue":
            back += self.peerings("red") + self.peerings("green")
            commands = everywhere("peer del red with green") + \
                everywhere("peer del green with red")
        return Change(f"tenant del {tenant}",
                      commands + everywhere(f"tenant del {tenant} force on"), back, at_once=True)

    def gateway_del(self):
        back = self.gateway("blue") + self.publish("blue", "tcp") + self.publish("blue", "udp")
        return Change("gateway del blue", everywhere("gateway del blue force on"), back,
                      at_once=True)

    def move(self):
        """First where it goes to. Nobody knows there who of two peers began a connection."""
        tenant, drain = self.rand.choice(("red", "blue")), self.rand.choice((0, 2, 5))

        def to(host):
            words = f"gateway set {tenant} host {host}" + (f" drain {drain}" if drain else "")
            return [sw(at, words) for at in sorted(HOSTS, key=lambda at: at != host)]
        return Change(f"move {tenant}, drain {drain}", to("h2"), to("h1"), more=drain,
                      at_once=drain != 2, uncertain=PEERS_TCP if tenant == "red" else ())

    def nothing(self):
        """What nothing may be lost by."""
        name, words = self.rand.choice((("repair", "switch repair"),
                                        ("upgrade", "-f -q switch upgrade")))
        return Change(name, everywhere(words), at_once=True)

    KINDS = (rule, rule, rule, admin_nat, published, peering, translation, fast_off, endpoint_del,
             tenant_del, gateway_del, move, move, forget, forget, forget, flush, route, other_way,
             policy, link, link, nothing)
