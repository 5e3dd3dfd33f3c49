# SPDX-License-Identifier: Apache-2.0
"""Runs a version's scope once, and compares the result with the expectation."""

import json
import re
import shlex
import subprocess

import interrupts
from expectation import DOORS, VERDICTS
from packages import environment

SECONDS_MAX = 900
TEXT_MAX = 110  # of a step, and of its result
COMPARED = ("verdict", "property", "steps", "complete")


class Broken(Exception):
    """The run gave no result."""


def command_of(expectation, version):
    """The words behind `lockkeeper validate`."""
    driver = shlex.join(expectation.words("/driver", f"{expectation.driver} {version.get('arguments', '')}"))
    scenario = expectation.scenario
    if not scenario.startswith("built-in:"):
        scenario = str(expectation.scenario_file())
    return [*DOORS[expectation.door], driver, *expectation.flags, *version.get("flags", []), scenario]


def run(binary, expectation, version, folder, page=None):
    """(what came out, the document). `page`: where the report is written, too."""
    words = [binary, "validate", *command_of(expectation, version), "-q"]
    how = {"cwd": folder, "env": environment(folder), "stdin": subprocess.DEVNULL, "stderr": subprocess.PIPE,
           "timeout": SECONDS_MAX}
    try:
        ran = interrupts.run([*words, "--format", "json", *(["--report", str(page)] if page else [])], **how)
    except subprocess.TimeoutExpired as error:
        raise Broken(f"no result within {SECONDS_MAX} s") from error
    except OSError as error:
        raise Broken(f"{binary}: {error.strerror}") from error
    try:
        document = json.loads(ran.stdout)
    except json.JSONDecodeError as error:
        said = [line for line in (ran.stderr + ran.stdout).splitlines() if line.strip()][-6:]
        raise Broken(f"exit code {ran.returncode}: " + "\n    ".join(said)) from error
    if ran.returncode not in VERDICTS.values():
        detail = "; ".join(file["detail"] for file in document.get("files", []) if file.get("detail"))
        raise Broken(f"exit code {ran.returncode}: {detail or document['verdict']}")
    try:
        return came_out(document), document
    except Broken as error:  # the document does not say what the driver has said
        said = re.search(r"^its last lines on stderr:\n +(.*)", interrupts.run(words, **how).stdout, re.MULTILINE)
        raise Broken(f"{error}" + (f"; it said: {said[1]}" if said else "")) from error


def came_out(document):
    result = {"verdict": document["verdict"]}
    if result["verdict"] != "violated":
        result["complete"] = document["complete"]
    elif document["violations"]:
        violation = document["violations"][0]
        result["property"] = violation["property"] or "deadlock"
        result["steps"] = violation["steps"]
    else:
        result["property"] = of_a_black_box(document)
    return result


def of_a_black_box(document):
    """The property alone: it runs in real time, and keeps no shortest run. A driver that died or answered what is
    no answer accuses nobody."""
    detail = document["files"][0]["detail"]
    found = re.match(r"P\d+ ([a-z-]+):", detail)
    if found is None:
        raise Broken(f"the driver and not the library: {detail}")
    return found[1]


def difference(version, result):
    """In words; empty where it came out as expected. What the expectation leaves open is not compared."""
    parts = [f"{key} {result.get(key, 'none')}, not {version[key]}" for key in COMPARED
             if key in version and version[key] != result.get(key)]
    return ", ".join(parts)


def cut(text):
    return text if len(text) <= TEXT_MAX else text[:TEXT_MAX - 3] + "..."


def run_text(document):
    """The shortest run, a line for each step."""
    violation = document["violations"][0]
    rows = [(cut(step["text"]), cut(step["result"])) for step in violation["trace"]]
    width = max(len(text) for text, _ in rows)
    lines = []
    for number, (text, result) in enumerate(rows, 1):
        line = f"{number:3}  {text:{width}}" + (f"  {result}" if result else "")
        lines.append(line.rstrip())
    return "\n".join(lines) + "\n"


def run_bare(expectation, folder):
    """The exit code of the program without Lockkeeper: 1 where the promise is broken; and what it printed."""
    words = expectation.words("/bare", expectation.bare)
    ran = interrupts.run(words, cwd=folder, env=environment(folder), stdin=subprocess.DEVNULL,
                         stderr=subprocess.PIPE, timeout=120)
    return ran.returncode, ran.stdout + ran.stderr
