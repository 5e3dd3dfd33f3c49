#!/usr/bin/env python3
"""Fills the tables of the pages from the stored tables of the sweeps.

usage: tools/fill_tables.py [--check]

Between `<!-- sweep NAME -->` and `<!-- end sweep -->` in the pages of docs/ stands what
docs/sweeps/NAME.table.json says of each variant: how many scopes and states, and the findings that
no smaller one makes superfluous. `--check` writes nothing, and fails where a page says otherwise.
Exit codes: 0 all as stored, 1 a page differs (--check).
"""

import json
import pathlib
import re
import sys

DOCS = pathlib.Path(__file__).resolve().parent.parent / "docs"
BLOCK = re.compile(r"(<!-- sweep ([\w-]+) -->\n).*?(<!-- end sweep -->)", re.S)


def smallest(findings):
    """Of (clients, circumstances, steps, script) those that no other one makes superfluous."""
    kept = []
    for finding in sorted(findings, key=lambda f: (f[0], len(f[1]), f[2], sorted(f[1]))):
        if not any(other[0] <= finding[0] and other[1] <= finding[1] for other in kept):
            kept.append(finding)
    return kept


def findings_table(rows):
    """The Markdown lines of what these rows violate; none where they violate nothing."""
    findings = {}
    for row in rows:
        circumstances = frozenset(row["circumstances"])
        for name, steps in row["violated"].items():
            found = (row["callers"], circumstances, steps, row["script"])
            findings.setdefault(name, []).append(found)
    lines = []
    for name in sorted(findings):
        for clients, circumstances, steps, script in smallest(findings[name]):
            what = ", ".join(sorted(circumstances)) or "none"
            lines.append(f"| {name} | {clients} | {what} | {script} | {steps} |")
    head = ["| violation | clients | circumstances | script | steps |", "|---|---|---|---|---|"]
    return head + lines if lines else []


def reasons(sweep, variant, rows):
    """Why findings are expected, where the sweep says it."""
    for expected in sweep.get("expected", []):
        if "why" in expected and expected["of"].get("variant") == variant:
            found = [name for name in expected["violated"] if any(name in row["violated"] for row in rows)]
            yield from (f"{name}: {expected['why']}." for name in found)


def block(name):
    """The lines between the marks."""
    table = json.loads((DOCS / "sweeps" / f"{name}.table.json").read_text(encoding="utf-8"))
    sweep = json.loads((DOCS / "sweeps" / f"{name}.sweep.json").read_text(encoding="utf-8"))
    rows = [{**row, **dict(zip(table["axes"], row["at"]))} for row in table["rows"]]
    paragraphs = []
    for variant in dict.fromkeys(row["variant"] for row in rows):
        of_variant = [row for row in rows if row["variant"] == variant]
        states = sum(row["states"] for row in of_variant)
        lines = findings_table(of_variant)
        paragraphs.append(f"{variant.capitalize()}: {len(of_variant):,} scopes, {states:,} states"
                          + (":" if lines else ", nothing is violated."))
        paragraphs += ["\n".join(lines)] if lines else []
        paragraphs += reasons(sweep, variant, of_variant)
    return "\n\n".join(paragraphs)


def filled(text):
    """The page with each block as its table says."""
    return BLOCK.sub(lambda match: match[1] + block(match[2]) + "\n" + match[3], text)


def main():
    differing = []
    for page in sorted(DOCS.rglob("*.md")):
        text = page.read_text(encoding="utf-8")
        if filled(text) != text:
            differing.append(page.name)
            if "--check" not in sys.argv:
                page.write_text(filled(text), encoding="utf-8")
    if differing and "--check" in sys.argv:
        print(f"{', '.join(differing)}: not as docs/sweeps/ says; run tools/fill_tables.py")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
