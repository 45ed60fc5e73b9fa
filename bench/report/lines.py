# SPDX-License-Identifier: GPL-2.0-only
"""A line with markers for each peer, over an axis: what was measured, least to most as a bar.

Where there is a base, a second panel below has the ratios to it: on a scale that holds all sizes,
a tenth more or less is not to be seen.
"""

import math

from report.svg import (EDGE, GOAL, GRID, LINE, MARKS, SOFT, WIDTH, Svg, colours, decades, nice,
                        short, width)
from report.words import given, number, rounds, size, span

HEIGHT, RATIO_HEIGHT, APART = 280, 150, 16
# Linear shows how much; where the largest is so many times the least, nothing of the least.
LOG_FROM = 40
MEASURED = "median", "least", "most"
RATIO = "ratio", "ratio_least", "ratio_most"


class Axis:
    """From values to coordinates. On a logarithmic one, 0 is a step before the least."""

    def __init__(self, values, first, last, log):
        self.first, self.last, self.log = first, last, log
        positive = [v for v in values if v > 0]
        low, high = (min(positive), max(positive)) if log else (min(values), max(values))
        self.low, self.high = self.scaled(low), self.scaled(high)
        if log and len(positive) < len(values):
            self.low -= max((self.high - self.low) / 6, 0.3)
        if self.low == self.high:
            self.low, self.high = self.low - 0.5, self.high + 0.5

    def scaled(self, value):
        return math.log10(value) if self.log else value

    def __call__(self, value):
        if self.log and value <= 0:
            return self.first
        part = (self.scaled(value) - self.low) / (self.high - self.low)
        return self.first + part * (self.last - self.first)


def lines(figure):
    rows = figure["results"]
    svg = Svg(figure["title"], f"{figure['unit']}, {rounds(figure)}; {figure['better']} is better")
    panel = Panel(svg, figure, MEASURED, svg.top, HEIGHT)
    panel.draw()
    if any(row["ratio"] is not None for row in rows):
        panel = Panel(svg, figure, RATIO, panel.bottom + 44, RATIO_HEIGHT)
        panel.draw()
    scale = " (logarithmic)" if panel.x.log else ""
    svg.text((panel.left + panel.right) / 2, panel.bottom + 40, figure["axis"] + scale,
             fill=SOFT, anchor="middle")
    return svg.whole(panel.bottom + 40 + EDGE)


class Panel:
    """One of the quantities of a row, over the axis."""

    def __init__(self, svg, figure, keys, top, height):
        self.svg, self.figure, self.keys = svg, figure, keys
        self.top, self.bottom, self.right = top, top + height, 0
        self.peers = list(dict.fromkeys(row["peer"] for row in figure["results"]))
        self.colours = colours(self.peers)
        self.rows = [row for row in figure["results"] if row[keys[0]] is not None]
        self.goals = [goal for goal in figure["goals"]
                      if keys is MEASURED and goal["value"] is not None and goal["value"] > 0]
        self.scales(figure, height)

    def scales(self, figure, height):
        values = [value for row in self.rows for value in self.spread(row)]
        bounds = values + [goal["value"] for goal in self.goals]
        log_y = min(values) > 0 and max(values) / min(values) >= LOG_FROM
        self.ticks = decades(min(bounds), max(bounds)) if log_y else \
            nice(max(bounds), about=max(4, height // 55))
        self.left = EDGE + 80
        self.right = WIDTH - EDGE - 34 - max(width(short(peer), bold=True) for peer in self.peers)
        self.xs = sorted({row["x"] for row in figure["results"]})
        # Room at both sides: no marker on the frame, none cut off.
        self.x = Axis(self.xs, self.left + 16, self.right - 16,
                      figure["log"] and self.xs[-1] > 0)
        self.y = Axis(self.ticks + ([] if log_y else [min(0, *values)]), self.bottom, self.top,
                      log_y)

    def spread(self, row):
        """Least and most; the value itself where there are none."""
        _, least, most = (row[key] for key in self.keys)
        return (least, most) if least is not None else (row[self.keys[0]],) * 2

    def draw(self):
        self.grid()
        self.bounds()
        # Ours last: on top.
        for peer in sorted(self.peers, key=lambda peer: peer.startswith("tsw")):
            self.series(peer)
        self.legend()

    def grid(self):
        svg, last = self.svg, -math.inf
        for tick in self.ticks:
            svg.line(self.left, self.y(tick), self.right, self.y(tick), GRID)
            svg.text(self.left - 8, self.y(tick) + 4, f"{tick:,.6g}", fill=SOFT, anchor="end")
        for x in self.xs:
            half = width(size(x)) / 2
            if self.x(x) - half < last:
                continue
            last = self.x(x) + half + 2
            svg.line(self.x(x), self.bottom, self.x(x), self.bottom + 5, SOFT)
            svg.text(self.x(x), self.bottom + 19, size(x), fill=SOFT, anchor="middle")
        svg.line(self.left, self.bottom, self.right, self.bottom, SOFT)
        what = self.figure["unit"] if self.keys is MEASURED else f"ratio to {self.figure['base']}"
        what += " (log.)" if self.y.log else ""
        svg.text(EDGE + 8, (self.top + self.bottom) / 2, what, fill=SOFT, anchor="middle",
                 turn=-90)

    def bounds(self):
        """Goals in the unit itself; those that are ratios are for the table."""
        of = {}  # value -> whose goal it is: texts over one another cannot be read
        for goal in self.goals:
            at = f" at {size(goal['x'])}" if goal["x"] is not None else ""
            of.setdefault(goal["value"], []).append(goal["peer"] + at)
        for value, peers in of.items():
            y = self.y(value)
            self.svg.line(self.left, y, self.right, y, GOAL, stroke_dasharray="5 4",
                          class_="goal")
            self.svg.text(self.right, y - 5, f"goal of {', '.join(peers)}: {given(value)}",
                          fill=GOAL, anchor="end")

    def series(self, peer):
        colour, kind = self.colours[peer], self.mark(peer)
        points = [(self.x(row["x"]), self.y(row[self.keys[0]]), row)
                  for row in self.rows if row["peer"] == peer]
        if not points:
            return
        self.svg.add("polyline", points=" ".join(f"{x:.1f},{y:.1f}" for x, y, _ in points),
                     fill="none", stroke=colour, stroke_width=2, class_="series",
                     stroke_linejoin="round")
        for x, y, row in points:
            least, most = self.spread(row)
            if least != most:
                self.svg.line(x, self.y(least), x, self.y(most), colour, stroke_width=1.5,
                              stroke_opacity="0.55")
            self.svg.mark(kind, x, y, colour, self.hint(row))

    def mark(self, peer):
        return MARKS[self.peers.index(peer) % len(MARKS)]

    def hint(self, row):
        unit = f" {self.figure['unit']}" if self.keys is MEASURED else ""
        return (f"{row['peer']}, {size(row['x'])} {self.figure['axis']}: "
                f"{number(row[self.keys[0]])}{unit} ({span(*self.spread(row))})")

    def legend(self):
        """Each name where its line ends, as far as the others let it."""
        last = {row["peer"]: self.y(row[self.keys[0]]) for row in self.rows}  # in order of x
        order = sorted(last, key=lambda peer: (last[peer], self.peers.index(peer)))
        at = []
        for peer in order:
            at.append(max(last[peer], at[-1] + APART if at else self.top))
        for n in range(len(at) - 1, -1, -1):  # and up again from the lower edge
            at[n] = min(at[n], self.bottom - (len(at) - 1 - n) * APART)
        for peer, y in zip(order, at):
            self.svg.mark(self.mark(peer), self.right + 16, y, self.colours[peer])
            self.svg.text(self.right + 28, y + LINE / 3, short(peer),
                          weight=600 if peer.startswith("tsw") else None)
