# SPDX-License-Identifier: GPL-2.0-only
"""For soak.py: is what a switch has what it was told?"""

HOSTS = ("h1", "h2", "h3")


class Compare:
    """The part of the model that looks at switches: each answer is a list of what is wrong."""

    def known(self, _):
        """The tenants that HOST has been told of."""
        return {t for t in self.tenants if t.exists}

    def expected(self, host):
        known = self.known(host)
        rows = {(e.tenant.name, e.name, e.mac, tuple(sorted(e.ips())),
                 e.dev if e.host == host else e.host)
                for e in self.all if e.host and e.tenant in known}
        if self.phantom:
            rows.add(("still", "ghost", "02:00:00:00:00:99", (), "h9"))
        return rows

    def compare(self, host):
        """What differs between the switch of HOST and what it was told, line by line."""
        show = self.switch.show
        want = self.expected(host)
        got = {(e["tenant"], e["name"], e["mac"], tuple(sorted(e["ip"])),
                e.get("dev") or e.get("host")) for e in show(host, "endpoint", "show")}
        wrong = [f"{host}: lacks {row}" for row in want - got]
        wrong += [f"{host}: has {row}" for row in got - want]
        totals = show(host, "switch", "show")
        numbers = {"endpoints": len(want), "tenants": len(self.known(host)),
                   "hosts": len(HOSTS) - 1 + self.phantom}
        wrong += [f"{host}: {key} {totals[key]}, should be {n}" for key, n in numbers.items()
                  if totals[key] != n]
        for t in show(host, "tenant", "show"):
            n = sum(row[0] == t["name"] for row in want)
            if t["endpoints"] != n:
                wrong.append(f"{host}: tenant {t['name']} counts {t['endpoints']}, not {n}")
        return wrong + self.compare_gateways(host) + self.compare_entries(host, want)

    def compare_gateways(self, host):
        show = self.switch.show
        known = self.known(host)
        want = {t.name: host if t.gateway == "none" else t.gateway for t in known if t.gateway}
        got = {g["tenant"]: g["host"] for g in show(host, "gateway", "show")}
        wrong = [] if got == want else [f"{host}: gateways {got}, should be {want}"]
        want = {t.name for t in known if t.published}
        got = {p["tenant"] for p in show(host, "publish", "show")}
        wrong += [] if got == want else [f"{host}: publishes {got}, should be {want}"]
        got = {(p["tenant"], p["with"]) for p in show(host, "peer", "show")}
        want = {h for h in self.halves if set(h) <= {t.name for t in known}}
        return wrong + ([] if got == want else [f"{host}: peers {got}, should be {want}"])

    def compare_entries(self, host, want):
        """Entries of the maps, counted."""
        known = self.known(host)
        gateways = sum(bool(t.gateway) for t in known)
        numbers = {"endpoints": len(want), "fdb": len(want) + gateways,
                   "addrs": sum(len(row[3]) for row in want) + 2 * gateways,
                   "ports": sum(row[4] not in (*HOSTS, "h9") for row in want),
                   "gateways": gateways, "tenants": len(known)}
        counts = {name: len(self.switch.entries(host, name)) for name in numbers}
        return [f"{host}: tsw_{name} has {counts[name]}, should have {n}"
                for name, n in numbers.items() if counts[name] != n]
