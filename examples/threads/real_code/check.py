#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles tests of Debian's packages with the hooks, runs each, and compares with expected.json.

    examples/threads/real_code/check.py [--bin build/release] [--work build/real_code] [--seconds 60] [WORD...]

The packages are downloaded with apt and unpacked below --work: nothing is installed. WORD: only the tests whose name
has it. Needs g++, and the headers of oneTBB and Boost, which Lockkeeper's own build needs, too."""

import argparse
import json
import pathlib
import shlex
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
PACKAGES = ["libconcurrentqueue-dev", "libreaderwriterqueue-dev", "libcpp-httplib-dev", "libthread-pool-dev"]
SOURCES = ["soci"]


def run(*command, **options):
    return subprocess.run([str(one) for one in command], check=True, capture_output=True, text=True, **options).stdout


def download(work):
    """Headers below work/root, sources below work/sources."""
    root, sources = work / "root", work / "sources"
    if not root.exists():
        packages = work / "packages"
        packages.mkdir(parents=True, exist_ok=True)
        run("apt-get", "download", *PACKAGES, cwd=packages)
        for package in sorted(packages.glob("*.deb")):
            run("dpkg", "-x", package, root)
    if not sources.exists():
        fetched = work / "fetched"
        (fetched / "lists/partial").mkdir(parents=True, exist_ok=True)
        listed = fetched / "sources.list"
        listed.write_text(f"deb-src {mirror()} main\n", encoding="utf-8")
        own = [f"-oDir::Etc::SourceList={listed}", "-oDir::Etc::SourceParts=/dev/null",
               f"-oDir::State::Lists={fetched}/lists", "-oAPT::Get::List-Cleanup=0", "-oAPT::Sandbox::User=root"]
        run("apt-get", *own, "update")
        run("apt-get", *own, "source", "--download-only", *SOURCES, cwd=fetched)
        unpacked = work / "unpacked"
        unpacked.mkdir(exist_ok=True)
        for archive in sorted(fetched.glob("*.orig.tar.*")):
            run("tar", "-xf", archive, "-C", unpacked)
        unpacked.rename(sources)
    return root, sources


def mirror():
    """The mirror and the release of the packages that apt knows: "http://... bookworm"."""
    for line in run("apt-cache", "policy").splitlines():
        words = line.split()
        if len(words) > 3 and words[1].startswith("http") and words[2].endswith("/main") and "-" not in words[2]:
            return f"{words[1]} {words[2].removesuffix('/main')}"
    sys.exit("apt knows no mirror: apt-get update")


class Tests:
    def __init__(self, build, work, seconds):
        said = run(build / "lockkeeper", "threads", "--flags")
        self.flags = {what: shlex.split(words) for what, words in (line.split(": ", 1) for line in said.splitlines())}
        self.command, self.work, self.seconds = build / "lockkeeper", work, seconds
        self.root, self.sources = download(work)

    def compiled(self, name, test):
        made = self.work / name.replace(" ", "_")
        include = [HERE / "stubs", ROOT / "validate/threads/include", self.root / "usr/include",
                   *sorted(self.sources.glob("*/include"))]
        sources = [HERE / f"{test['program']}.cpp"]
        sources += [path for pattern in test.get("sources", []) for path in self.sources.glob(pattern)]
        parts = []
        for index, source in enumerate(sources):
            parts.append(f"{made}.{index}.o")
            run("g++", "-std=c++20", "-O1", "-w", *self.flags["compile"], *(f"-D{one}" for one in test.get("defines", [])),
                *(f"-I{path}" for path in include), "-c", source, "-o", parts[-1])
        run("g++", *parts, *self.flags["link"], "-o", made)
        return made

    def verdict(self, name, test):
        command = [str(self.command), "threads", "--time-limit", f"{self.seconds}s", *test.get("flags", []), "--",
                   str(self.compiled(name, test))]
        said = subprocess.run(command, capture_output=True, text=True, timeout=60 + 2 * self.seconds).stdout
        return {line.split(maxsplit=1)[0].rstrip(":"): line for line in said.splitlines()
                if line.startswith(("verdict:", "scope:", "executions"))}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build/real_code")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("words", nargs="*")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    tests = Tests(options.bin.resolve(), options.work.resolve(), options.seconds)
    expected = json.loads((HERE / "expected.json").read_text(encoding="utf-8"))
    problems = 0
    for name, test in expected.items():
        if all(word in name for word in options.words):
            said = tests.verdict(name, test)
            is_right = said.get("verdict") == f"verdict: {test['verdict']}" if "verdict" in test else False
            problems += not is_right
            print(f"{name}: {said.get('verdict', 'no verdict')}; {said.get('scope', '')}; {said.get('executions', '')}"
                  f"{'' if is_right else '  <- expected ' + test.get('verdict', '?')}", flush=True)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
