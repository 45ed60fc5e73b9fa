#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""A soak of hosts' lives; soak.sh starts it. soak_world.py has the events, this file the checks.

    soak_life.py SECONDS SEED LOG

After a few events all must come back by itself: each check is asked until it finds nothing, for
BACK seconds at most. With SOAK_PROVE the checks are tried first (soak_proofs.py). Prints TAP; exit
status 1 when anything was wrong.
"""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter

from soak_proofs import Proofs
from soak_switch import Unexpected, call, read_json
from soak_traffic import LATE, Traffic
from soak_world import BACK, HOSTS, World

# In /run the lock and the memory of an agent stay for the next one, and a plugin's of etcd.
STATE = """ip -j link | jq -r '.[] | "\\(.ifname) \\(.mtu)"'; tc qdisc show
for f in -4 -6; do ip $f rule; ip $f route show table all; done; nft list ruleset
sysctl -a -r '^net.ipv[46].conf.(all|default|eth0|up0).(forwarding|accept_ra|rp_filter)$'
for d in eth0 up0; do tc filter show dev $d ingress; done
find /sys/fs/bpf /run/tsw /var/lib/tsw* -mindepth 1 |
    grep -vE '^/run/tsw/default[.](agent|pulse|away)$' | sort"""
# A router without gateways is an empty namespace after a boot, and none after its last gateway.
RULES = """for n in '' 'nsenter --net=/run/netns/tsw-gw'; do
for f in -4 -6; do $n ip $f rule | grep -vE '^(0|32766|32767):'; done; $n nft list tables
$n ip -j link | jq -r '.[].ifname' | grep -vE '^(lo|tsw[a-z2-7]{8}.*)$' | sort; done; true"""


class Checks:
    """Each method returns what is wrong, line by line."""

    NAMES = ("containers", "records", "keys", "switches", "devices", "files", "objects", "rules",
             "problems")

    def __init__(self, world):
        self.world, self.rules_at_first = world, {}
        self.ids = {}  # host -> those of its maps, programs and links

    def machines(self):
        return self.world.machines.items()

    @staticmethod
    def compare(where, got, want):
        got, want = Counter(got), Counter(want)
        return [f"{where}: lacks {x}" for x in (want - got).elements()] + [
            f"{where}: has {x}, which nobody owns" for x in (got - want).elements()]

    def rows(self, tenants):
        return [(c.tenant.name, c.ip, c.host) for c in self.world.living() if c.tenant in tenants]

    def containers(self):
        return self.world.look()

    def records(self):
        """The cluster's endpoints are the containers that live."""
        shown = json.loads(self.world.machines["h1"].read("tsw", "-c", "-j", "endpoint", "show"))
        return self.compare("records", [(e["tenant"], " ".join(e["ip"]), e["host"]) for e in shown],
                            self.rows(self.world.tenants))

    def keys(self):
        """No record of another kind is left over either."""
        world, living = self.world, self.world.living()
        gateways = sum(bool(t.gateway) for t in world.tenants)
        ports = sum("-p" in c.words() for c in living)
        want = {"host": len(HOSTS), "vtep": len(HOSTS), "alive": len(HOSTS),
                "tenant": len(world.tenants), "vni": len(world.tenants), "gateway": gateways,
                "e": len(living), "at": len(living), "mac": len(living) + gateways,
                "ip": len(living) + gateways, "publish": ports}
        keys = world.keys()
        got = Counter(k.split("/")[0] for k in keys)
        return [f"store: {got[kind]} records {kind}/, {want.get(kind, 0)} have an owner: "
                f"{[k for k in keys if k.startswith(kind + '/')]}"
                for kind in sorted(got | want) if got[kind] != want.get(kind, 0)]

    def switches(self):
        wrong = []
        for host, machine in self.machines():
            shown = json.loads(machine.read("tsw", "-j", "endpoint", "show"))
            wrong += self.compare(f"{host}: switch", [
                (e["tenant"], " ".join(e["ip"]), e.get("host") or host) for e in shown],
                self.rows(self.world.known(host)))
        return wrong

    def own(self, host):
        return [c for c in self.world.living() if c.host == host]

    def devices(self):
        wrong = []
        for host, machine in self.machines():
            names = [r["ifname"] for r in json.loads(machine.read(
                "ip", "-j", "link", "show", "type", "veth"))
                if r["ifname"] not in ("eth0", "up0", "tsw-gw", "tsw-up")]
            shown = json.loads(machine.read("tsw", "-j", "endpoint", "show"))
            wrong += self.compare(f"{host}: device", names, [
                e["dev"] for e in shown if e.get("dev")])
            if len(names) != len(self.own(host)):
                wrong.append(f"{host}: {len(names)} devices, {len(self.own(host))} containers")
        return wrong

    def files(self):
        """Those of the plugins are of containers that live. A runtime that is killed leaves files
        of its own, such as podman in /run/netns: these are not looked at."""
        wrong = []
        for host, machine in self.machines():
            own = len(self.own(host))
            podman = machine.runtime == "podman"
            for folder, number in (("/var/lib/tsw-cni", own if podman else 0), (
                    "/var/lib/tsw-docker", 0 if podman else len(self.world.tenants))):
                path = machine.path(folder)
                names = os.listdir(path) if os.path.exists(path) else []
                if len(names) != number:
                    wrong.append(f"{host}: {folder} has {sorted(names)}, of which {number} have "
                                 "an owner")
        return wrong

    def objects(self):
        """Programs and links in use are those that are pinned."""
        wrong = []
        programs_of = read_json(["bpftool", "-j", "prog", "show"])
        links_of = read_json(["bpftool", "-j", "link", "show"])
        for host, machine in self.machines():
            maps, programs, links = (
                {read_json(["bpftool", "-j", kind, "show", "pinned", path])["id"]
                 for path in self.pinned(machine, f"{kind}s")} for kind in ("map", "prog", "link"))
            self.ids[host] = [("map", maps), ("prog", programs), ("link", links)]
            using = {p["id"] for p in programs_of if maps & set(p.get("map_ids", []))}
            linked = {link["id"] for link in links_of if link.get("prog_id") in using}
            wrong += [f"{host}: {what}: pinned {sorted(a)}, there {sorted(b)}" for what, a, b in (
                ("programs", programs, using), ("links", links, linked)) if a != b]
        return wrong

    @staticmethod
    def pinned(machine, what):
        folder = machine.path(f"/sys/fs/bpf/tsw/default/{what}")
        return [f"{folder}/{name}" for name in sorted(os.listdir(folder))]

    def alive(self):
        """What the kernel still has of them."""
        return [f"{host}: {kind} {number}" for host, kinds in self.ids.items()
                for kind, numbers in kinds for number in numbers
                if not call(["bpftool", kind, "show", "id", str(number)]).returncode]

    def rules(self):
        """Rules, tables and devices of the switch itself are as they were when all was well."""
        wrong = []
        for kind, now in self.rules_now():
            wrong += self.compare(f"{kind[0]}: rules", now, self.rules_at_first.get(kind, now))
        return wrong

    def rules_now(self):
        """(host, does it serve gateways), what there is"""
        for host, machine in self.machines():
            serves = any(t.gateway in (host, "none") for t in self.world.known(host))
            yield (host, serves), machine.read("sh", "-c", RULES).splitlines()

    def learn(self):
        for kind, now in self.rules_now():
            self.rules_at_first.setdefault(kind, now)

    def problems(self):
        """What the command finds itself."""
        wrong = []
        for host, machine in self.machines():
            status, said = machine.run("tsw", "-j", "switch", "check")
            wrong += [f"{host}: {p}" for p in json.loads(said)["problems"]] if status else []
        status, said = self.world.machines["h1"].run("tsw", "-c", "-w", "20", "check")
        wrong += [f"tsw -c check: {said}"] if status else []
        status, said = self.world.machines["h1"].run("tsw", "cluster", "wait", "timeout", "10")
        return wrong + ([f"cluster wait: {said}"] if status else [])


class Life:
    def __init__(self, seconds, seed, log):
        self.begin, self.seconds = time.monotonic(), seconds
        self.random, self.log = random.Random(seed), log
        self.world = World(self.random, self.write)
        self.checks = Checks(self.world)
        self.traffic = Traffic([], {t.number: t.ident for t in self.world.tenants}, 7, seed)
        self.traffic.uplinks = [f"203.0.113.{host[1]}" for host in HOSTS]
        self.traffic.published = {t.number for t in self.world.tenants if t.gateway}
        self.world.traffic = self.traffic
        self.done, self.since = Counter(), ["the beginning"]
        self.longest = {"back": 0, "reached": 0}  # seconds
        self.bad = self.number = 0

    def write(self, text):
        print(f"{time.monotonic() - self.begin:.3f} {text}", file=self.log, flush=True)

    def tell(self, good, text, detail=()):
        self.bad += not good
        self.say(("ok " if good else "not ok ") + text, *(f"# {line}" for line in detail))

    def say(self, *lines):
        for line in lines:
            print(line, flush=True)
            self.write(line)

    def check(self, seconds=BACK):
        """Until all is as it should be, or the time is over."""
        self.number += 1
        what, begin = f"check {self.number}", time.monotonic()
        left = {name: ["never asked"] for name in Checks.NAMES}
        while left and time.monotonic() < begin + seconds:
            self.world.finish_by_hand()
            for name in tuple(left):
                try:
                    left[name] = getattr(self.checks, name)()
                except (Unexpected, OSError, ValueError, subprocess.TimeoutExpired) as error:
                    left[name] = [f"{name}: {type(error).__name__}: {error}"]
                if not left[name]:
                    del left[name]
                elif name == "containers":
                    break  # nothing else fits before
            for lines in left.values():
                if lines != ["never asked"]:
                    self.write(f"not yet: {lines[0]}")
            time.sleep(0.3 if left else 0)
        took = time.monotonic() - begin
        self.longest["back"] = max(self.longest["back"], took)
        self.tell(not left, f"{what}: all is back, {took:.0f} s after "
                  f"{' '.join(self.since) or 'nothing'}",
                  [line for lines in left.values() for line in lines])
        if not left:
            self.checks.learn()
            silent = self.traffic.all_reach(BACK)
            took = time.monotonic() - begin
            self.longest["reached"] = max(self.longest["reached"], took)
            self.tell(not silent, f"{what}: all containers of a tenant reach each other, after "
                      f"{took:.0f} s", silent[:20])
            silent = self.outside()
            self.tell(not silent, f"{what}: and the world", silent)
        self.watch(what)
        self.since = []

    def outside(self):
        """Containers of tenants with a gateway that get no answer from there."""
        before, end = dict(self.traffic.answered), time.monotonic() + BACK / 2
        while True:
            silent = [c.name for c in self.world.living() if c.tenant.gateway and
                      self.traffic.answered.get((c.tenant.number, c.station.index), 0) ==
                      before.get((c.tenant.number, c.station.index), 0)]
            if not silent or time.monotonic() > end:
                return silent
            time.sleep(0.2)

    def watch(self, what):
        if self.world.disturbed:
            self.traffic.excuse(self.world.disturbed)
        self.world.disturbed = None
        wrong, self.traffic.wrong = self.traffic.wrong, []
        wrong = [w for w in wrong if not (w.startswith("lost") and self.traffic.is_excused(
            float(w.rsplit(" ", 1)[1])))]
        self.tell(not wrong, f"{what}: every frame belongs to its tenant, and an undisturbed "
                             "tenant loses none", wrong[:20])
        self.tell(self.traffic.is_alive(), f"{what}: traffic goes on")

    def figures(self):
        t = self.traffic
        kinds = ", ".join(f"{k.decode()} {n}" for k, n in sorted(t.by_kind.items()))
        self.say(f"# {time.monotonic() - self.begin:.0f} s, {self.number} checks, "
                 f"{sum(self.done.values())} events: "
                 f"{', '.join(f'{k} {n}' for k, n in sorted(self.done.items()))}",
                 f"# {t.sent} frames sent, {t.checked} checked ({kinds}), {t.lost} of "
                 f"{t.arrived + t.lost} unicast lost in events; all was back after "
                 f"{self.longest['back']:.0f} s at most, reached after "
                 f"{self.longest['reached']:.0f} s")
        if self.bad:
            self.say(*(f"# {line}" for machine in self.world.machines.values()
                       for line in machine.said()))

    def run(self):
        self.traffic.start()
        before = self.world.begin(STATE)
        self.check()
        if "SOAK_PROVE" in os.environ:
            Proofs(self).run()
        end = time.monotonic() + self.seconds
        while time.monotonic() < end and not self.bad:
            for _ in range(self.random.randint(1, 4)):
                name = self.world.happen()
                if name:
                    self.done[name] += 1
                    self.since.append(name)
            self.check()
        if self.bad:
            return
        self.since = ["the end of all containers"]
        self.world.end()
        self.check()
        if not self.bad:
            self.finish(before)

    def finish(self, before):
        """Tenants and members go, too: what is left then is nobody's."""
        time.sleep(LATE + 1)  # until what is lost is known to be
        self.watch("all deleted")
        self.world.leave()
        for host, machine in self.world.machines.items():
            left = Checks.compare(host, self.world.state(machine, STATE), before[host])
            self.tell(not left, f"{host} is as before", left)
        end = time.monotonic() + BACK
        while (left := self.checks.alive()) and time.monotonic() < end:
            time.sleep(0.2)
        self.tell(not left, "no map, program or link is left", left)
        left = self.world.keys()
        self.tell(not left, "no record is left", left)


def main():
    seconds, seed, log = float(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by SIGTERM"))
    with open(log, "w", encoding="utf-8") as file:
        life = Life(seconds, seed, file)
        try:
            life.run()
        except Unexpected as error:
            life.tell(False, "a command did what it should", str(error).splitlines())
            life.watch("until then")
        finally:
            life.figures()
            if life.bad and "SOAK_HOLD" in os.environ:
                signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
                life.say(*(f"# held: nsenter -a -t {m.pid}: {m.name}"
                           for m in life.world.machines.values()))
                signal.sigwait({signal.SIGTERM})
            life.world.close()
    return 1 if life.bad else 0


if __name__ == "__main__":
    sys.exit(main())
