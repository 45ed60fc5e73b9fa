# SPDX-License-Identifier: GPL-2.0-only
"""What the operator adds: names of hosts, addresses and names of containers."""

import dataclasses
import re

from read import Bad, MAC, ip_of, mac_of, quote, read


@dataclasses.dataclass
class Lease:
    mac: str = ""
    ips: list = dataclasses.field(default_factory=list)
    name: str = ""
    dev: str = ""


class Leases:
    """Lines `MAC IP[,IP] [NAME [DEV]]` with `-` for unknown words; or dnsmasq's own file."""

    def __init__(self):
        self.rows = []  # (tenant or "", Lease)

    def add(self, said):
        tenant, parted, path = said.partition("=")
        tenant, path = (tenant, path) if parted else ("", said)
        for number, line in enumerate(read(path).splitlines(), 1):
            words = line.split("#")[0].split()
            if words and words[0] != "duid":
                self.line(tenant, words, f"{path}:{number}")

    def line(self, tenant, words, where):
        if words[0].isdecimal() and len(words) >= 4:  # dnsmasq: expiry, MAC, IP, name, id
            if not MAC.match(words[1].lower()):
                return  # a lease of DHCPv6 has no MAC
            words = words[1:4] if words[3] != "*" else words[1:3]
        if not 2 <= len(words) <= 4:
            raise Bad(f"{quote(where)}: {quote(' '.join(words))} is not a line "
                      "\"MAC IP[,IP] [NAME [DEV]]\"")
        mac, ips, name, dev = (words + ["-", "-"])[:4]
        self.rows.append((tenant, Lease(
            mac_of(mac, quote(where)),
            [] if ips == "-" else [ip_of(ip, quote(where)) for ip in ips.split(",")],
            name.strip("-") and name, dev.strip("-") and dev)))

    def of(self, tenant, mac):
        """All lines about that MAC, except those for other tenants."""
        found = Lease(mac)
        for whose, lease in self.rows:
            if lease.mac == mac and whose in ("", tenant):
                found.ips += [ip for ip in lease.ips if ip not in found.ips]
                found.name, found.dev = found.name or lease.name, found.dev or lease.dev
        return found

    def macs_of(self, tenant, dev):
        return {lease.mac for whose, lease in self.rows
                if lease.dev == dev and whose in ("", tenant)}


def host_names(path):
    """Address -> the first name, from a file like /etc/hosts."""
    names = {}
    for number, line in enumerate(read(path).splitlines(), 1):
        words = line.split("#")[0].split()
        if len(words) == 1:
            raise Bad(f"{quote(f'{path}:{number}')}: {quote(line)} is not a line \"IP NAME\"")
        if words:
            names.setdefault(ip_of(words[0], quote(f"{path}:{number}")), words[1])
    return names


def number(text, what):
    """The number of --id or --id-base."""
    if not re.match(r"\d{1,10}$", text):
        raise Bad(f"{what}: {quote(text)} is not a number")
    return int(text)


@dataclasses.dataclass
class Options:
    host: str = ""
    local: list = dataclasses.field(default_factory=list)
    names: dict = dataclasses.field(default_factory=dict)
    leases: Leases = dataclasses.field(default_factory=Leases)
    id: dict = dataclasses.field(default_factory=dict)
    id_base: int = None
    tenants: list = dataclasses.field(default_factory=list)

    def wants(self, tenant):
        return not self.tenants or tenant in self.tenants

    def wants_of(self, bridge):
        """Whether that bridge, or one of its VLANs, is wanted."""
        return not self.tenants or any(tenant == bridge or tenant.startswith(f"{bridge}-")
                                       for tenant in self.tenants)
