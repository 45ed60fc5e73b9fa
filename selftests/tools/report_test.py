#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Feeds bench/report.py with records made by hand and looks at all that it makes; prints TAP."""

import json
import os
import random
import subprocess
import sys
import tempfile
import traceback
import xml.etree.ElementTree as ElementTree

BENCH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench")
sys.dont_write_bytecode = True
sys.path.insert(0, BENCH)

from report import svg, words
from report.bars import bars
from report.lines import lines
from report.records import Records
from report.results import keep, results

SVG = "{http://www.w3.org/2000/svg}"


def record(kind, **values):
    return {"type": kind, **values}


def figure(name="f", **values):
    return record("figure", **{"scenario": "s", "figure": name, "title": "The title",
                               "unit": "Gb/s", "better": "more", "base": "host", "x": None,
                               **values})


def samples(peer, *values, name="f", x=None):
    return [record("sample", scenario="s", figure=name, peer=peer, x=x, round=n, value=value)
            for n, value in enumerate(values, 1)]


def goal(peer, name="f", **values):
    return record("goal", scenario="s", figure=name, peer=peer, **values)


def made_of(*records):
    read = Records()
    read.read((json.dumps(one) for one in records), "by hand")
    assert not read.problems, read.problems
    return results(read)


def first(*records):
    return made_of(*records)["scenarios"][0]["figures"][0]


def row(made, peer, x=None):
    return next(one for one in made["results"] if (one["peer"], one["x"]) == (peer, x))


def same(got, want):
    assert got == want, f"got {got!r}, not {want!r}"


class Report:
    """One run of the command, in a directory of its own."""

    def __init__(self, *records, options=(), directory=None, raw=""):
        self.own = directory or tempfile.TemporaryDirectory()
        self.path = getattr(self.own, "name", self.own)
        text = "".join(json.dumps(one) + "\n" for one in records) + raw
        ran = subprocess.run([sys.executable, "-B", os.path.join(BENCH, "report.py"), *options,
                              "-o", self.path, "-"], input=text, capture_output=True, text=True,
                             check=False)
        self.status, self.out, self.err = ran.returncode, ran.stdout, ran.stderr
        self.files = {}
        for name in os.listdir(self.path):
            with open(os.path.join(self.path, name), encoding="utf-8") as file:
                self.files[name] = file.read()

    def drawing(self, name="s-f.svg"):
        return ElementTree.fromstring(self.files[name])


def of_class(drawing, tag, kind):
    return [one for one in drawing.iter(SVG + tag) if kind in one.get("class", "").split()]


def points(drawing):
    return [one for tag in ("circle", "polygon") for one in of_class(drawing, tag, "point")]


# ---- figures ----------------------------------------------------------------------------


def median_and_spread():
    one = row(first(figure(), *samples("host", 5, 1, 9, 3, 7)), "host")
    same([one[key] for key in ("n", "median", "least", "most")], [5, 5, 1, 9])
    one = row(first(figure(), *samples("host", 1, 2, 4, 100)), "host")
    same([one["n"], one["median"]], [4, 3])
    twice = samples("host", 1, 2) + samples("host", 5, 6)  # two values of each of two rounds
    one = row(first(figure(), *twice), "host")
    same([one["n"], one["median"]], [2, 3.5])


def ratio_is_that_of_the_medians():
    made = first(figure(), *samples("host", 10, 20, 40), *samples("tsw", 9, 24, 20))
    one = row(made, "tsw")
    same(one["ratio"], 1)  # 20 / 20; of the ratios 0.9, 1.2, 0.5 the median were 0.9
    same([one["ratio_least"], one["ratio_most"]], [0.5, 1.2])
    same(row(made, "host")["ratio"], 1)


def ratio_at_each_x():
    made = first(figure(x="tenants"), *samples("host", 10, x=1), *samples("host", 20, x=5),
                 *samples("tsw", 5, x=1), *samples("tsw", 20, x=5), *samples("tsw", 7, x=9))
    same([row(made, "tsw", x)["ratio"] for x in (1, 5, 9)], [0.5, 1, None])


def no_ratio_without_a_base():
    for base in (None, "nobody"):
        same(row(first(figure(base=base), *samples("tsw", 3)), "tsw")["ratio"], None)
    same(row(first(figure(), *samples("host", 0), *samples("tsw", 3)), "tsw")["ratio"], None)


def rounds_that_the_base_lacks():
    one = row(first(figure(), *samples("host", 10), *samples("tsw", 5, 6, 7)), "tsw")
    same([one["ratio"], one["ratio_least"], one["ratio_most"]], [0.6, 0.5, 0.5])


# ---- goals ------------------------------------------------------------------------------


def verdict(better, bound, *records, **more):
    made = first(figure(better=better, x=more.pop("axis", None)), goal("tsw", **bound, **more),
                 *records)
    return made["goals"][0]


def goals_met_and_missed():
    host = samples("host", 10)
    for better, mine, met in (("more", 9.8, True), ("more", 9.7, False), ("less", 9.8, True),
                              ("less", 9.81, False)):
        got = verdict(better, {"to": "host", "ratio": 0.98}, *host, *samples("tsw", mine))
        same((better, mine, got["met"]), (better, mine, met))
    same(verdict("less", {"value": 5}, *samples("tsw", 4, 5, 7))["met"], True)
    same(verdict("less", {"value": 5}, *samples("tsw", 4, 5.1, 5))["met"], True)
    same(verdict("less", {"value": 5}, *samples("tsw", 5.1, 5.1, 5))["met"], False)


def goal_of_what_was_not_measured():
    same(verdict("more", {"to": "host", "ratio": 1}, *samples("host", 1))["met"], None)
    same(verdict("more", {"to": "host", "ratio": 1}, *samples("tsw", 1))["met"], None)
    same(verdict("more", {"value": 1}, *samples("host", 1))["met"], None)


def goal_holds_at_the_worst_x():
    host = samples("host", 10, x=1) + samples("host", 10, x=5)
    mine = samples("tsw", 20, x=1), samples("tsw", 9, x=5)
    got = verdict("more", {"to": "host", "ratio": 1}, *host, *mine[0], *mine[1], axis="n")
    same([got["met"], got["got"], got["at"]], [False, 0.9, 5])
    got = verdict("more", {"to": "host", "ratio": 1}, *host, *mine[0], axis="n")
    same([got["met"], got["got"], got["at"]], [False, None, 5])  # none where the other has one
    got = verdict("more", {"to": "host", "ratio": 1}, *host, *mine[0], *mine[1], axis="n", x=1)
    same([got["met"], got["got"]], [True, 2])


def goal_of_growth():
    mine = samples("tsw", 4, x=0) + samples("tsw", 4.9, x=100000)
    bound = {"to": "tsw", "ratio": 1.2, "x": 100000, "to_x": 0}
    got = verdict("less", bound, *mine, axis="tenants")
    same([got["met"], got["got"]], [False, 1.225])


def never_rounded_onto_a_bound():
    for better, mine in (("more", 0.97999), ("less", 0.98000001), ("more", 0.9799999999)):
        made = first(figure(better=better), goal("tsw", to="host", ratio=0.98),
                     *samples("host", 1), *samples("tsw", mine))
        same(made["goals"][0]["met"], False)
        said = float(words.got(made, made["goals"][0]))
        assert (said < 0.98) == (better == "more") and said != 0.98, said


# ---- what is said -----------------------------------------------------------------------


def three_digits():
    for value, text in ((0.98234, "0.982"), (1, "1.00"), (14.6501, "14.7"), (99.96, "100"),
                        (121185, "121,000"), (0.000168, "0.000168"), (0, "0"), (-2.5, "-2.50"),
                        (4.2e-12, "4.20e-12"), (None, "–")):
        same(words.number(value), text)
    for value, text in ((1, "1"), (65536, "64Ki"), (1 << 20, "1Mi"), (100000, "100,000")):
        same(words.size(value), text)


def whole():
    """A report of all kinds of records."""
    return [record("meta", date="now", commit="c0ffee", dirty=True, kernel="6.1", rounds=2,
                   versions={"tsw": "1", "iperf3": "3"}),
            record("scenario", name="s", title="All of it"),
            figure(), goal("tsw", to="host", ratio=0.98), goal("tsw", to="bridge", ratio=1.1),
            record("published", scenario="s", figure="f", peer="Docklet <OVS | GRE>", x=None,
                   value=0.911, base=0.943, source="1 & more"),
            record("published", scenario="s", figure="f", peer="bridge", x=None, value=0.9,
                   base=1, source="other"),
            record("note", scenario="s", figure="f", text="longest frame: 1514"),
            *samples("host", 10, 11), *samples("tsw", 9.9, 10.7), *samples("bridge", 8, 8),
            record("skip", scenario="s", peer="ovs", why="no ovs: apt install it"),
            figure("g", x="tenants", log=True, better="less", unit="ms"),
            *[one for x in (0, 10, 100) for one in samples("host", 1, 1.1, name="g", x=x) +
              samples("tsw", 2, 2.2, name="g", x=x)],
            record("scenario", name="broken", title="Fails"),
            record("fail", scenario="broken", why="exit status 3"),
            figure("h", scenario="broken")]


def all_is_told():
    made = Report(*whole())
    same((made.status, made.err), (0, ""))
    same(sorted(made.files), ["results.json", "s-f.svg", "s-g.svg", "tables.md"])
    tables = made.files["tables.md"]
    for text in ("commit c0ffee with changes, Linux 6.1, 2 rounds", "(iperf3 3, tsw 1)",
                 "ovs skipped: no ovs: apt install it", "failed: exit status 3", "Not measured.",
                 "| tsw | 10.3 | 9.90 – 10.7 | 0.981 | 0.973 – 0.990 |",
                 "| bridge | 8.00 | 8.00 – 8.00 | 0.762 | 0.727 – 0.800 | 0.900 | 0.900 | other |",
                 "| Docklet &lt;OVS \\| GRE> | – | – | – | – | 0.911 | 0.966 | 1 &amp; more |",
                 "tsw ≥ 0.98 × host: 0.981, met", "tsw ≥ 1.1 × bridge: 1.29, met",
                 "2 of 2 met.", "longest frame: 1514", "![The title](s-f.svg)",
                 "| 10 | 1.05 (1.00)<br><sub>1.00 – 1.10</sub> | 2.10 (2.00)<br>"):
        assert text in tables, f"tables.md lacks {text}"
    for text in ("s/f       host 10.5 Gb/s: tsw 0.981, bridge 0.762; tsw ≥ 0.98 × host: 0.981 met",
                 "s/g       at 100 tenants: host 1.05 ms (less is better): tsw 2.00",
                 "broken/h  not measured", "s: ovs skipped", "broken: failed: exit status 3"):
        assert text in made.out, f"printed without {text}"


def empty_is_null():
    made = made_of(figure(base="", x=""), *samples("tsw", 3, x=""), record(
        "note", scenario="s", figure="", text="of all"), record("skip", scenario="s", peer="s",
                                                                  why="no tool"))
    one = made["scenarios"][0]
    same(one["notes"], ["of all"])
    same(words.skips(one), ["skipped: no tool"])
    same((one["figures"][0]["base"], one["figures"][0]["axis"]), (None, None))


def results_file():
    made = json.loads(Report(*whole()).files["results.json"])
    same([one["name"] for one in made["scenarios"]], ["s", "broken"])
    same(made["runs"][0]["commit"], "c0ffee")
    same(made["scenarios"][0]["skipped"], [{"peer": "ovs", "why": "no ovs: apt install it"}])
    same(made["scenarios"][1]["failed"], ["exit status 3"])
    same(row(made["scenarios"][0]["figures"][0], "tsw")["ratio"], 0.980952)


def unusable_lines():
    raw = 'nonsense\n[1]\n{"type": "sample", "scenario": "s", "figure": "nope", "peer": "a", ' \
        '"round": 1, "value": 1}\n{"type": "hm"}\n{"type": "sample", "scenario": "s", ' \
        '"figure": "f", "peer": "a", "round": 1, "value": null}\n{"type": "figure", ' \
        '"scenario": "../s", "figure": "f", "title": "t", "unit": "u", "better": "more"}\n' \
        '{"type": "sample", "scenario": "s", "figure": "f", "peer": "a", "round": 1, "value": NaN}'
    made = Report(figure(), *samples("host", 1), raw=raw)
    same(made.status, 1)
    for n, text in ((3, "not JSON: nonsense"), (4, "not an object"), (5, "no such figure"),
                    (6, "no such type"), (7, "bad or no 'value'"), (8, "bad or no 'scenario'"),
                    (9, "bad or no 'value'")):
        assert f"stdin:{n}: {text}" in made.err, f"no complaint of {n}: {made.err}"
    assert "s-f.svg" in made.files and "nope" not in made.files["results.json"]


def order_of_keys():
    random.seed(1)
    want = Report(*whole())
    for _ in range(3):
        shuffled = [dict(random.sample(sorted(one.items()), len(one))) for one in whole()]
        got = Report(*shuffled)
        same((got.out, got.files), (want.out, want.files))


# ---- plots ------------------------------------------------------------------------------


def bars_drawn():
    drawing = Report(*whole()).drawing()
    same(len(of_class(drawing, "rect", "bar")), 5)
    same(len(of_class(drawing, "rect", "published")), 2)
    same(len(of_class(drawing, "line", "goal")), 1)
    length = {one.find(SVG + "title").text.split(":")[0]: float(one.get("width"))
              for one in of_class(drawing, "rect", "bar") if "published" not in one.get("class")}
    assert abs(length["tsw"] / length["host"] - 0.981) < 0.002, length


def lines_drawn():
    drawing = Report(*whole()).drawing("s-g.svg")
    same(len(points(drawing)), 2 * 6)  # measured, and the ratios
    same(len(of_class(drawing, "polyline", "series")), 2 * 2)
    figures = [figure(base=None, x="n"), *samples("a", 1, x=1), *samples("a", 9, x=2)]
    drawing = Report(*figures, goal("a", value=3)).drawing()
    same(len(points(drawing)), 2)
    same(len(of_class(drawing, "line", "goal")), 1)
    goals = [goal("a", value=3), goal("b", value=3, x=2), goal("b", value=5)]
    drawing = Report(*figures, *samples("b", 5, x=2), *goals).drawing()
    said = [one.text for one in drawing.iter(SVG + "text") if one.text.startswith("goal ")]
    same(said, ["goal of a, b at 2: 3", "goal of b: 5"])


def odd_plots():
    """All on the card, whatever the values."""
    for values in ((0,), (1e-9, 1e9), (5, 5, 5), (-3, 4), (0, 1e6)):
        for axis in (None, "n"):
            for log in (False, True):
                of = [figure(x=axis, log=log, title="<&\"'> " + "long " * 40)]
                for n, value in enumerate(values):
                    of += samples("host" if n == 0 else f"peer & {n}" + "x" * 90, value,
                                  x=n if axis else None)
                drawn = (lines if axis else bars)(first(*of))
                on_card(ElementTree.fromstring(drawn), (values, axis, log))


def on_card(drawing, what):
    height = float(drawing.get("height"))
    for one in drawing.iter():
        for key, most in (("x", svg.WIDTH), ("cx", svg.WIDTH), ("x2", svg.WIDTH), ("y", height),
                          ("cy", height), ("y2", height), ("width", svg.WIDTH)):
            assert -1 <= float(one.get(key, 0)) <= most, (what, one.tag, key, one.attrib)
        if one.tag == SVG + "line":
            assert float(one.get("x1")) <= float(one.get("x2")), (what, one.attrib)


# ---- beside an older report -------------------------------------------------------------


def older_results_kept():
    old = Report(*whole())
    other = [record("meta", commit="beef"), record("scenario", name="other", title="O"),
             figure(scenario="other"),
             record("sample", scenario="other", figure="f", peer="host", round=1, value=1)]
    new = Report(*other, options=["-k"], directory=old.path)
    made = json.loads(new.files["results.json"])
    same([(one["name"], made["runs"][one["run"]]["commit"]) for one in made["scenarios"]],
         [("s", "c0ffee"), ("broken", "c0ffee"), ("other", "beef")])
    same(new.files["s-f.svg"], old.files["s-f.svg"])
    again = Report(*whole(), options=["-k"], directory=old.path)
    same(len(json.loads(again.files["results.json"])["runs"]), 2)
    without = Report(*other, directory=old.path)
    same(sorted(without.files), ["other-f.svg", "results.json", "tables.md"])
    same(len(json.loads(without.files["results.json"])["runs"]), 1)


def foreign_files():
    with tempfile.TemporaryDirectory() as path:
        for name, text in (("results.json", '{"a": 1}'), ("mine.svg", "x")):
            with open(os.path.join(path, name), "w", encoding="utf-8") as file:
                file.write(text)
        made = Report(*whole(), options=["-k"], directory=path)
        same((made.status, made.files["mine.svg"]), (0, "x"))
        assert "is not a report's" in made.err, made.err


def nothing_at_all():
    made = Report()
    same((made.status, made.out, sorted(made.files)), (0, "", ["results.json", "tables.md"]))
    same(keep(made_of(), made_of())["scenarios"], [])


TESTS = [median_and_spread, ratio_is_that_of_the_medians, ratio_at_each_x, no_ratio_without_a_base,
         rounds_that_the_base_lacks, goals_met_and_missed, goal_of_what_was_not_measured,
         goal_holds_at_the_worst_x, goal_of_growth, never_rounded_onto_a_bound, three_digits,
         all_is_told, empty_is_null, results_file, unusable_lines, order_of_keys, bars_drawn,
         lines_drawn, odd_plots, older_results_kept, foreign_files, nothing_at_all]


def main():
    failed = 0
    for test in TESTS:
        try:
            test()
            print(f"ok report: {test.__name__.replace('_', ' ')}")
        except Exception:
            failed = 1
            print(f"not ok report: {test.__name__.replace('_', ' ')}")
            print("# " + traceback.format_exc().strip().replace("\n", "\n# "))
    return failed


if __name__ == "__main__":
    sys.exit(main())
