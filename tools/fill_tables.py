#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fills the tables of the pages from the stored ones.

usage: tools/fill_tables.py [--check]

Between `<!-- KIND NAME ... -->` and `<!-- end KIND -->` in the pages of docs/ stands what the stored
tables of these names say:
    sweep      docs/sweeps/NAME.table.json, by variant: the findings of the smallest scopes
    findings   the same of the canal lock, by what its callers pass
    rates      the figures of docs/sweeps/NAME.table.json, of several sweeps one after the other
    mutants    docs/mutation/NAME.json
    strategies the same: schedules to the first violation, by strategy
`--check` writes nothing, and fails where a page says otherwise.
Exit codes: 0 all as stored, 1 a page differs (--check).
"""

import re
import sys

import table_of_mutants
import table_of_strategies
from stored_tables import DOCS
from table_of_findings import by_variant, by_views
from table_of_rates import rates
from written_files import write_or_check

KINDS = {
    "sweep": by_variant,
    "findings": by_views,
    "rates": rates,
    "strategies": table_of_strategies.table,
    "mutants": lambda name: getattr(table_of_mutants, name)(),
}
BLOCK = re.compile(rf"(<!-- ({'|'.join(KINDS)}) ([\w -]+) -->\n).*?(<!-- end \2 -->)", re.S)


def shown(text):
    """(kind, name) of each table that a page shows."""
    return [(match[2], name) for match in BLOCK.finditer(text) for name in match[3].split()]


def filled(text):
    """The page with each block as its tables say."""
    return BLOCK.sub(lambda match: match[1] + KINDS[match[2]](*match[3].split()) + "\n" + match[4], text)


def main():
    texts = [(page, filled(page.read_text(encoding="utf-8"))) for page in sorted(DOCS.rglob("*.md"))]
    return write_or_check(texts, "--check" in sys.argv, "the stored tables say", "tools/fill_tables.py")


if __name__ == "__main__":
    sys.exit(main())
