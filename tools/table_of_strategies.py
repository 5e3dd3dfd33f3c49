# SPDX-License-Identifier: Apache-2.0
"""How many schedules each strategy needs, as it stands in docs/reference/mutants.md."""

import statistics

from stored_tables import markdown, mutants


def median(counts, schedules):
    """None, as one of the counts and as the median: none in so many schedules, or no count."""
    if not counts:
        return None
    middle = statistics.median(schedules + 1 if count is None else count for count in counts)
    return None if middle > schedules else middle


def table(name):
    """Of docs/mutation/NAME.json."""
    stored = mutants(name)
    rows, seeds, schedules = stored["rows"], stored["seeds"], stored["schedules"]
    return "\n".join(markdown(["strategy", "median", "of mutants", "of findings", "found from every seed",
                               "fuzzes that find it"],
                              (cells_of(strategy, rows, seeds, schedules) for strategy in stored["strategies"])))


def cells_of(strategy, rows, seeds, schedules):
    of_kind = {kind: [row["median"][strategy] for row in rows if row["subject"].startswith(kind)]
               for kind in ("", "mutant", "finding")}
    cells = (median(medians, schedules) for medians in of_kind.values())
    found = [row["found"][strategy] for row in rows]
    return (f"`{strategy}`", *("none" if one is None else f"{one:g}" for one in cells),
            f"{found.count(seeds)} of {len(rows)}", f"{sum(found):,} of {seeds * len(rows):,}")
