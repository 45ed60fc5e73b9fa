# SPDX-License-Identifier: GPL-2.0-only
"""A bar for each peer: its ratio to the base, with the spread; others' published ratios, hollow."""

from xml.sax.saxutils import escape

from report.svg import EDGE, GOAL, INK, LINE, SOFT, WIDTH, Svg, colours, nice, short, width
from report.words import number, rounds, span

ROW, BAR = 28, 16


def bars(figure):
    """Without a base: bars of what was measured."""
    relative = any(row["ratio"] is not None for row in figure["results"])
    rows = [bar(row, relative, figure["unit"]) for row in figure["results"]]
    rows = [row for row in rows if row["value"] is not None]
    if relative:
        rows += [hollow(p, figure["unit"]) for p in figure["published"] if p["ratio"]]
    what = f"ratio to {figure['base']}" if relative else figure["unit"]
    svg = Svg(figure["title"], f"{what}, {rounds(figure)}; {figure['better']} is better")
    marks = goal_marks(figure, relative)
    plot = Plot(rows, marks)
    plot.draw(svg, relative)
    bottom = svg.top + len(rows) * ROW + 24
    svg.text((plot.left + plot.right) / 2, bottom + 12, what, fill=SOFT, anchor="middle")
    return svg.whole(legend(svg, bottom + 20, rows, marks) + EDGE)


def bar(row, relative, unit):
    value = row["ratio"] if relative else row["median"]
    least, most = (row["ratio_least"], row["ratio_most"]) if relative else \
        (row["least"], row["most"])
    told = f"{number(row['median'])} {unit}"
    return {"peer": row["peer"], "value": value, "least": least, "most": most, "filled": True,
            "text": number(value), "more": told if relative else unit,
            "hint": f"{row['peer']}: {number(value)} ({span(least, most)}), {told}"}


def hollow(published, unit):
    told = f"{number(published['value'])} {unit}"
    return {"peer": published["peer"], "value": published["ratio"], "least": None, "most": None,
            "filled": False, "text": number(published["ratio"]), "more": told,
            "hint": f"{published['peer']}: {number(published['ratio'])}, {told}, "
                    f"published: {published['source']}"}


def goal_marks(figure, relative):
    """Peer -> where on the axis all its goals are met."""
    marks, strictest = {}, max if figure["better"] == "more" else min
    for goal in figure["goals"]:
        at = goal_at(goal, figure, relative)
        if at is not None:
            marks[goal["peer"]] = strictest(at, marks.get(goal["peer"], at))
    return marks


def goal_at(goal, figure, relative):
    medians = {row["peer"]: row["median"] for row in figure["results"]}
    bound = goal["value"]
    if bound is None:
        bound = goal["ratio"] * medians[goal["to"]] if goal["to"] in medians else None
    if bound is None or not relative:
        return bound
    return bound / medians[figure["base"]]


class Plot:
    def __init__(self, rows, marks):
        self.rows, self.marks = rows, marks
        self.colours = colours([row["peer"] for row in rows if row["filled"]])
        self.left = EDGE + 10 + max((width(short(row["peer"])) for row in rows), default=0)
        self.values = max((width(row["text"], bold=True) for row in rows), default=0)
        most = max((width(row["more"]) for row in rows), default=0)
        self.right = WIDTH - EDGE - 24 - self.values - most
        self.ticks = nice(max([row["most"] or row["value"] for row in rows] +
                              [row["value"] for row in rows] + list(marks.values()), default=0))

    def x(self, value):
        return self.left + (self.right - self.left) * value / self.ticks[-1]

    def draw(self, svg, relative):
        bottom = svg.top + len(self.rows) * ROW
        for tick in self.ticks:
            svg.line(self.x(tick), svg.top, self.x(tick), bottom)
            svg.text(self.x(tick), bottom + 16, f"{tick:,.6g}", fill=SOFT, anchor="middle")
        for n, row in enumerate(self.rows):
            self.row(svg, row, svg.top + n * ROW + ROW / 2)
        if relative and self.ticks[-1] >= 1:
            svg.line(self.x(1), svg.top - 4, self.x(1), bottom, INK, stroke_width=1.2)
        svg.line(self.left, svg.top - 4, self.left, bottom, SOFT)

    def row(self, svg, row, y):
        svg.text(self.left - 8, y + 4, short(row["peer"]), anchor="end",
                 weight=600 if row["peer"].startswith("tsw") else None)
        colour = self.colours.get(row["peer"], SOFT)
        look = {"fill": colour, "class_": "bar"} if row["filled"] else \
            {"fill": "#ffffff", "stroke": SOFT, "stroke_dasharray": "3 2",
             "class_": "bar published"}
        svg.add("rect", f"<title>{escape(row['hint'])}</title>", x=self.left, y=y - BAR / 2,
                width=max(self.x(row["value"]) - self.left, 0.5), height=BAR, **look)
        if row["least"] is not None and row["least"] != row["most"]:
            self.whisker(svg, self.x(row["least"]), self.x(row["most"]), y)
        if row["filled"] and row["peer"] in self.marks:
            at = self.x(self.marks[row["peer"]])
            svg.line(at, y - ROW / 2 + 2, at, y + ROW / 2 - 2, GOAL, stroke_width=2.5,
                     class_="goal")
        svg.text(self.right + 12 + self.values, y + 4, row["text"], weight=600, anchor="end")
        svg.text(self.right + 20 + self.values, y + 4, row["more"], fill=SOFT)

    @staticmethod
    def whisker(svg, least, most, y):
        """On a light seam, to be seen on dark bars and beside them."""
        for colour, wide in (("#ffffff", 3.2), (INK, 1.2)):
            svg.line(least, y, most, y, colour, stroke_width=wide)
            for end in (least, most):
                svg.line(end, y - 4, end, y + 4, colour, stroke_width=wide)


def legend(svg, y, rows, marks):
    """Of the marks that are there; returns where it ends."""
    x, y = EDGE, y + LINE + 4
    if any(row["filled"] and row["least"] not in (None, row["most"]) for row in rows):
        Plot.whisker(svg, x, x + 18, y - 4)
        x = key(svg, x, y, "least to most of the rounds")
    if marks:
        svg.line(x + 9, y - 11, x + 9, y + 3, GOAL, stroke_width=2.5)
        x = key(svg, x, y, "goal")
    if not all(row["filled"] for row in rows):
        svg.add("rect", x=x, y=y - 9, width=18, height=10, fill="#ffffff", stroke=SOFT,
                stroke_dasharray="3 2", class_="key")
        x = key(svg, x, y, "published, on another machine")
    return y if x != EDGE else y - LINE - 4


def key(svg, x, y, text):
    svg.text(x + 26, y, text, fill=SOFT)
    return x + 26 + width(text) + 20
