#!/usr/bin/env python3
"""Fills the tables of docs/reference/rates_tables.md with what `lockkeeper measure` answers.

usage: tools/rates_table.py [--only NAME,...] [--list] [LOCKKEEPER]

Between `<!-- NAME -->` and `<!-- end NAME -->` stands the table of that name; each is computed from
scenarios that this tool writes, with the flags that rates_scopes.py names, and replaced. Nothing of
a table depends on commit, time or machine: seeds and numbers of runs are fixed. Without LOCKKEEPER,
build/release/lockkeeper.
Exit codes: 0 all tables are there, 1 a measurement failed, 2 usage.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import rates_scopes

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs" / "reference" / "rates_tables.md"


def measure(lockkeeper, scenario, flags):
    """The points of the only file."""
    with tempfile.TemporaryDirectory() as directory:
        file = pathlib.Path(directory) / "scope.json"
        file.write_text(json.dumps(scenario), encoding="utf-8")
        command = [lockkeeper, "measure", str(file), "-q", "--format", "json", *flags]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
        if ran.returncode != 0:
            sys.exit(f"rates_table: {' '.join(command)}: exit {ran.returncode}\n{ran.stderr}{ran.stdout[:2000]}")
        return json.loads(ran.stdout)["files"][0]["points"]


def number(value):
    """Four digits; what is no number is infinite."""
    if value is None:
        return "infinite"
    if value == 0:
        return "0"
    text = f"{value:.4g}"
    return re.sub(r"e([+-])0?(\d)", r"e\1\2", text).replace("e+", "e")


def short(value):
    """Ends of intervals."""
    return "infinite" if value is None else re.sub(r"e-0", "e-", f"{value:.3g}")


def cell(point, name):
    """One figure of a point: exact, with its interval, or the bound that no hit leaves. `name`: of a
    property, for its probability per run; PROPERTY/FIGURE; or a figure of the whole."""
    result = point["result"]
    wanted, _, which = name.partition("/")
    for rates in result["properties"]:
        if rates["property"] == wanted:
            figure = rates[which or "per_run"]
            break
    else:
        if name not in result:
            return "-"
        figure = result[name]
    if figure is None:
        return "-"
    if result["method"] == "exact":
        return number(figure["value"])
    if figure["value"] == 0:
        return f"< {short(figure['high'])}"
    return f"{number(figure['value'])} [{short(figure['low'])}, {short(figure['high'])}]"


def how(point):
    """Exact with its states, or the number of runs."""
    result = point["result"]
    if result["method"] == "exact":
        checked = point["agreement"]
        if checked is not None and not checked["agrees"]:
            sys.exit(f"rates_table: exact and sampled disagree: {checked['difference']}")
        return f"exact, {result['states']:,} states"
    return f"{result['method']}, {result['runs']:,} runs"


def rows_of(lockkeeper, table):
    """Markdown rows of one table."""
    rows = []
    for scope in table.scopes:
        for point in measure(lockkeeper, scope.scenario, scope.flags):
            begin = [f"{value:g}" for value in point["at"].values()]
            variant = point["system"] if point["system"] != scope.scenario["system"] else ""
            variant = variant.replace("_", " ") or point["variant"]
            cells = [*scope.cells, *begin, variant]
            cells += [cell(point, name) for name in table.figures]
            rows.append("| " + " | ".join([*cells, how(point)]) + " |")
            print(f"{table.name}: {rows[-1]}", file=sys.stderr, flush=True)
    return rows


def filled(text, name, lines):
    """The document with the table of that name replaced."""
    pattern = re.compile(rf"(<!-- {re.escape(name)} -->\n).*?(<!-- end {re.escape(name)} -->)", re.S)
    if not pattern.search(text):
        sys.exit(f"rates_table: {DOCUMENT.name} has no place for the table {name}")
    return pattern.sub(lambda match: match.group(1) + "\n".join(lines) + "\n" + match.group(2), text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("lockkeeper", nargs="?", default=str(ROOT / "build/release/lockkeeper"))
    arguments = parser.parse_args()
    tables = rates_scopes.tables()
    wanted = [name for name in arguments.only.split(",") if name]
    unknown = set(wanted) - {table.name for table in tables}
    if unknown:
        parser.error(f"unknown table: {', '.join(sorted(unknown))}")
    for table in tables:
        if arguments.list:
            print(table.name)
        elif not wanted or table.name in wanted:
            head = ["| " + " | ".join([*table.columns, "variant", *table.titles, "how"]) + " |"]
            head.append("|---" * (head[0].count("|") - 1) + "|")
            lines = head + rows_of(arguments.lockkeeper, table)
            text = DOCUMENT.read_text(encoding="utf-8")
            DOCUMENT.write_text(filled(text, table.name, lines), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
