# SPDX-License-Identifier: GPL-2.0-only
"""Reads what the scenarios wrote: one JSON object a line, by its "type":

    meta        where and with what: date, commit, dirty, kernel, machine, cpus, memory, rounds,
                seconds (of a turn), quick, versions {tool: version}; of each run
    scenario    name, title
    figure      scenario, figure (its name), title, unit, better ("more" or "less"), base (the peer
                that ratios are to, or null), x (name of the axis, or null), log (is that axis?)
    sample      scenario, figure, peer, x (or null), round, value
    goal        scenario, figure, peer, to, ratio: of the medians, at least, or at most where less
                is better; or value instead of both, in the unit. x, to_x: only there, else
                wherever peer and to have figures
    published   scenario, figure, peer, x (or null), value, base (what the same source has for the
                host, or null), source
    note        scenario, figure (or null), text
    skip        scenario, peer (or null or the scenario: all of it), why
    fail        scenario, why

A text that is empty says the same as null. A figure stands before what is said of it. A line that
cannot be used is told and left out: the others took an hour to measure.
"""

import json
import math
import re

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")  # becomes part of a file's name


def text(value):
    return isinstance(value, str) and value != ""


def name(value):
    return isinstance(value, str) and NAME.fullmatch(value) is not None


def number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def optional(check):
    return lambda value: value in (None, "") or check(value)


WHERE = {"scenario": name, "figure": name}
SHAPES = {
    "meta": {},
    "scenario": {"name": name, "title": text},
    "figure": {**WHERE, "title": text, "unit": text, "base": optional(text), "x": optional(text),
               "better": lambda value: value in ("more", "less")},
    "goal": {**WHERE, "peer": text, "to": optional(text), "ratio": optional(number),
             "value": optional(number), "x": optional(number), "to_x": optional(number)},
    "published": {**WHERE, "peer": text, "x": optional(number), "value": number,
                  "base": optional(number), "source": text},
    "sample": {**WHERE, "peer": text, "x": optional(number), "round": number, "value": number},
    "skip": {"scenario": name, "why": text, "peer": optional(text)},
    "fail": {"scenario": name, "why": text},
    "note": {"scenario": name, "text": text, "figure": optional(name)},
}


class Unusable(Exception):
    """A record that says nothing, and why."""


class Figure:
    """One quantity, of several peers."""

    def __init__(self, record):
        self.head = {"figure": record["figure"]}
        self.samples, self.goals, self.published, self.notes = [], [], [], []
        self.describe(record)

    def describe(self, record):
        for key in ("title", "unit", "better"):
            self.head[key] = record[key]
        self.head["base"] = record.get("base")
        self.head["axis"] = record.get("x")
        self.head["log"] = bool(record.get("log"))


class Scenario:
    """One experiment: its figures, by name, and what went wrong."""

    def __init__(self, called):
        self.name, self.title = called, called
        self.figures = {}
        self.skips, self.fails, self.notes = [], [], []


class Records:
    """All of a run."""

    def __init__(self):
        self.meta, self.scenarios, self.problems = {}, {}, []

    def read(self, lines, where):
        for n, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                self.add(line)
            except Unusable as why:
                self.problems.append(f"{where}:{n}: {why}: {line.strip()[:80]}")

    def add(self, line):
        try:
            record = json.loads(line)
        except ValueError:
            raise Unusable("not JSON") from None
        if not isinstance(record, dict):
            raise Unusable("not an object")
        kind = record.get("type")
        shape = SHAPES.get(kind) if isinstance(kind, str) else None
        if shape is None:
            raise Unusable("no such type")
        for key, check in shape.items():
            if not check(record.get(key)):
                raise Unusable(f"bad or no '{key}'")
        getattr(self, "add_" + kind)({key: None if value == "" else value
                                      for key, value in record.items()})

    def scenario(self, called):
        return self.scenarios.setdefault(called, Scenario(called))

    def figure(self, record):
        try:
            return self.scenarios[record["scenario"]].figures[record["figure"]]
        except KeyError:
            raise Unusable("no such figure before it") from None

    def add_meta(self, record):
        self.meta.update((key, value) for key, value in record.items() if key != "type")

    def add_scenario(self, record):
        self.scenario(record["name"]).title = record["title"]

    def add_figure(self, record):
        figures = self.scenario(record["scenario"]).figures
        if record["figure"] in figures:  # told again in each round
            figures[record["figure"]].describe(record)
        else:
            figures[record["figure"]] = Figure(record)

    def add_goal(self, record):
        goal = {key: record.get(key) for key in ("peer", "to", "ratio", "value", "x", "to_x")}
        relative = goal["to"] is not None and goal["ratio"] is not None
        if relative == (goal["value"] is not None):
            raise Unusable("neither 'to' and 'ratio' nor 'value', or both")
        once(self.figure(record).goals, goal)

    def add_published(self, record):
        once(self.figure(record).published,
             {key: record.get(key) for key in ("peer", "x", "value", "base", "source")})

    def add_sample(self, record):
        figure = self.figure(record)
        if (record.get("x") is None) != (figure.head["axis"] is None):
            raise Unusable("an 'x', and the figure has no axis" if figure.head["axis"] is None
                           else "no 'x'")
        figure.samples.append(record)

    def add_skip(self, record):
        once(self.scenario(record["scenario"]).skips,
             {"peer": record.get("peer"), "why": record["why"]})

    def add_fail(self, record):
        once(self.scenario(record["scenario"]).fails, record["why"])

    def add_note(self, record):
        of = self.figure(record) if record.get("figure") else self.scenario(record["scenario"])
        once(of.notes, record["text"])


def once(those, one):
    if one not in those:
        those.append(one)
