# SPDX-License-Identifier: GPL-2.0-only
"""What both kinds of plot are drawn with: a white card, so that it can be read on any page."""

import math
import textwrap
from xml.sax.saxutils import escape, quoteattr

WIDTH, EDGE, TITLE, LINE, LABEL_MOST = 760, 20, 15, 12, 230
INK, SOFT, GRID = "#1f2328", "#59636e", "#e4e8ec"
GOAL = "#b3261e"
FONT = "-apple-system, 'Segoe UI', 'Noto Sans', Helvetica, Arial, 'DejaVu Sans', sans-serif"

# These peers have one colour in every plot. Marks tell lines apart without colours, too.
COLOURS = {"host": "#3d4650", "direct": "#3d4650", "loopback": "#7a828a", "tsw": "#0a62c4",
           "tsw-gre": "#58a6e8", "bridge": "#d98200", "routed": "#1a8a5c", "macvlan": "#b0559a",
           "tun": "#c8432b", "ovs": "#8a6d1f", "docker": "#4b9aa8", "redirect": "#6e56cf"}
OTHERS = ("#9a6700", "#117a8b", "#a8323e", "#4d7c0f", "#7d5ba6", "#586069")
MARKS = "circle", "square", "triangle", "diamond", "cross", "ring", "down"


def colours(peers):
    """peer -> colour; those that we do not know take what is left, in their order."""
    others = [peer for peer in peers if peer not in COLOURS]
    return {peer: COLOURS.get(peer) or OTHERS[others.index(peer) % len(OTHERS)] for peer in peers}


class Svg:
    """Elements one after the other; coordinates with one decimal."""

    def __init__(self, title, subtitle):
        self.parts, self.title = [], title
        self.top = EDGE
        for line in textwrap.wrap(title, 80):
            self.top += TITLE + 2
            self.text(EDGE, self.top, line, size=TITLE, weight=600)
        for line in textwrap.wrap(subtitle, 110):
            self.top += LINE + 6
            self.text(EDGE, self.top, line, fill=SOFT)
        self.top += EDGE

    def add(self, tag, content=None, **attributes):
        words = [tag] + [f"{key.rstrip('_').replace('_', '-')}={quoteattr(plain(value))}"
                         for key, value in attributes.items() if value is not None]
        self.parts.append(f"<{' '.join(words)}/>" if content is None else
                          f"<{' '.join(words)}>{content}</{tag}>")

    def text(self, x, y, text, size=LINE, fill=INK, anchor=None, weight=None, turn=None):
        where = f"rotate({turn} {plain(x)} {plain(y)})" if turn else None
        self.add("text", escape(text), x=x, y=y, font_size=size, fill=fill, text_anchor=anchor,
                 font_weight=weight, transform=where)

    def line(self, x1, y1, x2, y2, colour=GRID, **more):
        self.add("line", x1=x1, y1=y1, x2=x2, y2=y2, stroke=colour, **more)

    def mark(self, kind, x, y, colour, hint=None):
        """One point of a series."""
        around = {"circle": None, "ring": None,
                  "square": ((-4, -4), (4, -4), (4, 4), (-4, 4)),
                  "triangle": ((0, -5), (5, 4), (-5, 4)), "down": ((0, 5), (5, -4), (-5, -4)),
                  "diamond": ((0, -5.5), (5.5, 0), (0, 5.5), (-5.5, 0)),
                  "cross": ((-5, -2), (-2, -2), (-2, -5), (2, -5), (2, -2), (5, -2), (5, 2),
                            (2, 2), (2, 5), (-2, 5), (-2, 2), (-5, 2))}[kind]
        title = f"<title>{escape(hint)}</title>" if hint else None
        look = {"fill": "#fff" if kind == "ring" else colour, "stroke": colour,
                "class_": "point" if hint else "key"}
        if around is None:
            self.add("circle", title, cx=x, cy=y, r=4, **look,
                     stroke_width=2 if kind == "ring" else None)
        else:
            self.add("polygon", title, **look,
                     points=" ".join(f"{plain(x + a)},{plain(y + b)}" for a, b in around))

    def whole(self, height):
        height = math.ceil(height)
        return "\n".join([
            "<!-- SPDX-License-Identifier: GPL-2.0-only -->",
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
            f'viewBox="0 0 {WIDTH} {height}" role="img" font-family="{FONT}">',
            f"<title>{escape(self.title)}</title>",
            f'<rect x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1}" rx="6" '
            'fill="#ffffff" stroke="#d1d9e0"/>', *self.parts, "</svg>"]) + "\n"


def plain(value):
    """A coordinate, or a word."""
    return value if isinstance(value, str) else f"{value:.1f}".removesuffix(".0")


def width(text, size=LINE, bold=False):
    """About what it takes; nobody knows the reader's font."""
    return len(text) * size * (0.66 if bold else 0.58)


def short(text):
    """So much of a label that it leaves room for what it is of."""
    room = int(LABEL_MOST / width("x"))
    return text if len(text) <= room else text[:room - 1] + "…"


def nice(most, about=5):
    """Ticks from 0 to at least MOST."""
    if most <= 0:
        return [0, 1]
    raw = most / about
    power = 10 ** math.floor(math.log10(raw))
    step = next(m * power for m in (1, 2, 2.5, 5, 10) if m * power >= raw * (1 - 1e-9))
    return [n * step for n in range(math.ceil(most / step - 1e-9) + 1)]


def decades(least, most):
    """Ticks of a logarithmic axis: powers of ten, and some between where these are few."""
    low, high = math.floor(math.log10(least) + 1e-9), math.ceil(math.log10(most) - 1e-9)
    steps = (1, 2, 5) if high - low <= 3 else (1,)
    ticks = [m * 10.0 ** n for n in range(low, high) for m in steps] + [10.0 ** high]
    first = max((t for t in ticks if t <= least * (1 + 1e-9)), default=ticks[0])
    last = min((t for t in ticks if t >= most * (1 - 1e-9)), default=ticks[-1])
    return [t for t in ticks if first <= t <= last]
