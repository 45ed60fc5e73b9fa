#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""What tsw-migrate does with what is not as it should be: each value of each file is replaced by
others, and each file is cut.

    migrate_bad.py [EACH] MIGRATE SCHEMA DIR WORD...

EACH: 5 is every fifth of these alone. The WORDs are those of tsw-migrate, with files of DIR among
them. Each time it must end with a status and one line for each message, and what it prints must fit
the schema: of a wrong file nothing. Tells how many were tried, and which broke. Exit status 1 if
any did.
"""

import collections
import contextlib
import copy
import importlib.machinery
import importlib.util
import io
import itertools
import json
import os
import sys

import jsonschema

OTHERS = (None, 7, -1, 1 << 70, "", "²", "10.0.0.1", "\ud800\n", True, 1.5, [], {}, [7], {"a": 7})
CUTS = 40


def load(path):
    loader = importlib.machinery.SourceFileLoader("tsw_migrate", path)
    spec = importlib.util.spec_from_loader("tsw_migrate", loader)
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, os.path.dirname(path))
    loader.exec_module(module)
    return module


def places(value, path=()):
    """Where each value of a document is."""
    yield path
    items = value.items() if isinstance(value, dict) else \
        enumerate(value) if isinstance(value, list) else ()
    for key, each in items:
        yield from places(each, (*path, key))


def replaced(doc, path, value):
    if not path:
        return value
    doc = copy.deepcopy(doc)
    inner = doc
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return doc


def worse(name, text):
    """Texts in place of this one, each with what was done to it."""
    for at in range(0, len(text), max(1, len(text) // CUTS)):
        yield f"{name} cut at {at}", text[:at]
    if name.endswith(".json"):
        doc = json.loads(text)
        for path in places(doc):
            for other in OTHERS:
                yield f"{name} {path} is {other!r}", json.dumps(replaced(doc, path, other))


class Tries:
    def __init__(self, module, schema, words):
        self.module, self.words = module, words
        self.schema = jsonschema.Draft202012Validator(schema)
        self.statuses, self.broken = collections.Counter(), []
        self.true_read = module.read

    def one(self, path, text, what):
        """Once, with that text for that file."""
        out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
        said = io.StringIO()
        read = lambda name: text if name == path else self.true_read(name)
        for names in (self.module.Facts.text.__globals__, vars(self.module)):
            names["read"] = read  # of outputs of commands, and of state files
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(said):
                status = self.module.main(self.words)
        except BaseException as error:  # pylint: disable=broad-exception-caught
            self.broken.append(f"{what}: {error!r}")
            return
        out.flush()
        self.statuses[status] += 1
        self.judge(what, status, out.buffer.getvalue().decode(), said.getvalue())

    def judge(self, what, status, printed, said):
        if printed:
            for error in self.schema.iter_errors(json.loads(printed)):
                self.broken.append(f"{what}: {error.json_path}: {error.message}")
                return
        if status not in (0, 1) and printed or status == 0 and not printed:
            self.broken.append(f"{what}: status {status} and {len(printed)} octets")
        if not all(line.startswith("tsw-migrate: ") for line in said.splitlines()):
            self.broken.append(f"{what}: {said}")


def main():
    each = int(sys.argv.pop(1)) if sys.argv[1].isdigit() else 1
    migrate, schema, directory, *words = sys.argv[1:]
    with open(schema, encoding="utf-8") as file:
        tries = Tries(load(migrate), json.load(file), words)
    for name in sorted(os.listdir(directory)):
        path = os.path.join(directory, name)
        with open(path, encoding="utf-8") as file:
            for what, text in itertools.islice(worse(name, file.read()), 0, None, each):
                tries.one(path, text, what)
    print(f"{sum(tries.statuses.values())} tried; by status: {dict(tries.statuses)}")
    for line in tries.broken[:20]:
        print(line)
    sys.exit(bool(tries.broken))


if __name__ == "__main__":
    main()
