# SPDX-License-Identifier: GPL-2.0-only
"""Checks a state file by state.schema.json, which is docs/state.schema.json."""

import json
import os
import re

from read import Bad, quote, read

PATH = os.path.join(os.path.dirname(os.path.realpath(__file__)), "state.schema.json")
KINDS = {"object": (dict, "an object"), "array": (list, "a list"), "string": (str, "a text"),
         "integer": (int, "a number"), "boolean": (bool, "true or false")}


def is_kind(value, kind):
    return isinstance(value, KINDS[kind][0]) and (kind == "boolean" or not isinstance(value, bool))


# Word of the schema -> the kind of value that it limits, its test, and what a wrong value is told.
LIMITS = {
    "minimum": ("integer", lambda value, told: value >= told, "is less than {}"),
    "maximum": ("integer", lambda value, told: value <= told, "is more than {}"),
    "minLength": ("string", lambda value, told: len(value) >= told, "is too short"),
    "maxLength": ("string", lambda value, told: len(value) <= told, "is longer than {}"),
    "pattern": ("string", lambda value, told: re.search(told, value), "has a wrong form"),
    "minItems": ("array", lambda value, told: len(value) >= told, "has less than {} values"),
    "maxItems": ("array", lambda value, told: len(value) <= told, "has more than {} values"),
    "uniqueItems": ("array", lambda value, _: len(set(map(json.dumps, value))) == len(value),
                    "has a value twice"),
}


class Schema:
    def __init__(self):
        self.root = json.loads(read(PATH))

    def check(self, value, where, rule=None):
        """Raises Bad with the path of the first value that breaks the rule."""
        rule = self.root if rule is None else rule
        if "$ref" in rule:
            self.check(value, where, self.root["$defs"][rule["$ref"].rpartition("/")[2]])
        if "type" in rule and not is_kind(value, rule["type"]):
            raise Bad(f"{where}: {KINDS[rule['type']][1]} is expected, not {quote(value)}")
        for word, (kind, holds, wrong) in LIMITS.items():
            if word in rule and is_kind(value, kind) and not holds(value, rule[word]):
                raise Bad(f"{where}: {quote(value)} {wrong.format(rule[word])}")
        choice = rule.get("enum", [rule["const"]] if "const" in rule else None)
        if choice is not None and not any(value == each and type(value) is type(each)
                                          for each in choice):
            raise Bad(f"{where}: {quote(value)} is not {' or '.join(map(quote, choice))}")
        self.combined(value, where, rule)
        if is_kind(value, "object"):
            self.object(value, where, rule)
        if is_kind(value, "array") and "items" in rule:
            for at, each in enumerate(value):
                self.check(each, f"{where}[{at}]", rule["items"])

    def holds(self, value, rule):
        try:
            self.check(value, "", rule)
        except Bad:
            return False
        return True

    def combined(self, value, where, rule):
        for each in rule.get("allOf", []):
            self.check(value, where, each)
        if "anyOf" in rule and not any(self.holds(value, each) for each in rule["anyOf"]):
            raise Bad(f"{where}: {quote(value)} has a wrong form")
        if "not" in rule and self.holds(value, rule["not"]):
            raise Bad(f"{where}: {quote(value)} is reserved")
        if "if" in rule and self.holds(value, rule["if"]):
            self.check(value, where, rule["then"])

    def object(self, value, where, rule):
        for key in rule.get("required", []):
            if key not in value:
                raise Bad(f"{where}: has no {quote(key)}, only {quote(sorted(value))}")
        for key, needs in rule.get("dependentRequired", {}).items():
            if key in value and not set(needs) <= set(value):
                raise Bad(f"{where}: {quote(key)} needs {' and '.join(map(quote, needs))}")
        for key, other in rule.get("dependentSchemas", {}).items():
            if key in value:
                self.check(value, where, other)
        known = rule.get("properties", {})
        for key, each in value.items():
            if key in known:
                self.check(each, f"{where}.{key}", known[key])
            elif rule.get("additionalProperties") is False:
                raise Bad(f"{where}: {quote(key)} is not a known key")
