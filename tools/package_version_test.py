# SPDX-License-Identifier: Apache-2.0
"""Tests of cmake/package/version.cmake: the version of a package is that of the tag. And of the files that
state the project's version: all state the same."""

import json
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[1]
SCRIPT = ROOT / "cmake" / "package" / "version.cmake"


def text_of(path):
    return (ROOT / path).read_text(encoding="utf-8")


class StatedVersion(unittest.TestCase):
    def test_is_the_same_everywhere(self):
        version = re.search(r"project\(lockkeeper VERSION (\S+)", text_of("CMakeLists.txt"))[1]
        stated = {"CHANGELOG.md": re.search(r"^## (\d\S*)$", text_of("CHANGELOG.md"), re.MULTILINE)[1]}
        for path in ("vcpkg.json", "reports/web/package.json", "reports/viewers/package.json"):
            stated[path] = json.loads(text_of(path))["version"]
        for path in ("reports/web/package-lock.json", "reports/viewers/package-lock.json"):
            lock = json.loads(text_of(path))
            stated[path] = lock["version"]
            stated[path + ": packages"] = lock["packages"][""]["version"]
        self.assertEqual(stated, dict.fromkeys(stated, version))


class PackageVersion(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def git(self, *arguments):
        name = ("-c", "user.name=x", "-c", "user.email=x@x", "-c", "commit.gpgsign=false")
        return subprocess.run(["git", *name, *arguments], cwd=self.folder.name, check=True,
                              capture_output=True, text=True).stdout.strip()

    def commit(self, text):
        (pathlib.Path(self.folder.name) / "file").write_text(text)
        self.git("add", "file")
        self.git("commit", "-q", "-m", text)
        return self.git("rev-parse", "--short=10", "HEAD")

    def asked(self, version="0.1.0"):
        return subprocess.run(["cmake", "-D", f"SOURCE={self.folder.name}", "-D", f"VERSION={version}",
                               "-P", SCRIPT], capture_output=True, text=True, check=False)

    def version(self, version="0.1.0"):
        return self.asked(version).stdout.strip().removeprefix("-- ")

    def test_without_git_it_is_the_project_s(self):
        self.assertEqual(self.version(), "0.1.0")

    def test_follows_the_tag(self):
        self.git("init", "-q")
        self.commit("one")
        second = self.commit("two")
        self.assertEqual(self.version(), f"0.1.0~git2.{second}")
        self.git("tag", "v0.1.0")
        self.assertEqual(self.version(), "0.1.0")
        third = self.commit("three")
        self.assertEqual(self.version(), f"0.1.0+git1.{third}")
        self.assertEqual(self.version("0.2.0"), f"0.2.0~git3.{third}")

    def test_changes_are_named(self):
        self.git("init", "-q")
        self.commit("one")
        self.git("tag", "v0.1.0")
        (pathlib.Path(self.folder.name) / "file").write_text("changed")
        self.assertEqual(self.version(), "0.1.0+changes")

    def test_another_version_s_tag_is_refused(self):
        self.git("init", "-q")
        self.commit("one")
        self.git("tag", "v0.2.0")
        asked = self.asked()
        self.assertNotEqual(asked.returncode, 0)
        self.assertIn("the tag v0.2.0 is on a tree", " ".join(asked.stderr.split()))


if __name__ == "__main__":
    unittest.main()
