# SPDX-License-Identifier: GPL-2.0-only
"""For soak_life.py: what happens to hosts in a year, at random.

Three machines are members of a cluster. podman and Docker run containers of four tenants on them.
Hosts lose their power, runtimes and their helpers are killed, etcd is lost, addresses change, other
people's tools flush rules. After a few of these events everything must come back by itself, and
nothing may be there that nobody owns.
"""

import contextlib
import json
import os
import re
import signal
import time

from soak_cluster import Store
from soak_machine import WORK, Machine
from soak_switch import Nothing, Unexpected
from soak_traffic import PUBLISHED_PORT, Station

HOSTS = ("h1", "h2", "h3")
SLOW = int(os.environ.get("TSW_SLOW", "1"))
BACK = 120 * SLOW  # seconds until everything is back, on a machine that has others to serve
CONTAINERS = 4  # of a tenant
STORE, PREFIX = "http://192.0.2.200:2379", "/tsw/1/campus/"


class Tenant:
    """`still` is only disturbed by what happens to whole hosts."""

    def __init__(self, number, name, ident, network, gateway):
        self.number, self.name, self.ident, self.gateway = number, name, ident, gateway
        self.net = f"10.{network}.0."


class Container:
    """It has a place of its own in its tenant. WANT: `up`, `stopped` or `gone`."""

    def __init__(self, tenant, index):
        self.tenant, self.index, self.name = tenant, index, f"{tenant.name}-{index}"
        self.host, self.want = None, "gone"
        self.by_hand = False  # its last command may have failed, and is given again
        self.ip = self.sandbox = self.station = None

    def words(self):
        """Every second one wants an address that none gets unasked. The first has a port."""
        t = self.tenant
        fixed = ["--ip", f"{t.net}{self.index + 100}"] if self.index % 2 else []
        port = ["-p", f"{PUBLISHED_PORT + t.number}:7000/udp"] if (
            t.gateway and self.index == 1) else []
        return ["run", "-d", "--restart", "always", "--name", self.name, "--network", t.name,
                *fixed, *port, "box", "/bin/busybox", "sleep", "100000"]

    def command(self, runtime):
        """What brings it where it should be, if it exists."""
        now = ["-t", "0"] if runtime == "podman" else []
        return {"gone": ["rm", "-f", *now, self.name], "up": ["start", self.name],
                "stopped": ["stop", "-t", "0", self.name]}[self.want]


class World:
    """What there should be, and what may happen next. A method do_* is an event."""

    EVENTS = {"run": 8, "run_many": 3, "rm": 5, "stop": 2, "start": 3, "restart": 2,
              "kill_container": 4, "kill_helper": 3, "kill_runtime": 3, "kill_command": 3,
              "kill_plugin": 4, "kill_agent": 3, "stop_etcd": 3, "kill_etcd": 3, "power": 5,
              "power_without_etcd": 3, "power_elsewhere": 2, "address": 3, "flush": 8}

    def __init__(self, rand, write):
        self.random, self.write, self.traffic = rand, write, None
        self.store = Store(os.environ["SOAK_MEMBERS"], write)
        self.machines = {h: Machine(h, write, os.environ["SOAK_CGROUP"]) for h in HOSTS}
        self.tenants = [Tenant(1, "red", 100, 0, "h1"), Tenant(2, "blue", 200, 0, "h2"),
                        Tenant(3, "green", 300, 3, "none"), Tenant(7, "still", 50, 0, None)]
        self.all = [Container(t, i + 1) for t in self.tenants for i in range(CONTAINERS)]
        self.lost = False  # etcd does not answer
        self.disturbed = None  # since when frames of `still` may be lost
        only = os.environ.get("SOAK_ONLY", "").split()
        self.events = {k: n for k, n in self.EVENTS.items() if not only or k in only}

    # ---- choosing -------------------------------------------------------------------------

    def one(self, those):
        those = list(those)
        if not those:
            raise Nothing
        return self.random.choice(those)

    def some(self, want):
        return [c for c in self.all if c.want == want and c.tenant.name != "still" and
                not c.by_hand]

    def machine(self, *runtimes):
        return self.machines[self.one(h for h in HOSTS if not runtimes or
                                      self.machines[h].runtime in runtimes)]

    def happen(self):
        """One event; its name, or None where there was nothing to do."""
        name = self.random.choices(list(self.events), list(self.events.values()))[0]
        self.write(f"# {name}")
        try:
            getattr(self, f"do_{name}")()
        except Nothing:
            return None
        return name

    # ---- containers -----------------------------------------------------------------------

    def runtime(self, c, *words):
        """A command of the host's runtime about a container. It may fail while etcd is lost."""
        machine = self.machines[c.host]
        status, said = machine.run(machine.runtime, *words)
        if status and not (self.lost or c.by_hand):
            raise Unexpected(f"{c.host}: {machine.runtime} {' '.join(words)}: {said}")
        c.by_hand |= bool(status)
        return not status

    def drop(self, those):
        """They end: their sockets would keep their network namespaces."""
        gone = [c.station for c in those if c.station]
        self.traffic.exchange(gone, [])
        for c in those:
            c.station = c.sandbox = None

    def tell(self, c, want):
        if want != "up":
            self.drop([c])
        self.disturb(c)
        c.want = want
        return self.runtime(c, *c.command(self.machines[c.host].runtime))

    def run(self, c, host):
        c.host, c.want = host, "up"
        return self.runtime(c, *c.words())

    def disturb(self, c=None):
        """From now on frames of `still` may be lost, until all is checked."""
        if not c or c.tenant.name == "still":
            self.disturbed = self.disturbed or time.monotonic()

    def do_run(self):
        self.run(self.one(self.some("gone")), self.one(HOSTS))

    def do_run_many(self):
        """Several at once."""
        those = [c for c in self.some("gone") if self.random.random() < 0.6]
        begun = []
        for c in those:
            c.host, c.want = self.one(HOSTS), "up"
            machine = self.machines[c.host]
            begun.append((c, machine.start(machine.runtime, *c.words())))
        for c, process in begun:
            said = process.communicate(timeout=180)[0]
            if process.returncode and not self.lost:
                raise Unexpected(f"{c.host}: {c.words()}: {said}")
            c.by_hand |= bool(process.returncode)

    def do_rm(self):
        self.tell(self.one(self.some("up") + self.some("stopped")), "gone")

    def do_stop(self):
        self.tell(self.one(self.some("up")), "stopped")

    def do_start(self):
        self.tell(self.one(self.some("stopped")), "up")

    def do_restart(self):
        c = self.one(self.some("up"))
        self.drop([c])
        self.runtime(c, "restart", "-t", "0", c.name)

    # ---- kills ----------------------------------------------------------------------------

    def kill(self, pids):
        for pid in pids:
            self.write(f"kill -KILL {pid}")
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def first_process(self, c):
        machine = self.machines[c.host]
        status, said = machine.run(machine.runtime, "inspect", "-f", "{{.State.Pid}}", c.name)
        pid = machine.outside(said.strip()) if not status else None
        if not pid:
            raise Nothing
        return pid

    def do_kill_container(self):
        """Its runtime starts it again."""
        c = self.one(self.some("up"))
        pid = self.first_process(c)
        self.drop([c])
        self.kill([pid])

    def do_kill_helper(self):
        """conmon or the shim, and perhaps the container. podman then learns of neither."""
        c = self.one(self.some("up"))
        pid = self.first_process(c)
        with open(f"/proc/{pid}/status", encoding="utf-8") as file:
            parent = int(file.read().split("PPid:\t")[1].split()[0])
        with open(f"/proc/{parent}/comm", encoding="utf-8") as file:
            if file.read().strip() not in ("conmon", "containerd-shim"):
                raise Nothing
        self.drop([c])
        self.kill([parent, pid])
        if self.machines[c.host].runtime == "podman":
            c.by_hand = True  # nobody starts it

    def do_kill_runtime(self):
        """It is started again; containers live on."""
        machine = self.machine("docker")
        self.kill(machine.processes(self.one(("dockerd", "containerd"))))
        self.ready(machine)

    @staticmethod
    def ready(machine):
        """dockerd answers long before its containerd is back."""
        end = time.monotonic() + BACK
        while machine.run("sh", "-c", "docker rm -f ready; docker run --rm --name ready "
                          "--network none box /bin/busybox true")[0]:
            if time.monotonic() > end:
                raise Unexpected(f"{machine.name}: no Docker")
            time.sleep(0.3)

    def killed_half_way(self, victim):
        """A command about a container during which VICTIM of the host is killed."""
        c = self.one(self.some("gone") + self.some("up") + self.some("stopped"))
        if c.want == "gone":
            c.host, c.want, words = self.one(HOSTS), "up", c.words()
        else:
            c.want = "gone" if c.want == "up" else "up"
            words = c.command(self.machines[c.host].runtime)
        self.drop([c])
        c.by_hand = True
        machine = self.machines[c.host]
        process = machine.start(machine.runtime, *words)
        end, delay = time.monotonic() + 3, self.random.random() * 0.1
        while process.poll() is None and time.monotonic() < end:
            pids = machine.processes(victim[machine.runtime])
            if pids:
                time.sleep(delay)
                self.kill(pids)
                break
        try:
            process.communicate(timeout=120)
        except Exception as error:
            process.kill()
            raise Unexpected(f"{machine.name}: {words} does not end") from error

    def do_kill_command(self):
        self.killed_half_way({"podman": "podman", "docker": "docker"})

    def do_kill_plugin(self):
        self.killed_half_way({"podman": "tsw-cni", "docker": "tsw-docker"})

    def do_kill_agent(self):
        """systemd starts it again."""
        machine = self.machine()
        sign = self.one((signal.SIGKILL, signal.SIGTERM))
        for pid in self.agents(machine):
            self.write(f"{machine.name}: agent {sign.name}")
            os.kill(pid, sign)

    @staticmethod
    def agents(machine):
        found = []
        for pid in machine.processes("tsw"):
            with open(f"/proc/{pid}/cmdline", encoding="utf-8") as file:
                if "agent" in file.read().split("\0"):
                    found.append(pid)
        return found

    # ---- etcd -----------------------------------------------------------------------------

    def without(self, end, begin, events):
        """Other events while etcd does not answer."""
        end()
        self.lost = True
        for name in events:
            self.write(f"# without etcd: {name}")
            with contextlib.suppress(Nothing):
                getattr(self, f"do_{name}")()
        time.sleep(self.random.random() * 5)
        begin()
        self.follow_again()
        self.lost = False

    def follow_again(self):
        """etcd answers, and so do the agents. Before that an ADD may be told to try again."""
        self.store.ctl("get", "/up")
        end = time.monotonic() + BACK
        while self.machines["h1"].run("tsw", "cluster", "wait", "timeout", "10")[0]:
            if time.monotonic() > end:
                raise Unexpected("agents do not follow etcd again")

    def meanwhile(self):
        return self.random.choices(("run", "rm", "stop", "start", "kill_container", "kill_agent"),
                                   k=self.random.randint(0, 2))

    def do_stop_etcd(self):
        name = self.one(sorted(self.store.argv))
        self.without(lambda: self.store.send(name, signal.SIGSTOP),
                     lambda: self.store.send(name, signal.SIGCONT), self.meanwhile())

    def do_kill_etcd(self):
        name = self.one(sorted(self.store.argv))
        self.without(lambda: self.store.kill(name), lambda: self.store.start(name),
                     self.meanwhile())

    # ---- hosts ----------------------------------------------------------------------------

    def cut(self, machine):
        self.disturb()
        those = [c for c in self.all if c.host == machine.name]
        machine.cut()
        self.drop(those)
        for c in those:
            # A container that podman knows of only half is nobody's after a boot.
            c.by_hand |= c.want == "stopped"
        if self.random.random() < 0.3:
            time.sleep(self.random.random() * 20)  # peers notice

    def do_power(self):
        machine = self.machine()
        self.cut(machine)
        machine.boot()
        machine.wait()

    def do_power_without_etcd(self):
        """The host is up before etcd is."""
        machine, name = self.machine(), self.one(sorted(self.store.argv))

        self.cut(machine)
        self.store.kill(name)
        machine.boot()
        time.sleep(self.random.random() * 20)
        self.store.start(name)
        machine.wait()
        self.follow_again()

    def other_address(self, machine):
        low = f"192.0.2.{machine.name[1:]}"
        return f"192.0.2.10{machine.name[1:]}" if machine.address == low else low

    def do_power_elsewhere(self):
        machine = self.machine()
        self.cut(machine)
        machine.address = self.other_address(machine)
        machine.boot()
        machine.wait()

    def do_address(self):
        """It changes in a host that runs; the unit may begin again after that."""
        machine = self.machine()
        self.disturb()
        machine.set_address(self.other_address(machine))
        if self.random.random() < 0.3:
            for pid in self.agents(machine):
                os.kill(pid, signal.SIGTERM)

    # ---- other people's tools -------------------------------------------------------------

    ROUTER = "nsenter --net=/run/netns/tsw-gw "
    FLUSHES = {
        "nft": "nft flush ruleset",
        "router's nft": f"{ROUTER}nft flush ruleset",
        "clsact": "for d in $DEVS; do tc qdisc del dev $d clsact || true; done",
        "down": "ip link set $DEV down",
        "rules": "for n in $(ip rule | sed -nE 's/^([0-9]+):.*/\\1/p'); do "
                 "case $n in 0|32766|32767) ;; *) ip rule del pref $n;; esac; done",
        "router's rules": f"{ROUTER}sh -c \"ip rule | sed -nE 's/^([1-9][0-9]*):.*/\\1/p' | "
                          "grep -vxE '32766|32767' | xargs -rn1 ip rule del pref\"",
        "router's routes": f"{ROUTER}sh -c 'ip route show table all | grep -oE \"table [0-9]+\" | "
                           "sort -u | xargs -rn2 ip route flush'",
        "detached": "p=$(find /sys/fs/bpf/tsw/default/links -type f | shuf -n1 "
                    "--random-source=/dev/zero) && bpftool link detach pinned $p || true",
    }

    def do_flush(self):
        machine = self.machine()
        kind = self.one(sorted(self.FLUSHES))
        self.disturb()
        devices = [r["ifname"] for r in json.loads(machine.read("ip", "-j", "link"))
                   if r["ifname"].startswith("ts")]
        own = [d for d in devices if d in ("tsw-gw", "tsw-up", "tsw-vx")]  # a port is its owner's
        self.write(f"{machine.name}: flush {kind}")
        machine.run("env", f"DEVS={' '.join(devices)}", f"DEV={self.one(own)}", "sh", "-c",
                    self.FLUSHES[kind])

    # ---- what there is --------------------------------------------------------------------

    def look(self):
        """The containers as runtimes have them: what is wrong. Stations follow."""
        wrong, gone, come = [], [], []
        for host, machine in self.machines.items():
            names = machine.read(machine.runtime, "ps", "-a", "--format", "{{.Names}}").split()
            rows = json.loads(machine.read(machine.runtime, "inspect", "--type", "container",
                                           *names)) if names else []
            rows = {r["Name"].lstrip("/"): r for r in rows}
            for c in self.all:
                if c.host == host:
                    wrong += self.follow(c, machine, rows.pop(c.name, None), gone, come)
            wrong += [f"runtime: {host} has a container {name}" for name in rows]
        self.traffic.exchange(gone, come)
        for station in come:
            station.live = True
        return wrong

    def follow(self, c, machine, row, gone, come):
        running = bool(row and row["State"]["Running"])
        state = "up" if running else "stopped" if row else "gone"
        sandbox = row["NetworkSettings"]["SandboxKey"] if running else None
        address = running and next(iter(row["NetworkSettings"]["Networks"].values()))["IPAddress"]
        try:
            inode = os.stat(machine.path(sandbox)).st_ino if address else None
        except OSError:
            inode = None
        if c.station and inode != c.sandbox:
            gone.append(c.station)
            c.station = None
        if c.want == "up" and inode and not c.station:
            c.ip = address
            c.station = Station(machine.path(sandbox), c.tenant.number,
                                int(address.rsplit(".", 1)[1]), c.tenant.net, None)
            c.sandbox = inode
            come.append(c.station)
        if state == c.want and (c.station or state != "up"):
            return []
        # With `--restart always` a runtime that begins also starts what was stopped.
        c.by_hand |= (state, c.want) == ("up", "stopped")
        return [f"runtime: {c.name} on {c.host} is {state}, should be {c.want}"]

    def finish_by_hand(self):
        """Commands that were cut short are given again; all else comes by itself."""
        for c in self.all:
            if not c.by_hand:
                continue
            machine = self.machines[c.host]
            status, said = machine.run(machine.runtime, "inspect", "-f", "{{.State.Running}}",
                                       c.name)
            known, running = not status, said.strip() == "true"
            if c.want == "up" and not running:
                words = ("start", c.name) if known else c.words()
                c.by_hand = not (machine.run(machine.runtime, *words)[0] == 0)
            elif c.want != "up" and known and (running or c.want == "gone"):
                c.by_hand = not self.tell(c, c.want)
            elif c.want == "stopped" and not known:
                c.want, c.by_hand = "gone", False
            else:
                c.by_hand = False

    def keys(self):
        """Of all records but pulses, and those that a lease ends."""
        keys = self.store.ctl("get", "--prefix", "--keys-only", PREFIX).split()
        keys = [k[len(PREFIX):] for k in keys if not k.endswith("/")]
        return [k for k in keys if k.split("/")[0] not in ("rest", "call", "answer")]

    def living(self):
        return [c for c in self.all if c.want == "up"]

    def known(self, host):
        """Tenants that concern a host."""
        return {t for t in self.tenants if t.gateway == host or any(
            c.host == host and c.tenant is t for c in self.living())}

    # ---- begin and end --------------------------------------------------------------------

    def begin(self, state):
        """Members of a cluster, and then a boot like any other. What STATE prints before."""
        before = {}
        for host, machine in self.machines.items():
            machine.boot()
            machine.wait()
            before[host] = self.state(machine, state)
            machine.read("tsw", "switch", "up", "dev", "eth0", "name", host)
            machine.read("tsw", "cluster", "join", "etcd", STORE, "name", "campus")
            with open(f"{machine.disk}/etc/default.env", "w", encoding="utf-8") as file:
                file.write(f'TSW_UP="dev eth0 name {host}"\n')
            self.image(machine)
            machine.cut()
            machine.boot()
        for machine in self.machines.values():
            machine.wait()
        machine = self.machines["h1"]
        for t in self.tenants:
            machine.read("tsw", "-c", "tenant", "add", t.name, "id", str(t.ident), "net",
                         f"{t.net}0/24")
            if t.gateway:
                where = [] if t.gateway == "none" else ["host", t.gateway]
                machine.read("tsw", "-c", "gateway", "add", t.name, "ip", f"{t.net}254/24", *where)
        machine.read("tsw", "cluster", "wait")
        for machine in self.machines.values():
            for t in self.tenants:
                self.network(machine, t.name, t.net)
        for c in self.all:
            if c.tenant.name == "still" and c.index <= len(HOSTS):
                self.run(c, HOSTS[c.index - 1])
            elif c.tenant.name != "still" and c.index <= 2:
                self.run(c, self.one(HOSTS))
        self.disturb()
        return before

    @staticmethod
    def state(machine, state):
        text = machine.read("sh", "-c", f"exec 2>/dev/null; {state}; true")
        return re.sub(rf"{machine.address}\b", "ADDRESS", text).splitlines()

    @staticmethod
    def image(machine):
        os.makedirs(machine.path("/var/lib/podman"), exist_ok=True)
        machine.read(machine.runtime, "import", f"{WORK}/box.tar", "box")

    @staticmethod
    def network(machine, name, net):
        """podman has it in a file of all hosts."""
        if machine.runtime == "docker":
            machine.read("docker", "network", "create", "-d", "tsw", "-o", f"tenant={name}",
                         "--ipam-driver", "tsw", "--ipam-opt", f"tenant={name}", "--subnet",
                         f"{net}0/24", name)

    def end(self):
        """All is deleted, by the words of a user."""
        self.disturb()
        for c in self.all:
            if c.want != "gone":
                self.tell(c, "gone")

    def leave(self):
        """The cluster has nothing, and no host is a member."""
        machine = self.machines["h1"]
        for t in self.tenants:
            machine.read("tsw", "-c", "tenant", "del", t.name, "force", "on")
        machine.read("tsw", "cluster", "wait")
        for machine in self.machines.values():
            if machine.runtime == "docker":
                machine.read("docker", "network", "rm", *(t.name for t in self.tenants))
            with open(machine.path("/run/ends"), "w", encoding="utf-8"):
                pass
            for pid in self.agents(machine):
                os.kill(pid, signal.SIGTERM)
            while self.agents(machine):
                time.sleep(0.05)
            machine.read("tsw", "cluster", "leave")
            machine.read("tsw", "switch", "down")

    def close(self):
        for machine in self.machines.values():
            machine.cut()
        self.store.close()
