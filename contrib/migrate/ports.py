# SPDX-License-Identifier: GPL-2.0-only
"""Bridges of both kinds in tsw's terms: a tenant is a bridge, or one VLAN of it."""

import collections
import dataclasses
import ipaddress

from read import Bad, get, ip_of, mac_of, name_in, net_ip_of, quote, rows
from state import MOST_ID, VXLAN_PORT, is_unicast

UPLINK_ADVICE = "tsw cannot know what is behind it"
# Kinds of devices that an endpoint may have; None: the kind is unknown.
CONTAINER_KINDS = ("veth", "tun", None)


@dataclasses.dataclass
class Tunnel:
    encap: str
    key: int  # 0: none
    remotes: set  # other hosts' addresses
    local: str = ""
    port: int = VXLAN_PORT


@dataclasses.dataclass
class Port:
    """tag: its VLAN; 0: no VLANs; None: it carries all."""
    bridge: str
    name: str
    role: str  # container, tunnel, or inner: the host's own device in the bridge
    tag: int = 0
    tunnel: Tunnel = None
    wants: str = ""  # name of the endpoint
    macs: set = dataclasses.field(default_factory=set)
    rates: dict = dataclasses.field(default_factory=dict)
    trunks: tuple = ()  # of a tunnel without a tag: only these VLANs

    def carries(self, tag):
        return self.tag is None and (not self.trunks or tag in self.trunks)

    @property
    def what(self):
        return f"port {quote(self.name)} of bridge {quote(self.bridge)}"


# What a bridge has learned or was given. dst: the other host's address, if the port has several.
Heard = collections.namedtuple("Heard", "port tag mac dst")


class Links:
    """This host's devices and their addresses, and its neighbours."""

    def __init__(self, facts, must=False):
        links = facts.one("link.json") if must else facts.maybe("link.json", [])
        self.kinds, self.macs, self.ips = {}, {}, collections.defaultdict(list)
        self.masters = {}
        for link, at in rows(links, "link.json"):
            name = name_in(link, "ifname", at)
            info = get(link, "linkinfo", dict, at, {})
            loop = get(link, "link_type", str, at, "") == "loopback"
            self.kinds[name] = "loopback" if loop else get(info, "info_kind", str, at, "")
            self.masters[name] = get(link, "master", str, at, "")
            if "address" in link and not loop and link.get("link_type") == "ether":
                self.macs[name] = mac_of(link["address"], f"{at}.address")
        if links and not any(kind not in ("", "loopback") for kind in self.kinds.values()) and must:
            raise Bad("link.json: no device has \"linkinfo\": is it what `ip -j -d link` prints?")
        for link, at in rows(facts.maybe("addr.json", []), "addr.json"):
            for info, where in rows(get(link, "addr_info", list, at, []), at + ".addr_info"):
                if get(info, "scope", str, where, "") == "global" and "local" in info:
                    ip = get(info, "local", str, where)
                    self.ips[name_in(link, "ifname", at)].append(
                        net_ip_of(f"{ip}/{get(info, 'prefixlen', int, where)}", where))
        self.neighbours = collections.defaultdict(lambda: collections.defaultdict(list))
        for near, at in rows(facts.maybe("neigh.json", []), "neigh.json"):
            if "lladdr" in near and get(near, "dst", str, at).lower()[:4] != "fe80":
                mac = mac_of(near["lladdr"], at + ".lladdr")
                ips = self.neighbours[get(near, "dev", str, at, "")][mac]
                ip = ip_of(near["dst"], at + ".dst")
                ips += [ip] if ip not in ips else []

    def with_ip(self, ip):
        for name, ips in self.ips.items():
            if ip in (each.split("/")[0] for each in ips):
                return name
        return None

    def facing(self, remote):
        """This host's address in the network of that one."""
        for ips in self.ips.values():
            for ip in ips:
                if ipaddress.ip_address(remote) in ipaddress.ip_interface(ip).network:
                    return ip.split("/")[0]
        return None


def underlay(hosts, links, locals_, remotes, report, wires=None):
    """Sets this host's tunnel addresses: given, of its tunnels, or in the others' network. WIRES:
    ports of Open vSwitch in userspace that have addresses -> the device below, or None."""
    for ip in sorted(locals_) or sorted(filter(None, map(links.facing, sorted(remotes)))):
        hosts.add_own(ip)
    own = hosts.ips[hosts.own]
    if not own:
        raise Bad("this host's tunnel address is not known: give --local IP")
    if len({ipaddress.ip_address(ip).version for ip in remotes}) > 1:
        report.note("tunnels", "some are over IPv4 and some over IPv6, but tsw sends only to the "
                    "first address of a host: use one family before old and new hosts work side by "
                    "side")
    devs = sorted({links.with_ip(ip) for ip in own} - {None})
    if set(devs) & set(wires or {}):
        devs = sorted({in_userspace(hosts, links, dev, wires, report) for dev in devs})
    if devs and "loopback" not in map(links.kinds.get, devs):
        hosts.switch["dev"] = devs
    else:
        report.note(f"host {quote(hosts.own)}", f"its underlay device is not known: run `tsw switch "
                    f"up dev DEV local {own[0]}` before `apply`")


def in_userspace(hosts, links, dev, wires, report):
    """The device for a switch beside Open vSwitch in userspace. That takes the tunnels' frames
    before they come to DEV, but the device below shows them to both."""
    if dev not in wires:
        return dev
    what, see = f"host {quote(hosts.own)}", "see \"A datapath in userspace\" in docs/migrate.md"
    wire = wires[dev]
    if not wire:
        report.note(what, f"{quote(dev)} is of Open vSwitch in userspace, and there is no one device "
                    f"below it: delete a tenant's tunnel ports right before `apply`: {see}")
        return dev
    port = hosts.switch.get("port", VXLAN_PORT)
    ips = [ip for ip in links.ips[dev] if ip.split("/")[0] in hosts.ips[hosts.own]]
    nets = sorted({ipaddress.ip_interface(ip).network for ip in ips}, key=str)
    run = [f"ip link add old-{port} up type vxlan id {MOST_ID['vxlan']} dstport {port}"]
    if links.macs.get(wire) != links.macs.get(dev):
        run.append(f"ip link set {wire} address {links.macs.get(dev)}")
    for net in nets:
        run.append(f"ip -{net.version} route add {net} dev {wire} table {port}")
    for version in sorted({net.version for net in nets}):
        run += [f"ip -{version} rule add ipproto {what} table {port}"
                for what in (f"udp dport {port}", "gre")]
    local = " ".join(f"local {ip.split('/')[0]}" for ip in ips)
    report.note(what, f"{quote(dev)} is of Open vSwitch in userspace: run `{'; '.join(run)}`, then `tsw "
                f"switch up dev {wire} {local}`: {see}")
    return wire


class Bridges:
    """Makes a state from ports and the MACs heard there."""

    def __init__(self, state, links, options):
        self.state, self.links, self.options = state, links, options
        self.report = state.report
        self.ports, self.heard = [], []
        self.wires = {}  # see underlay()

    def fill(self):
        wanted = self.wanted()
        if not wanted:
            return
        tunnels = [port.tunnel for ports in wanted.values() for port in ports if port.tunnel]
        self.udp_port(tunnels)
        underlay(self.state.hosts, self.links,
                 self.options.local or {each.local for each in tunnels if each.local},
                 {ip for each in tunnels for ip in each.remotes}, self.report, self.wires)
        for (bridge, tag), ports in wanted.items():
            self.tenant(bridge, tag, ports)

    def name(self, bridge, tag):
        return f"{bridge}-{tag}" if tag else bridge

    def wanted(self):
        """(bridge, VLAN) -> its ports, for all that are wanted as tenants."""
        parts = collections.defaultdict(list)
        for port in self.ports:
            if port.tag is not None:
                parts[port.bridge, port.tag].append(port)
        for port in self.ports:  # a bridge without VLANs is one part
            if port.carries(0) and not any(bridge == port.bridge for bridge, _ in parts):
                parts[port.bridge, 0] = []
        for part in list(parts):
            parts[part] += [port for port in self.ports
                            if port.carries(part[1]) and port.bridge == part[0]]
            alone = sum(bridge == part[0] for bridge, _ in parts) == 1
            if (not self.alive(part[1], parts[part], alone)
                    or not self.options.wants(self.name(*part))):
                del parts[part]
        return dict(sorted(parts.items()))

    def alive(self, tag, ports, alone):
        """Whether a part has containers or leads to some. ALONE: the bridge has one part."""
        tunnels = {port.name for port in ports if port.tunnel}
        return (any(port.role == "container" and self.links.kinds.get(port.name) in CONTAINER_KINDS
                    or port.tunnel and port.tag is not None for port in ports)
                or bool(tunnels) and (alone or any(self.links.ips.get(port.name) for port in ports
                                                   if port.role == "inner"))
                or any(each.port in tunnels and each.tag == tag for each in self.heard))

    def udp_port(self, tunnels):
        ports = collections.Counter(each.port for each in tunnels if each.encap == "vxlan")
        if not ports:
            return
        most = ports.most_common(1)[0][0]
        for port in ports:
            if port != most:
                self.report.out(f"UDP port {port} of {ports[port]} tunnels",
                                f"a switch has one for all, {most}")
        if most != VXLAN_PORT:
            self.state.hosts.switch["port"] = most

    def number(self, name, tag, ports):
        """The tenant's id and encapsulation, or None."""
        own = [port for port in ports if port.tunnel and (port.tag is not None or not tag)]
        keys = sorted({port.tunnel.key for port in own})
        encaps = sorted({port.tunnel.encap for port in ports if port.tunnel}) or ["vxlan"]
        if len(keys) > 1:
            self.report.out(f"tenant {quote(name)}", f"its tunnels have the keys "
                            f"{', '.join(map(str, keys))}, but a tenant has one id")
            return None
        if len(encaps) > 1:
            self.report.note(f"tenant {quote(name)}", "its tunnels are GRE and VXLAN: tsw accepts "
                             "both, but sends VXLAN to all, which old hosts with GRE refuse")
        encap = encaps[-1]
        said = self.options.id.get(name)
        if said is None and keys and keys[0]:
            return keys[0], encap
        if said is None and tag and self.options.id_base is not None:
            said = self.options.id_base + tag
        if said is None:
            self.report.out(f"tenant {quote(name)}", "it has no VNI or key of its own: "
                            f"--id {name}=N" + (", or --id-base N for all VLANs" if tag else ""))
            return None
        if any(port.tunnel for port in ports) and keys != [said]:
            self.report.note(f"tenant {quote(name)}", f"its frames do not have id {said} today, so "
                             "old and new hosts cannot exchange them: move it on all hosts at once")
        return said, encap

    def tenant(self, bridge, tag, ports):
        name = self.name(bridge, tag)
        number = self.number(name, tag, ports)
        tenant = number and self.state.tenant(name, *number)
        if not tenant:
            return
        inner = [port for port in ports if port.role == "inner"]
        self.gateway(tenant, inner)
        near = collections.defaultdict(list)
        for port in inner:
            for mac, ips in self.links.neighbours[port.name].items():
                near[mac] += [ip for ip in ips if ip not in near[mac]]
        for port in ports:
            if port.role == "container":
                self.container(tenant, tag, port, near)
        for port in ports:
            if port.role == "tunnel":
                self.remote(tenant, tag, port, near)

    def gateway(self, tenant, inner):
        for port in inner:
            ips = [ip for ip in self.links.ips.get(port.name, [])
                   if not ip.endswith(("/32", "/128"))]
            if ips and "gateway" in tenant:
                self.report.out(f"address {quote(ips[0])} of {port.what}",
                                "the tenant has a gateway already")
            elif ips:
                self.state.gateway(tenant, ips, self.links.macs.get(port.name),
                                   self.state.hosts.own)
                self.state.nets(tenant, [str(ipaddress.ip_interface(ip).network) for ip in ips])

    def container(self, tenant, tag, port, near):
        kind = self.links.kinds.get(port.name)
        if self.links.kinds and kind is None:
            self.report.out(port.what, "this host has no such device")
            return
        if kind not in CONTAINER_KINDS:
            self.report.out(port.what, f"a device of kind {quote(kind or 'physical')} is not a "
                            f"container's: {UPLINK_ADVICE}")
            return
        macs = port.macs or {each.mac for each in self.heard_at(port, tag)}
        macs |= self.options.leases.macs_of(tenant["name"], port.name)
        if len(macs) != 1:
            self.report.out(port.what, f"{len(macs)} MACs send there, but an endpoint has one: "
                            f"{', '.join(sorted(macs))}" if macs else
                            "no MAC was heard there: let it send a frame, or give a line of "
                            "--leases with its device. Without an endpoint its network ends with "
                            "the move")
            return
        mac, = macs
        self.endpoint(tenant, port.wants or port.name, mac, near, dev=port.name,
                      host=self.state.hosts.own, **port.rates)

    def heard_at(self, port, tag):
        return {each for each in self.heard if each.port == port.name and each.tag == tag
                and is_unicast(each.mac)}

    def remote(self, tenant, tag, port, near):
        """Adds the endpoints behind a tunnel whose MACs the bridge has learned. This host's own
        devices are not there."""
        own = self.links.macs.values()
        for each in sorted(each for each in self.heard_at(port, tag) if each.mac not in own):
            dst = each.dst or (min(port.tunnel.remotes) if len(port.tunnel.remotes) == 1 else None)
            if not dst:
                self.report.out(f"MAC {quote(each.mac)} at {port.what}", "its host is not known")
            else:
                self.endpoint(tenant, each.mac, each.mac, near, host=self.state.hosts.at(dst))
        for ip in sorted(port.tunnel.remotes):
            self.state.hosts.at(ip)

    def endpoint(self, tenant, name, mac, near, **place):
        lease = self.options.leases.of(tenant["name"], mac)
        ips = list(near.get(mac, []))
        ips += [ip for ip in lease.ips if ip not in ips]
        self.state.endpoint(tenant, lease.name or name, mac, ips, **place)
