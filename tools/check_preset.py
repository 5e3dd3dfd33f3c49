#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails where a build folder was configured by anything but its preset.

`make test` says what it tests only if build/release is what CMakePresets.json says. An option of CMakeLists.txt
that the preset does not name has its default; CMAKE_CXX_FLAGS are those of the variable CXXFLAGS.
Usage: check_preset.py PRESET [ROOT]. Exit codes: 0 as the preset says, 1 not, 2 usage.
"""

import json
import os
import pathlib
import re
import sys

OPTION = re.compile(r'^option\((\w+) ".*?" (\S+)\)|^set\((\w+) "(.*?)" CACHE STRING', re.MULTILINE)
ENTRY = re.compile(r"^(\w+):\w+=(.*)$", re.MULTILINE)
SWITCH = {"ON": True, "TRUE": True, "1": True, "YES": True, "OFF": False, "FALSE": False, "0": False, "NO": False}


def preset_values(root, name):
    """The cache variables and the folder of a preset, those that it inherits included."""
    presets = {preset["name"]: preset for preset in
               json.loads((root / "CMakePresets.json").read_text())["configurePresets"]}
    values, folder = {}, None
    while name:
        preset = presets[name]
        values = {**preset.get("cacheVariables", {}), **values}
        folder = folder or preset.get("binaryDir")
        name = preset.get("inherits")
    return values, folder


def expected(root, name):
    """What the cache has to say, and where the folder is."""
    values, folder = preset_values(root, name)
    wanted = {"CMAKE_CXX_FLAGS": os.environ.get("CXXFLAGS", ""), "CMAKE_CXX_COMPILER_LAUNCHER": ""}
    for option, default, text, text_default in OPTION.findall((root / "CMakeLists.txt").read_text()):
        wanted[option or text] = "ON" if default.startswith("$") else default or text_default
    wanted.update(values)
    wanted.pop("CMAKE_CXX_COMPILER", None)  # the cache has its path; CMake refuses to change it
    folder = folder.replace("${sourceDir}", str(root)).replace("${presetName}", name)
    return wanted, pathlib.Path(folder)


def same(one, other):
    return SWITCH.get(one.upper(), one) == SWITCH.get(other.upper(), other)


def main():
    if len(sys.argv) not in (2, 3):
        print(__doc__, file=sys.stderr)
        return 2
    root = pathlib.Path(sys.argv[2]) if len(sys.argv) == 3 else pathlib.Path(__file__).resolve().parents[1]
    wanted, folder = expected(root, sys.argv[1])
    cache = dict(ENTRY.findall((folder / "CMakeCache.txt").read_text()))
    differing = [(key, cache.get(key, ""), value) for key, value in wanted.items()
                 if not same(cache.get(key, ""), value)]
    for key, has, value in differing:
        print(f"{folder}: {key} is '{has}', and '{value}' in the preset {sys.argv[1]}", file=sys.stderr)
    if differing:
        print(f"This folder was configured by something else. Remove it: rm -r '{folder}'", file=sys.stderr)
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
