#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""For soak_life.py: a host that boots, and whose power can be cut.

A machine is a process namespace, with network, mounts and a name of its own. Its first process is
this file, which does what systemd does, by the units' own lines: mounts, the agent, then podman or
Docker. A SIGKILL of that process cuts the power: the kernel takes all processes, devices, rules and
pins. What is in DISK stays: /etc/tsw, /var/lib, logs.

    soak_machine.py NAME     as the first process
"""

import ctypes
import os
import re
import socket
import subprocess
import sys
import time

from soak_switch import TSW, Unexpected, call

WORK = "/run/work"
ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "../.."))
UNITS = f"{ROOT}/contrib/systemd"
RUNTIME = {"h1": "podman", "h2": "podman", "h3": "docker"}
ENVIRON = {"CONTAINERS_CONF": f"{WORK}/containers.conf", "DOCKER_MIN_API_VERSION": "1.24",
           "CONTAINERS_STORAGE_CONF": f"{WORK}/storage.conf", "TMPDIR": "/var/lib/tmp",
           "PATH": f"{os.path.dirname(TSW)}:{UNITS}:/usr/sbin:/usr/bin:/sbin:/bin"}
READY, BOOT = 120, 240  # seconds at most: TimeoutStartSec of the agent's unit, and all of it
AFTER_BOOT = {"podman": "podman start --all --filter restart-policy=always",  # podman-restart
              "docker": ""}


def unit(name, key):
    """The commands of a unit's KEY for the instance `default`, as one for sh."""
    with open(f"{UNITS}/{name}", encoding="utf-8") as file:
        lines = re.findall(rf"^{key}=(.*)$", file.read(), re.M)
    return " && ".join(
        re.sub(r"^[+!-]*", "", line).replace("%i", "default").replace("/usr/sbin/tsw", TSW)
        .replace("/usr/lib/tsw/", f"{UNITS}/") for line in lines)


class Machine:
    """From outside."""

    def __init__(self, name, write, cgroup):
        self.name, self.write, self.cgroup = name, write, f"{cgroup}-{name}"
        self.disk = f"{WORK}/disk.{name}"
        self.runtime = RUNTIME[name]
        self.address, self.shell, self.pid = f"192.0.2.{name[1:]}", None, None
        for folder in ("etc", "lib", "lib/tmp", "log"):
            os.makedirs(f"{self.disk}/{folder}", exist_ok=True)

    # ---- life ---------------------------------------------------------------------------------

    def boot(self):
        """Power on; wait() until it is up."""
        self.write(f"{self.name} boots at {self.address}")
        with open(f"{self.disk}/log/init", "ab") as log:
            self.shell = subprocess.Popen(  # pylint: disable=consider-using-with
                ["unshare", "--net", "--mount", "--pid", "--uts", "--fork", "--kill-child",
                 "--mount-proc", "--propagation", "private", sys.executable, __file__, self.name,
                 f"/{self.cgroup}"], env={**os.environ, **ENVIRON}, stdout=log, stderr=log)
        while not (children := self.children()):
            time.sleep(0.01)
        self.pid = int(children[0])
        while os.readlink(f"/proc/{self.pid}/ns/net") == os.readlink("/proc/self/ns/net"):
            time.sleep(0.01)
        self.ip("netns", "attach", self.name, str(self.pid))
        self.cable("eth0", "wire", f"{self.address}/24")
        self.cable("up0", "out", f"203.0.113.{self.name[1:]}/24")

    def children(self):
        with open(f"/proc/{self.shell.pid}/task/{self.shell.pid}/children",
                  encoding="utf-8") as file:
            return file.read().split()

    def cable(self, dev, where, address):
        self.ip("link", "add", dev, "netns", self.name, "type", "veth", "peer", "name", self.name,
                "netns", where)
        self.ip("-n", where, "link", "set", self.name, "master", "br0", "up")
        self.ip("-n", self.name, "addr", "add", address, "dev", dev)
        self.ip("-n", self.name, "link", "set", dev, "up")

    def is_up(self):
        return os.path.exists(self.path("/run/booted"))

    def wait(self):
        end = time.monotonic() + BOOT
        while not self.is_up():
            if time.monotonic() > end or self.shell.poll() is not None:
                raise Unexpected(f"{self.name} does not boot")
            time.sleep(0.1)

    def cut(self):
        """The power, as a whole or of an attempt to boot."""
        if not self.pid:
            return
        self.write(f"{self.name}: the power is cut")
        call(["kill", "-KILL", str(self.pid)])
        self.shell.wait()
        self.pid = None
        for words in (("netns", "del", self.name), ("-n", "wire", "link", "del", self.name),
                      ("-n", "out", "link", "del", self.name)):
            call(["ip", *words])
        for folder, _, _ in os.walk("/sys/fs/cgroup", topdown=False):
            if f"/{self.cgroup}" in folder:
                os.rmdir(folder)

    def set_address(self, address):
        """As by DHCP: the old one ends, another comes."""
        self.ip("-n", self.name, "addr", "del", f"{self.address}/24", "dev", "eth0")
        self.address = address
        self.ip("-n", self.name, "addr", "add", f"{address}/24", "dev", "eth0")

    # ---- what is done there -------------------------------------------------------------------

    def ip(self, *words):
        self.write(f"ip {' '.join(words)}")
        result = call(["ip", *words])
        if result.returncode:
            raise Unexpected(f"ip {' '.join(words)}: {result.stderr}")

    def start(self, *words):
        """A process there, in the background."""
        self.write(f"{self.name}: {' '.join(words)}")
        return subprocess.Popen(self.argv(*words), env={**os.environ, **ENVIRON},
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def argv(self, *words):
        return ["nsenter", "-t", str(self.pid), "-n", "-m", "-p", "-u", "--", *words]

    def run(self, *words, timeout=180):
        """(exit status, what it says)"""
        with self.start(*words) as process:
            try:
                said = process.communicate(timeout=timeout)[0]
            except subprocess.TimeoutExpired:
                process.kill()
                raise Unexpected(f"{self.name}: {' '.join(words)}: no end after {timeout} s"
                                 ) from None
        if process.returncode:
            self.write(f"{self.name}: status {process.returncode}: {said}")
        return process.returncode, said

    def read(self, *words):
        """What it prints; it must succeed."""
        result = subprocess.run(self.argv(*words), env={**os.environ, **ENVIRON}, check=False,
                                capture_output=True, text=True, timeout=60)
        if result.returncode:
            raise Unexpected(f"{self.name}: {' '.join(words)}: {result.stdout}{result.stderr}")
        return result.stdout

    def path(self, path):
        return f"/proc/{self.pid}/root{path.replace('/var/run/', '/run/')}"

    def processes(self, name):
        """Those of that name, as they are numbered outside."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/comm", encoding="utf-8") as file:
                    if file.read().strip() == name[:15] and os.readlink(
                            f"/proc/{pid}/ns/pid") == os.readlink(f"/proc/{self.pid}/ns/pid"):
                        found.append(int(pid))
            except OSError:
                pass
        return found

    def outside(self, pid):
        """The number outside of a process that is PID there."""
        for other in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{other}/status", encoding="utf-8") as file:
                    numbers = re.search(r"^NSpid:\t(.*)$", file.read(), re.M).group(1).split()
                if numbers[1:2] == [str(pid)] and os.readlink(
                        f"/proc/{other}/ns/pid") == os.readlink(f"/proc/{self.pid}/ns/pid"):
                    return int(other)
            except (OSError, AttributeError):
                pass
        return None

    def said(self):
        """The last lines of each log."""
        lines = []
        for name in sorted(os.listdir(f"{self.disk}/log")):
            with open(f"{self.disk}/log/{name}", encoding="utf-8", errors="replace") as file:
                lines += [f"{self.name} {name}: {line[:200]}" for line in file.read().splitlines(
                    )[-6:] if "sigprocmask" not in line]
        return lines


# ---- the first process ------------------------------------------------------------------------


class Init:
    """What systemd would do."""

    def __init__(self, name, cgroup):
        self.name, self.disk, self.cgroup = name, f"{WORK}/disk.{name}", cgroup
        self.services = {}  # pid -> name

    def mounts(self):
        disk = self.disk
        lines = f"""
            mount -t tmpfs tmpfs {disk}/run && mkdir {disk}/run/work
            mount --bind {WORK} {disk}/run/work && mount --rbind {disk}/run /run
            mount -t bpf -o mode=700 bpf /sys/fs/bpf && mount -t tmpfs tmpfs /dev/shm
            mount --bind {disk}/etc /etc/tsw && mount --bind {disk}/lib /var/lib
            for i in all default; do echo 1 >/proc/sys/net/ipv6/conf/$i/disable_ipv6; done
            mkdir -p /run/netns /run/lock && ip link set lo up"""
        os.makedirs(f"{disk}/run", exist_ok=True)
        if RUNTIME[self.name] == "podman" and os.path.exists("/sys/fs/cgroup/unified"):
            lines += "\nmount -t cgroup2 none /sys/fs/cgroup"  # crun refuses both versions
        subprocess.run(["sh", "-ec", lines], check=True)
        ctypes.CDLL(None).sethostname(self.name.encode(), len(self.name))

    def log(self, name):
        return open(f"{self.disk}/log/{name}", "ab")  # pylint: disable=consider-using-with

    def begin(self, name, delay=0):
        """A service: it begins anew when it ends."""
        dockerd = (f"exec dockerd --live-restore --data-root /var/lib/docker -p /run/docker.pid "
                   f"--exec-root /run/docker --storage-driver vfs --cgroup-parent {self.cgroup} "
                   "--bridge=none --iptables=false --ip-forward=false")
        lines = {
            "agent": f"{unit('tsw-agent@.service', 'ExecStartPre')} && "
                     f"exec {unit('tsw-agent@.service', 'ExecStart')}",
            "plugin": "exec systemd-socket-activate --accept --inetd -l "
                      f"/run/docker/plugins/tsw.sock {os.path.dirname(TSW)}/tsw-docker",
            "docker": dockerd}
        with self.log(name) as log:
            process = subprocess.Popen(  # pylint: disable=consider-using-with
                ["sh", "-c", f"sleep {delay}; {lines[name]}"], stdout=log, stderr=log,
                stdin=subprocess.DEVNULL,
                env={**os.environ, "NOTIFY_SOCKET": "/run/notify", **self.settings()})
        self.services[process.pid] = name

    @staticmethod
    def settings():
        """EnvironmentFile of the agent's unit."""
        try:
            with open("/etc/tsw/default.env", encoding="utf-8") as file:
                return dict(line.strip().replace('"', "").split("=", 1) for line in file)
        except FileNotFoundError:
            return {}

    def reap(self, options=0):
        """One process that has ended; its number, or None."""
        try:
            pid, _ = os.waitpid(-1, options)
        except ChildProcessError:
            time.sleep(0.1)
            return None
        name = self.services.pop(pid, None)
        if name and not os.path.exists("/run/ends"):
            self.begin(name, 1)
        return pid

    def run(self, line):
        with self.log("boot") as log:
            process = subprocess.Popen(  # pylint: disable=consider-using-with
                ["sh", "-c", line], stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        while self.reap() != process.pid:
            pass

    def agent(self):
        """Type=notify: who is behind it begins when it is ready, or when its time is over."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notified:
            notified.bind("/run/notify")
            notified.settimeout(0.2)
            self.begin("agent")
            end = time.monotonic() + READY
            while time.monotonic() < end:
                self.reap(os.WNOHANG)
                try:
                    if b"READY=1" in notified.recv(4096):
                        return
                except TimeoutError:
                    pass

    def boot(self):
        self.mounts()
        while "inet " not in subprocess.run(["ip", "-4", "addr", "show", "up", "dev", "eth0"],
                                            capture_output=True, text=True, check=False).stdout:
            time.sleep(0.05)  # network-online.target
        if os.path.exists("/etc/tsw/default.cluster"):
            self.agent()
        runtime = RUNTIME[self.name]
        if runtime == "docker":
            os.makedirs("/run/docker/plugins")
            self.begin("plugin")
            self.begin("docker")
            self.run("for i in $(seq 600); do docker version && break; sleep 0.2; done")
        elif os.path.exists("/var/lib/podman"):
            self.run(AFTER_BOOT[runtime])
        with open("/run/booted", "w", encoding="utf-8"):
            pass
        while True:
            self.reap()


def main():
    os.makedirs(f"{WORK}/disk.{sys.argv[1]}", exist_ok=True)
    Init(sys.argv[1], sys.argv[2]).boot()


if __name__ == "__main__":
    main()
