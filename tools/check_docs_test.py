# SPDX-License-Identifier: Apache-2.0
"""Tests of check_docs.py: what it accepts, and that it fails where it must."""

import contextlib
import io
import os
import pathlib
import tempfile
import unittest
import unittest.mock

import check_docs


def check(markdown):
    """(exit code, output) for a repository whose README is `markdown`."""
    with tempfile.TemporaryDirectory() as directory:
        (pathlib.Path(directory) / "README.md").write_text(markdown)
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            code = check_docs.main(["--root", directory])
        return code, output.getvalue()


def console(*lines, info="console"):
    return "\n".join(["# Title", "", f"```{info}", *lines, "```", ""])


class CheckDocsTest(unittest.TestCase):
    def test_accepts_lines_in_order_with_others_between(self):
        code, output = check(console("$ seq 5", "1", "...", "3", "", "5"))
        self.assertEqual((0, "1 commands in 1 files do what the documentation shows\n"),
                         (code, output))

    def test_rejects_a_line_that_is_not_printed(self):
        code, output = check(console("$ seq 5", "1", "7"))
        self.assertEqual(1, code)
        self.assertIn("README.md:6: not printed here: 7", output)

    def test_rejects_the_wrong_order(self):
        self.assertEqual(1, check(console("$ seq 3", "2", "1"))[0])

    def test_rejects_a_part_of_a_line(self):
        self.assertEqual(1, check(console("$ echo verdict: passed", "passed"))[0])

    def test_tokens_match_text_without_spaces(self):
        self.assertEqual(0, check(console("$ echo took 1.5 s", "took <seconds> s"))[0])
        self.assertEqual(1, check(console("$ echo took about 1 s", "took <seconds> s"))[0])

    def test_compares_the_exit_code(self):
        self.assertEqual(0, check(console("$ (exit 3)   # exit 3"))[0])
        code, output = check(console("$ true", "$ (exit 3)"))
        self.assertEqual(1, code)
        self.assertIn("README.md:5: $ (exit 3)\n  exit code 3, documented 0", output)

    def test_passes_over_what_needs_pages_where_there_are_none_but_not_in_ci(self):
        page = console(f"$ echo '{check_docs.WITHOUT_PAGES}'; false", "what a page would have said")
        for ci, expected in (("", 0), ("1", 1)):
            with unittest.mock.patch.dict(os.environ, CI=ci):
                self.assertEqual(expected, check(page)[0])

    def test_joins_continued_lines(self):
        self.assertEqual(0, check(console("$ echo one \\", "    two", "one two"))[0])

    def test_skips_other_blocks(self):
        self.assertEqual(0, check(console("$ false", info="sh"))[0])

    def test_runs_the_pages_for_starters_first(self):
        with tempfile.TemporaryDirectory() as directory:
            root = pathlib.Path(directory)
            for name in ("docs/a/b.md", "docs/start/z.md", "README.md"):
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text("")
            self.assertEqual([root / "README.md", root / "docs/start/z.md", root / "docs/a/b.md"],
                             check_docs.pages_of(root))

    def test_leaves_no_block_out(self):
        code, output = check(console("$ true", info="console no-run"))
        self.assertEqual(1, code)
        self.assertIn("README.md:3: every console block is run: 'no-run' means nothing", output)

    def test_has_directories_of_its_own(self):
        code, output = check(console("$ touch /tmp/made-by-check-docs", "$ ls build/release",
                                     "documentation", "$ ls build/release/documentation",
                                     "made-by-check-docs",
                                     "$ echo /tmp/made-by-check-docs", "/tmp/made-by-check-docs"))
        self.assertEqual(0, code, output)
        self.assertFalse(pathlib.Path("/tmp/made-by-check-docs").exists())

    def test_a_python_without_the_packages_is_passed_over(self):
        if not check_docs.has_packages("/usr/bin/python3"):
            self.skipTest("/usr/bin/python3 has no redis and psycopg2")
        with tempfile.TemporaryDirectory() as directory:
            (pathlib.Path(directory) / "python3").write_text("#!/bin/sh\nexit 1\n")
            (pathlib.Path(directory) / "python3").chmod(0o755)
            with unittest.mock.patch.dict(os.environ, {"PATH": f"{directory}:{os.environ['PATH']}"}):
                code, output = check(console("$ python3 -c 'import redis; print(1)'", "1"))
        self.assertEqual(0, code, output)

    def test_rejects_output_without_a_command(self):
        self.assertEqual(1, check(console("1"))[0])


if __name__ == "__main__":
    unittest.main()
