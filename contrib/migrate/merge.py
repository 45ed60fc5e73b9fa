# SPDX-License-Identifier: GPL-2.0-only
"""Merges state files. Each host's file is the best source for what lives there."""

import ipaddress

from read import Bad, Failed, check, get, quote, rows

TEXT_MAC = 17


def is_address(name):
    try:
        return bool(ipaddress.ip_address(name))
    except ValueError:
        return False


class Merge:
    """The first file that has an object decides; later files add to it."""

    def __init__(self, report):
        self.report = report
        self.rest, self.hosts, self.tenants, self.peers = {}, [], [], []

    def add(self, doc, where):
        check(doc, dict, where)
        if doc.get("format") != 1:
            raise Bad(f"{quote(where)}: \"format\" is {quote(doc.get('format'))}, not 1: this is "
                      "no state file of a known format")
        renamed = dict(self.host(row, at) for row, at in
                       rows(get(doc, "hosts", list, where), where + ".hosts"))
        for row, at in rows(get(doc, "tenants", list, where, []), where + ".tenants"):
            self.tenant(row, at, renamed)
        for row, _ in rows(get(doc, "peers", list, where, []), where + ".peers"):
            self.peers += [row] if row not in self.peers else []
        self.rest = {**{key: doc[key] for key in doc if key not in ("hosts", "tenants", "peers")},
                     **self.rest}

    def host(self, row, at):
        """Hosts are identified by an address. A name replaces an address as the name."""
        name, ips = get(row, "name", str, at), get(row, "ip", list, at)
        for had in self.hosts:
            if set(had["ip"]) & set(ips):
                break
        else:
            if any(had["name"] == name for had in self.hosts):
                raise Bad(f"{at}: another host has the name {quote(name)}, with other addresses")
            had = {"name": name, "ip": []}
            self.hosts.append(had)
        had["ip"] += [ip for ip in ips if ip not in had["ip"]]
        if "switch" in row:
            had.setdefault("switch", row["switch"])
        if is_address(had["name"]) and not is_address(name):
            self.rename(had, name, at)
        return name, had["name"]

    def rename(self, host, name, at):
        if any(had["name"] == name for had in self.hosts):
            raise Bad(f"{at}: another host has the name {quote(name)}, with other addresses")
        for tenant in self.tenants:
            for thing in [*tenant["endpoints"], tenant.get("gateway", {}),
                          *tenant.get("publish", [])]:
                if thing.get("host") == host["name"]:
                    thing["host"] = name
        host["name"] = name

    def tenant(self, row, at, renamed):
        name, number = get(row, "name", str, at), get(row, "id", int, at)
        for had in self.tenants:
            if had["id"] == number:
                break
            if had["name"] == name:
                raise Bad(f"{at}: the tenant {quote(name)} has id {number} here and {had['id']} "
                          "before")
        else:
            had = {"name": name, "id": number, "endpoints": []}
            self.tenants.append(had)
        what = f"tenant {quote(had['name'])}"
        if had["name"] != name:
            self.report.note(what, f"called {quote(name)} by {quote(at)}")
        if had.setdefault("encap", row.get("encap", "vxlan")) != row.get("encap", "vxlan"):
            self.report.out(f"encap {quote(row.get('encap'))} of {what}", f"it is {had['encap']}")
        for key in row:
            if key not in ("name", "id", "encap", "endpoints", "gateway"):
                had.setdefault(key, row[key])
        if "gateway" in row:
            self.gateway(had, dict(check(row["gateway"], dict, at)), what, renamed)
        for each, where in rows(get(row, "endpoints", list, at, []), at + ".endpoints"):
            self.endpoint(had, dict(each), where, renamed)

    def gateway(self, tenant, gateway, what, renamed):
        if "host" in gateway:
            gateway["host"] = renamed.get(gateway["host"], gateway["host"])
        had = tenant.setdefault("gateway", gateway)
        if had == gateway:
            return
        if had.get("ip") != gateway.get("ip"):
            self.report.out(f"gateway {quote(gateway.get('ip'))} of {what}",
                            f"it has {quote(had.get('ip'))}")
        elif had.get("host") != gateway.get("host"):
            had.pop("host", None)  # each host its own
            if had.get("mac") != gateway.get("mac"):
                had.pop("mac", None)
            self.report.note(f"gateway of {what}", "several hosts have it: each serves its own")

    def endpoint(self, tenant, row, at, renamed):
        mac, host = get(row, "mac", str, at).lower(), get(row, "host", str, at)
        row["host"] = renamed.get(host, host)
        for had in tenant["endpoints"]:
            if had["mac"].lower() == mac:
                self.same(tenant, had, row)
                return
        names = {had["name"] for had in tenant["endpoints"]}
        name, n = get(row, "name", str, at), 1
        while row["name"] in names:
            n += 1
            row["name"] = f"{name}-{n}"
        if n > 1:
            self.report.note(f"endpoint {quote(name)} of tenant {quote(tenant['name'])}",
                             f"another has that name: {quote(row['name'])}")
        tenant["endpoints"].append(row)

    def same(self, tenant, had, row):
        """The host with its device decides its place. Other hosts may know more addresses."""
        ips = had.get("ip", []) + [ip for ip in row.get("ip", []) if ip not in had.get("ip", [])]
        if "dev" in row and "dev" in had and had["host"] != row["host"]:
            self.report.out(f"endpoint {quote(row['name'])} of tenant {quote(tenant['name'])} on "
                            f"host {quote(row['host'])}", f"its MAC {quote(had['mac'])} lives on "
                            f"host {quote(had['host'])}, too")
            return
        if "dev" in row and "dev" not in had:
            name = had["name"]
            had.update(row)
            if len(name) != TEXT_MAC and row["name"] == row["dev"]:
                had["name"] = name
        had["ip"] = ips

    def value(self):
        for tenant in self.tenants:
            tenant["endpoints"] = self.fit(tenant)
        return {**self.rest, "hosts": self.hosts, "tenants": self.tenants, "peers": self.peers}

    def fit(self, tenant):
        """Without endpoints that are the gateway, seen from another host, or repeat an address."""
        gateway = tenant.get("gateway", {})
        taken = {ip.split("/")[0]: "its gateway" for ip in gateway.get("ip", [])}
        kept = []
        for row in tenant["endpoints"]:
            if row["mac"].lower() == str(gateway.get("mac", "")).lower():
                continue
            for ip in [ip for ip in row.get("ip", []) if ip in taken]:
                row["ip"].remove(ip)
                self.report.out(f"address {quote(ip)} of endpoint {quote(row['name'])} of tenant "
                                f"{quote(tenant['name'])}", f"{quote(taken[ip])} has it, too")
            taken.update({ip: row["name"] for ip in row.get("ip", [])})
            kept.append(row)
        return kept

    def through(self, hub, here):
        """The view of HERE while HUB forwards for all others: what is not on HERE is on HUB."""
        names = [host["name"] for host in self.hosts]
        for name in (hub, here):
            if name not in names:
                raise Failed(f"there is no host {quote(name)}, only {quote(names)}")
        for tenant in self.tenants:
            for thing in [*tenant["endpoints"], tenant.get("gateway", {})]:
                if thing.get("host") not in (None, here):
                    thing["host"] = hub
                    thing.pop("dev", None)

    def only(self, names):
        """Keeps only these tenants, and peerings between two of them."""
        for name in names:
            if name not in [tenant["name"] for tenant in self.tenants]:
                raise Failed(f"there is no tenant {quote(name)}, only "
                             + quote([tenant["name"] for tenant in self.tenants]))
        if names:
            self.tenants = [tenant for tenant in self.tenants if tenant["name"] in names]
            self.peers = [peer for peer in self.peers if peer.get("tenant") in names
                          and peer.get("with") in names]
