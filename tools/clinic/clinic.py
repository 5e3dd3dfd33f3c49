#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The clinic: runs libraries' scopes again, with pinned versions, and compares with what is expected.
`lockkeeper clinic` starts it, and so does `make clinic`.

usage: clinic.py [NAME ...] [--folder FOLDER] [--bin FILE] [--cache FOLDER] [--ci] [--accept] [--no-bare]

Each folder of examples/clinic that has an expectation.json is a library; its README.md says how to add one.
NAME: of a folder; else all. npm's packages go to the cache (build/clinic, or where this is installed
~/.cache/lockkeeper/clinic); Debian's have to be installed.
--ci: those that need nothing but what `make setup` installs. --accept: writes what came out into the
expectation, for a new library. --no-bare: without the programs that show a fault without Lockkeeper.

Exit codes: 0 all came out as expected; 1 one came out differently; 2 something could not be judged, and
nothing came out differently; 65 a folder is wrong; 77, with --ci: a package is not installed (in CI: 2);
130 interrupted: what was found so far is printed.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import time

import expectation as expectations
import interrupts
import packages
import run as runs

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXIT_DIFFERENT, EXIT_NOT_JUDGED, EXIT_WRONG, EXIT_SKIPPED = 1, 2, 65, 77


def default_cache():
    """Of an installed copy not beside it: that place belongs to the system."""
    if (ROOT / "CMakeLists.txt").is_file():
        return ROOT / "build/clinic"
    return pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "lockkeeper/clinic"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0],
                                     epilog="examples/clinic/README.md says how to add a library.")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "examples/clinic")
    parser.add_argument("--bin", type=os.path.abspath, default=str(ROOT / "build/release/lockkeeper"))
    parser.add_argument("--cache", type=pathlib.Path, default=default_cache())
    parser.add_argument("--ci", action="store_true")
    parser.add_argument("--accept", action="store_true")
    parser.add_argument("--no-bare", action="store_true")
    return parser.parse_args()


def chosen(options):
    if not options.names:
        found = expectations.all_of(options.folder)
        return [one for one in found if one.ci] if options.ci else found
    for name in options.names:
        if not (options.folder / name).is_dir():
            known = sorted(file.parent.name for file in options.folder.glob("*/expectation.json"))
            raise expectations.Mistake(f"{options.folder}: there is no folder {name}; there are {', '.join(known)}")
    return [expectations.Expectation(options.folder / name, is_draft=options.accept) for name in options.names]


def said(result):
    text = result["verdict"]
    if "property" in result:
        text += f": {result['property']}"
    if "steps" in result:
        text += f" in {result['steps']} steps"
    if result.get("complete"):
        text += ", complete"
    return text


def accept(one, version, result, document):
    for key in ("property", "steps", "complete"):
        version.pop(key, None)
    version.update(result)
    one.file.write_text(json.dumps(one.document, indent=4, ensure_ascii=False) + "\n", encoding="utf-8")
    write_run(one, version, result, document)


def write_run(one, version, result, document):
    """The run that the page shows."""
    if "steps" in result and result["property"] not in expectations.HANGS:
        (one.folder / f"run-{version['version']}.txt").write_text(runs.run_text(document), encoding="utf-8")


def not_judged(what, why):
    print(f"{what}: not judged: {why}", flush=True)
    return "not judged"


def page_of(options, one, version):
    """Where the report of a version that breaks a promise is kept, for the site (tools/site/live_runs.py); None: nowhere."""
    if version.get("verdict") != "violated" or version.get("property") in expectations.HANGS:
        return None
    folder = options.cache.resolve() / "reports"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"{one.name}-{version['version']}.html"


def judge(options, one, version):
    """"as expected", "differs" or "not judged", having told it."""
    what = f"{one.name} {version['version']}"
    begin = time.monotonic()
    try:
        folder = packages.ready(one, version, options.cache.resolve())
        result, document = runs.run(options.bin, one, version, folder, page_of(options, one, version))
        if options.accept:
            accept(one, version, result, document)
        bare = bare_difference(options, one, version, folder)
    except (packages.NotInstalled, runs.Broken) as error:
        return not_judged(what, error)
    except (OSError, subprocess.TimeoutExpired, KeyError, ValueError) as error:
        return not_judged(what, f"{type(error).__name__}: {error}")  # a folder, a tool or a document; not the library
    except interrupts.Interrupted:
        not_judged(what, "interrupted")
        raise
    different = ", ".join(filter(None, [runs.difference(version, result), bare]))
    print(f"{what}: {said(result)} ({time.monotonic() - begin:.0f} s)"
          + (f": DIFFERS, with version {version['version']}: {different}" if different else ""), flush=True)
    return "differs" if different else "as expected"


def judge_all(options, libraries, count):
    """False: it was interrupted. The rest is not judged."""
    versions = [(one, version) for one in libraries for version in one.versions]
    try:
        for one, version in versions:
            count[judge(options, one, version)] += 1
        return True
    except interrupts.Interrupted:
        count["not judged"] = len(versions) - count["as expected"] - count["differs"]
        return False


def bare_difference(options, one, version, folder):
    if not one.bare or options.no_bare:
        return ""
    code, text = runs.run_bare(one, folder)
    expected = 1 if version["verdict"] == "violated" else 0
    if code == expected:
        return ""
    return f"{one.bare} without Lockkeeper: exit code {code}, not {expected}: {text.strip()[-300:]}"


def main():
    options = arguments()
    try:
        libraries = chosen(options)
    except expectations.Mistake as error:
        print(f"clinic: {error}", file=sys.stderr)
        return EXIT_WRONG
    if not libraries:
        print(f"clinic: {options.folder}: no folder in it has an expectation.json", file=sys.stderr)
        return EXIT_WRONG
    if options.accept and not options.names:
        print("clinic: --accept: name the libraries", file=sys.stderr)
        return EXIT_WRONG
    count = {"as expected": 0, "differs": 0, "not judged": 0}
    is_interrupted = not judge_all(options, libraries, count)
    if options.accept:
        for one in filter(expectations.Expectation.missing, libraries):
            print(f"clinic: {one.file}: {one.missing()}")
    print(f"clinic: {len(libraries)} libraries; " + ", ".join(f"{number} {what}" for what, number in count.items()))
    if is_interrupted:
        return interrupts.EXIT_INTERRUPTED
    if count["differs"]:
        return EXIT_DIFFERENT
    if count["not judged"]:
        return EXIT_SKIPPED if options.ci and not os.environ.get("CI") else EXIT_NOT_JUDGED
    return 0


if __name__ == "__main__":
    try:
        interrupts.watch()
        code = main()
        sys.stdout.flush()
    except interrupts.Interrupted:  # before or behind the judging
        code = interrupts.EXIT_INTERRUPTED
    sys.exit(code)
