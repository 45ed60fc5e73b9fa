# SPDX-License-Identifier: GPL-2.0-only
"""From samples to what is published: medians, spread, ratios, goals.

The outcome is a dict of plain values, the same that results.json holds. All else (tables, plots,
headlines) is made from it alone, so that an older file's scenarios can stand beside new ones.
"""

import statistics


def results(records):
    scenarios = [scenario(one) for one in records.scenarios.values()]
    return {"runs": [records.meta], "scenarios": scenarios}


def scenario(one):
    return {"name": one.name, "title": one.title, "run": 0, "failed": one.fails,
            "skipped": one.skips, "notes": one.notes,
            "figures": [figure(f) for f in one.figures.values()]}


def figure(one):
    cells = {}  # (peer, x) -> round -> values
    for sample in one.samples:
        rounds = cells.setdefault((sample["peer"], sample.get("x")), {})
        rounds.setdefault(sample["round"], []).append(sample["value"])
    peers = list(dict.fromkeys(peer for peer, _ in cells))
    # In the order in which peers were first measured, which is the scenario's.
    order = sorted(cells, key=lambda at: (at[1] is not None, at[1] or 0, peers.index(at[0])))
    medians = {at: statistics.median(values(cells[at])) for at in cells}
    return {**one.head,
            "results": [row(cells, medians, at, one.head["base"]) for at in order],
            "goals": [judged(goal, medians, one.head["better"]) for goal in one.goals],
            "published": [with_ratio(p) for p in one.published], "notes": one.notes}


def values(rounds):
    return [value for many in rounds.values() for value in many]


def row(cells, medians, at, base):
    """One peer (at one x). The spread of the ratio is that of the rounds' own: what a machine does
    for some seconds, it does to both."""
    peer, x = at
    those = values(cells[at])
    out = {"peer": peer, "x": x, "n": len(cells[at]), "median": six(medians[at]),
           "least": six(min(those)), "most": six(max(those)),
           "ratio": None, "ratio_least": None, "ratio_most": None}
    if not medians.get((base, x)):
        return out
    out["ratio"] = six(medians[at] / medians[base, x])
    mine, theirs = cells[at], cells[base, x]
    each = [statistics.median(mine[r]) / statistics.median(theirs[r])
            for r in mine if r in theirs and statistics.median(theirs[r])]
    if each:
        out["ratio_least"], out["ratio_most"] = six(min(each)), six(max(each))
    return out


def six(value):
    """So many digits as differ for a reason."""
    return float(f"{value:.6g}")


def with_ratio(published):
    base = published["base"]
    return {**published, "ratio": six(published["value"] / base) if base else None}


# ---- goals -----------------------------------------------------------------------------


def judged(goal, medians, better):
    """The goal with `got`, where (`at`), and whether it is met; None if nothing can be said.

    Without an x of its own it must hold wherever it can be asked: the worst place counts. A peer
    that has no figure where the other has one has not met it there.
    """
    found = []
    for x in [goal["x"]] if goal["x"] is not None else places(medians):
        there = (goal["to"], x if goal["to_x"] is None else goal["to_x"])
        mine = medians.get((goal["peer"], x))
        if goal["value"] is not None:
            found.append((mine, x))
        elif medians.get(there):
            found.append((mine / medians[there] if mine is not None else None, x))
    if all(got is None for got, _ in found):
        return {**goal, "got": None, "at": None, "met": None}
    for got, x in found:
        if got is None:
            return {**goal, "got": None, "at": x, "met": False}
    worst = min if better == "more" else max
    got, at = worst(found, key=lambda one: one[0])
    got = float(f"{got:.12g}")  # 9.8 is 0.98 of 10, whatever a binary fraction makes of it
    bound = goal["value"] if goal["value"] is not None else goal["ratio"]
    met = got >= bound if better == "more" else got <= bound
    return {**goal, "got": exact(got, bound), "at": at, "met": met}


def places(medians):
    return sorted({x for _, x in medians}, key=lambda x: (x is not None, x or 0))


def exact(got, bound):
    """Rounded, but never onto the bound or over it."""
    short = six(got)
    return short if (short < bound) == (got < bound) and (short > bound) == (got > bound) else got


# ---- beside an older file ----------------------------------------------------------------


def keep(old, new):
    """NEW, and those of OLD's scenarios that it lacks; in OLD's order."""
    fresh = {one["name"]: one for one in new["scenarios"]}
    first = len(new["runs"])
    scenarios = [fresh.pop(one["name"], {**one, "run": first + one["run"]})
                 for one in old["scenarios"]] + list(fresh.values())
    runs = new["runs"] + old["runs"]
    used = sorted({one["run"] for one in scenarios})
    return {"runs": [runs[i] for i in used] or new["runs"],
            "scenarios": [{**one, "run": used.index(one["run"])} for one in scenarios]}
