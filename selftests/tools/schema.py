#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Checks JSON on standard input against a schema: schema.py SCHEMA. Exit status 1: it does not fit.
"""

import json
import sys

import jsonschema

with open(sys.argv[1], encoding="utf-8") as file:
    schema = json.load(file)
jsonschema.Draft202012Validator.check_schema(schema)
value = json.load(sys.stdin)
errors = list(jsonschema.Draft202012Validator(schema).iter_errors(value))
for error in errors:
    print(f"{error.json_path}: {error.message}")
sys.exit(bool(errors))
