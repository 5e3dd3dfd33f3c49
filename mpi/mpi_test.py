#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""lockkeeper-mpi under mpirun: it tells what lockkeeper tells, and ends clearly.

    mpi_test.py BUILD_DIRECTORY [SUITE]
"""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

BUILD = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build/release").resolve()
ROOT = pathlib.Path(__file__).resolve().parents[1]
COUNTS = (1, 2, 3, 4)
# What differs from run to run, or tells by how many it was done.
NOT_COMPARED = {"seconds", "graph_seconds", "bytes_stored", "memory", "version", "commit"}
# Verdicts of all kinds, every system, locks that are right and locks that are wrong.
FOLDERS = [
    "scenarios/canal/findings", "scenarios/canal/causes", "scenarios/canal/livelock",
    "scenarios/canal/repaired", "scenarios/canal/small_scopes", "scenarios/canal/wave",
    "scenarios/every_number", "scenarios/leases/published", "scenarios/leases/repaired",
    "scenarios/leases/findings", "scenarios/monglock/write_lock/published",
    "scenarios/monglock/multi_lock/findings", "scenarios/single_counter",
    "scenarios/transactional/innodb/published", "scenarios/transactional/pg/published",
]
WRONG = "scenarios/canal/findings/leak_two_callers.json"
RIGHT = "scenarios/canal/repaired/over_allocation_four_callers.json"
SWEEP = "docs/sweeps/try_retry.sweep.json"
# Without being asked, one process uses reductions that ranks do not have (decision 36).
KNOWN_TO_RANKS = ("--reduction", "symmetry")
# Goes on for minutes, in many rounds.
LARGE = "bench/compare/scopes/manager_7x1.json"


def job(count, *arguments):
    as_root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
    return ["mpirun", *as_root, "--oversubscribe", "--bind-to", "none", "-n", str(count),
            str(BUILD / "lockkeeper-mpi"), *map(str, arguments)]


def run(command, seconds=900):
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=seconds)


def alone(*arguments):
    return run([str(BUILD / "lockkeeper"), *map(str, arguments)])


def compared(value):
    if isinstance(value, dict):
        return {name: compared(kept) for name, kept in value.items() if name not in NOT_COMPARED}
    return [compared(kept) for kept in value] if isinstance(value, list) else value


def results(process):
    return compared(json.loads(process.stdout))


class Compared(unittest.TestCase):
    maxDiff = 4000

    def agree(self, *arguments, verb="explore", counts=COUNTS):
        if verb == "explore" and "--reduction" not in arguments:
            arguments += KNOWN_TO_RANKS
        wanted = alone(verb, *arguments, "--format", "json", "-q")
        for count in counts:
            with self.subTest(ranks=count):
                told = run(job(count, verb, *arguments, "--format", "json", "-q"))
                self.assertEqual(results(told), results(wanted), told.stderr)
                self.assertEqual(told.returncode, wanted.returncode)
        return results(wanted)


class Agreement(Compared):
    def test_everything_is_the_same_for_any_number_of_ranks(self):
        files = self.agree(*FOLDERS, "--max-states", "3000000")["files"]
        verdicts = [file["verdict"] for file in files]
        self.assertGreaterEqual(verdicts.count("passed"), 30)
        self.assertGreaterEqual(verdicts.count("violated"), 30)

    def test_all_causes_and_other_options_too(self):
        folder = "scenarios/canal/causes"
        self.agree(folder, "--keep-going")
        self.agree(folder, "--no-symmetry", "--no-sleep-sets", "--jobs", "2")
        self.agree(folder, "--reduction", "private-steps")
        self.agree("scenarios/transactional/broken", "--storage", "fingerprints")

    def test_large_scopes_have_the_counts_that_are_pinned(self):
        scope = "bench/compare/scopes/manager_5x2.json"
        told = self.agree(scope)
        self.assertEqual(told["verdict"], "passed")
        self.assertGreater(told["states"], 1_000_000)

    def test_a_wrong_lock_and_a_right_one(self):
        wrong = self.agree("scenarios/canal/findings/leak_two_callers.json")
        self.assertEqual([found["property"] for found in wrong["violations"]], ["leak"])
        self.assertGreater(len(wrong["violations"][0]["trace"]), 0)
        right = self.agree("scenarios/canal/repaired")
        self.assertEqual({file["verdict"] for file in right["files"]} - {"error"}, {"passed"})

    def test_text_is_printed_once(self):
        def without_times(text):
            text = re.sub(r"(?m)^(lockkeeper \S+) \(\S+\)", r"\1", text)  # commits
            text = re.sub(r"(?m), [0-9.]+ s$", "", text)
            return re.sub(r"(?m)^(time|memory) .*", r"\1", text)
        for verb, file in (("explore", WRONG), ("fuzz", WRONG), ("measure", WRONG), ("sweep", SWEEP)):
            with self.subTest(verb=verb):
                told = run(job(3, verb, file, "-q"))
                wanted = alone(verb, file, "-q")
                self.assertEqual(without_times(told.stdout), without_times(wanted.stdout))

    def test_what_does_not_go_with_ranks_is_refused(self):
        file = "scenarios/canal/findings/leak_two_callers.json"
        with tempfile.TemporaryDirectory() as directory:
            for arguments, sentence in (
                    (("explore", file, "--frontier", "stack"), "several ranks go with --frontier queue"),
                    (("explore", file, "--disk", directory), "goes with one process"),
                    (("run", file), "only explore, fuzz, measure and sweep run on several ranks"),
                    (("explore", file, "--no-such-flag"), "--no-such-flag"),
                    (("fuzz", file, "--no-such-flag"), "--no-such-flag"),
                    (("measure", file, "--law", "weights:hope=1"), "hope"),
                    (("sweep", SWEEP, "--where", "hope=1"), "hope")):
                with self.subTest(arguments=arguments):
                    told = run(job(2, *arguments))
                    self.assertEqual(told.returncode, 64)
                    self.assertEqual(told.stderr.count(sentence), 1, told.stderr)

    def test_a_checkpoint_that_cannot_be_written_ends_all_before_they_begin(self):
        told = run(job(3, "explore", LARGE, "--checkpoint", "/no/such/directory/kept"), 60)
        self.assertEqual(told.returncode, 65, told.stderr)
        self.assertEqual(told.stderr.count("lockkeeper: "), 1, told.stderr)

    def test_only_the_first_rank_writes_files(self):
        with tempfile.TemporaryDirectory() as directory:
            report = os.path.join(directory, "report.json")
            told = run(job(3, "explore", "scenarios/canal/findings/leak_two_callers.json",
                           "--out", directory, "-o", report))
            self.assertEqual(told.returncode, 1, told.stderr)
            self.assertEqual(len(os.listdir(directory)), 2, os.listdir(directory))
            with open(report, encoding="utf-8") as file:
                self.assertEqual(json.load(file)["verdict"], "violated")

    def test_progress_shows_ranks(self):
        told = run(job(2, "explore", LARGE, "--time-limit", "12s"))
        self.assertEqual(told.returncode, 2, told.stderr)
        self.assertRegex(told.stderr, r"states, .*/s, .*2 ranks, the fullest 1\.\d\d of the mean, waiting "
                                      r"\d+ % of the time, \d+\.\d\d bytes sent a transition")


class Helping(Compared):
    """Verbs that the first rank runs, and the others help with."""

    def test_fuzz_tells_the_same_with_every_strategy(self):
        for strategy in ("feedback", "portfolio", "random", "rare-faults", "round-robin", "pct:3", "pos"):
            wrong = self.agree(WRONG, "--strategy", strategy, verb="fuzz")
            found = [] if strategy == "round-robin" else ["leak"]
            self.assertEqual([violation["property"] for violation in wrong["violations"]], found)
            right = self.agree(RIGHT, "--strategy", strategy, "--schedules", "3000", verb="fuzz", counts=(2, 3))
            self.assertEqual(right["verdict"], "passed")

    def test_fuzz_goes_on_behind_what_it_finds_and_goes_through_folders(self):
        self.agree("scenarios/canal/causes", "--keep-going", "--schedules", "2000", verb="fuzz", counts=(2, 4))
        self.agree("scenarios/canal/livelock", "--schedules", "300", "--jobs", "2", verb="fuzz", counts=(2,))

    def test_measure_tells_the_same(self):
        for method in (("sampled",), ("splitting", "--relative-width", "0.5"), ("auto",)):
            for file in ("leak_two_callers.json", "repaired_two_callers.json", "lease_grace_below_skew_and_pause.json"):
                self.agree(f"scenarios/measure/{file}", "--runs", "20000", "--method", *method, verb="measure",
                           counts=(1, 2, 4))
        self.agree("scenarios/measure/leak_sixteen_callers.json", "--below", "0.8", verb="measure", counts=(2, 3))

    def test_sweep_tells_the_same(self):
        for sweep in ("try_retry", "session_lock_pool", "rates-lease_db", "rates-mixed"):
            self.agree(f"docs/sweeps/{sweep}.sweep.json", verb="sweep", counts=(1, 2, 4))

    def test_more_ranks_than_pieces(self):
        self.agree(WRONG, "--schedules", "2", "--check", "over-allocation", verb="fuzz", counts=(6,))
        self.agree(WRONG, "--runs", "50", "--method", "sampled", verb="measure", counts=(6,))

    def test_only_the_first_rank_writes_files(self):
        with tempfile.TemporaryDirectory() as directory:
            report = os.path.join(directory, "report.json")
            told = run(job(3, "fuzz", WRONG, "--out", directory, "-o", report))
            self.assertEqual(told.returncode, 1, told.stderr)
            self.assertEqual(len(os.listdir(directory)), 2, os.listdir(directory))


class Ends(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.checkpoint = os.path.join(self.directory.name, "kept")

    def begin(self, count, *arguments, mca=(), verb="explore", file=LARGE):
        command = job(count, verb, file, "--format", "json", *arguments)
        command[1:1] = mca
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True,
                                   stderr=subprocess.PIPE)
        self.addCleanup(lambda: (process.kill(), process.wait()))
        return process

    def ranks_of(self, process):
        """Process ids, by rank."""
        found = {}
        for status in pathlib.Path("/proc").glob("[0-9]*/environ"):
            try:
                environment = status.read_bytes()
                command = (status.parent / "cmdline").read_bytes()
            except OSError:
                continue
            rank = re.search(rb"(?:^|\0)OMPI_COMM_WORLD_RANK=(\d+)", environment)
            parent = re.search(r"^PPid:\t(\d+)", (status.parent / "status").read_text(), re.M)
            if rank and b"lockkeeper-mpi" in command and int(parent.group(1)) == process.pid:
                found[int(rank.group(1))] = int(status.parent.name)
        return found

    def wait_for_checkpoint(self, process):
        for _ in range(600):
            if os.path.exists(self.checkpoint):
                return
            self.assertIsNone(process.poll())
            time.sleep(0.1)
        self.fail("no checkpoint was written")

    def test_a_killed_rank_ends_the_job_and_the_checkpoint_is_named(self):
        for victim in (1, 0):
            with self.subTest(victim=victim):
                process = self.begin(3, "--checkpoint", self.checkpoint, "--checkpoint-every", "1s")
                self.wait_for_checkpoint(process)
                os.kill(self.ranks_of(process)[victim], signal.SIGKILL)
                out, err = process.communicate(timeout=60)
                self.assertNotEqual(process.returncode, 0)
                self.assertEqual(out, "")
                self.assertIn("other ranks do not answer", err)
                self.assertIn(f"go on with --resume {self.checkpoint}", err)
                os.remove(self.checkpoint)

    def test_ctrl_c_gives_what_is_known_and_a_checkpoint(self):
        for number, mca in ((signal.SIGINT, ("--mca", "odls_base_sigkill_timeout", "5")),
                            (signal.SIGUSR1, ())):
            with self.subTest(number=number):
                process = self.begin(3, "--checkpoint", self.checkpoint, mca=mca)
                time.sleep(4)
                process.send_signal(number)
                out, err = process.communicate(timeout=120)
                told = json.loads(out)
                self.assertEqual(told["exit_code"], 130, err)
                self.assertGreater(told["states"], 0)
                self.assertTrue(os.path.exists(self.checkpoint), err)
                os.remove(self.checkpoint)


    def helped(self):
        """Verb, file and flags of what goes on for long."""
        with open(ROOT / "docs/sweeps/rates-crowds.sweep.json", encoding="utf-8") as file:
            sweep = json.load(file)
        for choice in sweep["axes"][0]["choices"]:
            choice["measure"]["runs"] = 10**9
        del sweep["long"]
        endless = os.path.join(self.directory.name, "endless.sweep.json")
        with open(endless, "w", encoding="utf-8") as file:
            json.dump(sweep, file)
        return (("fuzz", RIGHT, "--schedules", "1000000000"),
                ("fuzz", RIGHT, "--schedules", "1000000000", "--strategy", "random"),
                ("measure", WRONG, "--method", "sampled", "--runs", "100000000000"),
                ("sweep", endless))

    def test_a_killed_rank_ends_the_other_verbs_too(self):
        for victim in (1, 0):
            for verb, file, *flags in self.helped():
                with self.subTest(victim=victim, verb=verb):
                    process = self.begin(3, *flags, verb=verb, file=file)
                    time.sleep(2)
                    os.kill(self.ranks_of(process)[victim], signal.SIGKILL)
                    out, err = process.communicate(timeout=60)
                    self.assertNotEqual(process.returncode, 0)
                    self.assertEqual(out, "")
                    self.assertIn("other ranks do not answer", err)

    def test_the_other_verbs_tell_what_is_known_when_they_are_interrupted(self):
        for verb, file, *flags in self.helped():
            with self.subTest(verb=verb):
                process = self.begin(3, *flags, verb=verb, file=file)
                time.sleep(3)
                process.send_signal(signal.SIGUSR1)
                out, err = process.communicate(timeout=60)
                if verb != "sweep":  # its table has no exit code
                    self.assertEqual(json.loads(out)["exit_code"], 130, err)
                self.assertEqual(process.returncode, 130, err)
                self.assertNotIn("do not answer", err)


class Checkpoints(unittest.TestCase):
    SCOPE = "bench/compare/scopes/manager_4x2.json"

    def test_any_number_of_ranks_goes_on_where_another_has_ended(self):
        asked = ("explore", self.SCOPE, *KNOWN_TO_RANKS, "--format", "json", "-q", "--interleavings", "off")
        whole = results(alone(*asked))
        with tempfile.TemporaryDirectory() as directory:
            kept = os.path.join(directory, "kept")
            for before, after in ((2, 3), (3, 1), (4, 0), (0, 2)):
                with self.subTest(before=before, after=after):
                    write = (*asked, "--checkpoint", kept, "--max-states", "100000")
                    first = run(job(before, *write)) if before else alone(*write)
                    self.assertEqual(first.returncode, 2, first.stderr)
                    onward = (*asked, "--resume", kept)
                    last = run(job(after, *onward)) if after else alone(*onward)
                    self.assertEqual(results(last), whole, last.stderr)
                    os.remove(kept)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:], "-v"])
