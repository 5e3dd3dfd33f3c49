# SPDX-License-Identifier: Apache-2.0
"""What a sweep measured, as it stands in docs/reference/rates_tables.md."""

import re

from stored_tables import markdown, sweep

TITLES = {"under-allocation": "spurious full", "caller-death": "caller death", "belief-overlap": "belief overlap"}


def number(value, digits=4):
    """What is no number is infinite."""
    if value is None:
        return "infinite"
    return re.sub(r"e([+-])0?(\d)", r"e\1\2", f"{value:.{digits}g}").replace("e+", "e")


def cell(figure):
    """Exact, or with its interval, or the bound that no hit leaves. Nothing: there is no such figure."""
    if figure == "-":
        return figure
    if not isinstance(figure, list):
        return number(figure)
    value, low, high = figure
    if value == 0:
        return f"< {number(high, 3)}"
    return f"{number(value)} [{number(low, 3)}, {number(high, 3)}]"


def how(row):
    if row["method"] == "exact":
        return f"exact, {row['states']:,} states"
    return f"{row['method']}, {row['runs']:,} runs"


def cells_of(row, columns, names):
    lasts = [row["lasts"].get(name, "-") for name in names] if "lasts" in row else []
    figures = [row["rates"].get(name, "-") for name in names]
    return [*(row["chosen"][column] for column in columns), *map(cell, figures + lasts), how(row)]


def rates(*sweeps):
    """One table of all of them, which measure the same."""
    lines = []
    for name in sweeps:
        document, rows = sweep(name)
        scenario = document["scenario"]
        names = scenario["check"]
        axes = [axis["name"] for axis in document["axes"]]
        columns = (["system"] if len(sweeps) > 1 else []) + axes + [one for one in ["variant"] if one not in axes]
        for row in rows:
            row["chosen"] = {"system": scenario["system"], "variant": scenario["variant"], **row["chosen"]}
            lines.append(cells_of(row, columns, names))
        lasts = ["it lasts"] if "lasts" in rows[0] else []
        head = [*columns, *(TITLES.get(one, one) for one in names), *lasts, "how"]
    return "\n".join(markdown(head, lines))
