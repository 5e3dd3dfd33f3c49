# SPDX-License-Identifier: Apache-2.0
"""A build folder that something else than its preset configured is refused."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOLS = pathlib.Path(__file__).resolve().parent
OPTIONS = """
option(LOCKKEEPER_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(LOCKKEEPER_UNITY "Several at once" OFF)
option(LOCKKEEPER_WERROR "Warnings are errors" OFF)
set(LOCKKEEPER_SANITIZE "" CACHE STRING "Empty or a sanitizer")
"""
PRESETS = """{"configurePresets": [
    {"name": "base", "binaryDir": "${sourceDir}/build/${presetName}",
     "cacheVariables": {"LOCKKEEPER_UNITY": "ON", "CMAKE_CXX_FLAGS_RELEASE": "-O2"}},
    {"name": "release", "inherits": "base", "cacheVariables": {"CMAKE_BUILD_TYPE": "Release"}},
    {"name": "command", "inherits": "release", "binaryDir": "${sourceDir}/build/release",
     "cacheVariables": {"LOCKKEEPER_TESTS": "OFF"}}]}"""
CACHE = {"CMAKE_BUILD_TYPE": "Release", "CMAKE_CXX_FLAGS": "", "CMAKE_CXX_FLAGS_RELEASE": "-O2",
         "LOCKKEEPER_TESTS": "ON", "LOCKKEEPER_UNITY": "ON", "LOCKKEEPER_WERROR": "OFF",
         "LOCKKEEPER_SANITIZE": ""}


def check(preset="release", flags="", **cache):
    """The exit code and what is said, of a folder with these entries of the cache."""
    with tempfile.TemporaryDirectory() as directory:
        root = pathlib.Path(directory)
        (root / "CMakePresets.json").write_text(PRESETS)
        (root / "CMakeLists.txt").write_text(OPTIONS)
        (root / "build/release").mkdir(parents=True)
        text = "".join(f"{key}:STRING={value}\n" for key, value in {**CACHE, **cache}.items())
        (root / "build/release/CMakeCache.txt").write_text("# made by CMake\n" + text)
        ran = subprocess.run([sys.executable, "-B", TOOLS / "check_preset.py", preset, root], text=True,
                             capture_output=True, env={**os.environ, "CXXFLAGS": flags}, check=False)
        return ran.returncode, ran.stderr


class CheckPreset(unittest.TestCase):
    def test_a_folder_that_is_as_its_preset_says_passes(self):
        self.assertEqual((0, ""), check())
        self.assertEqual((0, ""), check("command", LOCKKEEPER_TESTS="OFF"))
        self.assertEqual((0, ""), check(LOCKKEEPER_WERROR="FALSE", LOCKKEEPER_UNITY="1"))

    def test_each_option_that_was_set_by_hand_is_named(self):
        for key, value in {"LOCKKEEPER_UNITY": "OFF", "LOCKKEEPER_WERROR": "ON", "LOCKKEEPER_TESTS": "OFF",
                           "LOCKKEEPER_SANITIZE": "thread", "CMAKE_BUILD_TYPE": "Debug",
                           "CMAKE_CXX_FLAGS_RELEASE": "-O0", "CMAKE_CXX_FLAGS": "-w",
                           "CMAKE_CXX_COMPILER_LAUNCHER": "distcc"}.items():
            code, said = check(**{key: value})
            self.assertEqual(1, code, key)
            self.assertIn(f"{key} is '{value}'", said)
            self.assertIn("configured by something else", said)

    def test_flags_of_the_environment_are_the_users(self):
        self.assertEqual((0, ""), check(flags="-march=native", CMAKE_CXX_FLAGS="-march=native"))
        self.assertEqual(1, check(flags="-march=native")[0])

    def test_the_real_files_are_read(self):
        root = TOOLS.parent
        sys.path.insert(0, str(TOOLS))
        import check_preset
        wanted, folder = check_preset.expected(root, "command")
        self.assertEqual(root / "build/release", folder)
        self.assertEqual("OFF", wanted["LOCKKEEPER_TESTS"])
        wanted, folder = check_preset.expected(root, "release")
        self.assertEqual(root / "build/release", folder)
        self.assertEqual(("ON", "ON", "OFF", ""), tuple(wanted[f"LOCKKEEPER_{name}"] for name in
                                                        ("TESTS", "UNITY", "WERROR", "SANITIZE")))


if __name__ == "__main__":
    unittest.main()
