# SPDX-License-Identifier: GPL-2.0-only
"""Reads the output of other commands, from this host or from the files of `collect`."""

import ipaddress
import json
import os
import re
import subprocess

# Name of the file -> the command whose output it has.
ASK = {
    "link.json": ["ip", "-j", "-d", "link"],
    "addr.json": ["ip", "-j", "addr"],
    "neigh.json": ["ip", "-j", "neigh"],
    "fdb.json": ["bridge", "-j", "fdb", "show"],
    "vlan.json": ["bridge", "-j", "vlan", "show"],
    "ovs-bridge.json": ["ovs-vsctl", "--format=json", "list", "Bridge"],
    "ovs-port.json": ["ovs-vsctl", "--format=json", "list", "Port"],
    "ovs-interface.json": ["ovs-vsctl", "--format=json", "list", "Interface"],
    "ovs-qos.json": ["ovs-vsctl", "--format=json", "list", "QoS"],
    "docker.json": ["docker", "network", "inspect"],
}
OPTIONAL = ("ovs-vsctl", "ovs-appctl", "docker")  # not every host has these
TIMEOUT = 30
WORDS = {dict: "an object", list: "a list", str: "a text", int: "a number", bool: "true or false"}
MAC = re.compile(r"[0-9a-f]{2}(:[0-9a-f]{2}){5}$")


class Bad(Exception):
    """An argument or a file is wrong: exit status 2."""


class Failed(Exception):
    """It cannot be done: exit status 1."""


class Absent(Failed):
    """This host does not have what the command would tell of."""


def quote(value):
    """Foreign text for a message: in quotes, without hidden characters, cut if it is long."""
    text = json.dumps(value)
    return text if len(text) <= 100 else text[:96] + '..."'


def parse_json(text, where):
    """All documents in the text, one after the other."""
    docs, at, text = [], 0, text.strip()
    if not text:
        raise Bad(f"{quote(where)} is empty")
    while at < len(text):
        try:
            doc, at = json.JSONDecoder().raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            near = quote(text[max(0, getattr(error, "pos", 0) - 10):][:40])
            raise Bad(f"{quote(where)} is not JSON: {error}, at {near}") from None
        docs.append(doc)
        while at < len(text) and text[at].isspace():
            at += 1
    return docs


def check(value, kind, where):
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise Bad(f"{where}: {WORDS[kind]} is expected, not {quote(value)}")
    return value


def get(thing, key, kind, where, default=None):
    """A member of an object. Without a default it must exist. null counts as missing."""
    if check(thing, dict, where).get(key) is None:
        if default is None:
            raise Bad(f"{where}: has no {quote(key)}, only {quote(sorted(thing))}")
        return default
    return check(thing[key], kind, f"{where}.{key}")


def rows(doc, where):
    """The objects of a list, each with its path for messages."""
    for at, row in enumerate(check(doc, list, where)):
        yield check(row, dict, f"{where}[{at}]"), f"{where}[{at}]"


def name_in(thing, key, where, default=None):
    """A name of a device, bridge, network: a text that is not empty."""
    name = get(thing, key, str, where, default)
    if not name and name != default:
        raise Bad(f"{where}.{key}: is empty")
    return name


def port_of(value, where):
    """A UDP port, as a number or text."""
    if not str(value).isdecimal() or not 1 <= int(value) <= 65535:
        raise Bad(f"{where}: {quote(value)} is not a UDP port")
    return int(value)


def mac_of(text, where):
    if not MAC.match(check(text, str, where).lower()):
        raise Bad(f"{where}: {quote(text)} is not a MAC")
    return text.lower()


def net_ip_of(text, where):
    """An address with its prefix length, like 10.0.0.1/24."""
    try:
        return str(ipaddress.ip_interface(text))
    except ValueError:
        raise Bad(f"{where}: {quote(text)} is not an address with a prefix length") from None


def net_of(text, where):
    try:
        return ipaddress.ip_network(text, strict=False)
    except ValueError:
        raise Bad(f"{where}: {quote(text)} is not a network") from None


def ip_of(text, where):
    """The address in its normal form, without what follows % or /."""
    try:
        return str(ipaddress.ip_address(re.split("[%/]", check(text, str, where))[0]))
    except ValueError:
        raise Bad(f"{where}: {quote(text)} is not an IP address") from None


def run(command):
    """The output of a command, or Failed with the last line of its errors."""
    try:
        done = subprocess.run(command, capture_output=True, timeout=TIMEOUT, check=False)
    except FileNotFoundError:
        raise Absent(f"there is no command {quote(command[0])}") from None
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Failed(f"{quote(' '.join(command))}: {error}") from None
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise Failed(f"{quote(' '.join(command))}: {said[-1] if said else 'failed'}")
    return decode(done.stdout, " ".join(command))


def decode(octets, where):
    try:
        return octets.decode()
    except UnicodeDecodeError as error:
        raise Bad(f"{quote(where)} is not UTF-8: {error}") from None


def read(path):
    try:
        with open(path, "rb") as file:
            return decode(file.read(), path)
    except OSError as error:
        raise Bad(f"cannot read {quote(path)}: {error.strerror}") from None


class Facts:
    """Outputs of commands by name: from the directory, or without one from this host."""

    def __init__(self, directory, db=None, ctl=None):
        self.directory, self.db, self.ctl = directory, db, ctl
        self.lacks = []  # what is missing, and why
        self.told = {}  # each output is read once, so that all readers see the same

    def command(self, name):
        if name.startswith("ovs-fdb-"):
            target = ["-t", self.ctl] if self.ctl else []
            return ["ovs-appctl", *target, "fdb/show", name.removeprefix("ovs-fdb-")]
        command = list(ASK[name])
        if command[0] == "ovs-vsctl":
            command[1:1] = [f"--timeout={TIMEOUT // 2}"] + ([f"--db={self.db}"] if self.db else [])
        if command[0] == "docker":
            ids = run(["docker", "network", "ls", "-q"]).split()
            if not ids:
                raise Absent("docker has no network")
            command += ids
        return command

    def where(self, name):
        return os.path.join(self.directory, name) if self.directory else name

    def text(self, name):
        if name not in self.told:
            self.told[name] = (read(self.where(name)) if self.directory
                               else run(self.command(name)))
        return self.told[name]

    def json(self, name):
        return parse_json(self.text(name), self.where(name))

    def one(self, name):
        """The only document in it."""
        docs = self.json(name)
        if len(docs) != 1:
            raise Bad(f"{quote(self.where(name))} has {len(docs)} documents, not one")
        return docs[0]

    def maybe(self, name, otherwise, how=None):
        """An optional output: `otherwise` if it is missing."""
        try:
            if not self.directory or os.path.exists(self.where(name)):
                return (how or self.one)(name)
            self.lacks.append(f"there is no {quote(self.where(name))}")
        except Failed as error:
            self.lacks.append(str(error))
        return otherwise


def collect(directory, db, ctl, say):
    """Writes the output of each command that this host has into a file."""
    facts = Facts(None, db, ctl)
    try:
        os.makedirs(directory, exist_ok=True)
    except OSError as error:
        raise Failed(f"cannot make {quote(directory)}: {error.strerror}") from None
    names, got, silent = list(ASK), set(), None
    for name in names:
        program = ASK[name][0] if name in ASK else "ovs-appctl"
        if program == silent:
            continue
        try:
            text = facts.text(name)
        except Failed as error:
            if program not in OPTIONAL or not isinstance(error, Absent):
                say(f"{name} is missing: {error}")
            silent = program if program == "ovs-vsctl" else silent  # one line is enough
            continue
        with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
            file.write(text)
        got.add(name)
        if name == "ovs-bridge.json":
            names += [f"ovs-fdb-{bridge}" for bridge in bridge_names(text)]
    if not got:
        raise Failed("none of these commands could be run")
    for name in set(os.listdir(directory)) - got:
        if name in ASK or name.startswith("ovs-fdb-"):  # of an earlier time
            os.remove(os.path.join(directory, name))


def table(doc, where):
    """The rows of a table of `ovs-vsctl --format=json list`, by the names of columns."""
    head = [check(name, str, f"{where}.headings") for name in get(doc, "headings", list, where)]
    for at, row in enumerate(get(doc, "data", list, where)):
        check(row, list, f"{where}.data[{at}]")
        if len(row) != len(head):
            raise Bad(f"{where}.data[{at}]: {len(row)} columns, not the {len(head)} of its head")
        yield {name: plain(cell, f"{where}.data[{at}].{name}") for name, cell in zip(head, row)}


def plain(cell, where):
    """A set becomes a list, a map a dict, a UUID its text; other values stay."""
    if not isinstance(cell, list):
        return atom(cell, where)
    kind, value = cell if len(cell) == 2 else (None, None)
    if kind == "uuid":
        return check(value, str, where)
    if kind == "set":
        return [atom(each[1] if isinstance(each, list) and len(each) == 2 else each, where)
                for each in check(value, list, where)]
    if kind != "map":
        raise Bad(f"{where}: {quote(cell)} is not a value of Open vSwitch")
    for pair in check(value, list, where):
        if not isinstance(pair, list) or len(pair) != 2:
            raise Bad(f"{where}: {quote(pair)} is not a key and a value")
    return {check(key, str, where): atom(each, where) for key, each in value}


def atom(value, where):
    if isinstance(value, (str, int, float)):
        return value
    raise Bad(f"{where}: {quote(value)} is not a value of Open vSwitch")


def bridge_names(text):
    doc = parse_json(text, "ovs-bridge.json")[0]
    names = [str(row.get("name")) for row in table(doc, "ovs-bridge.json")]
    return [name for name in names if "/" not in name]
