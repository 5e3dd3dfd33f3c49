# SPDX-License-Identifier: Apache-2.0
"""The tables of figures beside the pages: where they are, how they are read and written."""

import json
import pathlib

DOCS = pathlib.Path(__file__).resolve().parent.parent / "docs"


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))


def sweep(name):
    """The sweep file of that name, and its rows, each with the choices by the names of the axes."""
    table = read(DOCS / "sweeps" / f"{name}.table.json")
    rows = [{**row, "chosen": dict(zip(table["axes"], row["at"]))} for row in table["rows"]]
    return read(DOCS / "sweeps" / f"{name}.sweep.json"), rows


def mutants(name):
    return read(DOCS / "mutation" / f"{name}.json")


def write_mutants(name, head, rows):
    """One row a line, so that a changed figure is a changed line."""
    lines = [f'"{key}": {json.dumps(value)},' for key, value in head.items()]
    text = ",\n".join(json.dumps(row) for row in rows)
    path = DOCS / "mutation" / f"{name}.json"
    path.write_text("\n".join(["{", *lines, '"rows": [', text, "]", "}", ""]), encoding="utf-8")


def markdown(columns, rows):
    """The lines of a table; cells may be numbers."""
    lines = ["| " + " | ".join(columns) + " |", "|---" * len(columns) + "|"]
    return lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
