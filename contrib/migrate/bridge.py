# SPDX-License-Identifier: GPL-2.0-only
"""Linux bridges with vxlan and gretap devices, from the output of iproute2."""

import ipaddress

from ports import Heard, Port, Tunnel
from read import get, ip_of, mac_of, name_in, port_of, quote, rows
from state import VXLAN_PORT

ENCAPS = {"vxlan": "vxlan", "gretap": "gre", "ip6gretap": "gre"}
NOBODY = "00:00:00:00:00:00"  # the entry for destinations that a vxlan device does not know
# Made by the switch itself, by Open vSwitch, and by the kernel's modules.
NOT_THEIRS = ("tsw-vx", "tsw-gre", "tsw-gre6", "gretap0")


def address(info, key, where):
    """An address of either family; "" for the unspecified one."""
    text = info.get(key) or info.get(key + "6") or "any"
    if text in ("any", "0.0.0.0", "::"):
        return ""
    return ip_of(text, f"{where}.{key}")


def key_of(info, where):
    """The key, a number or four octets. None: the two directions differ."""
    keys = {str(info.get(name, 0)) for name in ("ikey", "okey")}
    if len(keys) != 1:
        return None
    key, = keys
    return int(key) if key.isdecimal() else int(ipaddress.IPv4Address(ip_of(key, f"{where}.ikey")))


class Linux:
    def __init__(self, facts, bridges):
        self.bridges, self.report = bridges, bridges.report
        self.links = {name_in(row, "ifname", at): (row, at)
                      for row, at in rows(facts.one("link.json"), "link.json")}
        self.vlans = {}  # device -> VLAN -> its flags
        if any(self.filters(name) for name in self.links):
            for row, at in rows(facts.one("vlan.json"), "vlan.json"):
                self.vlans[name_in(row, "ifname", at)] = {
                    number: get(vlan, "flags", list, where, [])
                    for vlan, where in rows(get(row, "vlans", list, at, []), at + ".vlans")
                    for number in range(get(vlan, "vlan", int, where),
                                        get(vlan, "vlanEnd", int, where, vlan["vlan"]) + 1)}
        self.heard = list(heard_of(facts))

    def info(self, name):
        """A device's kind, its data, and the path of the data."""
        row, at = self.links.get(name, ({}, ""))
        info = get(row, "linkinfo", dict, at, {})
        return (get(info, "info_kind", str, at, ""), get(info, "info_data", dict, at + ".linkinfo", {}),
                at + ".linkinfo.info_data")

    def filters(self, name):
        kind, data, _ = self.info(name)
        return kind == "bridge" and data.get("vlan_filtering") == 1

    def read(self):
        for name, (row, at) in self.links.items():
            kind, data, where = self.info(name)
            bridge = get(row, "master", str, at, "")
            if not self.bridges.options.wants_of(
                    bridge or (row.get("link", "") if kind == "vlan" else name)):
                continue
            if self.info(bridge)[0] == "bridge":
                self.port(name, bridge, kind, data, where)
            elif kind in ENCAPS and name not in NOT_THEIRS and bridge != "ovs-system":
                self.report.out(f"{kind} device {quote(name)}", "it is in no bridge")
            elif kind == "bridge":
                self.bridges.ports.append(Port(name, name, "inner", self.tag(name, name)[0]))
            elif kind == "vlan" and self.info(row.get("link"))[0] == "bridge":
                tag = get(data, "id", int, where) if self.filters(row["link"]) else 0
                self.bridges.ports.append(Port(row["link"], name, "inner", tag))
        self.learned()

    def tag(self, bridge, name):
        """A port's own VLAN and the tagged ones. The default VLAN counts as none."""
        if not self.filters(bridge):
            return 0, []
        default = self.info(bridge)[1].get("vlan_default_pvid", 1)
        vlans = self.vlans.get(name, {})
        own = [vlan for vlan, flags in vlans.items() if "PVID" in flags]
        tagged = sorted(set(vlans) - set(own))
        if not own:
            return None, tagged
        return 0 if own[0] == default else own[0], tagged

    def port(self, name, bridge, kind, data, where):
        tag, more = self.tag(bridge, name)
        port = Port(bridge, name, "container", tag)
        if kind in ENCAPS:
            port.role, port.tag = "tunnel", None if more else tag
            if self.tunnel(port, kind, data, where):
                self.bridges.ports.append(port)
        elif more or tag is None:
            self.report.out(port.what, f"it is a trunk of the VLANs {more}, and a device can be "
                            "in one tenant only")
        else:
            self.bridges.ports.append(port)

    def tunnel(self, port, kind, data, where):
        remote = address(data, "remote", where) or address(data, "group", where)
        key = get(data, "id", int, where, 0) if kind == "vxlan" else key_of(data, where)
        remotes = {each.dst for each in self.heard if each.port == port.name} | {remote}
        remotes -= {"", None}
        if data.get("external"):
            self.report.out(port.what, "other programs choose its VNIs (\"external\")")
        elif any(ipaddress.ip_address(ip).is_multicast for ip in remotes):
            self.report.out(port.what, "it sends broadcast to a multicast group, which tsw does not "
                            "support: name the hosts one by one first (`bridge fdb append "
                            f"{NOBODY} dev DEV dst IP`)")
        elif key is None:
            self.report.out(port.what, "its keys for the two directions differ")
        else:
            port.tunnel = Tunnel(ENCAPS[kind], key, remotes, address(data, "local", where),
                                 port_of(data.get("port", VXLAN_PORT), f"{where}.port"))
        return port.tunnel

    def learned(self):
        """The MACs that a bridge has learned, and the hosts where its vxlan devices send them."""
        places = {(each.port, each.mac): each.dst for each in self.heard if each.dst}
        tags = {port.name: port.tag for port in self.bridges.ports}
        for each in self.heard:
            tag = self.tag_of(each, tags)
            if tag is not None and each.mac != NOBODY:
                self.bridges.heard.append(
                    Heard(each.port, tag, each.mac, places.get((each.port, each.mac))))

    def tag_of(self, heard, tags):
        """The VLAN in which a MAC was heard; None: not one of a known port."""
        bridge = self.links.get(heard.port, ({}, ""))[0].get("master")
        if heard.port not in tags:
            return None
        if not self.filters(bridge):
            return tags[heard.port]
        if heard.tag is None:
            return tags[heard.port] if heard.dst else None
        default = self.info(bridge)[1].get("vlan_default_pvid", 1)
        return 0 if heard.tag == default else heard.tag


def heard_of(facts):
    """The MACs that bridges and vxlan devices have learned, without the devices' own."""
    for row, at in rows(facts.one("fdb.json"), "fdb.json"):
        port, tag = name_in(row, "ifname", at), get(row, "vlan", int, at, -1)
        dst = get(row, "dst", str, at, "")
        if dst or "master" in row and row.get("state") != "permanent":
            yield Heard(port, None if tag < 0 else tag, mac_of(get(row, "mac", str, at), at + ".mac"),
                        ip_of(dst, at + ".dst") if dst else None)


def read_bridge(facts, bridges):
    Linux(facts, bridges).read()
