# SPDX-License-Identifier: GPL-2.0-only
"""What is printed at the end: a line for each figure, then what is missing."""

from report.words import axis, failures, got, number, skips, verdict, wanted


def headline(results):
    rows, missing = [], []
    for scenario in results["scenarios"]:
        for figure in scenario["figures"]:
            rows.append((f"{scenario['name']}/{figure['figure']}",
                         "; ".join(filter(None, [ratios(figure), goals(figure)]))))
        missing += [f"{scenario['name']}: {line}" for line in failures(scenario) + skips(scenario)]
    width = max((len(name) for name, _ in rows), default=0)
    return [f"{name:{width}}  {text}" for name, text in rows] + missing


def ratios(figure):
    """Against the base; of many places on an axis, the last that has one."""
    rows = figure["results"]
    if not rows:
        return "not measured"
    with_base = [row["x"] for row in rows if row["ratio"] is not None]
    x = with_base[-1] if with_base else rows[-1]["x"]
    at = f"at {axis(figure, x)}: " if x is not None else ""
    here = [row for row in rows if row["x"] == x]
    if not with_base:
        return at + ", ".join(f"{row['peer']} {number(row['median'])} {figure['unit']}"
                              for row in here)
    base = next(row for row in here if row["peer"] == figure["base"])
    others = ", ".join(f"{row['peer']} {number(row['ratio'])}" for row in here if row is not base)
    what = "" if figure["better"] == "more" else " (less is better)"
    return f"{at}{base['peer']} {number(base['median'])} {figure['unit']}{what}: {others}"


def goals(figure):
    said = [f"{wanted(figure, goal)}: {got(figure, goal)} {verdict(goal)}"
            for goal in figure["goals"]]
    return "; ".join(said)
