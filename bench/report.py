#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""What the scenarios measured, as tables and plots: prints a line for each figure.

    report.py [-k] [-o DIR] FILE...      FILE: records, see report/records.py; - is stdin

With -o writes DIR/results.json, DIR/tables.md and DIR/SCENARIO-FIGURE.svg, and removes the plots
of an older results.json there that are not made any more. -k keeps the older file's scenarios that
FILE lacks, with the machine and commit that they were measured with.

Exit status: 0; 1 if a line could not be used, which is told; 2 for wrong usage.
"""

import argparse
import json
import os
import sys

from report.bars import bars
from report.headline import headline
from report.lines import lines
from report.records import Records
from report.results import keep, results
from report.tables import plot_name, tables


def complain(text):
    print(f"report: {text}", file=sys.stderr)


def plots(made):
    """Name of file -> what goes into it."""
    return {plot_name(scenario, figure): (lines if figure["axis"] is not None else bars)(figure)
            for scenario in made["scenarios"] for figure in scenario["figures"]
            if figure["results"]}


def write(directory, name, text):
    """Whole or not at all."""
    path = os.path.join(directory, name)
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(path + ".new", path)


def older(directory):
    """What results.json says there; None if there is none that we could have written."""
    path = os.path.join(directory, "results.json")
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
        keep(found, {"runs": [{}], "scenarios": []})  # has it the keys, and the plots' names?
        return found, set(plots(found))
    except FileNotFoundError:
        return None, set()
    except (ValueError, KeyError, TypeError, IndexError, AttributeError):
        complain(f"{path} is not a report's: nothing of it is kept")
        return None, set()


def publish(made, directory, kept):
    os.makedirs(directory, exist_ok=True)
    old, old_plots = older(directory)
    if kept and old is not None:
        made = keep(old, made)
    files = plots(made)
    for name in sorted(old_plots - set(files)):
        path = os.path.join(directory, name)
        if os.path.lexists(path):
            os.unlink(path)
    files["tables.md"] = tables(made)
    files["results.json"] = json.dumps(made, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    for name, text in files.items():
        write(directory, name, text)


def read(paths):
    records = Records()
    for path in paths:
        if path == "-":
            sys.stdin.reconfigure(encoding="utf-8", errors="replace")
            records.read(sys.stdin, "stdin")
        else:
            with open(path, encoding="utf-8", errors="replace") as file:
                records.read(file, path)
    return records


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", dest="directory", metavar="DIR")
    parser.add_argument("-k", dest="kept", action="store_true")
    parser.add_argument("files", nargs="+", metavar="FILE")
    args = parser.parse_args()
    try:
        records = read(args.files)
        made = results(records)
        for line in headline(made):
            print(line)
        for problem in records.problems:
            complain(problem)
        if args.directory:
            publish(made, args.directory, args.kept)
    except OSError as why:
        complain(": ".join(filter(None, [why.filename, why.strerror])))
        return 1
    return 1 if records.problems else 0


if __name__ == "__main__":
    sys.exit(main())
