#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Mutants of the native canal lock (impl/native), and which of its tests kills which.

    tools/mutation_native.py [--store] [NAME ...]

Each mutant is one textual change of one header, in a copy; the tests are compiled against the copy
and run in this order until one fails: one thread (native_lock_test), real threads
(native_threads_test), every execution of small scopes (`lockkeeper threads`, of build/release),
real threads again under the thread sanitizer. A mutant that does not compile, or whose text is not
there, is an error of this tool. Takes half an hour. --store: into docs/mutation/native.json, from which tools/fill_tables.py fills
docs/reference/mutants.md.
Exit code 1: other survivors than those expected.
"""

import argparse
import functools
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import stored_tables

ROOT = pathlib.Path(__file__).resolve().parents[1]
CXX = [os.environ.get("CXX", "g++"), "-std=c++20", "-w"]
SCOPES = "every execution"
CHECKS = [
    ("one thread", "impl/native/native_lock_test.cpp", ("-O0",),
     ("-lgtest", "-lgtest_main", "-ltbb"), 60),
    ("real threads", "impl/native/native_threads_test.cpp", ("-O1",),
     ("-lgtest", "-lgtest_main", "-ltbb"), 60),
    (SCOPES, "impl/native/threads", (), (), 300),
    ("thread sanitizer", "impl/native/native_threads_test.cpp",
     ("-O1", "-fsanitize=thread", "-DLOCKKEEPER_SANITIZED"),
     ("-lgtest", "-lgtest_main", "-ltbb"), 120),
]
# What needs a coincidence of threads is not left to one run.
ENVIRONMENT = {**os.environ, "GTEST_REPEAT": "5"}
EXCHANGE = """total_.compare_exchange_weak(total, total + 1, std::memory_order_acquire,
                                             std::memory_order_relaxed)"""
CLAIM = """word_.compare_exchange_weak(word, word - 1, std::memory_order_acquire,
                                            std::memory_order_relaxed)"""
DEAD = """    const std::uint32_t units = tally.close();
    for (std::uint32_t i = 0; i < units; ++i) {
        row.give_back(row.manager_max_per());
    }
"""
DEAD_SWAPPED = DEAD.replace("close", "units") + "    tally.close();\n"
TAKE_AND_TALLY = """    const Acquired taken = row.take(view);
    if (taken.status == AcquireStatus::kAcquired && !tally.add()) {
        row.give_back(view.max_per);
        return {AcquireStatus::kHolderGone, 0};
    }
"""
TALLY_AND_TAKE = """    if (!tally.add()) {
        return {AcquireStatus::kHolderGone, 0};
    }
    const Acquired taken = row.take(view);
    if (taken.status != AcquireStatus::kAcquired) {
        tally.remove();
    }
"""
PUSH = """            fresh->next = first;
            Seat* const seen = first;
            // Release: publishes the seat. Acquire: seats that others pushed meanwhile are looked
            // through, in both outcomes, and after close() nothing of the list is touched.
            if (head_.compare_exchange_weak(first, fresh.get(), std::memory_order_acq_rel,
                                            std::memory_order_acquire)) {
"""
PUSH_SWAPPED = PUSH.replace("            fresh->next = first;\n", "") + "fresh->next = seen;\n"
LEAVE = """        holders_.erase(id);  // waits for reports that are under way
        give_back_all(seats);
"""
LEAVE_SWAPPED = "        give_back_all(seats);\n        holders_.erase(id);\n"
REPORT = "return holders_.find(found, id) ? give_back_all(*found->second) : 0;"
REPORT_LATE = """if (!holders_.find(found, id)) {
            return 0;
        }
        Seats* const seats = found->second;
        found.release();
        return give_back_all(*seats);"""
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
    # remove: claiming one unit
    ("claims from who is gone", "tally.hpp", "(word & kGone) == 0 && word > 0", "word > 0", False),
    ("looks at the tally, then stores", "tally.hpp", CLAIM,
     "(word_.exchange(word - 1, std::memory_order_acquire), true)", False),
    ("claims without acquire", "tally.hpp", "word - 1, std::memory_order_acquire",
     "word - 1, std::memory_order_relaxed", True),
    # close: claiming all that is left
    ("looks at the tally, then closes it", "tally.hpp",
     "word_.exchange(kGone, std::memory_order_acquire);",
     "word_.load(std::memory_order_acquire);\n        word_.store(kGone);", False),
    ("closes a tally again", "tally.hpp", "return (word & kGone) == 0 ? word : 0;",
     "return word;", False),
    ("closes a tally without acquire", "tally.hpp",
     "word_.exchange(kGone, std::memory_order_acquire)",
     "word_.exchange(kGone, std::memory_order_relaxed)", True),
    ("gives back for the dead before it closes", "native_core.hpp", DEAD, DEAD_SWAPPED, False),
    ("tallies before it takes", "native_core.hpp", TAKE_AND_TALLY, TALLY_AND_TAKE, False),
    # the list of seats
    ("publishes a seat before it is linked", "seat_list.hpp", PUSH, PUSH_SWAPPED, False),
    ("publishes a seat that is not linked", "seat_list.hpp", "            fresh->next = first;\n",
     "", False),
    ("publishes a seat without release", "seat_list.hpp", "fresh.get(), std::memory_order_acq_rel",
     "fresh.get(), std::memory_order_acquire", False),
    ("looks for a seat without acquire", "seat_list.hpp",
     "head_.load(std::memory_order_acquire)", "head_.load(std::memory_order_relaxed)", False),
    ("closes the list without acquire", "seat_list.hpp",
     "head_.exchange(closed(), std::memory_order_acquire)",
     "head_.exchange(closed(), std::memory_order_relaxed)", False),
    ("looks at the list, then closes it", "seat_list.hpp",
     "head_.exchange(closed(), std::memory_order_acquire);",
     "head_.load(std::memory_order_acquire);\n        head_.store(closed());", False),
    ("adds a seat to a closed list", "seat_list.hpp",
     "        if (found != nullptr || first == closed()) {\n            return found;\n        }\n"
     "        auto fresh", "        if (found != nullptr) {\n            return found;\n        }\n"
     "        auto fresh", False),
    ("adds a seat to a list that was closed meanwhile", "seat_list.hpp",
     "            if (found != nullptr || first == closed()) {\n                return found;",
     "            if (found != nullptr) {\n                return found;", False),
    ("looks for a seat once only", "seat_list.hpp", "find(first, seen, row)", "nullptr", True),
    ("a list forgets the seats that it closed", "seat_list.hpp",
     "        closed_seats_ = seats;\n", "", False),
    ("gives back before the holder leaves the table", "native_lock.hpp", LEAVE, LEAVE_SWAPPED,
     True),
    ("a holder that leaves stays in the table", "native_lock.hpp",
     "        holders_.erase(id);  // waits for reports that are under way\n", "", False),
    ("reports a crash without its place in the table", "native_lock.hpp", REPORT, REPORT_LATE,
     False),
]


def fails(check, tree):
    """The test does not pass, or hangs."""
    name, source, flags, libraries, seconds = check
    if name == SCOPES:  # the headers are those of the folder in which it runs
        return subprocess.run([sys.executable, "-B", ROOT / "examples/threads/threads_test.py", "--folder", tree / source,
                               "--bin", ROOT / "build/release", "--compiler", CXX[0], "--work", tree / "work"],
                              cwd=tree, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode != 0
    program = tree / "program"
    built = subprocess.run([*CXX, *flags, "-I", tree, tree / source, "-o", program, *libraries],
                           stderr=subprocess.PIPE, text=True, check=False)
    if built.returncode != 0:
        sys.exit(f"mutation_native: does not compile: {built.stderr[:2000]}")
    try:
        return subprocess.run([program], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              timeout=seconds, check=False, env=ENVIRONMENT).returncode != 0
    except subprocess.TimeoutExpired:
        return True


def copy_to(tree):
    for folder in ("impl/native", "impl/canal", "model"):
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
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--store", action="store_true")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    if arguments.store and arguments.names:
        parser.error("--store goes with all mutants, not with some")
    unexpected = 0
    rows = []
    for mutant in MUTANTS:
        if arguments.names and mutant[0] not in arguments.names:
            continue
        started = time.monotonic()
        with tempfile.TemporaryDirectory() as scratch:
            killer = killer_of(mutant, pathlib.Path(scratch))
        rows.append({"mutant": mutant[0], "header": mutant[1], "killed_by": killer})
        print(json.dumps(rows[-1]), flush=True)
        print(f"{time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)
        unexpected += killer is None and not mutant[4]
    if not rows:
        sys.exit("mutation_native: no mutant has such a name")
    if arguments.store:
        stored_tables.write_mutants("native", {}, rows)
    return 1 if unexpected else 0


if __name__ == "__main__":
    sys.exit(main())
