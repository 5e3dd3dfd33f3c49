# SPDX-License-Identifier: Apache-2.0
"""Which check kills which mutant, as it stands in docs/reference/mutants.md."""

from stored_tables import markdown, mutants


def share(part, whole):
    return f"{100 * part / whole:.1f} %"


def is_killed(row):
    """A mutant of the models."""
    return bool(row["kills"]) or row["pinned_answers"]


def models():
    """The planted bugs and the repairs left out."""
    stored = mutants("models")
    schedules = stored["schedules"]
    return summary(stored["rows"], schedules) + "\n\n" + "\n".join(
        markdown(["mutant", "killed by (steps of the shortest execution)", "states", "random schedules"],
                 (cells_of(row, schedules) for row in stored["rows"])))


def cells_of(row, schedules):
    kills = ", ".join(f"{name} ({steps})" for name, steps in sorted(row["kills"].items(), key=lambda item: item[1]))
    kills = kills or ("the answers that the scenario pins" if row["pinned_answers"] else "**survives**")
    states = f"{row['states']:,}" + ("" if row["complete"] else " (not complete)")
    return row["mutant"], kills, states, row["schedules"] or f"none in {schedules:,}"


def summary(rows, schedules):
    killed = [row for row in rows if is_killed(row)]
    by_explore = sum(1 for row in rows if row["kills"])
    by_fuzz = sum(1 for row in rows if row["schedules"])
    unsure = [row["mutant"] for row in rows if row["kills"] and not row["sound_complete"]]
    survivors = [row["mutant"] for row in rows if not is_killed(row)]
    text = (f"{len(rows)} mutants, {len(killed)} killed ({share(len(killed), len(rows))}): {by_explore} by explore, "
            f"{len(killed) - by_explore} by pinned answers only; fuzz with {schedules:,} schedules kills {by_fuzz} "
            f"({share(by_fuzz, len(rows))}). Survivors: {', '.join(survivors) or 'none'}.")
    if unsure:
        text += f" The sound lock was not searched completely for: {', '.join(unsure)}."
    return text


def native():
    """Changed places of impl/native."""
    rows = mutants("native")["rows"]
    lines = ((row["mutant"], f"`{row['header']}`", row["killed_by"] or "survives") for row in rows)
    killed = sum(1 for row in rows if row["killed_by"])
    of_models = mutants("models")["rows"]
    all_killed = killed + sum(map(is_killed, of_models))
    everything = len(rows) + len(of_models)
    return "\n".join(markdown(["mutant", "header", "killed by"], lines)) + (
        f"\n\n{len(rows)} mutants, {killed} killed; with those of the models {all_killed} of {everything} "
        f"({share(all_killed, everything)}).")
