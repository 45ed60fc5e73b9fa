# SPDX-License-Identifier: GPL-2.0-only
"""Docker's networks, as `docker network inspect` prints them."""

import ipaddress

from ports import underlay
from read import Bad, Failed, get, ip_of, mac_of, name_in, net_of, quote, rows

VNIS = "com.docker.network.driver.overlay.vxlanid_list"
BRIDGE = "com.docker.network.bridge.name"
NEVER = ("host", "null")


class Docker:
    def __init__(self, networks, state, links, options, heard):
        self.networks, self.state, self.links = networks, state, links
        self.options, self.heard = options, heard
        self.report = state.report

    def fill(self):
        wanted = []
        for row, at in self.networks:
            name, driver = name_in(row, "Name", at), get(row, "Driver", str, at)
            if driver in NEVER or not self.options.wants(name) or (
                    driver == "bridge" and self.unused(name, row)):
                continue
            if driver in ("bridge", "overlay"):
                wanted.append((name, driver, row, at))
            else:
                self.report.out(f"network {quote(name)}", f"tsw has no counterpart of its driver "
                                f"{quote(driver)}")
        peers = {ip_of(get(peer, "IP", str, where), where + ".IP") for _, _, row, at in wanted
                 for peer, where in rows(get(row, "Peers", list, at, []), at + ".Peers")}
        if wanted:
            underlay(self.state.hosts, self.links, self.options.local, peers, self.report)
        own = {ip for ips in self.state.hosts.ips.values() for ip in ips}
        for ip in sorted(peers - own):
            self.state.hosts.at(ip)
        for place, (name, driver, row, at) in enumerate(sorted(wanted, key=lambda each: each[0])):
            number = self.number(name, driver, row, at, place + 1)
            tenant = number and self.state.tenant(name, number)
            if tenant:
                self.tenant(tenant, driver, row, at)

    def unused(self, name, row):
        """A network without containers, such as Docker's first one, that no option names."""
        return not (row.get("Containers") or self.options.tenants or name in self.options.id
                    or self.options.id_base is not None)

    def number(self, name, driver, row, at, place):
        vnis = get(get(row, "Options", dict, at, {}), VNIS, str, at + ".Options", "")
        if name in self.options.id:
            return self.options.id[name]
        if driver == "overlay" and vnis:
            numbers = vnis.split(",")
            if len(numbers) > 1:
                self.report.note(f"network {quote(name)}", f"it has the VNIs {vnis}, of which the "
                                 "first is used")
            if not numbers[0].isdecimal():
                raise Bad(f"{at}.Options: {quote(VNIS)} is {quote(vnis)}")
            return int(numbers[0])
        if self.options.id_base is not None:
            return self.options.id_base + place
        self.report.out(f"network {quote(name)}", f"it has no VNI: --id {name}=N, or --id-base N "
                        "for all")
        return None

    def tenant(self, tenant, driver, row, at):
        what = f"network {quote(tenant['name'])}"
        bridge = self.bridge(driver, row, at)
        self.nets(tenant, row, at, bridge)
        if driver == "overlay":
            self.report.note(what, "Docker's own hosts do not accept frames of tsw: move its "
                             "containers on all hosts at once")
        else:
            self.report.note(what, "published ports are not in the state: `docker ps` shows them, "
                             "`tsw publish add` adds them")
        containers = get(row, "Containers", dict, at, {}) or {}
        for ident, each in sorted(containers.items()):
            self.container(tenant, bridge, each, f"{at}.Containers.{ident}")

    def bridge(self, driver, row, at):
        if driver != "bridge":
            return None
        options = get(row, "Options", dict, at, {})
        return get(options, BRIDGE, str, at, "br-" + get(row, "Id", str, at)[:12])

    def nets(self, tenant, row, at, bridge):
        """Its subnets, and the gateway of its containers. Docker shows a gateway only if it was
        chosen; else it is the bridge's address."""
        nets, ips = [], []
        config = get(row, "IPAM", dict, at, {}).get("Config") or []
        for each, where in rows(config, at + ".IPAM.Config"):
            net = net_of(get(each, "Subnet", str, where), where + ".Subnet")
            nets.append(str(net))
            if each.get("Gateway"):
                ips.append(f"{ip_of(each['Gateway'], where + '.Gateway')}/{net.prefixlen}")
            else:
                ips += [ip for ip in self.links.ips.get(bridge, [])
                        if ipaddress.ip_interface(ip).network == net][:1]
        self.state.nets(tenant, nets)
        if ips and not row.get("Internal"):
            self.state.gateway(tenant, ips, self.links.macs.get(bridge), self.state.hosts.own)

    def container(self, tenant, bridge, row, at):
        name = name_in(row, "Name", at)
        what = f"container {quote(name)} of network {quote(tenant['name'])}"
        if not get(row, "MacAddress", str, at, ""):
            self.report.out(what, "it has no MAC: is it running?")
            return
        mac = mac_of(row["MacAddress"], at + ".MacAddress")
        lease = self.options.leases.of(tenant["name"], mac)
        ports = {each.port for each in self.heard if each.mac == mac
                 and self.links.masters.get(each.port) == bridge}
        ports |= {lease.dev} - {""}
        if len(ports) != 1:
            self.report.out(what, "its device on this host is not known: " + (
                "Docker has it in a namespace of its own" if not bridge else
                f"bridge {quote(bridge)} has not heard {quote(mac)}; let it send a frame, or give "
                "a line of --leases with its device"))
            return
        ips = [ip_of(row[key], f"{at}.{key}") for key in ("IPv4Address", "IPv6Address")
               if row.get(key)]
        self.state.endpoint(tenant, lease.name or name, mac, ips, dev=ports.pop(),
                            host=self.state.hosts.own)


def networks_of(doc, where):
    found = list(rows(doc, where))
    if not found:
        raise Failed("docker has no network")
    return found
