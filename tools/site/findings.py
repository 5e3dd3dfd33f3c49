#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tables of findings, docs/findings/data/*.csv: each row names a scenario and says in a sentence what
it shows. Property, steps and states are what the scenario expects.

usage: tools/site/findings.py [--check]

Fills those three columns in. With --check it writes nothing and fails where a row differs, or names a
scenario that is not there. Exit codes: 0 all as the scenarios say, 1 a row differs.
"""

import csv
import io
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from written_files import write_or_check  # noqa: E402

TABLES = ROOT / "docs" / "findings" / "data"
COLUMNS = ["finding", "property", "steps", "states", "scenario"]


def scenario_of(name):
    """The document of `FILE` or `FILE#CASE`, below scenarios/."""
    file, _, case = name.partition("#")
    document = json.loads((ROOT / "scenarios" / file).read_text(encoding="utf-8"))
    if not case:
        if "cases" in document:
            raise ValueError(f"{file} has cases: name one")
        return document
    for one in document.get("cases", []):
        if one["name"] == case:
            return {**document, **one}
    raise ValueError(f"{file} has no case {case}")


def numbered():
    """`P2 leak` by `leak`."""
    page = (ROOT / "docs/reference/properties.md").read_text(encoding="utf-8")
    rows = [line.split("|") for line in page.splitlines() if line.startswith("| P")]
    return {row[2].strip(" `"): f"{row[1].strip()} {row[2].strip(' `')}" for row in rows}


def filled(row, names):
    """The row with what its scenario expects."""
    expect = scenario_of(row["scenario"]).get("expect", {})
    properties = ", ".join(names.get(name, name) for name in expect.get("properties", []))
    if expect.get("verdict", "passed") == "passed":
        properties = "passes" if expect.get("complete") else "-"
    return {**row, "property": properties, "steps": expect.get("steps", ""),
            "states": f"{expect['states']:,}" if "states" in expect else ""}


def written(rows):
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def main():
    names = numbered()
    texts = []
    for path in sorted(TABLES.glob("*.csv")):
        rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))
        if rows and "scenario" in rows[0]:
            texts.append((path, written(filled(row, names) for row in rows)))
    return write_or_check(texts, "--check" in sys.argv, "the scenarios say", "tools/site/findings.py")


if __name__ == "__main__":
    sys.exit(main())
