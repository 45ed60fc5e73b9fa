# SPDX-License-Identifier: GPL-2.0-only
"""For soak.py: the switches are members of a cluster. Commands are given once, on one host, with
-c; agents carry them out. These and the members of etcd are killed, stopped and started anew, the
store is compacted, and restored from a copy.
"""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import time

from soak_compare import HOSTS
from soak_model import Model
from soak_switch import TSW, Nothing, Unexpected, call

COPY = "/run/work/soak.copy"
WAIT = "20"  # seconds for etcd, which may be without a leader for a while
LIMITS = {"STOPPED": 1.5, "WITHOUT": 2.0}  # seconds at most


class Store:
    """The members of etcd, which soak.sh started; by the same words they are started again."""

    def __init__(self, members, write):
        self.write = write
        self.argv, self.pid, self.process = {}, {}, {}
        for member in members.split():
            name, pid = member.split(":")
            with open(f"/proc/{pid}/cmdline", encoding="utf-8") as file:
                self.argv[name] = file.read().split("\0")[:-1]
            self.pid[name] = int(pid)

    def word(self, name, option):
        return self.argv[name][self.argv[name].index(option) + 1]

    def send(self, name, sign):
        self.write(f"etcd {name}: {sign.name}")
        os.kill(self.pid[name], sign)

    def kill(self, name, sign=signal.SIGKILL):
        self.send(name, sign)
        if name in self.process:
            self.process.pop(name).wait()
        while os.path.exists(f"/proc/{self.pid[name]}/fd/0"):  # of a zombie nothing is left
            time.sleep(0.01)

    def start(self, name):
        self.write(f"etcd {name} starts")
        self.process[name] = subprocess.Popen(  # pylint: disable=consider-using-with
            self.argv[name], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.pid[name] = self.process[name].pid

    def ctl(self, *words):
        """etcdctl, of all members; again while none leads."""
        urls = ",".join(self.word(name, "--advertise-client-urls") for name in self.argv)
        end = time.monotonic() + 30
        while True:
            result = call(["etcdctl", "--endpoints", urls, "--command-timeout", "5s", *words],
                          env={**os.environ, "ETCDCTL_API": "3"})
            if not result.returncode:
                return result.stdout
            if time.monotonic() > end:
                raise Unexpected(f"etcdctl {' '.join(words)}: {result.stderr}")
            time.sleep(0.1)

    def revision(self):
        return re.search(r'"revision":(\d+)', self.ctl("get", "/", "-w", "json")).group(1)

    def save(self):
        if os.path.exists(COPY):
            os.unlink(COPY)
        name = sorted(self.argv)[0]
        url = self.word(name, "--advertise-client-urls")
        self.ctl("get", "/up")  # one leads
        result = call(["etcdctl", "--endpoints", url, "snapshot", "save", COPY],
                      env={**os.environ, "ETCDCTL_API": "3"})
        if result.returncode:
            raise Unexpected(f"etcdctl snapshot save: {result.stderr}")

    def restore(self):
        """All members anew, from the copy."""
        for name in self.argv:
            self.kill(name)
        for name in self.argv:
            shutil.rmtree(self.word(name, "--data-dir"))
            words = ["snapshot", "restore", COPY, "--name", name]
            for option in ("--data-dir", "--initial-cluster", "--initial-cluster-token",
                           "--initial-advertise-peer-urls"):
                words += [option, self.word(name, option)]
            result = call(["etcdctl", *words], env={**os.environ, "ETCDCTL_API": "3"})
            if result.returncode:
                raise Unexpected(f"etcdctl {' '.join(words)}: {result.stderr}")
        for name in self.argv:
            self.start(name)

    def close(self):
        for name in self.argv:
            self.kill(name)


class Cluster(Model):
    """The same objects, told to the cluster."""

    WEIGHTS = {**Model.WEIGHTS, "agent_kill": 3, "agent_end": 2, "agent_stop": 2, "etcd_kill": 2,
               "etcd_stop": 2, "etcd_stop_all": 2, "compact": 2, "restore": 1, "restore_old": 1}

    def __init__(self, rand, switch, members):
        super().__init__(rand, switch)
        self.store = Store(members, switch.write)
        self.agents = {}
        for host in HOSTS:
            self.agent(host)

    # ---- commands -------------------------------------------------------------------------

    def do(self, host, *words, lines=None):
        self.switch.do(host or self.pick(HOSTS), "-c", "-w", WAIT, *words, lines=lines)

    def show(self, host, *words):
        return self.switch.show(host or self.pick(HOSTS), "-c", "-w", WAIT, *words)

    def on_all(self, *words, first=None):
        self.do(first, *words)

    def rest(self):
        words = ("-w", WAIT, "cluster", "wait", "timeout", "30")
        result = call(self.switch.argv(self.pick(HOSTS), *words))
        if result.returncode:
            raise Unexpected(f"tsw {' '.join(words)}: {result.stdout}{result.stderr}"
                             f"{self.said()}")

    def tell_where(self, e, verb, *words):
        """On its host, which knows the device."""
        self.do(e.host, "endpoint", verb, e.name, *words, "dev", e.dev)
        if e.tenant.number == self.still:
            self.rest()  # from now on nothing may be lost

    def tell_many(self, absent):
        for host in self.hosts():
            lines = [f"endpoint add {e.name} {' '.join(e.words())} dev {e.dev}"
                     for e in absent if e.host == host]
            if lines:
                self.do(host, "-b", "-", lines="\n".join(lines) + "\n")

    def tell_hosts(self, host):
        self.do(None, "host", "set", host, *self.addresses(host))
        self.rest()

    def closed(self):
        self.rest()
        super().closed()

    def drain(self):
        return []

    def states(self):
        return {None: self.apply_nothing(None)}

    def watched(self):
        """The one tenant that is at each host all the time."""
        return [t for t in self.tenants if t.number == self.still]

    def known(self, host):
        """Tenants that concern it: what is here, what it is the gateway of, and their peers."""
        own = {t.name for t in self.tenants if t.exists and (
            t.gateway == host or any(e.host == host for e in t.endpoints))}
        peers = {b for a, b in self.halves if a in own} | {a for a, b in self.halves if b in own}
        return {t for t in self.tenants if t.exists and t.name in own | peers}

    # ---- agents -----------------------------------------------------------------------------

    def agent(self, host):
        self.switch.write(f"agent of {host} starts")
        with open(f"/run/work/agent.{host}", "ab") as log:
            self.agents[host] = subprocess.Popen(  # pylint: disable=consider-using-with
                ["nsenter", f"--net=/run/netns/{host}", "--", TSW, "-n", host, "agent"],
                stdout=log, stderr=log)

    def said(self):
        """The last that each agent said."""
        text = ""
        for host in HOSTS:
            with open(f"/run/work/agent.{host}", encoding="utf-8", errors="replace") as file:
                text += f"\nagent of {host}: " + " | ".join(file.read().splitlines()[-5:])
        return text

    def end_agent(self, host, sign, good):
        self.switch.write(f"agent of {host}: {sign.name}")
        self.agents[host].send_signal(sign)
        status = self.agents[host].wait(timeout=30)
        if status not in good:
            raise Unexpected(f"agent of {host}: status {status}{self.said()}")

    def meanwhile(self):
        """What is told while something is away."""
        if self.random.random() < 0.7:
            with contextlib.suppress(Nothing):
                self.pick((self.do_move_host, self.do_tenant_set, self.do_change, self.do_add))()

    def do_agent_kill(self):
        host = self.pick(HOSTS)
        self.end_agent(host, signal.SIGKILL, (-9,))
        self.agent(host)

    def do_agent_end(self):
        """What is told meanwhile its host's commands carry out, or the next agent."""
        host = self.pick(HOSTS)
        self.end_agent(host, signal.SIGTERM, (0, -15))
        self.meanwhile()
        self.agent(host)

    def do_agent_stop(self):
        host = self.pick(HOSTS)
        self.agents[host].send_signal(signal.SIGSTOP)
        with contextlib.suppress(Nothing):
            self.do_tenant_set()
        time.sleep(self.random.random())
        self.agents[host].send_signal(signal.SIGCONT)

    # ---- etcd -------------------------------------------------------------------------------

    def do_etcd_kill(self):
        name = self.pick(sorted(self.store.argv))
        self.store.kill(name, self.pick((signal.SIGKILL, signal.SIGTERM)))
        self.meanwhile()
        self.store.start(name)

    def do_etcd_stop(self):
        name = self.pick(sorted(self.store.argv))
        self.store.send(name, signal.SIGSTOP)
        self.meanwhile()
        self.store.send(name, signal.SIGCONT)

    def do_etcd_stop_all(self):
        """A command that nobody answers for a while."""
        for name in self.store.argv:
            self.store.send(name, signal.SIGSTOP)
        self.switch.begin_beside(self.pick(HOSTS), "-c", "-w", WAIT, "endpoint", "show")
        time.sleep(self.random.random() * LIMITS["STOPPED"])
        for name in self.store.argv:
            self.store.send(name, signal.SIGCONT)

    def do_compact(self):
        self.store.ctl("compact", self.store.revision())
        if self.random.random() < 0.5:
            self.store.ctl("defrag")

    def do_restore(self):
        """The store as it was a moment ago."""
        self.store.save()
        self.store.restore()

    def do_restore_old(self):
        """What came since is not in the copy: it stays where it is, and is told again."""
        e = self.one(e for t in self.busy() for e in t.endpoints if not e.host)
        self.rest()
        self.store.save()
        self.add(e, self.pick(HOSTS))
        self.rest()
        self.store.restore()
        self.store.ctl("get", "/up")
        time.sleep(self.random.random() * LIMITS["WITHOUT"])
        row = [r for r in self.switch.show(e.host, "endpoint", "show")
               if (r["tenant"], r["name"]) == (e.tenant.name, e.name)]
        if not row:
            raise Unexpected(f"{e.host} has lost {e.tenant.name}/{e.name} by an old copy"
                             f"{self.said()}")
        self.do(e.host, "endpoint", "replace", e.name, *e.words(), "dev", e.dev)

    # ---- end --------------------------------------------------------------------------------

    def close(self):
        for process in self.agents.values():
            process.kill()
            process.wait()
        self.store.close()
