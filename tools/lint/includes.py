"""Includes point one way between folders (the table of CMakeLists.txt), and start at the root."""

import re

# What each folder may include besides itself. A folder that is not named here sees everything.
MAY_SEE = {
    "model": set(),
    "impl": {"model"},
    "scenarios": {"model"},
    "properties": {"model"},
    "scheduler": {"model", "properties"},
    "measure": {"model", "properties", "scheduler"},
    "reports": {"model", "properties", "scheduler", "measure"},
    "histories": {"model"},
    "processes": set(),
    "outside": {"model", "properties", "scheduler", "histories", "processes"},
    "databases": {"model", "properties", "scheduler", "histories", "processes"},
    "erlang": {"model", "properties", "scheduler", "histories", "processes", "outside",
               "databases"},
}
FOLDERS = set(MAY_SEE) | {"app"}
# The one header that stands in no folder, and who may use it.
VERSION_HEADER = "version.hpp"
MAY_SEE_VERSION = {"app", "reports"}

_INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')


def _judge(source, included, paths):
    if source.folder not in FOLDERS:
        return None
    if included == VERSION_HEADER:
        return None if source.folder in MAY_SEE_VERSION or source.is_test else (
            f"{source.folder}/ must not know the version of the build")
    target = included.split("/", 1)[0]
    if target not in FOLDERS or included not in paths:
        return f'"{included}" is not a file of this repository, named from its root'
    if source.is_test or target == source.folder or target in MAY_SEE.get(source.folder, FOLDERS):
        return None
    allowed = ", ".join(sorted(MAY_SEE[source.folder])) or "nothing"
    return f"{source.folder}/ must not include {target}/; besides itself it sees {allowed}"


def check(files):
    paths = {source.path for source in files}
    findings = []
    for source in filter(lambda candidate: candidate.is_cpp, files):
        for number, text in enumerate(source.lines, 1):
            match = _INCLUDE.match(text)
            problem = match and _judge(source, match.group(1), paths)
            if problem:
                findings.append(f"{source.path}:{number}: {problem}")
    return findings
