# SPDX-License-Identifier: Apache-2.0
"""Includes point one way between folders (the table of CMakeLists.txt), and start at the root."""

import re

# What each folder may include besides itself. A folder that is not named here sees everything.
MAY_SEE = {
    "model": set(),
    "impl": {"model"},
    "properties": {"model"},
    "scheduler": {"model", "properties"},
    "scenarios": {"model", "properties", "scheduler"},
    # impl/<name>/descriptor/: what makes a system of a lock.
    "impl/descriptor": {"model", "properties", "scheduler", "scenarios", "impl"},
    "measure": {"model", "properties", "scheduler", "scenarios"},
    "validate/histories": {"model"},
    "work/results": {"model", "properties", "scheduler", "measure", "scenarios", "validate/histories",
                     "validate/outside", "validate/programs", "validate/servers", "validate/compare"},
    "reports": {"model", "properties", "scheduler", "measure", "scenarios", "validate/histories",
                "validate/outside", "validate/programs", "validate/servers", "validate/compare", "work/results"},
    "validate/processes": set(),
    "validate/threads": {"model", "properties", "scheduler/base", "scheduler/runs", "validate/outside"},
    "validate/logs": {"model", "properties", "scheduler", "scenarios", "validate/histories"},
    "validate/outside": {"model", "properties", "scheduler", "validate/histories"},
    "validate/programs": {"model", "properties", "scheduler", "scenarios", "validate/histories",
                          "validate/outside", "validate/processes"},
    "validate/compare": {"model", "properties", "scheduler", "scenarios", "validate/outside",
                         "validate/programs"},
    "validate/servers": {"model", "properties", "scheduler", "scenarios", "validate/processes"},
    "validate/erlang": {"model", "properties", "scheduler", "scenarios", "validate/processes",
                        "validate/outside", "validate/programs", "validate/servers"},
    "validate/wire": {"model", "properties", "scheduler", "scenarios", "validate/processes",
                      "validate/outside", "validate/programs", "validate/servers"},
}
# What runs jobs, and who asks for it.
MAY_SEE["work"] = MAY_SEE["work/results"] | {"work/results", "validate/wire", "validate/processes", "validate/threads",
                                            "validate/logs"}
MAY_SEE["serve"] = MAY_SEE["work"] | {"work", "reports"}
# The floors of scheduler/: each sees those before it. Files of scheduler/ itself stand above them all.
FLOORS = ["base", "states", "disk", "ranks", "search", "graph", "proofs", "runs", "shrink"]
for height, floor in enumerate(FLOORS):
    MAY_SEE[f"scheduler/{floor}"] = {"model", "properties"} | {f"scheduler/{lower}" for lower in FLOORS[:height]}
MAY_SEE["scheduler"] |= {f"scheduler/{floor}" for floor in FLOORS}
FOLDERS = set(MAY_SEE) | {"app"}
# Results are values: neither they nor those who write them reach anything that runs, not even
# through the headers that they include.
VALUES = ("reports/", "work/results/")
RUNS = ("scheduler/runner.hpp", "scenarios/registry/registry.hpp", "scenarios/registry/job.hpp",
        "measure/chain.hpp", "measure/sampled.hpp", "validate/outside/search.hpp",
        "validate/outside/source.hpp", "validate/programs/program.hpp", "validate/compare/candidate.hpp",
        "validate/servers/compared_server.hpp", "validate/wire/", "validate/processes/")
# The one header that stands in no folder, and who may use it.
VERSION_HEADER = "version.hpp"
MAY_SEE_VERSION = {"app", "reports", "work/results"}



def folder_of(path):
    """The folder of the table that a file belongs to: the longest name that fits."""
    parts = path.split("/")
    if parts[0] == "impl" and "descriptor" in parts[1:-1]:
        return "impl/descriptor"
    two = "/".join(parts[:2])
    return two if two in FOLDERS else parts[0] if len(parts) > 1 else ""


_INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')
_ANY_INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]')


def _judge(source, included, paths):
    folder = folder_of(source.path)
    if folder not in FOLDERS:
        return None
    if included == VERSION_HEADER:
        return None if folder in MAY_SEE_VERSION or source.is_test else (
            f"{folder}/ must not know the version of the build")
    target = folder_of(included)
    if target not in FOLDERS or included not in paths:
        return f'"{included}" is not a file of this repository, named from its root'
    seen = MAY_SEE.get(folder, FOLDERS)
    # Who sees scheduler/ from outside sees each of its floors.
    is_outside = not folder.startswith("scheduler/")
    if source.is_test or target == folder or target in seen or (
            is_outside and target.startswith("scheduler/") and "scheduler" in seen):
        return None
    allowed = ", ".join(sorted(MAY_SEE[folder])) or "nothing"
    return f"{folder}/ must not include {target}/; besides itself it sees {allowed}"


def included_by(files):
    """What each C++ file includes, by its path."""
    return {source.path: [match.group(1) for match in map(_ANY_INCLUDE.match, source.lines) if match]
            for source in files if source.is_cpp}


def way_to(path, ends, includes):
    """The headers from a file to one whose name begins with one of `ends`; empty: there are none."""
    ways = [[path]]
    seen = {path}
    for way in ways:
        for included in includes.get(way[-1], []):
            if included.startswith(ends):
                return way[1:] + [included]
            if included not in seen:
                seen.add(included)
                ways.append(way + [included])
    return []


def _check_values(files):
    includes = included_by(files)
    for source in files:
        if source.is_cpp and source.path.startswith(VALUES) and not source.is_test:
            way = way_to(source.path, RUNS, includes)
            if way:
                yield f"{source.path}: results are values, but it reaches what runs: {' > '.join(way)}"


def check(files):
    paths = {source.path for source in files}
    findings = list(_check_values(files))
    for source in filter(lambda candidate: candidate.is_cpp, files):
        for number, text in enumerate(source.lines, 1):
            match = _INCLUDE.match(text)
            problem = match and _judge(source, match.group(1), paths)
            if problem:
                findings.append(f"{source.path}:{number}: {problem}")
    return findings
