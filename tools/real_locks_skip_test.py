# SPDX-License-Identifier: Apache-2.0
"""What examples/real_locks/real_locks_test.py does where a library is missing: nothing passes unseen."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "examples/real_locks"
EXIT_SKIPPED = 77


def run(judgement, ci, *adapter, path=None):
    """The exit code and the output, where `lockkeeper` is this shell script."""
    with tempfile.TemporaryDirectory() as directory:
        binary = pathlib.Path(directory) / "lockkeeper"
        binary.write_text(f"#!/bin/sh\n{judgement}\n", encoding="utf-8")
        binary.chmod(0o755)
        environment = {"PATH": path or os.environ["PATH"], **({"CI": "1"} if ci else {})}
        ran = subprocess.run([sys.executable, "-B", FOLDER / "real_locks_test.py", directory,
                              *adapter], env=environment, stdout=subprocess.PIPE, text=True,
                             timeout=60, check=False)
        return ran.returncode, ran.stdout


class Missing(unittest.TestCase):
    MISSING = "echo 'not installed: lockfile (npm)'; exit 65"

    def test_is_skipped_and_said(self):
        code, text = run(self.MISSING, False, "lockfile.js")
        self.assertEqual(code, EXIT_SKIPPED)
        self.assertIn("skipped", text)
        self.assertIn("not installed: lockfile (npm)", text)
        self.assertIn("0 passed, 0 failed, 1 skipped", text)

    def test_fails_in_ci(self):
        code, text = run(self.MISSING, True, "lockfile.js")
        self.assertEqual(code, 1)
        self.assertIn("FAILED", text)

    def test_is_not_hidden_by_rows_that_pass(self):
        """One library of several is missing: that is no pass."""
        some = ('case "$*" in *async-mutex-0.1*) ' + self.MISSING + ";; esac\n"
                "echo 'verdict: passed'")
        self.assertEqual(run(some, False, "async_mutex.js")[0], EXIT_SKIPPED)
        self.assertEqual(run(some, True, "async_mutex.js")[0], 1)

    def test_language_counts_too(self):
        for ci, expected in ((False, EXIT_SKIPPED), (True, 1)):
            code, text = run("exit 65", ci, "lockfile.js", path="/nowhere")
            self.assertEqual(code, expected, text)
            self.assertIn("not installed: node", text)


class Present(unittest.TestCase):
    def test_passes_with_the_verdict_of_the_table(self):
        self.assertEqual(run("echo 'verdict: violated'; exit 1", False, "lockfile.js")[0], 0)

    def test_fails_with_another(self):
        self.assertEqual(run("echo 'verdict: passed'", False, "lockfile.js")[0], 1)

    def test_adapter_without_rows_fails(self):
        self.assertEqual(run("exit 0", False, "nothing.js")[0], 1)


if __name__ == "__main__":
    unittest.main()
