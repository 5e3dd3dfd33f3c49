#!/usr/bin/env python3
"""Mutants of the native canal lock (impl/native), and which of its tests kills which.

    tools/mutation_native.py [NAME ...]

Each mutant is one textual change of one header, in a copy; the tests are compiled against the copy
and run in this order until one fails: one thread (native_lock_test), real threads
(native_threads_test), Relacy (native_relacy). A mutant that does not compile, or whose text is not
there, is an error of this tool. Takes minutes. Results: docs/MUTATION.md.
Exit code 1: other survivors than those expected.
"""

import functools
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
CXX = [os.environ.get("CXX", "g++"), "-std=c++20", "-w"]
CHECKS = [
    ("one thread", "impl/native/native_lock_test.cpp", ("-O0",),
     ("-lgtest", "-lgtest_main", "-ltbb"), 60),
    ("threads", "impl/native/native_threads_test.cpp", ("-O1",),
     ("-lgtest", "-lgtest_main", "-ltbb"), 60),
    ("Relacy", "impl/native/relacy/native_relacy.cpp",
     ("-O2", "-U_FORTIFY_SOURCE", "-fno-sized-deallocation"), (), 300),
]
EXCHANGE = """total_.compare_exchange_weak(total, total + 1, std::memory_order_acquire,
                                             std::memory_order_relaxed)"""
# name, header, what stands there, what the mutant has instead, whether it is expected to survive
MUTANTS = [
    ("grants one beyond the capacity", "total_row.hpp",
     "while (total < capacity)", "while (total <= capacity)", False),
    ("subtracts two", "total_row.hpp", "fetch_sub(1, ", "fetch_sub(2, ", False),
    ("gives back before it claims", "total_row.hpp", "kClaimsFirst = true",
     "kClaimsFirst = false", False),
    ("gives one unit less back for the dead", "native_core.hpp", "i < units", "i + 1 < units",
     False),
    ("forgets that the holder is gone", "tally.hpp", "word_.exchange(kGone,",
     "word_.exchange(0,", False),
    ("claims what is not there", "tally.hpp", " && word > 0", "", False),
    ("closes no list of seats", "seat_list.hpp", "head_.exchange(closed(),",
     "head_.exchange(nullptr,", False),
    ("a handle that goes keeps its unit", "native_lock.hpp", "~Unit() { release(); }",
     "~Unit() {}", False),
    ("a holder that leaves keeps its units", "native_lock.hpp",
     "        give_back_all(seats);\n    }\n\n    typename", "    }\n\n    typename", False),
    ("looks, then stores", "total_row.hpp", EXCHANGE,
     "(total_.exchange(total + 1, std::memory_order_acquire), true)", False),
    ("keeps the unit of a holder that is gone", "native_core.hpp",
     "        row.give_back(view.max_per);\n        return {AcquireStatus::kHolderGone",
     "        return {AcquireStatus::kHolderGone", False),
    ("takes without acquire", "total_row.hpp", "total + 1, std::memory_order_acquire",
     "total + 1, std::memory_order_relaxed", False),
    ("gives back without release", "total_row.hpp", "fetch_sub(1, std::memory_order_release)",
     "fetch_sub(1, std::memory_order_relaxed)", False),
    ("tallies without release", "tally.hpp", "word + 1, std::memory_order_release",
     "word + 1, std::memory_order_relaxed", True),
]


def fails(check, tree):
    """The test does not pass, or hangs."""
    _, source, flags, libraries, seconds = check
    program = tree / "program"
    built = subprocess.run([*CXX, *flags, "-I", tree, tree / source, "-o", program, *libraries],
                           stderr=subprocess.PIPE, text=True, check=False)
    if built.returncode != 0:
        sys.exit(f"mutation_native: does not compile: {built.stderr[:2000]}")
    try:
        return subprocess.run([program], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              timeout=seconds, check=False).returncode != 0
    except subprocess.TimeoutExpired:
        return True


def copy_to(tree):
    for folder in ("impl/native", "impl/canal"):
        shutil.copytree(ROOT / folder, tree / folder)


@functools.cache
def passes_unchanged(check):
    """What fails without a mutant shows nothing."""
    with tempfile.TemporaryDirectory() as scratch:
        copy_to(pathlib.Path(scratch))
        return not fails(check, pathlib.Path(scratch))


def kills(check, tree):
    if not fails(check, tree):
        return False
    if not passes_unchanged(check):
        sys.exit(f"mutation_native: {check[0]}: fails without a mutant")
    return True


def killer_of(mutant, tree):
    _, header, old, new, _ = mutant
    copy_to(tree)
    path = tree / "impl" / "native" / header
    text = path.read_text()
    if text.count(old) != 1:
        sys.exit(f"mutation_native: {header} has not exactly one: {old}")
    path.write_text(text.replace(old, new))
    return next((check[0] for check in CHECKS if kills(check, tree)), None)


def main():
    unexpected = 0
    killed = 0
    chosen = [mutant for mutant in MUTANTS if len(sys.argv) < 2 or mutant[0] in sys.argv[1:]]
    for mutant in chosen:
        started = time.monotonic()
        with tempfile.TemporaryDirectory() as scratch:
            killer = killer_of(mutant, pathlib.Path(scratch))
        print(f"| {mutant[0]} | `{mutant[1]}` | {killer or '**survives**'} |", flush=True)
        print(f"{time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)
        killed += killer is not None
        unexpected += killer is None and not mutant[4]
    print(f"{len(chosen)} mutants, {killed} killed")
    return 1 if unexpected else 0


if __name__ == "__main__":
    sys.exit(main())
