# SPDX-License-Identifier: GPL-2.0-only
"""Merges state files. Each host's file is the best source for what lives there."""

import ipaddress

from read import Bad, Failed, check, ip_of, net_of, quote
from schema import Schema
from state import family

TEXT_MAC = 17
# Lists of a tenant whose values are united -> what two values for the same thing have in common.
UNITED = {"groups": lambda name: name, "net": lambda net: net,
          "policies": lambda rule: rule["name"],
          "publish": lambda port: (port.get("host"), port["proto"], port["port"],
                                   port["to"].startswith("["))}
# Parts that one file may have alone. Another part gets a note: all hosts get it, not only its own.
ALONE = {"name", "id", "encap", "description", "endpoints", "gateway", *UNITED} - {"policies"}
PLACE = ("host", "dev", "to_host", "to_dev")


def is_address(name):
    try:
        return bool(ipaddress.ip_address(name))
    except ValueError:
        return False


class Merge:
    """The first file that has an object decides, and later files add to it. What they contradict
    is reported."""

    def __init__(self, report):
        self.report, self.schema = report, Schema()
        self.rest, self.hosts, self.tenants, self.peers = {}, [], [], []
        self.found = {}  # id of a tenant -> the endpoints of all files, each with its path
        self.own = set()  # addresses of hosts whose own files were read

    def add(self, doc, where):
        check(doc, dict, where)
        if doc.get("format") != 1:
            raise Bad(f"{quote(where)}: \"format\" is {quote(doc.get('format'))}, not 1: this is "
                      "no state file of a known format")
        self.schema.check(doc, where)
        hosts = dict(self.host(row, f"{where}.hosts[{at}]") for at, row in enumerate(doc["hosts"]))
        tenants = dict(self.tenant(row, f"{where}.tenants[{at}]", hosts)
                       for at, row in enumerate(doc.get("tenants", [])))
        devs = {row["host"] for tenant in doc.get("tenants", [])
                for row in tenant.get("endpoints", []) if "dev" in row}
        self.own |= {ip for row in doc["hosts"] if "switch" in row or row["name"] in devs
                     for ip in row["ip"]}
        for at, row in enumerate(doc.get("peers", [])):
            self.peer(row, f"{where}.peers[{at}]", tenants)
        rest = {key: doc[key] for key in doc if key not in ("hosts", "tenants", "peers")}
        if self.rest:
            self.note_alone(self.rest, rest, "the file")
        self.join(self.rest, rest, "the file", where)

    def note_alone(self, had, row, what):
        """Tells of settings for all hosts that not every file has."""
        for key in sorted((set(row) ^ set(had)) - ALONE):
            self.report.note(f"{key} {quote(row.get(key, had.get(key)))} of {what}",
                             "not every file has it, but every host gets it")

    def join(self, had, row, what, at, skip=()):
        """Adds to an object the keys that it lacks, and reports those that differ."""
        for key, value in row.items():
            if key not in skip and had.setdefault(key, value) != value:
                self.report.out(f"{key} {quote(value)} of {what}, in {at}",
                                f"it is {quote(had[key])} in another file")

    def host(self, row, at):
        """Hosts are identified by an address. A name replaces an address as the name."""
        name, ips = row["name"], [ip_of(ip, f"{at}.ip") for ip in row["ip"]]
        for had in self.hosts:
            if set(had["ip"]) & set(ips):
                break
        else:
            if any(had["name"] == name for had in self.hosts):
                raise Bad(f"{at}: another host has the name {quote(name)}, with other addresses")
            had = {"name": name, "ip": []}
            self.hosts.append(had)
        what = f"host {quote(had['name'])}"
        for ip in [ip for ip in ips if ip not in had["ip"]]:
            if any(family(ip) == family(other) for other in had["ip"]):
                self.report.out(f"address {quote(ip)} of {what}, in {at}",
                                f"it has {quote(had['ip'])}")
            else:
                had["ip"].append(ip)
        if "switch" in row:
            self.join(had.setdefault("switch", {}), row["switch"], f"the switch of {what}", at)
        self.join(had, row, what, at, ("name", "ip", "switch"))
        if is_address(had["name"]) and not is_address(name):
            self.rename(had, name, at)
        return name, had["name"]

    def rename(self, host, name, at):
        if any(had["name"] == name for had in self.hosts):
            raise Bad(f"{at}: another host has the name {quote(name)}, with other addresses")
        for tenant in self.tenants:
            for thing in self.placed(tenant):
                thing.update(self.place(thing, {host["name"]: name}))
        host["name"] = name

    def placed(self, tenant):
        """The parts of a tenant that name hosts."""
        return [*(row for row, _ in self.found[tenant["id"]]), tenant.get("gateway", {}),
                *tenant.get("publish", [])]

    def place(self, thing, renamed):
        """A copy of a thing with its hosts' new names."""
        if not isinstance(thing, dict):
            return thing
        thing = dict(thing)
        for key in ("host", "to_host"):
            if key in thing:
                thing[key] = renamed.get(thing[key], thing[key])
        if "backup" in thing:
            thing["backup"] = [renamed.get(host, host) for host in thing["backup"]]
        return thing

    def tenant(self, row, at, hosts):
        """Tenants are identified by their id."""
        row = {"encap": "vxlan", **row}
        name, number = row["name"], row["id"]
        known = any(had["id"] == number for had in self.tenants)
        had = self.tenant_of(name, number, at)
        what = f"tenant {quote(had['name'])}"
        if had["name"] != name:
            self.report.note(what, f"called {quote(name)} by {quote(at)}")
        if known:
            self.note_alone(had, row, what)
        for key in UNITED:
            self.unite(had, {key: [self.place(each, hosts) for each in row.get(key, [])]}, key,
                       what, at)
        if "gateway" in row:
            self.gateway(had, self.place(row["gateway"], hosts), what, at)
        self.join(had, row, what, at, ("name", "endpoints", "gateway", *UNITED))
        for place, each in enumerate(row.get("endpoints", [])):
            where = f"{at}.endpoints[{place}]"
            ips = [ip_of(ip, where + ".ip") for ip in each.get("ip", [])]
            self.found[number].append((self.place({**each, "ip": ips}, hosts), where))
        return name, had["name"]

    def tenant_of(self, name, number, at):
        for had in self.tenants:
            if had["id"] == number:
                return had
            if had["name"] == name:
                raise Bad(f"{at}: the tenant {quote(name)} has id {number} here and {had['id']} "
                          "before")
        self.tenants.append({"name": name, "id": number})
        self.found[number] = []
        return self.tenants[-1]

    def unite(self, had, row, key, what, at):
        """One list of the values of both."""
        for each in row[key]:
            for other in had.setdefault(key, []):
                if UNITED[key](other) == UNITED[key](each):
                    break
            else:
                other = each
                had[key].append(each)
            if other != each:
                self.report.out(f"{key} {quote(each)} of {what}, in {at}",
                                f"it is {quote(other)} in another file")

    def gateway(self, tenant, gateway, what, at):
        had = tenant.setdefault("gateway", gateway)
        if had["ip"] != gateway["ip"]:
            self.report.out(f"gateway {quote(gateway['ip'])} of {what}, in {at}",
                            f"it has {quote(had['ip'])}")
            return
        what, skip = f"gateway of {what}", ()
        if had.get("host") != gateway.get("host"):
            had.pop("host", None)  # each host its own
            skip = ("host", "mac", "backup")
            for backup in filter(None, (had.pop("backup", None), gateway.get("backup"))):
                self.report.out(f"backup {quote(backup)} of {what}", "several hosts have it")
            more = ""
            if had.get("mac") != gateway.get("mac"):
                had.pop("mac", None)
                more = ", with a MAC that is made of the tenant's id"
            self.report.note(what, f"several hosts have it: each serves its own{more}")
        self.join(had, gateway, what, at, skip)

    def peer(self, row, at, tenants):
        row = {**row, **{key: tenants.get(row[key], row[key]) for key in ("tenant", "with")}}
        for had in self.peers:
            if (had["tenant"], had["with"]) == (row["tenant"], row["with"]):
                break
        else:
            had = row
            self.peers.append(row)
        if had != row:
            self.report.out(f"peering {quote(row)}, in {at}", f"it is {quote(had)} in another file")

    # ---- endpoints ----------------------------------------------------------------------------

    def endpoints(self, tenant):
        """One row for each MAC. Files with the device come first."""
        rows, names = {}, set()
        for row, at in sorted(self.found[tenant["id"]], key=lambda each: "dev" not in each[0]):
            mac = row["mac"].lower()
            if mac in rows:
                name = rows[mac]["name"]
                names.discard(name)
                self.same(tenant, rows[mac], row, at)
                if rows[mac]["name"] in names:  # another has the better name
                    rows[mac]["name"] = name
            else:
                self.rename_endpoint(tenant, row, names)
                rows[mac] = row
            names.add(rows[mac]["name"])
        return list(rows.values())

    def rename_endpoint(self, tenant, row, names):
        name, n = row["name"], 1
        while row["name"] in names:
            n += 1
            row["name"] = f"{name}-{n}"
        if n > 1:
            self.report.note(f"endpoint {quote(name)} of tenant {quote(tenant['name'])}",
                             f"another has that name: {quote(row['name'])}")

    def same(self, tenant, had, row, at):
        """The host with its device decides its place. Other hosts may know more addresses."""
        what = f"endpoint {quote(row['name'])} of tenant {quote(tenant['name'])}"
        here = had["host"] == row["host"]
        if not here and ("dev" in row) == ("dev" in had):
            self.report.out(f"{what} on host {quote(row['host'])}", f"its MAC {quote(had['mac'])} "
                            f"lives on host {quote(had['host'])}, too")
            return
        had["ip"] += [ip for ip in row["ip"] if ip not in had["ip"]]
        if len(row["name"]) != TEXT_MAC and row["name"] not in (had["name"], row.get("dev")):
            if had["name"] == had.get("dev") or len(had["name"]) == TEXT_MAC:
                had["name"] = row["name"]
            else:
                self.report.note(what, f"it is called {quote(had['name'])}")
        row = {key: row[key] for key in row if key not in
               ("name", "mac", "ip", *(("host",) if here else PLACE))}
        for key in set(row) - set(had) if "dev" in had else ():
            if key not in ("dev", "to_dev"):
                self.report.out(f"{key} {quote(row.pop(key))} of {what}, in {at}",
                                "the file of its host does not have it")
        self.join(had, row, what, at)

    # ---- the whole ----------------------------------------------------------------------------

    def value(self):
        for tenant in self.tenants:
            tenant["endpoints"] = self.endpoints(tenant)
            tenant["endpoints"] = self.with_device(self.fit(tenant), tenant["name"])
            self.nets(tenant)
        self.ports()
        order = self.schema.root["$defs"]["tenant"]["properties"]
        self.tenants = [{key: tenant[key] for key in order if key in tenant}
                        for tenant in self.tenants]
        state = {**self.rest, "hosts": self.hosts, "tenants": self.tenants, "peers": self.peers}
        self.schema.check(state, "what merge would print")
        return state

    def fit(self, tenant):
        """Without endpoints that are the gateway, seen from another host, or repeat an address."""
        gateway = tenant.get("gateway", {})
        taken = {ip.split("/")[0]: "its gateway" for ip in gateway.get("ip", [])}
        kept = []
        for row in tenant["endpoints"]:
            what = f"endpoint {quote(row['name'])} of tenant {quote(tenant['name'])}"
            if row["mac"].lower() == str(gateway.get("mac", "")).lower():
                if "dev" in row:
                    self.report.out(what, f"its MAC {quote(row['mac'])} is the gateway's")
                continue
            for ip in [ip for ip in row["ip"] if ip in taken]:
                row["ip"].remove(ip)
                self.report.out(f"address {quote(ip)} of {what}", f"{quote(taken[ip])} has it, too")
            taken.update({ip: row["name"] for ip in row["ip"]})
            kept.append(row)
        return kept

    def with_device(self, rows, tenant):
        """Without those that only other hosts have heard of: MACs of a host's own devices, or
        containers that the host's own file left out. `apply` would refuse them there."""
        own = {host["name"] for host in self.hosts if self.own & set(host["ip"])}
        ghosts = [row for row in rows if "dev" not in row and row["host"] in own]
        for row in ghosts:
            self.report.note(f"endpoint {quote(row['name'])} of tenant {quote(tenant)}",
                             f"the file of host {quote(row['host'])} has no device with MAC "
                             f"{quote(row['mac'])}, so it is a device of the host itself, or a "
                             "container that was left out there")
        return [row for row in rows if "dev" in row or row["host"] not in own]

    def nets(self, tenant):
        """Without those that overlap with others."""
        kept = []
        for text in tenant.get("net", []):
            net = net_of(text, "net")
            for had in kept:
                if net.version == had.version and net.overlaps(had):
                    self.report.out(f"net {quote(text)} of tenant {quote(tenant['name'])}",
                                    f"it overlaps with {quote(str(had))}")
                    break
            else:
                kept.append(net)
        if "net" in tenant:
            tenant["net"] = list(map(str, kept))

    def ports(self):
        """Without ports that are published twice on one host, by any tenants."""
        taken = {}  # protocol, port and family -> the ports with the tenant's name
        for tenant in self.tenants:
            for port in list(tenant.get("publish", [])):
                others = taken.setdefault(UNITED["publish"](port)[1:], [])
                for name, had in others:
                    if None in (port.get("host"), had.get("host")) or port["host"] == had["host"]:
                        tenant["publish"].remove(port)
                        self.report.out(
                            f"published port {quote(port)} of tenant {quote(tenant['name'])}",
                            f"tenant {quote(name)} has {quote(had)} there")
                        break
                else:
                    others.append((tenant["name"], port))

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
                    for key in ("dev", "to_host", "to_dev"):
                        thing.pop(key, None)
                    if "backup" in thing:
                        self.report.note(f"backup {quote(thing.pop('backup'))} of gateway of tenant "
                                         f"{quote(tenant['name'])}", f"{quote(hub)} has it so far")
            for port in list(tenant.get("publish", [])):
                if port.get("host") not in (None, here):
                    tenant["publish"].remove(port)
                    self.report.note(f"published port {quote(port)} of tenant "
                                     f"{quote(tenant['name'])}", f"of no use on host {quote(here)}")

    def only(self, names):
        """Keeps only these tenants, and peerings between two of them."""
        for name in names:
            if name not in [tenant["name"] for tenant in self.tenants]:
                raise Failed(f"there is no tenant {quote(name)}, only "
                             + quote([tenant["name"] for tenant in self.tenants]))
        if not names:
            return
        self.tenants = [tenant for tenant in self.tenants if tenant["name"] in names]
        for peer in self.peers:
            if (peer["tenant"] in names) != (peer["with"] in names):
                self.report.note(f"peering of {quote(peer['tenant'])} with {quote(peer['with'])}",
                                 "one of them is not in the state, so neither is it")
        self.peers = [peer for peer in self.peers
                      if peer["tenant"] in names and peer["with"] in names]
