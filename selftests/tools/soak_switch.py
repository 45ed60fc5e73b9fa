# SPDX-License-Identifier: GPL-2.0-only
"""For soak.py: commands of tsw, now and then killed and repeated, and what a switch is made of."""

import json
import os
import subprocess
import time

TSW = os.environ["TSW"]
KILL, LONGEST = 0.1, 0.03  # how often, and after how many seconds at most
BATCH = "/run/work/soak.batch"
FILES = 128  # open at once in a command


class Unexpected(Exception):
    """A command failed, or said what it should not."""


class Nothing(Exception):
    """There is nothing that the operation could be done to."""


def call(argv, **more):
    return subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False, **more)


def read_json(argv):
    result = call(argv)
    if result.returncode:
        raise Unexpected(f"{' '.join(argv)}: {result.stdout}{result.stderr}")
    return json.loads(result.stdout)


class Switch:
    """The switches of all hosts."""

    def __init__(self, rand, log):
        self.random, self.log = rand, log
        self.commands = self.killed = 0
        self.beside = None  # a command that runs in the background

    def write(self, text):
        print(f"{time.monotonic():.3f} {text}", file=self.log, flush=True)

    def device(self, *words):
        """ip(8)"""
        self.write(f"ip {' '.join(words)}")
        result = call(["ip", *words])
        if result.returncode:
            raise Unexpected(f"ip {' '.join(words)}: {result.stderr}")

    def argv(self, host, *words):
        return ["prlimit", f"--nofile={FILES}", "--", TSW, "-n", host, *words]

    def kill_one(self, argv, text, longest):
        """Starts it and kills it a little later; True where that came before its end."""
        delay = self.random.random() * longest
        with subprocess.Popen(argv, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as process:
            time.sleep(delay)
            process.kill()
            killed = process.wait() == -9
        self.killed += killed
        self.write(f"{'killed' if killed else 'ended'} after {delay:.4f}: {text}")

    def do(self, host, *words, lines=None, longest=LONGEST):
        """The command, or with LINES a batch; repeated when it was killed."""
        self.commands += 1
        text = f"tsw -n {host} {' '.join(words)}" + (f" <<< {lines}" if lines else "")
        kill = self.random.random() < KILL
        if kill and lines:
            with open(BATCH, "w", encoding="utf-8") as file:
                file.write(lines)
            of_file = [BATCH if word == "-" else word for word in words]
            self.kill_one(self.argv(host, "-f", *of_file), text, longest)
        elif kill:
            self.kill_one(self.argv(host, "-j", *words), text, longest)
        self.write(text)
        more = {"input": lines} if lines else {}
        head = ["-j", "-f"] if lines and kill else ["-j"]
        result = call(self.argv(host, *head, *words), **more)
        if result.returncode and not (kill and self.was_done(result.stdout)):
            self.write(f"status {result.returncode}: {result.stdout}{result.stderr}")
            raise Unexpected(f"{text}\nstatus {result.returncode}: {result.stdout}"
                             f"{result.stderr}\n{'it had been killed before' if kill else ''}")

    @staticmethod
    def was_done(out):
        """What a command says that a killed one has done already; of a batch each line."""
        codes = [json.loads(line).get("code") for line in out.splitlines() if "error" in line]
        return codes and set(codes) <= {"EEXIST", "ENOENT"}

    def show(self, host, *words):
        """The JSON of a command that reads."""
        return read_json(self.argv(host, "-j", *words))

    def problems(self, host):
        result = call(self.argv(host, "-j", "switch", "check"))
        try:
            return [f"{host}: {p}" for p in json.loads(result.stdout)["problems"]]
        except (KeyError, ValueError):
            return [f"{host}: {result.stdout}{result.stderr}"]

    # A reader in the background: its answer is of one moment or another, but it is one.
    def begin_beside(self, host, *words):
        self.end_beside()
        argv = self.argv(host, "-j", *words)
        self.write(f"beside: tsw -n {host} {' '.join(words)}")
        self.beside = argv, subprocess.Popen(argv, stdout=subprocess.PIPE,
                                             stderr=subprocess.PIPE, text=True)

    def end_beside(self):
        if not self.beside:
            return
        argv, process = self.beside
        self.beside = None
        out, err = process.communicate(timeout=60)
        try:
            answer = json.loads(out)
        except ValueError:
            answer = {"error": out}
        if err or (isinstance(answer, dict) and "error" in answer):
            raise Unexpected(f"{' '.join(argv)}: {process.returncode} {out}{err}")

    # ---- what the kernel holds -----------------------------------------------------------

    def pins(self, host, what):
        return f"/sys/fs/bpf/tsw/{host}/{what}"

    def pinned(self, host, what):
        folder = self.pins(host, what)
        return [f"{folder}/{name}" for name in sorted(os.listdir(folder))]

    def kernel_objects(self, host):
        """Programs that use the switch's maps but are not pinned, and links that are not."""
        maps, programs, links = (
            {read_json(["bpftool", "-j", kind, "show", "pinned", path])["id"]
             for path in self.pinned(host, f"{kind}s")} for kind in ("map", "prog", "link"))
        using = {p["id"] for p in read_json(["bpftool", "-j", "prog", "show"])
                 if maps & set(p.get("map_ids", []))}
        of_links = {link["id"] for link in read_json(["bpftool", "-j", "link", "show"])
                    if link.get("prog_id") in using}
        wrong = []
        if using != programs:
            wrong.append(f"{host}: programs pinned {sorted(programs)}, in use {sorted(using)}")
        if of_links != links:
            wrong.append(f"{host}: links pinned {sorted(links)}, there {sorted(of_links)}")
        return wrong

    def map_bytes(self, host):
        """Of each map, as the kernel counts them."""
        sizes = {}
        for path in self.pinned(host, "maps"):
            info = read_json(["bpftool", "-j", "map", "show", "pinned", path])
            sizes[path.rsplit("/", 1)[1]] = info["bytes_memlock"]
        return sizes

    def entries(self, host, name):
        path = [p for p in self.pinned(host, "maps") if p.endswith(f"/tsw_{name}")]
        return read_json(["bpftool", "-j", "map", "dump", "pinned", path[0]])

    def left(self, host):
        """Entries of maps that hold what commands add, which all have been deleted."""
        wrong = []
        for name in ("tenants", "tenant_ids", "ports", "devices", "fdb", "addrs", "endpoints",
                     "groups", "stats", "gateways", "marks", "peers", "peer_routes", "publish",
                     "limits", "uplinks"):
            entries = self.entries(host, name)
            if entries:
                wrong.append(f"{host}: tsw_{name} has {len(entries)}, the first {entries[0]}")
        return wrong
