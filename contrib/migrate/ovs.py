# SPDX-License-Identifier: GPL-2.0-only
"""An Open vSwitch database: bridges, ports with tags, tunnels with keys, what it has learned."""

import re

from ports import Heard, Port, Tunnel
from read import Bad, check, get, ip_of, mac_of, name_in, port_of, quote, table
from state import MOST_BURST, VXLAN_PORT, rate

ENCAPS = {"vxlan": "vxlan", "gre": "gre", "ip6gre": "gre"}
CONTAINER_TYPES = ("", "system", "tap")
# Port, VLAN, MAC, age: a line of `ovs-appctl fdb/show`.
LEARNED = re.compile(r"\s*(LOCAL|\d+)\s+(\d+)\s+([0-9a-fA-F:]{17})\s+(\d+|static|\?)\s*$")
LEAST_BURST = 1 << 14  # less may not hold a whole frame; then tsw's default is better
NEEDED = {"ovs-bridge.json": ("_uuid", "name", "ports"),
          "ovs-port.json": ("_uuid", "name", "interfaces"),
          "ovs-interface.json": ("_uuid", "name", "type")}


def several(value):
    """The values of a column: none or several are a set, one is a plain value."""
    return value if isinstance(value, list) else [value]


def load(facts, name):
    """Rows by their UUID."""
    found = {}
    for row in table(facts.one(name), name):
        for column in NEEDED[name]:
            if column not in row:
                raise Bad(f"{name}: has no column {quote(column)}: is it what "
                          f"`{' '.join(facts.command(name))}` prints?")
        name_in(row, "name", name)
        found[check(row["_uuid"], str, f"{name}: _uuid")] = row
    return found


class Ovs:
    def __init__(self, facts, bridges):
        self.facts, self.bridges, self.report = facts, bridges, bridges.report
        self.rows = {name: load(facts, name) for name in NEEDED}
        self.qos = facts.maybe("ovs-qos.json", {}, self.rates)

    def rates(self, name):
        """The rates of QoS rows, by UUID."""
        return {get(row, "_uuid", str, name): get(row, "other_config", dict, name, {}).get("max-rate")
                for row in table(self.facts.one(name), name)}

    def read(self):
        for bridge in self.rows["ovs-bridge.json"].values():
            if not self.bridges.options.wants_of(bridge["name"]):
                continue
            ports = [self.row("ovs-port.json", uuid) for uuid in several(bridge["ports"])]
            numbers = {}
            for port in ports:
                self.port(bridge["name"], port, numbers)
            if several(bridge.get("controller", [])) or bridge.get("fail_mode") == "secure":
                self.report.note(f"bridge {quote(bridge['name'])}", "a controller's flows forward "
                                 "there: only ports, tags and keys were read")
            self.learned(bridge["name"], numbers)
        for bridge in self.rows["ovs-bridge.json"].values():
            if bridge.get("datapath_type") == "netdev":
                self.wires(bridge)

    def wires(self, bridge):
        """The device below the internal ports of a bridge in userspace, if there is only one."""
        rows = [self.row("ovs-interface.json", uuid) for port in several(bridge["ports"])
                for uuid in several(self.row("ovs-port.json", port)["interfaces"])]
        devices = [row["name"] for row in rows if row["type"] in ("", "system")]
        physical = [name for name in devices if self.bridges.links.kinds.get(name) == ""]
        below, = physical if len(physical) == 1 else devices if len(devices) == 1 else [None]
        self.bridges.wires.update({row["name"]: below for row in rows if row["type"] == "internal"})

    def row(self, name, uuid):
        if uuid not in self.rows[name]:
            raise Bad(f"{name}: has no row {quote(uuid)}: were the files written at different "
                      "times?")
        return self.rows[name][uuid]

    def port(self, bridge, row, numbers):
        interfaces = [self.row("ovs-interface.json", uuid) for uuid in several(row["interfaces"])]
        port = Port(bridge, row["name"], "container", self.tag(row))
        if len(interfaces) != 1:
            self.report.out(port.what, f"it is a bond of {len(interfaces)}, so an uplink")
            return
        interface, = interfaces
        number, kind = interface.get("ofport"), check(interface["type"], str, port.what)
        numbers["LOCAL" if number == 65534 else str(number)] = port
        trunks = several(row.get("trunks", []))
        if kind in ENCAPS:
            if not self.tunnel(port, interface, trunks):
                return
        elif kind == "internal":
            port.role, port.tag = "inner", port.tag or 0
            if interface.get("ingress_policing_rate") or several(row.get("qos", [])):
                self.report.out(f"limits of {port.what}", "tsw limits tenants and endpoints, not "
                                "gateways: see docs/limits.md")
            kinds = self.bridges.links.kinds
            if port.name != bridge and kinds and port.name not in kinds:
                self.report.out(port.what, "it is an internal port in another namespace: give the "
                                "container a veth in its place")
                return
        elif kind not in CONTAINER_TYPES:
            self.report.out(port.what, f"tsw has no counterpart of type {quote(kind)}")
            return
        elif trunks or port.tag is None and row.get("vlan_mode") == "trunk":
            self.report.out(port.what, f"it is a trunk of the VLANs {several(trunks) or 'all'}, "
                            "and a device can be in one tenant only")
            return
        else:
            self.container(port, row, interface)
        self.bridges.ports.append(port)

    def tag(self, row):
        """The port's VLAN. Modes `access` and `native-…` both put untagged frames into it."""
        tags = several(row.get("tag", []))
        return check(tags[0], int, f"port {quote(row['name'])}: tag") if tags else None

    def tunnel(self, port, row, trunks):
        options = get(row, "options", dict, port.what, {})
        keys = {options.get(name) for name in ("key", "in_key", "out_key")} - {None}
        remote, local = options.get("remote_ip"), options.get("local_ip", "")
        try:
            key = {int(key, 0) for key in keys} or {0}
        except (TypeError, ValueError):
            key = ()
        if len(key) != 1:
            self.report.out(port.what, f"its key {quote(sorted(map(str, keys)))} is not one number")
        elif remote in (None, "flow") or local == "flow":
            self.report.out(port.what, "it does not have one fixed remote_ip")
        else:
            where = f"{port.what}: options"
            udp = port_of(options.get("dst_port", VXLAN_PORT), f"{where}:dst_port")
            port.role, port.trunks = "tunnel", tuple(trunks)
            port.tunnel = Tunnel(ENCAPS[row["type"]], key.pop(), {ip_of(remote, where)},
                                 ip_of(local, where) if local else "", udp)
        return port.tunnel

    def container(self, port, row, interface):
        port.tag = port.tag or 0
        ids = get(interface, "external_ids", dict, port.what, {})
        if "attached-mac" in ids:
            port.macs = {mac_of(ids["attached-mac"], f"{port.what}: attached-mac")}
        port.wants = str(ids.get("iface-id") or ids.get("container_id") or "")
        out = interface.get("ingress_policing_rate") or 0  # kbit/s, from the container
        burst = interface.get("ingress_policing_burst") or 0  # kbit
        shaped = self.qos.get(str(*several(row.get("qos", []))[:1]))
        if out:
            out = rate(check(out, int, port.what) * 1000, self.report, port.what)
            port.rates.update({"rate_out": out} if out else {})
        if str(shaped or "").isdecimal():
            shaped = rate(int(shaped), self.report, port.what)
            port.rates.update({"rate_in": shaped} if shaped else {})
        octets = min(check(burst, int, port.what) * 125, MOST_BURST)
        if port.rates and octets >= LEAST_BURST:
            port.rates["burst"] = octets

    def learned(self, bridge, numbers):
        text = self.facts.maybe(f"ovs-fdb-{bridge}", "", self.facts.text)
        for line in text.splitlines()[1:]:
            match = LEARNED.match(line)
            if not match:
                raise Bad(f"{quote('ovs-fdb-' + bridge)}: {quote(line)} is not what "
                          "`ovs-appctl fdb/show` prints")
            port = numbers.get(match[1])
            if port:
                self.bridges.heard.append(Heard(port.name, int(match[2]), match[3].lower(), None))


def read_ovs(facts, bridges):
    Ovs(facts, bridges).read()
