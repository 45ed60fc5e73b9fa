# SPDX-License-Identifier: GPL-2.0-only
"""tables.md: a section for each scenario."""

from report.words import (failures, got, number, rounds, run, size, skips, span,
                          verdict, versions, wanted)


def plot_name(scenario, figure):
    return f"{scenario['name']}-{figure['figure']}.svg"


def tables(results):
    lines = ["# Benchmarks: all figures", ""]
    for n, meta in enumerate(results["runs"], 1):
        lines.append(f"- Run {n}: {safe(run(meta))}")
        if meta.get("versions"):
            lines.append(f"  ({safe(versions(meta))})")
    lines += overview(results)
    for scenario in results["scenarios"]:
        lines += section(scenario, len(results["runs"]) > 1)
    return "\n".join(lines) + "\n"


def safe(text):
    """As it is, also inside a table."""
    for this, that in (("&", "&amp;"), ("<", "&lt;"), ("|", "\\|"), ("*", "\\*"), ("_", "\\_")):
        text = text.replace(this, that)
    return " ".join(text.split())


def table(heads, rows, words=(0,)):
    """WORDS: the columns that hold no numbers."""
    rule = ["---" if i in words else "---:" for i in range(len(heads))]
    return ["", *("| " + " | ".join(cells) + " |" for cells in [heads, rule, *rows])]


def overview(results):
    rows = []
    for scenario in results["scenarios"]:
        for figure in scenario["figures"]:
            for goal in figure["goals"]:
                rows.append([f"[{scenario['name']}](#{anchor(scenario)})", safe(figure["title"]),
                             safe(wanted(figure, goal)), safe(got(figure, goal)), judged(goal)])
    if not rows:
        return []
    met = sum(row[-1] == "met" for row in rows)
    return ["", "## Goals", "", f"{met} of {len(rows)} met.",
            *table(["scenario", "figure", "goal", "measured", "verdict"], rows, range(5))]


def judged(goal):
    return verdict(goal) if goal["met"] else f"**{verdict(goal)}**"


def anchor(scenario):
    """As GitHub makes it of the heading."""
    kept = (c for c in heading(scenario).lower() if c.isalnum() or c in " -_")
    return "".join(kept).replace(" ", "-")


def heading(scenario):
    return f"{scenario['name']}: {scenario['title']}"


def section(scenario, tell_run):
    lines = ["", f"## {safe(heading(scenario))}"]
    if tell_run:
        lines += ["", f"Run {scenario['run'] + 1}."]
    lines += bullets([f"**{safe(line)}**" for line in failures(scenario)] +
                     [safe(line) for line in skips(scenario) + scenario["notes"]])
    for figure in scenario["figures"]:
        lines += ["", f"### {safe(figure['title'])}"]
        lines += figure_body(scenario, figure) if figure["results"] else ["", "Not measured."]
        lines += bullets([safe(wanted(figure, goal)) + f": {safe(got(figure, goal))}, " +
                          judged(goal) for goal in figure["goals"]] +
                         [safe(note) for note in figure["notes"]])
    return lines


def bullets(texts):
    return ["", *(f"- {text}" for text in texts)] if texts else []


def figure_body(scenario, figure):
    alt = safe(figure["title"]).replace("[", "\\[").replace("]", "\\]")
    lines = ["", f"![{alt}]({plot_name(scenario, figure)})", "",
             f"In {safe(figure['unit'])}, {rounds(figure)}; {figure['better']} is better."]
    return lines + (plain(figure) if figure["axis"] is None else over_axis(figure))


# ---- a row for each peer -------------------------------------------------------------------


def plain(figure):
    """What others published stands beside ours, or in a row of its own where we have no such."""
    base, published = figure["base"], {p["peer"]: p for p in figure["published"]}
    heads = ["peer", "median", "least – most"]
    if base is not None:
        heads += [f"ratio to {safe(base)}", "least – most"]
    blank = ["–"] * (len(heads) - 1)
    rows = [[label(figure, row), *cells(row, base)] + theirs(published.pop(row["peer"], None),
                                                             figure["published"])
            for row in figure["results"]]
    rows += [[safe(p["peer"]), *blank, *theirs(p, True)] for p in published.values()]
    if figure["published"]:
        heads += ["published", "its ratio", "source"]
    return table(heads, rows, (0, heads.index("source")) if figure["published"] else (0,))


def label(figure, row):
    fewer = row["n"] < max(one["n"] for one in figure["results"])
    return safe(row["peer"]) + (f" ({row['n']} rounds)" if fewer else "")


def cells(row, base):
    out = [number(row["median"]), span(row["least"], row["most"])]
    if base is not None:
        out += [number(row["ratio"]), span(row["ratio_least"], row["ratio_most"])]
    return out


def theirs(published, wide):
    if not wide:
        return []
    if published is None:
        return ["", "", ""]
    return [number(published["value"]), number(published["ratio"]), safe(published["source"])]


# ---- a row for each place on an axis, a column for each peer ----------------------------------


def over_axis(figure):
    rows = {(row["peer"], row["x"]): row for row in figure["results"]}
    published = {(p["peer"], p["x"]): p for p in figure["published"]}
    peers = list(dict.fromkeys(peer for peer, _ in rows))
    others = list(dict.fromkeys(peer for peer, x in published if x is not None))
    xs = sorted({x for _, x in rows} | {x for _, x in published if x is not None})
    heads = [safe(figure["axis"]), *map(safe, peers), *(f"{safe(p)}, published" for p in others)]
    body = [[size(x), *(cell(rows.get((peer, x))) for peer in peers),
             *(with_ratio(published.get((peer, x)), "value") for peer in others)] for x in xs]
    what = "least – most below the median" if figure["base"] is None else \
        f"ratio to {safe(figure['base'])} in brackets, least – most below"
    sources = dict.fromkeys(p["source"] if p["x"] is not None else
                            f"{p['peer']}, {with_ratio(p, 'value')}: {p['source']}"
                            for p in figure["published"])
    return ["", f"{what[0].upper()}{what[1:]}.", *table(heads, body),
            *bullets([f"Published: {safe(source)}" for source in sources])]


def cell(row):
    if row is None:
        return "–"
    return f"{with_ratio(row, 'median')}<br><sub>{span(row['least'], row['most'])}</sub>"


def with_ratio(row, key):
    if row is None:
        return "–"
    return number(row[key]) + (f" ({number(row['ratio'])})" if row["ratio"] is not None else "")
