# SPDX-License-Identifier: GPL-2.0-only
"""For soak_life.py: breaks one thing after the other on purpose, and each check must notice.

A row is the check's name, what breaks it, and what makes it whole again.
"""

import base64
import json
import time

from soak_switch import Unexpected
from soak_traffic import PORT, UNICAST, pack
from soak_world import PREFIX

PATIENCE = 30  # seconds
STRAY = "02:99:00:00:00:99"


class Proofs:
    def __init__(self, life):
        self.life, self.world, self.checks = life, life.world, life.checks
        self.h1 = self.world.machines["h1"]
        self.red = next(c for c in self.world.all if c.name == "red-1")
        self.still = next(c for c in self.world.all if c.name == "still-1")
        self.kept = None

    def rows(self):
        h1, put = self.h1, self.world.store.ctl

        def sh(text):
            return lambda: h1.read("sh", "-ec", text)

        ghost = "endpoint {} ghost tenant still"
        return (
            ("containers", lambda: self.runtime("stop", "-t", "0"), lambda: self.runtime("start")),
            ("records", self.delete_record, lambda: put("put", *self.kept)),
            ("keys", lambda: put("put", f"{PREFIX}mac/100/{STRAY}", '{"owner":"x","nonce":"0"}'),
             lambda: put("del", f"{PREFIX}mac/100/{STRAY}")),
            ("switches", sh(f"tsw -f {ghost.format('add')} mac {STRAY} host h2"),
             sh(f"tsw -f {ghost.format('del')}")),
            ("devices", sh("ip link add stray type veth peer name stray2"),
             sh("ip link del stray")),
            ("files", sh("touch /var/lib/tsw-cni/stray"), sh("rm /var/lib/tsw-cni/stray")),
            ("objects", sh("cd /sys/fs/bpf; p=$(ls tsw/default/links/* | head -n 1); "
                           "id=$(bpftool -j link show pinned $p | jq .id); echo $p >/run/moved; "
                           "bpftool link pin id $id stray && rm $p"),
             sh("cd /sys/fs/bpf; p=$(cat /run/moved); [ -e $p ] || bpftool link pin id "
                "$(bpftool -j link show pinned stray | jq .id) $p; rm stray")),
            ("rules", sh("ip rule add pref 7777 lookup main"), sh("ip rule del pref 7777")),
            ("problems", sh("nsenter --net=/run/netns/tsw-gw nft flush ruleset"),
             sh("tsw switch repair")))

    def runtime(self, *words):
        machine = self.world.machines[self.red.host]
        machine.read(machine.runtime, *words, self.red.name)

    def delete_record(self):
        """By hand, as with etcdctl."""
        key = next(k for k in self.world.keys() if k.startswith("e/50/"))
        said = self.world.store.ctl("get", PREFIX + key, "-w", "json")
        value = json.loads(said)["kvs"][0]["value"]
        self.kept = PREFIX + key, base64.b64decode(value).decode()
        self.world.store.ctl("del", PREFIX + key)

    def run(self):
        for name, harm, heal in self.rows():
            self.world.disturb()
            harm()
            seen = self.sees(name)
            self.life.tell(seen, f"proof: {name} notices", [] if seen else ["it found nothing"])
            if seen:
                self.life.write(f"it found {seen[0]}")
            heal()
            self.life.since = [f"the proof of {name}"]
            self.life.check()
        self.cross()
        self.silence()

    def sees(self, name):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            try:
                found = getattr(self.checks, name)()
            except (Unexpected, OSError, ValueError) as error:
                found = [str(error)]
            if found:
                return found
            time.sleep(0.2)
        return []

    def cross(self):
        """A frame says that it is of blue, and is sent in red: in the container, and on the wire."""
        traffic = self.life.traffic
        mates = [s for s in traffic.stations if s.tenant == 1]
        frame = pack(2, UNICAST, mates[0].index, mates[1].index, 0)
        mates[0].udp4.sendto(frame, (f"{mates[1].net4}{mates[1].index}", PORT))
        end = time.monotonic() + PATIENCE
        while not traffic.wrong and time.monotonic() < end:
            time.sleep(0.1)
        self.life.tell(any("of tenant 2" in w for w in traffic.wrong),
                       "proof: a frame of another tenant is noticed", traffic.wrong[:5])
        traffic.wrong = []

    def silence(self):
        """A container hears nothing."""
        self.world.disturb()
        machine = self.world.machines["h1"]
        netns = self.still.station.netns.replace(f"/proc/{machine.pid}/root", "")
        machine.read("nsenter", f"--net={netns}", "ip", "link", "set", "eth0", "down")
        self.life.tell(self.life.traffic.all_reach(5), "proof: a container that hears nothing is "
                       "noticed")
        machine.read("nsenter", f"--net={netns}", "ip", "link", "set", "eth0", "up")
        self.life.since = ["the proofs"]
        self.life.check()
