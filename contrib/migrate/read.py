# SPDX-License-Identifier: GPL-2.0-only
"""What others' commands print: from this host, or from files that `collect` wrote there."""

import ipaddress
import json
import os
import re
import subprocess

# Name of the file -> the command whose output it has, as it is.
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
TIMEOUT = 30
WORDS = {dict: "an object", list: "a list", str: "a text", int: "a number", bool: "true or false"}
MAC = re.compile(r"[0-9a-f]{2}(:[0-9a-f]{2}){5}$")


class Bad(Exception):
    """What was given is wrong: exit status 2."""


class Failed(Exception):
    """It could not be done: exit status 1."""


def quote(value):
    """As a message shows what others wrote: in quotes, no character that nobody sees, not long."""
    text = json.dumps(value)
    return text if len(text) <= 100 else text[:96] + '..."'


def parse_json(text, where):
    """Every document in it: several may stand one behind the other."""
    docs, at, text = [], 0, text.strip()
    if not text:
        raise Bad(f"{quote(where)} is empty")
    while at < len(text):
        try:
            doc, at = json.JSONDecoder().raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            near = quote(text[max(0, getattr(error, "pos", 0) - 10):][:40])
            raise Bad(f"{quote(where)} is no JSON: {error}, at {near}") from None
        docs.append(doc)
        while at < len(text) and text[at].isspace():
            at += 1
    return docs


def check(value, kind, where):
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise Bad(f"{where}: {WORDS[kind]} is expected, not {quote(value)}")
    return value


def get(thing, key, kind, where, default=None):
    """A member of an object; without a default it must be there. What is null is not."""
    if check(thing, dict, where).get(key) is None:
        if default is None:
            raise Bad(f"{where}: has no {quote(key)}, only {quote(sorted(thing))}")
        return default
    return check(thing[key], kind, f"{where}.{key}")


def rows(doc, where):
    """A list of objects, each with its place for messages."""
    for at, row in enumerate(check(doc, list, where)):
        yield check(row, dict, f"{where}[{at}]"), f"{where}[{at}]"


def name_in(thing, key, where, default=None):
    """A name of a device, bridge, network: a text that is not empty."""
    name = get(thing, key, str, where, default)
    if not name and name != default:
        raise Bad(f"{where}.{key}: is empty")
    return name


def port_of(value, where):
    """Of UDP: a number, or as text."""
    if not str(value).isdecimal() or not 1 <= int(value) <= 65535:
        raise Bad(f"{where}: {quote(value)} is no UDP port")
    return int(value)


def mac_of(text, where):
    if not MAC.match(check(text, str, where).lower()):
        raise Bad(f"{where}: {quote(text)} is no MAC")
    return text.lower()


def net_ip_of(text, where):
    """An address with the length of its network, as 10.0.0.1/24."""
    try:
        return str(ipaddress.ip_interface(text))
    except ValueError:
        raise Bad(f"{where}: {quote(text)} is no address of a network") from None


def ip_of(text, where):
    """The one way to write it. What stands behind % or / is not part of it."""
    try:
        return str(ipaddress.ip_address(re.split("[%/]", check(text, str, where))[0]))
    except ValueError:
        raise Bad(f"{where}: {quote(text)} is no IP address") from None


def run(command):
    """Its output, or Failed with the last that it said."""
    try:
        done = subprocess.run(command, capture_output=True, timeout=TIMEOUT, check=False)
    except FileNotFoundError:
        raise Failed(f"there is no command {quote(command[0])}") from None
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
        raise Bad(f"{quote(where)} is no UTF-8: {error}") from None


def read(path):
    try:
        with open(path, "rb") as file:
            return decode(file.read(), path)
    except OSError as error:
        raise Bad(f"{quote(path)} cannot be read: {error.strerror}") from None


class Facts:
    """Asked for by name: of the directory, or of this host where there is none."""

    def __init__(self, directory, db=None, ctl=None):
        self.directory, self.db, self.ctl = directory, db, ctl
        self.lacks = []  # what could not be had, and why
        self.told = {}  # so that all look at one and the same

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
                raise Failed("docker has no network")
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
        """What one can do without: `otherwise` where there is none."""
        try:
            if not self.directory or os.path.exists(self.where(name)):
                return (how or self.one)(name)
            self.lacks.append(f"there is no {quote(self.where(name))}")
        except Failed as error:
            self.lacks.append(str(error))
        return otherwise


def collect(directory, db, ctl, say):
    """The output of each command that this host has, a file each."""
    facts = Facts(None, db, ctl)
    try:
        os.makedirs(directory, exist_ok=True)
    except OSError as error:
        raise Failed(f"{quote(directory)} cannot be made: {error.strerror}") from None
    names, got = list(ASK), 0
    for name in names:
        try:
            text = facts.text(name)
        except Failed as error:
            say(f"{name} is not there: {error}")
            continue
        with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
            file.write(text)
        got += 1
        if name == "ovs-bridge.json":
            names += [f"ovs-fdb-{bridge}" for bridge in bridge_names(text)]
    if not got:
        raise Failed("none of these commands could be asked")


def table(doc, where):
    """A table as `ovs-vsctl --format=json list` prints it: each row by the columns' names."""
    head = [check(name, str, f"{where}.headings") for name in get(doc, "headings", list, where)]
    for at, row in enumerate(get(doc, "data", list, where)):
        check(row, list, f"{where}.data[{at}]")
        if len(row) != len(head):
            raise Bad(f"{where}.data[{at}]: {len(row)} columns, not the {len(head)} of its head")
        yield {name: plain(cell, f"{where}.data[{at}].{name}") for name, cell in zip(head, row)}


def plain(cell, where):
    """A set is a list, a map an object, an UUID its text; all else is itself."""
    if not isinstance(cell, list):
        return atom(cell, where)
    kind, value = cell if len(cell) == 2 else (None, None)
    if kind == "uuid":
        return check(value, str, where)
    if kind == "set":
        return [atom(each[1] if isinstance(each, list) and len(each) == 2 else each, where)
                for each in check(value, list, where)]
    if kind != "map":
        raise Bad(f"{where}: {quote(cell)} is nothing that Open vSwitch prints")
    for pair in check(value, list, where):
        if not isinstance(pair, list) or len(pair) != 2:
            raise Bad(f"{where}: {quote(pair)} is no key and value")
    return {check(key, str, where): atom(each, where) for key, each in value}


def atom(value, where):
    if isinstance(value, (str, int, float)):
        return value
    raise Bad(f"{where}: {quote(value)} is nothing that Open vSwitch prints")


def bridge_names(text):
    doc = parse_json(text, "ovs-bridge.json")[0]
    names = [str(row.get("name")) for row in table(doc, "ovs-bridge.json")]
    return [name for name in names if "/" not in name]
