#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether the playground's module would link, by the objects of another build: what no emscripten is needed for.

usage: links.py --nm NM --browser OBJECT... --libraries ARCHIVE... --refused ARCHIVE... [--c-library FILE]

As the linker does, it takes of the libraries the objects that somebody calls, and adds what they call: without the
archives that a page has not, and of the others without REFUSED_OBJECTS. --browser: the objects of wasm/browser, which
stand in their place. --c-library: the functions of the C library that the module was linked with; a call of
another one is told, because emscripten may lack it.

Exit codes: 0 it would, 1 it would not, or nobody knows, 2 usage.
"""

import argparse
import pathlib
import re
import subprocess
import sys

# Of libraries that a page has (LOCKKEEPER_REFUSED_SOURCES in cmake/LockkeeperWasm.cmake, compiled at once or each by
# itself), and what wasm/browser/page_shell.cpp stands for.
REFUSED_OBJECTS = re.compile(r"(unity_refused_cxx\.cxx|child_process\.cpp|http_[a-z]+\.cpp|serve\.cpp)\.o|page_shell\.cpp\.o")
# g++ has a destructor name the table of its class; clang, which compiles the module, has not.
NAMED_BY_GNU_ALONE = {"_ZTVN10lockkeeper4wire7WireRunE"}
OWN = re.compile(r"10lockkeeper|^lockkeeper_")
MANGLED = re.compile(r"^_Z")
# Of compilers and of the linker, and what is arithmetic or memory: libc++ and compiler-rt have these.
NO_CALLS = re.compile(r"^(__.*|_Unwind_.*|_GLOBAL_OFFSET_TABLE_|(mem|str)[a-z_]+)$")


class Object:
    def __init__(self, name, archive):
        self.name = name
        self.archive = archive
        self.defined = set()
        self.called = set()

    def __str__(self):
        return f"{self.archive.name}({self.name})" if self.archive else self.name


def objects_of(nm, path):
    """The objects in an archive, or the object."""
    lines = subprocess.run([nm, "-P", "-A", str(path)], capture_output=True, text=True, check=True).stdout.splitlines()
    found = {}
    for line in lines:
        place, _, words = line.partition(": ")
        name = place[place.rindex("[") + 1:-1] if place.endswith("]") else pathlib.Path(place).name
        one = found.setdefault(name, Object(name, path if place.endswith("]") else None))
        symbol, kind, *_ = words.split()
        if kind == "U":
            one.called.add(symbol)
        elif kind not in "wv" and (kind.isupper() or kind in "Vu"):
            one.defined.add(symbol)
    return list(found.values())


def linked(begin, objects):
    """(the objects that the linker takes, who calls what none of them has)."""
    has = {}
    for one in objects:
        for symbol in one.defined:
            has.setdefault(symbol, one)
    taken, waiting = [], list(begin)
    defined = set()
    while waiting:
        one = waiting.pop()
        taken.append(one)
        defined |= one.defined
        for symbol in one.called - defined:
            if symbol in has and has[symbol] not in taken and has[symbol] not in waiting:
                waiting.append(has[symbol])
    missing = {}
    for one in taken:
        for symbol in one.called - defined:
            missing.setdefault(symbol, []).append(one)
    return taken, missing


def readable(symbol):
    try:
        return subprocess.run(["c++filt", symbol], capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return symbol


def findings(browser, libraries, refused, c_library):
    """What is wrong, in words. `c_library`: names, or None."""
    stands_in = {symbol: one for one in refused for symbol in one.defined}
    _, missing = linked(browser, libraries)
    for symbol, callers in sorted(missing.items()):
        who = ", ".join(sorted(map(str, callers)))
        if symbol in NAMED_BY_GNU_ALONE:
            continue
        if symbol in stands_in or OWN.search(symbol):
            where = f" stands in {stands_in[symbol]}, which a page has not, and" if symbol in stands_in else ""
            yield (f"{readable(symbol)}{where} is called in {who}: the playground would not link. "
                   "A function in wasm/browser/refused.cpp that refuses it is missing, or a source in cmake/LockkeeperWasm.cmake")
        elif c_library is not None and not MANGLED.match(symbol) and not NO_CALLS.match(symbol) and symbol not in c_library:
            yield (f"{symbol} is called in {who}: the playground's module did not call it before. Where `make playground` links, "
                   "add it to wasm/test/c_library.txt; else wasm/browser/refused.cpp needs one")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--nm", required=True)
    for name in ("--browser", "--libraries", "--refused"):
        parser.add_argument(name, nargs="+", type=pathlib.Path, required=True)
    parser.add_argument("--c-library", type=pathlib.Path)
    options = parser.parse_args()
    browser, libraries, refused = ([one for path in paths for one in objects_of(options.nm, path)]
                                   for paths in (options.browser, options.libraries, options.refused))
    refused += [one for one in libraries if REFUSED_OBJECTS.fullmatch(one.name)]
    libraries = [one for one in libraries if one not in refused]
    known = None
    if options.c_library:
        known = {line for line in options.c_library.read_text(encoding="utf-8").split() if line}
    wrong = list(findings(browser, libraries, refused, known))
    for line in wrong:
        print(f"links: {line}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
