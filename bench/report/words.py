# SPDX-License-Identifier: GPL-2.0-only
"""Numbers and sentences that tables, headlines and plots have in common."""

import math

AT_LEAST = {"more": "≥", "less": "≤"}


def number(value, digits=3):
    """Three significant digits: 0.982, 14.7, 121,000."""
    if value is None:
        return "–"
    if value == 0:
        return "0"
    rounded = float(f"{value:.{digits}g}")
    places = digits - 1 - math.floor(math.log10(abs(rounded)))
    if places > 8:
        return f"{rounded:.{digits - 1}e}"
    return f"{rounded:,.{max(places, 0)}f}"


def given(value):
    """A number that somebody chose: a goal, a count of tenants."""
    return f"{value:,.15g}"


def size(value):
    """A place on an axis: 64Ki where it is a power of two."""
    for unit, power in (("Mi", 1 << 20), ("Ki", 1 << 10)):
        if value >= power and value == int(value) and not int(value) & (int(value) - 1):
            return f"{int(value) // power}{unit}"
    return given(value)


def span(least, most):
    return f"{number(least)} – {number(most)}" if least is not None else "–"


def axis(figure, x):
    return f"{given(x)} {figure['axis']}"


def wanted(figure, goal):
    """`tsw ≥ 0.98 × host`"""
    sign = AT_LEAST[figure["better"]]
    at = f" at {axis(figure, goal['x'])}" if goal["x"] is not None else ""
    if goal["value"] is not None:
        return f"{goal['peer']}{at} {sign} {given(goal['value'])} {figure['unit']}"
    to_at = f" at {axis(figure, goal['to_x'])}" if goal["to_x"] is not None else ""
    return f"{goal['peer']}{at} {sign} {given(goal['ratio'])} × {goal['to']}{to_at}"


def got(figure, goal):
    """What it came to. Never rounded onto a bound that it is short of."""
    if goal["got"] is None:
        return "–" if goal["at"] is None else f"– at {axis(figure, goal['at'])}"
    bound = goal["value"] if goal["value"] is not None else goal["ratio"]
    for digits in range(3, 17):
        text = number(goal["got"], digits)
        shown = float(text.replace(",", ""))
        if (shown >= bound if figure["better"] == "more" else shown <= bound) == goal["met"]:
            break
    unasked = goal["at"] is not None and goal["x"] is None
    return text + (f" at {axis(figure, goal['at'])}" if unasked else "")


def verdict(goal):
    return {True: "met", False: "missed", None: "not measured"}[goal["met"]]


def rounds(figure):
    n = max((row["n"] for row in figure["results"]), default=0)
    return f"median of {n} rounds" if n > 1 else "one round"


def failures(scenario):
    return [f"failed: {why}" for why in scenario["failed"]]


def skips(scenario):
    return [f"skipped: {one['why']}" if one["peer"] in (None, scenario["name"]) else
            f"{one['peer']} skipped: {one['why']}" for one in scenario["skipped"]]


def run(meta):
    """One line about where and when."""
    parts = [meta.get("date"), meta.get("commit") and f"commit {meta['commit']}" +
             (" with changes" if meta.get("dirty") else ""),
             meta.get("kernel") and f"Linux {meta['kernel']}", meta.get("machine"),
             meta.get("cpus") and f"{meta['cpus']} CPUs", meta.get("memory"),
             meta.get("rounds") and f"{meta['rounds']} rounds", meta.get("quick") and "quick"]
    return ", ".join(str(part) for part in parts if part)


def versions(meta):
    return ", ".join(f"{tool} {version}"
                     for tool, version in sorted((meta.get("versions") or {}).items()))
