#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Changes three running switches at random while checked traffic runs; soak.sh starts it.

    soak.py SECONDS SEED LOG

The same seed makes the same choices, in the same order; how many of them fit into the seconds is
the machine's affair. LOG gets each command with what came of it. Prints TAP; exit status 1 when
anything was wrong.
"""

import os
import random
import sys
import time

from soak_cluster import Cluster
from soak_compare import HOSTS
from soak_model import Model
from soak_switch import Switch, Unexpected
from soak_traffic import LATE, Traffic

CHECK_EVERY = 60  # seconds
KEEPS = ("tsw_drops", "tsw_given_up")  # of what was: counts, and addresses that rest


class Soak:
    """What is done, and how often in comparison."""

    def __init__(self, seconds, seed, log):
        self.begin, self.end = time.monotonic(), time.monotonic() + seconds
        self.every = min(CHECK_EVERY, max(10, seconds / 4))
        self.random = random.Random(seed)
        self.switch = Switch(self.random, log)
        members = os.environ.get("SOAK_MEMBERS")
        self.model = Cluster(self.random, self.switch, members) if members else Model(
            self.random, self.switch)
        self.traffic = Traffic(self.model.stations, self.model.ids(), self.model.still, seed)
        self.traffic.uplinks = [f"203.0.113.{host[1]}" for host in HOSTS]
        self.model.traffic = self.traffic
        self.done = {}
        self.bad = self.number = 0

    def tell(self, good, text, detail=()):
        self.bad += not good
        print("ok" if good else "not ok", text, flush=True)
        for line in detail:
            print(f"# {line}", flush=True)

    def note(self, text):
        print(f"# {text}", flush=True)

    def figures(self):
        t = self.traffic
        kinds = ", ".join(f"{k.decode()} {n}" for k, n in sorted(t.by_kind.items()))
        self.note(f"{time.monotonic() - self.begin:.0f} s: {sum(self.done.values())} operations, "
                  f"{self.switch.commands} commands, {self.switch.killed} of them killed; "
                  f"{t.sent} frames sent, {t.checked} checked ({kinds}), of {t.arrived + t.lost} "
                  f"unicast in a tenant {t.lost} lost")

    def check(self):
        """With all at rest but the traffic."""
        self.number += 1
        what = f"check {self.number}"
        self.model.heal_all()
        self.model.rest()
        problems = [p for host in HOSTS for p in self.switch.problems(host)]
        self.tell(not problems, f"{what}: switch check finds nothing", problems)
        wrong = [line for host in HOSTS for line in self.model.compare(host)]
        self.tell(not wrong, f"{what}: the switches have what they were told", wrong)
        wrong = [line for host in HOSTS for line in self.switch.kernel_objects(host)]
        self.tell(not wrong, f"{what}: programs, links and maps are those pinned", wrong)
        pairs = self.traffic.all_reach(15)
        self.tell(not pairs, f"{what}: all endpoints of a tenant reach each other", pairs[:20])
        self.watch(what)
        self.figures()

    def watch(self, what):
        wrong, self.traffic.wrong = self.traffic.wrong, []
        self.tell(not wrong, f"{what}: every frame belongs to its tenant, none of the tenant that "
                             "is left alone is lost", wrong[:20])
        self.tell(self.traffic.is_alive(), f"{what}: traffic goes on")

    def operate(self):
        operation = self.model.choose()
        if operation:
            self.done[operation] = self.done.get(operation, 0) + 1
        if "SOAK_EACH" in os.environ:
            problems = [p for host in HOSTS for p in self.switch.problems(host)]
            if problems:
                raise Unexpected("\n".join([f"after {operation}:", *problems]))

    def run(self):
        bytes_before = [self.switch.map_bytes(host) for host in HOSTS]
        self.model.begin()
        self.traffic.start()
        self.check()
        due = time.monotonic() + self.every
        while time.monotonic() < self.end and not self.bad:
            self.operate()
            if time.monotonic() > due:
                self.check()
                due = time.monotonic() + self.every
        self.check()
        time.sleep(LATE + 1)  # until what is lost is known to be
        self.model.end()
        self.model.rest()
        self.watch("all deleted")
        self.traffic.ending.set()
        left = [line for host in HOSTS for line in self.switch.left(host)]
        self.tell(not left, "all deleted: the maps are empty", left)
        bytes_now = [self.switch.map_bytes(host) for host in HOSTS]
        grown = [f"{host}: {name} had {was[name]} octets, has {now[name]}"
                 for host, was, now in zip(HOSTS, bytes_before, bytes_now)
                 for name in was if now[name] != was[name] and name not in KEEPS]
        self.tell(not grown, "all deleted: each map has the size that it had at first", grown)
        self.note(", ".join(f"{name} {n}" for name, n in sorted(self.done.items())))
        self.figures()


def main():
    seconds, seed, log = float(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    with open(log, "w", encoding="utf-8") as file:
        soak = Soak(seconds, seed, file)
        try:
            soak.run()
        except Unexpected as error:
            soak.tell(False, "a command did what it should", str(error).splitlines())
            soak.watch("until then")
            soak.figures()
        finally:
            soak.model.close()
    return 1 if soak.bad else 0


if __name__ == "__main__":
    sys.exit(main())
