#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tells a qemu what to do, by its QMP socket.

    qmp.py SOCKET COMMAND [JSON]          prints what it returns
    qmp.py SOCKET migrate URI TO_SOCKET   live migration to the qemu of TO_SOCKET, which waits for
                                          it: prints JSON with how it ended and, in milliseconds,
                                          how long no guest ran
"""

import json
import socket
import sys
import time


class Qmp:
    def __init__(self, path):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(60)
        self.sock.connect(path)
        self.file = self.sock.makefile("r")
        self.events = []
        self.read()
        self.ask("qmp_capabilities")

    def read(self):
        line = self.file.readline()
        if not line:
            raise EOFError("qemu has ended")
        return json.loads(line)

    def ask(self, command, arguments=None):
        words = {"execute": command, **({"arguments": arguments} if arguments else {})}
        self.sock.sendall(json.dumps(words).encode() + b"\n")
        while True:
            told = self.read()
            if "event" in told:
                self.events.append(told)
            elif "error" in told:
                raise RuntimeError(told["error"]["desc"])
            else:
                return told["return"]

    def at(self, event):
        """When it happened last, in milliseconds."""
        for told in reversed(self.events):
            if told["event"] == event:
                stamp = told["timestamp"]
                return stamp["seconds"] * 1e3 + stamp["microseconds"] / 1e3
        return None


def migrate(path, uri, to_path):
    here, there = Qmp(path), Qmp(to_path)
    here.ask("migrate", {"uri": uri})
    while True:
        status = here.ask("query-migrate").get("status", "none")
        if status in ("completed", "failed", "cancelled"):
            break
        time.sleep(0.02)
    told = {"status": status}
    if status == "completed":
        while not there.ask("query-status")["running"]:
            time.sleep(0.005)
        there.ask("query-status")  # so that the event has been read
        told["pause_ms"] = round(there.at("RESUME") - here.at("STOP"), 1)
    print(json.dumps(told))


def main():
    path, command, *rest = sys.argv[1:]
    if command == "migrate" and len(rest) == 2:
        migrate(path, *rest)
    else:
        print(json.dumps(Qmp(path).ask(command, json.loads(rest[0]) if rest else None)))


try:
    main()
except (OSError, EOFError, RuntimeError, ValueError) as error:
    sys.exit(f"qmp.py: {error}")
