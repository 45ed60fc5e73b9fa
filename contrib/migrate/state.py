# SPDX-License-Identifier: GPL-2.0-only
"""Builds the state file. What tsw would refuse is left out and reported."""

import ipaddress
import json
import re

from read import Bad, quote

MOST_ID = {"vxlan": (1 << 24) - 1, "gre": (1 << 32) - 1}
MOST_NAME, MOST_DEV, MOST_IPS, MOST_GATEWAY_IPS, MOST_NETS = 63, 15, 64, 8, 8
LEAST_RATE, MOST_RATE, MOST_BURST = 1000, 10**12, (1 << 32) - 1
VXLAN_PORT = 4789
# Characters that docs/state.schema.json refuses.
UNFIT = re.compile("[\x00-\x20/\x7f-\xa0\xad\u061c\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000"
                   "\ufe00-\ufe0f\ufeff\ufff0-\ufffb]")
HELP = (".", "..", "help", "-h", "--help")


class Report:
    """What the user must know: what is not in the state, and what was decided."""

    def __init__(self):
        self.left, self.notes = [], []

    def out(self, what, why):
        self.left.append(f"left out: {what}: {why}")

    def note(self, what, why):
        self.notes.append(f"note: {what}: {why}")


def fit_name(name, refused=()):
    """The most similar name that tsw accepts."""
    fit = UNFIT.sub("_", name)
    while len(fit.encode(errors="replace")) > MOST_NAME:
        fit = fit[:-1]
    fit = fit.encode(errors="replace").decode()
    return fit + "_" if fit in HELP or fit in refused or not fit else fit


def family(ip):
    return ipaddress.ip_address(ip).version


def is_unicast(mac):
    return mac != "00:00:00:00:00:00" and not int(mac[:2], 16) & 1


class Hosts:
    """This host and those to which it has tunnels, by address."""

    def __init__(self, own, names, report):
        self.own, self.names, self.report = own, names, report
        self.ips = {own: []}  # name -> addresses
        self.switch = {}

    def add_own(self, ip):
        if ip in self.ips[self.own]:
            return
        if any(family(ip) == family(had) for had in self.ips[self.own]):
            raise Bad(f"this host's tunnels have the addresses {quote(self.ips[self.own][0])} and "
                      f"{quote(ip)}, but a switch has one of each family: give --local IP")
        self.ips[self.own].append(ip)

    def at(self, ip):
        """The name of the host that has this address."""
        for name, ips in self.ips.items():
            if ip in ips:
                return name
        name = fit_name(self.names.get(ip, ip), ("none",))
        if any(family(ip) == family(had) for had in self.ips.get(name, [])) or name == self.own:
            self.report.note(f"host {quote(name)}", f"another host has that name: {quote(ip)} in "
                             "its place")
            name = ip
        self.ips.setdefault(name, []).append(ip)
        return name

    def rows(self):
        for name, ips in self.ips.items():
            row = {"name": name, "ip": sorted(ips, key=family)}
            if name == self.own and self.switch:
                row["switch"] = self.switch
            yield row


class State:
    def __init__(self, hosts, report):
        self.hosts, self.report = hosts, report
        self.tenants = []

    def tenant(self, name, number, encap="vxlan"):
        """Adds a tenant. None: tsw cannot have it."""
        what, fit = f"tenant {quote(name)}", fit_name(name)
        if not 1 <= number <= MOST_ID[encap]:
            self.report.out(what, f"id {number} is not from 1 to {MOST_ID[encap]}, as {encap} has")
            return None
        for other in self.tenants:
            if other["id"] == number:
                self.report.out(what, f"tenant {quote(other['name'])} has id {number} already")
                return None
        if fit != name:
            self.report.note(what, f"tsw refuses that name: {quote(fit)} in its place")
        fit = self.free(fit, self.tenants, what)
        tenant = {"name": fit, "id": number, "encap": encap, "endpoints": []}
        self.tenants.append(tenant)
        return tenant

    def free(self, name, others, what):
        """That name, with a number behind it if it is taken."""
        taken, free, n = {each["name"] for each in others}, name, 1
        while free in taken:
            n += 1
            free = fit_name(name[:MOST_NAME - 5]) + f"-{n}"
        if free != name:
            self.report.note(what, f"the name {quote(name)} is taken: {quote(free)} in its place")
        return free

    def endpoint(self, tenant, name, mac, ips, **place):
        """Adds an endpoint. place: its host, and dev and rates if they are known."""
        what = f"endpoint {quote(name)} of tenant {quote(tenant['name'])}"
        if not is_unicast(mac):
            self.report.out(what, f"{quote(mac)} cannot be a container's MAC")
            return
        if len(place.get("dev", "").encode(errors="replace")) > MOST_DEV:
            self.report.out(what, f"{quote(place['dev'])} is not a device name")
            return
        for other in tenant["endpoints"]:
            if other["mac"] == mac:
                self.report.out(what, f"its MAC {quote(mac)} is also {quote(other['name'])}'s, "
                                f"on host {quote(other['host'])}")
                return
        fit = fit_name(name)
        if fit != name:
            self.report.note(what, f"tsw refuses that name: {quote(fit)} in its place")
        fit = self.free(fit, tenant["endpoints"], what)
        kept = self.addresses(tenant, what, ips)
        row = {"name": fit, "mac": mac, "ip": kept, **place}
        tenant["endpoints"].append(row)

    def addresses(self, tenant, what, ips):
        taken = {ip: other["name"] for other in tenant["endpoints"] for ip in other["ip"]}
        taken.update({ip.split("/")[0]: "its gateway"
                      for ip in tenant.get("gateway", {}).get("ip", [])})
        kept = []
        for ip in ips:
            if ip in taken:
                self.report.out(f"address {quote(ip)} of {what}", f"{quote(taken[ip])} has it, too")
            elif len(kept) == MOST_IPS:
                self.report.out(f"address {quote(ip)} of {what}", f"it has more than {MOST_IPS}")
            else:
                kept.append(ip)
        return kept

    def nets(self, tenant, nets):
        """Sets the tenant's subnets, without those inside of others."""
        kept = []
        for net in map(ipaddress.ip_network, nets):
            if any(net.version == had.version and net.overlaps(had) for had in kept):
                continue
            if len(kept) < MOST_NETS:
                kept.append(net)
        tenant["net"] = list(map(str, kept))

    def gateway(self, tenant, ips, mac, host):
        what = f"gateway of tenant {quote(tenant['name'])}"
        if len(ips) > MOST_GATEWAY_IPS:
            self.report.out(what, f"it has {len(ips)} addresses, and only {MOST_GATEWAY_IPS} fit")
        tenant["gateway"] = {"ip": ips[:MOST_GATEWAY_IPS], "host": host}
        if mac:
            tenant["gateway"]["mac"] = mac
        self.report.note(what, f"{quote(ips[0])} with NAT: if the old gateway had none, set "
                         "\"nat\": false in the file")

    def tell_unknown(self):
        """Reports endpoints whose addresses are unknown, by tenant."""
        for tenant in self.tenants:
            names = [each["name"] for each in tenant["endpoints"] if not each["ip"]]
            if names:
                more = f" and {len(names) - 3} more" if len(names) > 3 else ""
                self.report.note(f"tenant {quote(tenant['name'])}", "no address is known of "
                                 f"{', '.join(map(quote, names[:3]))}{more}: they may use any that "
                                 "no other has, but no gateway; --leases FILE can add them")

    def value(self):
        self.tell_unknown()
        return {"format": 1, "hosts": list(self.hosts.rows()), "tenants": self.tenants, "peers": []}


def rate(bits, report, what):
    """A rate that tsw accepts, or None."""
    if LEAST_RATE <= bits <= MOST_RATE:
        return bits
    report.out(what, f"a rate of {bits} bits a second is not from {LEAST_RATE} to {MOST_RATE}")
    return None


def short(row):
    """Without empty values, like the output of `tsw save`."""
    return {key: value for key, value in row.items() if value not in ([], {}) or key == "endpoints"}


def is_utf8(text):
    """Whether there is no half of a surrogate pair, which JSON can contain."""
    return text.encode(errors="replace").decode() == text


def dump(state):
    """One line for each host, tenant, endpoint and peering, like `tsw save`."""
    def text(value):
        plain = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
        return plain if is_utf8(plain) else json.dumps(value, separators=(",", ":"))

    def lines(values, indent):
        return "[" + ",".join(f"\n{indent}{value}" for value in values) + "]"

    def tenant(row):
        head = text(short({key: row[key] for key in row if key != "endpoints"}))
        endpoints = lines([text(short(each)) for each in row.get("endpoints", [])], "  ")
        return f'{head[:-1]},"endpoints":{endpoints}}}'

    rest = {key: state[key] for key in state if key not in ("hosts", "tenants", "peers")}
    return (text(rest)[:-1] + ',\n"hosts":' + lines(map(text, state["hosts"]), " ")
            + ',\n"tenants":' + lines(map(tenant, state.get("tenants", [])), " ")
            + ',\n"peers":' + lines(map(text, state.get("peers", [])), " ") + "}\n")
