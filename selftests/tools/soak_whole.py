# SPDX-License-Identifier: GPL-2.0-only
"""For soak.py: operations on a switch as a whole, `save` and `apply`, upgrades, its watchers."""

import contextlib
import json
import signal
import subprocess
import time

from soak_compare import HOSTS
from soak_switch import Nothing, Unexpected
from soak_traffic import HEAD, MAGIC

STATE = "/run/work/soak.json"
WATCHERS = 3  # at once; a switch has room for one more
LONGEST_UPGRADE = 0.6  # seconds until it is killed, if it is


class Watcher:
    """`monitor` or `capture` in the background, of one tenant or of all."""

    def __init__(self, switch, host, tenant, words, path):
        self.switch, self.host, self.tenant, self.path = switch, host, tenant, path
        self.times = tenant and tenant.times
        self.captures = words[0] == "capture"
        words = (*words, *(("tenant", tenant.name) if tenant else ()))
        self.text = f"tsw -n {host} {' '.join(words)}"
        switch.write(f"watcher: {self.text}")
        with open(path, "wb") as out, open(path + ".err", "wb") as err:
            self.process = subprocess.Popen(  # pylint: disable=consider-using-with
                switch.argv(host, *([] if self.captures else ["-j"]), *words),
                stdout=out, stderr=err)

    def end(self, by):
        """It goes on until now, unless its tenant was deleted, and told of no other tenant."""
        self.switch.write(f"watcher ends by {by.name}: {self.text}")
        self.process.send_signal(by)
        status = self.process.wait(timeout=20)
        with open(self.path + ".err", encoding="utf-8") as file:
            said = file.read()
        deleted = self.tenant and (self.tenant.times, True) != (self.times, self.tenant.exists)
        # One that has only just begun does not know the signal yet, and dies of it.
        if status not in (-signal.SIGKILL, -signal.SIGINT, -signal.SIGTERM, 0) + (
                (1,) if deleted else ()):
            raise Unexpected(f"{self.text}: status {status}: {said}")
        (self.look_at_frames if self.captures else self.look_at_lines)()

    def look_at_lines(self):
        with open(self.path, encoding="utf-8") as file:
            lines = file.read().split("\n")[:-1]
        for line in lines:
            event = json.loads(line)
            if self.tenant and event.get("tenant", self.tenant.name) != self.tenant.name and \
                    "error" not in event:
                raise Unexpected(f"{self.text}: of another tenant: {line}")

    def look_at_frames(self):
        with open(self.path, "rb") as file:
            data = file.read()
        at = data.find(MAGIC)
        while at >= 0 and at + HEAD.size <= len(data):
            number = HEAD.unpack_from(data, at)[1]
            if self.tenant and number != self.tenant.number:
                raise Unexpected(f"{self.text}: a frame of tenant {number}")
            at = data.find(MAGIC, at + 1)


class Whole:
    """The part of the model that has these operations."""

    def __init__(self):
        self.watchers = []

    # ---- save and apply ---------------------------------------------------------------------

    def wanted(self, host, state):
        """The saved state of HOST, or of all where it is None, changed to what the model has."""
        rows = {t["name"]: t for t in state["tenants"]}
        state["tenants"] = []
        for t in self.random.sample(self.tenants, len(self.tenants)):
            if not t.exists:
                continue
            row = rows.get(t.name) or {"name": t.name, "id": t.ident, "encap": t.encap}
            self.want_endpoints(host, t, row)
            self.want_gateway(t, row)
            state["tenants"].append(row)
        state["peers"] = [p for p in state["peers"] if (p["tenant"], p["with"]) in self.halves]
        return state

    def want_endpoints(self, host, t, row):
        old = {e["name"]: e for e in row.get("endpoints", [])}
        row["endpoints"] = [old["ghost"]] if "ghost" in old else []
        for e in t.endpoints:
            if not e.host:
                continue
            new = old.get(e.name, {})
            new.pop("dev", None)
            new.update({"name": e.name, "mac": e.mac, "ip": e.ips(), "host": e.host})
            if host in (e.host, None):
                new["dev"] = e.dev
            row["endpoints"].append(new)

    @staticmethod
    def want_gateway(t, row):
        if not t.published:
            row.pop("publish", None)
        if not t.gateway:
            row.pop("gateway", None)
            return
        gateway = row.setdefault("gateway", {"ip": t.cidrs()[1::2]})
        gateway.pop("host", None)
        if t.gateway != "none":
            gateway["host"] = t.gateway

    def save(self, state):
        with open(STATE, "w", encoding="utf-8") as file:
            json.dump(state, file)

    def apply_nothing(self, host):
        """What is saved is what there is."""
        state = self.show(host, "save")
        self.save(state)
        changes = self.show(host, "apply", STATE)
        if changes:
            raise Unexpected(f"{host}: apply of what save printed: {changes}\n{state}")
        return state

    def apply_wanted(self, host, state):
        self.save(state)
        self.do(host, "apply", STATE)
        changes = self.show(host, "diff", STATE)
        if changes:
            raise Unexpected(f"{host}: diff after apply: {changes}")

    def do_apply_nothing(self):
        self.heal_all()
        self.apply_nothing(self.pick(HOSTS))

    def states(self):
        return {host: self.apply_nothing(host) for host in self.hosts()}

    def do_apply(self):
        """Several changes at once, on each host by one command."""
        self.heal_all()
        states = self.states()
        touched, old = set(), []
        for _ in range(self.random.randint(1, 6)):
            change = self.pick((self.change_add, self.change_add, self.change_del,
                                self.change_move, self.change_move, self.change_ips,
                                self.change_gateway, self.change_tenant))
            with contextlib.suppress(Nothing):
                change(touched, old)
        for host, state in states.items():
            self.apply_wanted(host, self.wanted(host, state))
        self.closed()
        for host, dev in old:
            self.unplug(host, dev)
        for e in self.there():
            e.station.live = True

    # Each of these changes the model and devices alone; what of it is in TOUCHED stays.
    def change_add(self, touched, _):
        e = self.one(e for t in self.busy() for e in t.endpoints
                     if not e.host and not {e, t} & touched)
        touched.add(e)
        e.host, e.gone, e.more = self.pick(HOSTS), False, []
        e.dev = self.plug(e, e.host)
        self.settle(e)

    def untouched(self, touched):
        e = self.one(e for e in self.there() if not {e, e.tenant} & touched)
        touched.add(e)
        return e

    def change_del(self, touched, old):
        e = self.untouched(touched)
        old.append((e.host, e.dev))
        e.station.live, e.host = False, None

    def change_move(self, touched, _):
        e = self.untouched(touched)
        self.switch.device("-n", e.netns, "link", "del", "eth0")
        e.host = self.pick(HOSTS)
        e.dev = self.plug(e, e.host)
        self.settle(e)

    def change_ips(self, touched, _):
        self.other_ips(self.untouched(touched))

    def change_gateway(self, touched, _):
        t = self.one(t for t in self.busy() if t not in touched)
        touched.add(t)
        where = self.pick((*HOSTS, "none", None))
        if where:
            t.gateway = where
        else:
            self.forget_gateway(t)

    def change_tenant(self, touched, old):
        """One comes, or goes with all that it has."""
        t = self.pick(t for t in self.tenants if not t.exists and t not in touched)
        if t:
            touched.add(t)
            self.came(t)
        elif self.random.random() < 0.3:
            t = self.one(t for t in self.busy() if not {t, *t.endpoints} & touched)
            touched.add(t)
            self.forget_gateway(t)
            t.exists = False
            for e in t.endpoints:
                if e.host:
                    old.append((e.host, e.dev))
                e.station.live, e.host = False, None

    # ---- upgrades ---------------------------------------------------------------------------

    def do_upgrade(self):
        """To programs that are the same, while all goes on; nothing of the old ones is left."""
        host = self.pick(HOSTS)
        self.switch.do(host, "-f", "switch", "upgrade", longest=LONGEST_UPGRADE)
        if any(e.gone for e in self.there()):
            return  # links of devices that are gone keep their programs until all is healed
        end = time.monotonic() + 10
        while (wrong := self.switch.kernel_objects(host)) and time.monotonic() < end:
            time.sleep(0.1)
        if wrong:
            raise Unexpected("\n".join(["after switch upgrade", *wrong]))

    # ---- watchers ---------------------------------------------------------------------------

    def watched(self):
        """red to still are no peers: frames of others are none of theirs."""
        return [t for t in self.tenants if t.exists and t.number not in (5, 6)]

    def do_watch(self):
        """One begins, or ends, by its own will or not."""
        if len(self.watchers) == WATCHERS or (self.watchers and self.random.random() < 0.5):
            watcher = self.watchers.pop(self.random.randrange(len(self.watchers)))
            return watcher.end(self.pick((signal.SIGINT, signal.SIGTERM, signal.SIGKILL)))
        tenant = self.pick((*self.watched(), None))
        words = self.pick((("monitor",), ("monitor", "drops"), ("capture",)))
        self.serial += 1
        path = f"/run/work/watch.{self.serial}"
        self.watchers.append(Watcher(self.switch, self.pick(HOSTS), tenant, words, path))

    def end_watchers(self):
        while self.watchers:
            self.watchers.pop().end(signal.SIGINT)
