# SPDX-License-Identifier: Apache-2.0
"""What a sweep found, as it stands on the pages: by variant, and by the views of the canal lock."""

import re

from stored_tables import DOCS, markdown, sweep

EFFORTS = ("quick", "long", "hours")
NUMBER = re.compile(r"^\| (P\d+) \| `([\w-]+)` ", re.M)


def smallest(findings):
    """Of (clients, circumstances, steps, script) those that no other one makes superfluous."""
    kept = []
    for finding in sorted(findings, key=lambda f: (f[0], len(f[1]), f[2], sorted(f[1]))):
        if not any(other[0] <= finding[0] and other[1] <= finding[1] for other in kept):
            kept.append(finding)
    return kept


def smallest_rows(rows):
    """Of each violation the smallest scopes."""
    findings = {}
    for row in rows:
        chosen = row["chosen"]
        for name, steps in row["violated"].items():
            found = (row["callers"], frozenset(chosen["circumstances"]), steps, chosen["script"])
            findings.setdefault(name, []).append(found)
    for name in sorted(findings):
        for clients, circumstances, steps, script in smallest(findings[name]):
            yield name, clients, ", ".join(sorted(circumstances)) or "none", script, steps


def reasons(document, variant, rows):
    """Why findings are expected, where the sweep says it."""
    for expected in document.get("expected", []):
        if "why" in expected and expected["of"].get("variant") == variant:
            found = [name for name in expected["violated"] if any(name in row["violated"] for row in rows)]
            yield from (f"{name}: {expected['why']}." for name in found)


def by_variant(name):
    """How many scopes and states each variant has, and the findings that no smaller scope shows."""
    document, rows = sweep(name)
    paragraphs = []
    for variant in dict.fromkeys(row["chosen"]["variant"] for row in rows):
        of_variant = [row for row in rows if row["chosen"]["variant"] == variant]
        found = list(smallest_rows(of_variant))
        states = sum(row["states"] for row in of_variant)
        paragraphs.append(f"{variant.capitalize()}: {len(of_variant):,} scopes, {states:,} states"
                          + (":" if found else ", nothing is violated."))
        if found:
            columns = ["violation", "clients", "circumstances", "script", "steps"]
            paragraphs.append("\n".join(markdown(columns, found)))
        paragraphs += reasons(document, variant, of_variant)
    return "\n\n".join(paragraphs)


def column(circumstance):
    """"forced, 0 tries" and "forced, 1 try" are one column."""
    return "forced" if circumstance.startswith("forced") else circumstance


def by_size(row):
    """Fewest callers, then the smallest greatest number, the smallest sum, and the numbers."""
    views = [tuple(map(int, view.split("x"))) for view in row["chosen"]["views"]]
    return len(views), max(map(max, views)), sum(map(sum, views)), views


def names_of(document, axis):
    return [choice["name"] for one in document["axes"] if one["name"] == axis for choice in one["choices"]]


def first_findings(rows, column_of):
    """By violation, kind of views and table: by column the smallest scope, and its steps."""
    cells = {}
    for row in sorted(rows, key=by_size):  # a stable sort
        chosen = row["chosen"]
        mark = f" ({row['effort']})" if "effort" in row else ""
        text = "+".join(chosen["views"]) + mark
        for name, steps in row["violated"].items():
            line = cells.setdefault((name, chosen["views differ in"], chosen["table"]), {})
            line.setdefault(column_of(chosen["circumstance"]), f"{steps}: {text}")
    return cells


def totals(rows):
    """What every variant comes to, by effort."""
    for variant in dict.fromkeys(row["chosen"]["variant"] for row in rows):
        parts = []
        for effort in EFFORTS:
            states = [row["states"] for row in rows
                      if row["chosen"]["variant"] == variant and row.get("effort", "quick") == effort]
            if states:
                what = "scopes" if effort == "quick" else f"more ({effort})"
                parts.append(f"{len(states):,} {what} with {sum(states):,} states")
        has_found = any(row["violated"] for row in rows if row["chosen"]["variant"] == variant)
        yield f"{variant.capitalize()}: {', '.join(parts)}{'.' if has_found else '; nothing is violated.'}"


def by_views(name):
    """The first scope that shows a violation, for each kind of views, table and circumstance."""
    document, rows = sweep(name)
    numbers = {name: number for number, name in
               NUMBER.findall((DOCS / "reference" / "properties.md").read_text(encoding="utf-8"))}
    kinds = ["same", "buckets", "max_per", "both", "0 buckets"]
    tables = names_of(document, "table")
    columns = list(dict.fromkeys(map(column, names_of(document, "circumstance"))))
    cells = first_findings(rows, column)
    order = sorted(cells, key=lambda key: (int(numbers[key[0]][1:]), kinds.index(key[1]), tables.index(key[2])))
    lines = [[f"{numbers[key[0]]} {key[0]}", key[1], key[2], *(cells[key].get(one, "-") for one in columns)]
             for key in order]
    head = ["property", "views differ in", "table", *columns]
    return "\n".join(markdown(head, lines)) + "\n\n" + "\n\n".join(totals(rows))
