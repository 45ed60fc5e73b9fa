# SPDX-License-Identifier: GPL-2.0-only
"""For soak.py: what the switches were told, and what may be done to them next."""

import time

from soak_compare import HOSTS, Compare
from soak_switch import Nothing
from soak_traffic import PUBLISHED_PORT, Station
from soak_whole import Whole

V4 = {"h1": "192.0.2.1", "h2": "192.0.2.2", "h3": "192.0.2.3"}
V6 = {"h1": "2001:db8::1", "h2": "2001:db8::2", "h3": "2001:db8::3"}
SECOND = {"h1": "192.0.2.101", "h2": "192.0.2.102", "h3": "192.0.2.103"}
MTU = "1400"


class Tenant:
    """A tenant, whether it is there or not."""

    def __init__(self, number, name, ident, encap, network, endpoints):
        self.number, self.name, self.ident, self.encap = number, name, ident, encap
        self.net4, self.net6 = f"10.{network}.0.", f"fd{network:02x}::"
        self.exists, self.times = False, 0
        self.gateway = None  # host, or `none`: everywhere
        self.published, self.port = False, str(PUBLISHED_PORT + number)
        self.endpoints = [Endpoint(self, i + 1) for i in range(endpoints)]

    def cidrs(self):
        return ["ip", f"{self.net4}254/24", "ip", f"{self.net6}fe/64"]


class Endpoint:
    """A container, whether it is an endpoint or not."""

    def __init__(self, tenant, index):
        self.tenant, self.index, self.name = tenant, index, f"e{index}"
        self.netns = f"{tenant.name}-{self.name}"
        self.mac = f"02:00:00:00:00:{index:02x}"
        self.more = []  # addresses besides the two that it always has
        self.host = self.dev = None
        self.gone = False  # its device was deleted without a word
        self.station = None

    def ips(self):
        return [f"{self.tenant.net4}{self.index}", f"{self.tenant.net6}{self.index:x}", *self.more]

    def words(self):
        words = ["tenant", self.tenant.name, "mac", self.mac]
        for ip in self.ips():
            words += ["ip", ip]
        return words


class Model(Compare, Whole):
    """Everything. A method do_* is an operation."""

    WEIGHTS = {
        "add": 10, "add_many": 3, "del": 5, "move_host": 12, "move_dev": 6, "change": 6,
        "vanish": 3, "heal": 4, "tenant_del": 1, "tenant_add": 4, "tenant_set": 4,
        "host_order": 3, "host_address": 1, "host_phantom": 2, "gateway_add": 5,
        "gateway_move": 5, "gateway_set": 3, "gateway_del": 1, "publish_add": 4,
        "publish_del": 2, "peer_add": 4, "peer_del": 2, "limit": 3, "repair": 2, "beside": 5,
        "refused": 3, "apply": 4, "apply_nothing": 2, "upgrade": 2, "watch": 4,
    }

    def __init__(self, rand, switch):
        super().__init__()
        self.random, self.switch, self.traffic = rand, switch, None
        # red to amber are alike but for their names; left and right may be peers.
        self.tenants = [
            Tenant(1, "red", 100, "vxlan", 0, 5), Tenant(2, "blue", 200, "gre", 0, 5),
            Tenant(3, "green", 300, "vxlan", 0, 4), Tenant(4, "amber", 4000000000, "gre", 0, 4),
            Tenant(5, "left", 500, "vxlan", 3, 3), Tenant(6, "right", 600, "vxlan", 4, 3),
            Tenant(7, "still", 50, "vxlan", 0, 3)]
        self.still = 7
        self.halves = set()  # (tenant, with)
        self.phantom = False
        self.serial = 0
        self.order = {host: True for host in HOSTS}  # IPv4 before IPv6
        self.v4 = dict(V4)
        self.all = [e for t in self.tenants for e in t.endpoints]
        for e in self.all:
            e.station = Station(e.netns, e.tenant.number, e.index, e.tenant.net4, e.tenant.net6)
        self.stations = [e.station for e in self.all]

    def ids(self):
        return {t.number: t.ident for t in self.tenants}

    # ---- choosing -------------------------------------------------------------------------

    def busy(self):
        return [t for t in self.tenants if t.exists and t.number != self.still]

    def there(self):
        return [e for t in self.busy() for e in t.endpoints if e.host]

    def pick(self, those):
        those = list(those)
        return self.random.choice(those) if those else None

    def one(self, those):
        """Likewise; where there is none the operation has nothing to do."""
        picked = self.pick(those)
        if picked is None:
            raise Nothing
        return picked

    def hosts(self):
        """All, in any order."""
        return self.random.sample(HOSTS, len(HOSTS))

    def choose(self):
        """Does one of the operations and returns its name, or None if there was nothing to do."""
        name = self.random.choices(list(self.WEIGHTS), list(self.WEIGHTS.values()))[0]
        self.switch.write(f"# {name}")
        try:
            getattr(self, f"do_{name}")()
        except Nothing:
            name = None
        self.switch.end_beside()
        return name

    def do(self, host, *words, lines=None):
        """A command about tenants and what they have."""
        self.switch.do(host, *words, lines=lines)

    def show(self, host, *words):
        return self.switch.show(host, *words)

    def on_all(self, *words, first=None):
        """The same command on every host, FIRST first."""
        for host in sorted(self.hosts(), key=lambda h: h != first):
            self.do(host, *words)

    def rest(self):
        """Until all hosts have what they were told."""

    # ---- devices --------------------------------------------------------------------------

    def plug(self, e, host):
        """A new cable into the container; returns its end at the host."""
        self.serial += 1
        dev = f"{e.tenant.name[:5]}{e.index}x{self.serial % 10000}"
        device = self.switch.device
        device("-n", host, "link", "add", dev, "type", "veth", "peer", "name", "new", "address",
               e.mac, "mtu", MTU, "netns", e.netns)
        device("-n", host, "link", "set", dev, "up")
        return dev

    def settle(self, e):
        """The new cable is the container's eth0, with its addresses and routes."""
        device = self.switch.device
        device("-n", e.netns, "link", "set", "new", "name", "eth0")
        for ip in e.ips():
            length = "64" if ":" in ip else "24"
            words = ("nodad",) if ":" in ip else ("brd", "+")
            device("-n", e.netns, "addr", "add", f"{ip}/{length}", "dev", "eth0", *words)
        device("-n", e.netns, "link", "set", "eth0", "up")
        for ip in (f"{e.tenant.net4}254", f"{e.tenant.net6}fe"):
            device("-n", e.netns, "route", "add", "default", "via", ip, "dev", "eth0")

    def unplug(self, host, dev):
        self.switch.device("-n", host, "link", "del", dev)

    def tell_where(self, e, verb, *words):
        """`endpoint VERB` on all hosts: it is at e.host."""
        for host in sorted(self.hosts(), key=lambda h: h != e.host):
            where = ("dev", e.dev) if host == e.host else ("host", e.host)
            self.do(host, "endpoint", verb, e.name, *words, *where)

    # ---- endpoints --------------------------------------------------------------------------

    def add(self, e, host):
        e.host, e.dev, e.gone = host, self.plug(e, host), False
        e.more = []
        self.settle(e)
        self.tell_where(e, "add", *e.words())
        e.station.live = True

    def do_add(self):
        e = self.one(e for t in self.busy() for e in t.endpoints if not e.host)
        self.add(e, self.pick(HOSTS))

    def do_add_many(self):
        """All that a tenant lacks, by one batch for each host."""
        absent = [e for e in self.one(self.busy()).endpoints if not e.host]
        if not absent:
            raise Nothing
        for e in absent:
            e.host, e.gone, e.more = self.pick(HOSTS), False, []
            e.dev = self.plug(e, e.host)
            self.settle(e)
        self.tell_many(absent)
        for e in absent:
            e.station.live = True

    def tell_many(self, absent):
        for host in self.hosts():
            lines = [f"endpoint add {e.name} {' '.join(e.words())} " +
                     (f"dev {e.dev}" if e.host == host else f"host {e.host}") for e in absent]
            self.do(host, "-b", "-", lines="\n".join(lines) + "\n")

    def do_del(self):
        e = self.one(self.there())
        e.station.live = False
        first = self.random.random() < 0.5
        if first and not e.gone:
            self.unplug(e.host, e.dev)
        self.on_all("endpoint", "del", e.name, "tenant", e.tenant.name)
        if not first and not e.gone:
            self.unplug(e.host, e.dev)
        e.host = None

    def move(self, e, host):
        """The old cable goes when every host knows."""
        old = None if e.gone else (e.host, e.dev)
        if old:
            self.switch.device("-n", e.netns, "link", "del", "eth0")
        e.host, e.dev, e.gone = host, self.plug(e, host), False
        self.settle(e)
        self.tell_where(e, "set", "tenant", e.tenant.name)
        e.station.live = True

    def do_move_host(self):
        e = self.one(self.there())
        self.move(e, self.pick(h for h in HOSTS if h != e.host))

    def do_move_dev(self):
        """To another device of the same host: only that one needs to be told."""
        e = self.one(e for e in self.there() if not e.gone)
        self.switch.device("-n", e.netns, "link", "del", "eth0")
        e.dev = self.plug(e, e.host)
        self.settle(e)
        self.do(e.host, "endpoint", "set", e.name, "tenant", e.tenant.name, "dev", e.dev)

    def do_change(self):
        """An address more, or less."""
        e = self.one(e for e in self.there() if not e.gone)
        self.other_ips(e)
        self.on_all("endpoint", "set", e.name, *e.words()[:2], *e.words()[4:])

    def other_ips(self, e):
        ip = f"{e.tenant.net4}{100 + e.index}"
        word = "del" if e.more else "add"
        e.more = [] if e.more else [ip]
        self.switch.device("-n", e.netns, "addr", word, f"{ip}/24", "dev", "eth0")

    def do_vanish(self):
        e = self.one(e for e in self.there() if not e.gone)
        e.station.live, e.gone = False, True
        self.unplug(e.host, e.dev)

    def heal(self, e):
        e.dev, e.gone = self.plug(e, e.host), False
        self.settle(e)
        self.do(e.host, "endpoint", "replace", e.name, *e.words(), "dev", e.dev)
        e.station.live = True

    def do_heal(self):
        self.heal(self.one(e for e in self.there() if e.gone))

    def heal_all(self):
        for e in self.there():
            if e.gone:
                self.heal(e)

    # ---- tenants --------------------------------------------------------------------------

    def tenant_add(self, t):
        self.on_all("tenant", "add", t.name, "id", str(t.ident), "encap", t.encap)
        self.came(t)

    def came(self, t):
        t.exists = True
        t.times += 1

    def do_tenant_add(self):
        self.tenant_add(self.one(t for t in self.tenants if not t.exists))

    def do_tenant_del(self):
        t = self.one(self.busy())
        self.forget_gateway(t)
        for e in t.endpoints:
            e.station.live = False
        self.on_all("tenant", "del", t.name, "force", "on")
        t.exists = False
        for e in t.endpoints:
            if e.host and not e.gone:
                self.unplug(e.host, e.dev)
            e.host = None

    def do_tenant_set(self):
        t = self.one(self.busy())
        words = self.random.choice((["broadcast", "off"], ["broadcast", "on"], ["mtu", MTU],
                                    ["mtu", "0"], ["encap", "gre"], ["encap", "vxlan"]))
        if words == ["encap", "vxlan"] and t.ident >= 1 << 24:
            words = ["encap", "gre"]
        self.on_all("tenant", "set", t.name, *words)

    def do_limit(self):
        """High enough never to be reached here."""
        t = self.one(self.busy())
        e = self.pick(e for e in t.endpoints if e.host and not e.gone)
        words = ["rate-out", self.random.choice(("none", "500mbit", "1gbit"))]
        if e and self.random.random() < 0.5:
            self.on_all("endpoint", "set", e.name, "tenant", t.name, *words)
        else:
            self.on_all("tenant", "set", t.name, *words)

    # ---- hosts ----------------------------------------------------------------------------

    def addresses(self, host):
        ips = [self.v4[host], V6[host]]
        return [w for ip in (ips if self.order[host] else ips[::-1]) for w in ("ip", ip)]

    def tell_hosts(self, host):
        for other in self.hosts():
            if other != host:
                self.do(other, "host", "set", host, *self.addresses(host))

    def do_host_order(self):
        """Which of its two addresses is sent to: nothing may be lost by it."""
        host = self.pick(HOSTS)
        self.order[host] = not self.order[host]
        self.tell_hosts(host)

    def do_host_address(self):
        """Another IPv4 address, which is not without loss."""
        host, begin = self.pick(HOSTS), time.monotonic()
        self.traffic.excused.append((begin - 0.2, begin + 3600))
        self.v4[host] = SECOND[host] if self.v4[host] == V4[host] else V4[host]
        self.switch.do(host, "switch", "set", "local", self.v4[host])
        self.tell_hosts(host)
        self.traffic.excused.pop()
        self.traffic.excuse(begin)

    def do_host_phantom(self):
        """A host that does not exist, with an endpoint."""
        if self.phantom:
            self.on_all("endpoint", "del", "ghost", "tenant", "still")
            self.on_all("host", "del", "h9")
        else:
            self.on_all("host", "add", "h9", "ip", "192.0.2.99")
            self.on_all("endpoint", "add", "ghost", "tenant", "still", "mac", "02:00:00:00:00:99",
                        "host", "h9")
        self.phantom = not self.phantom

    # ---- gateways ---------------------------------------------------------------------------

    def do_gateway_add(self):
        t = self.one(t for t in self.busy() if not t.gateway)
        t.gateway = self.pick((*HOSTS, "none"))
        where = [] if t.gateway == "none" else ["host", t.gateway]
        self.on_all("gateway", "add", t.name, *t.cidrs(), *where)

    def do_gateway_move(self):
        t = self.one(t for t in self.busy() if t.gateway)
        t.gateway = self.pick((*HOSTS, "none"))
        first = t.gateway if t.gateway != "none" else None
        self.on_all("gateway", "set", t.name, "host", t.gateway, *self.drain(), first=first)

    def drain(self):
        return [] if self.random.random() < 0.3 else ["drain", str(self.random.randint(0, 5))]

    def do_gateway_set(self):
        t = self.one(t for t in self.busy() if t.gateway)
        words = self.random.choice((["snat", "203.0.113.77"], ["snat", "none"], ["nat", "on"],
                                    ["ip", f"{t.net4}254/24", "ip", f"{t.net6}fe/64"]))
        self.on_all("gateway", "set", t.name, *words)

    def forget_gateway(self, t):
        self.traffic.published.discard(t.number)
        t.gateway, t.published = None, False
        self.halves = {h for h in self.halves if t.name not in h}
        self.allow_peers()

    def do_gateway_del(self):
        t = self.one(t for t in self.busy() if t.gateway)
        self.forget_gateway(t)
        self.on_all("gateway", "del", t.name, "force", "on")

    def do_publish_add(self):
        t = self.one(t for t in self.busy() if t.gateway and not t.published)
        e = self.one(e for e in t.endpoints if e.host)
        self.on_all("publish", "add", t.name, "proto", "udp", "port", t.port, "to",
                    f"{e.ips()[0]}:7000")
        t.published = True
        self.traffic.published.add(t.number)

    def do_publish_del(self):
        t = self.one(t for t in self.busy() if t.published)
        self.on_all("publish", "del", t.name, "proto", "udp", "port", t.port)
        t.published = False
        self.traffic.published.discard(t.number)

    def allow_peers(self):
        """Frames may cross while both halves are there, and those under way a little longer."""
        pair = frozenset((5, 6))
        if len(self.halves) == 2:
            self.traffic.peers[pair] = float("inf")
        elif self.traffic.peers.get(pair) == float("inf"):
            self.traffic.peers[pair] = time.monotonic() + 3600

    def closed(self):
        """All hosts know by now: what is sent from here on must not cross."""
        if len(self.halves) < 2 and frozenset((5, 6)) in self.traffic.peers:
            self.traffic.peers[frozenset((5, 6))] = time.monotonic() + 0.1

    def do_peer_add(self):
        left, right = self.tenants[4], self.tenants[5]
        half = self.one(h for h in ((left, right), (right, left))
                        if (h[0].name, h[1].name) not in self.halves)
        if not (left.gateway and right.gateway):
            raise Nothing
        self.halves.add((half[0].name, half[1].name))
        self.allow_peers()
        self.on_all("peer", "add", half[0].name, "with", half[1].name)

    def do_peer_del(self):
        half = self.one(sorted(self.halves))
        self.halves.remove(half)
        self.allow_peers()
        self.on_all("peer", "del", half[0], "with", half[1])
        self.closed()

    # ---- the switch itself --------------------------------------------------------------------

    def do_repair(self):
        host = self.pick(HOSTS)
        for e in self.there():
            if e.gone and e.host == host:
                self.heal(e)  # nobody else can
        self.switch.do(host, "switch", "repair")

    def do_beside(self):
        words = self.pick((("switch", "check"), ("endpoint", "show"), ("gateway", "show"),
                           ("stats", "show"), ("tenant", "show"), ("publish", "show")))
        self.switch.begin_beside(self.pick(HOSTS), *words)
        self.do_move_host()

    def do_refused(self):
        """Commands that cannot be done change nothing: the next check would see it."""
        e, host = self.one(self.there()), self.pick(HOSTS)
        words = self.pick((("endpoint", "add", "other", "tenant", e.tenant.name, "mac", e.mac,
                            "host", "h9"),
                           ("tenant", "add", "other", "id", str(e.tenant.ident)),
                           ("tenant", "del", e.tenant.name),
                           ("host", "add", "other", "ip", self.v4["h1"]),
                           ("gateway", "set", "still", "nat", "on")))
        try:
            self.show(host, *words)
        except Exception as error:  # pylint: disable=broad-except
            self.switch.write(f"refused: {error}")
            return
        raise RuntimeError(f"not refused on {host}: {' '.join(words)}")

    def close(self):
        """Nothing of it runs on."""

    # ---- begin and end ----------------------------------------------------------------------

    def begin(self):
        for t in self.tenants:
            self.tenant_add(t)
        for e in self.tenants[-1].endpoints:
            self.add(e, HOSTS[e.index - 1])
        for e in self.all:
            if e.tenant.number != self.still and e.index <= 3:
                self.add(e, self.pick(HOSTS))

    def end(self):
        """Everything is deleted, at random."""
        self.traffic.still = None
        self.end_watchers()
        self.heal_all()
        if self.phantom:
            self.do_host_phantom()
        while True:
            t = self.pick(t for t in self.tenants if t.exists)
            if not t:
                break
            if self.random.random() < 0.5:
                self.forget_gateway(t)
                for e in t.endpoints:
                    e.station.live = False
                self.on_all("tenant", "del", t.name, "force", "on")
            else:
                self.delete_slowly(t)
            t.exists = False
            for e in t.endpoints:
                if e.host:
                    self.unplug(e.host, e.dev)
                e.host = None

    def delete_slowly(self, t):
        if t.gateway:
            self.forget_gateway(t)
            self.on_all("gateway", "del", t.name, "force", "on")
        for e in t.endpoints:
            e.station.live = False
            if e.host:
                self.on_all("endpoint", "del", e.name, "tenant", t.name)
        self.on_all("tenant", "del", t.name)
