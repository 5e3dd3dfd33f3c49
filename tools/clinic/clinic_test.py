# SPDX-License-Identifier: Apache-2.0
"""Tests of the clinic: malformed folders, versions that are not there, comparison, pages. No network."""

import contextlib
import io
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import clinic  # noqa: E402
import expectation as expectations  # noqa: E402
import packages  # noqa: E402
import pages  # noqa: E402
import run as runs  # noqa: E402

GOOD = {"library": "my-lock", "where": "in one process, Node.js", "promises": "One holds.", "door": "tasks",
        "driver": "node driver.js", "scenario": "scenario.json", "source": "npm",
        "versions": [{"version": "1.0.0", "packages": ["my-lock@1.0.0"], "verdict": "passed"}]}
ACCUSED = {**GOOD, "fault": "It breaks.", "advice": "Use another.", "not_bare": "Not tried.",
           "versions": [{"version": "1.0.0", "packages": ["my-lock@1.0.0"], "verdict": "violated",
                         "property": "leak", "steps": 4},
                        {"version": "1.1.0", "packages": ["my-lock@1.1.0"], "verdict": "passed", "complete": True}]}


def without(*keys):
    return {key: value for key, value in GOOD.items() if key not in keys}


def with_version(**keys):
    return {**GOOD, "versions": [{**GOOD["versions"][0], **keys}]}


MALFORMED = {  # what the error says
    "not JSON": ("{", "expectation.json:1:2"),
    "not UTF-8": (b"\xff\xfe", "not UTF-8"),
    "nested too deep": ("[" * 100_000, "nested too deep"),
    "a list": ("[]", "not an object"),
    "a key twice": ('{"library": "a", "library": "b"}', "stands twice"),
    "an unknown key": ({**GOOD, "verdct": 1}, "/verdct: unknown key"),
    "no driver": (without("driver"), '"driver" is missing'),
    "no versions": ({**GOOD, "versions": []}, "/versions: there is none"),
    "a version that is no object": ({**GOOD, "versions": [1]}, "/versions/0: not an object"),
    "an unknown key of a version": (with_version(step=1), "/versions/0/step: unknown key"),
    "an unknown door": ({**GOOD, "door": "window"}, "/door: \"window\" is none of"),
    "an unknown source": ({**GOOD, "source": "attic"}, "/source: \"attic\" is none of"),
    "an unknown verdict": (with_version(verdict="fine"), "/versions/0/verdict: \"fine\" is none of"),
    "a text that is a number": ({**GOOD, "library": 1}, "/library: not a text"),
    "steps that are true": (with_version(steps=True), "/versions/0/steps: not a whole number"),
    "an empty text": ({**GOOD, "promises": " "}, "/promises: empty"),
    "two lines": ({**GOOD, "promises": "a\n# b"}, "/promises: empty, or not one line"),
    "no such driver": ({**GOOD, "driver": "node other.js"}, "/driver: there is no file other.js"),
    "a driver without a file": ({**GOOD, "driver": "node"}, "/driver: not \"INTERPRETER FILE"),
    "an open quote": ({**GOOD, "driver": "node 'driver.js"}, "/driver: No closing quotation"),
    "an open quote in arguments": (with_version(arguments="'x"), "/driver: No closing quotation"),
    "a version that is a path": (with_version(version="../../x"), "/versions/0/version: \"../../x\" is no version"),
    "no such scenario": ({**GOOD, "scenario": "none.json"}, "/scenario: there is no file none.json"),
    "a package without a version": (with_version(packages=["my-lock"]), "/versions/0/packages/0: \"my-lock\" is no package"),
    "a package that is a flag": (with_version(packages=["--global@1"]), "/versions/0/packages/0"),
    "an address of another kind": ({**GOOD, "report": "file:///etc/passwd"}, "/report: not an address"),
    "a property of a pass": (with_version(property="leak"), "/versions/0: \"property\" stands"),
    "a violation without a property": (with_version(verdict="violated"), "/versions/0: \"property\" stands"),
    "an accusation without words": ({**ACCUSED, "fault": "x", "advice": ""}, "/advice: empty"),
    "an accusation without evidence": ({key: value for key, value in ACCUSED.items() if key != "not_bare"}, "\"bare\""),
}


class Folders(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = pathlib.Path(temporary.name)
        self.folder = self.root / "my-lock"
        self.folder.mkdir()
        (self.folder / "driver.js").write_text("")
        (self.folder / "scenario.json").write_text('{"callers": [{"name": "A", "count": 2}], "faults": {"expiries": 2}}')

    def write(self, document):
        file = self.folder / "expectation.json"
        if isinstance(document, bytes):
            file.write_bytes(document)
        else:
            file.write_text(document if isinstance(document, str) else json.dumps(document))

    def read(self, document):
        self.write(document)
        return expectations.Expectation(self.folder)

    def main(self, *words):
        out, err = io.StringIO(), io.StringIO()
        with mock.patch.object(sys, "argv", ["clinic.py", "--folder", str(self.root), *words]), \
                contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            return clinic.main(), out.getvalue() + err.getvalue()

    def test_a_good_folder_is_read(self):
        self.assertEqual("my-lock", self.read(GOOD).title)

    def test_a_malformed_folder_is_told_with_file_and_place(self):
        for what, (document, said) in MALFORMED.items():
            with self.subTest(what), self.assertRaises(expectations.Mistake) as raised:
                self.read(document)
            self.assertIn(said, str(raised.exception), what)
            self.assertIn("my-lock/expectation.json", str(raised.exception), what)

    def test_a_folder_without_an_expectation_and_an_unknown_name_are_told(self):
        code, text = self.main("my-lock")
        self.assertEqual(65, code)
        self.assertIn("there is no such file", text)
        self.write(GOOD)
        code, text = self.main("your-lock")
        self.assertEqual(65, code)
        self.assertIn("there is no folder your-lock; there are my-lock", text)

    def test_an_empty_folder_is_no_success(self):
        self.assertEqual(65, self.main()[0])

    def outcome(self, result, **document):
        self.write(GOOD)
        with mock.patch.object(packages, "npm", return_value=self.root), \
                mock.patch.object(runs, "run", return_value=(result, {})):
            return self.main()

    def test_what_came_out_as_expected_is_0(self):
        self.assertEqual(0, self.outcome({"verdict": "passed", "complete": True})[0])

    def test_what_came_out_differently_is_1_and_names_the_version(self):
        code, text = self.outcome({"verdict": "violated", "property": "leak", "steps": 3})
        self.assertEqual(1, code)
        self.assertIn("DIFFERS, with version 1.0.0: verdict violated, not passed", text)

    def test_the_report_of_a_version_that_breaks_a_promise_is_kept_for_the_site(self):
        self.write(ACCUSED)
        asked = []
        with mock.patch.object(packages, "npm", return_value=self.root), \
                mock.patch.object(runs, "run", side_effect=lambda *words: asked.append(words[-1]) or ({"verdict": "passed"}, {})):
            self.main("--cache", str(self.root / "cache"))
        self.assertEqual([self.root.resolve() / "cache/reports/my-lock-1.0.0.html", None], asked)
        with mock.patch.object(runs.interrupts, "run", side_effect=OSError(2, "none")) as run, self.assertRaises(runs.Broken):
            one = expectations.Expectation(self.folder)
            runs.run("lockkeeper", one, one.versions[0], self.root, asked[0])
        self.assertEqual(["--report", str(asked[0])], run.call_args.args[0][-2:])

    def test_an_inconclusive_run_is_no_pass(self):
        self.assertEqual(1, self.outcome({"verdict": "inconclusive", "complete": False})[0])

    def test_the_packages_of_an_installed_copy_go_to_the_users_cache(self):
        with mock.patch.object(clinic, "ROOT", self.root), mock.patch.dict("os.environ", {"XDG_CACHE_HOME": "/cache"}):
            self.assertEqual(pathlib.Path("/cache/lockkeeper/clinic"), clinic.default_cache())
            (self.root / "CMakeLists.txt").write_text("")
            self.assertEqual(self.root / "build/clinic", clinic.default_cache())

    def test_a_command_is_named_from_where_the_clinic_is_started(self):
        self.write(GOOD)
        with mock.patch.object(packages, "npm", return_value=self.root), \
                mock.patch.object(runs, "run", return_value=({"verdict": "passed", "complete": True}, {})) as run:
            self.main("--bin", "build/lockkeeper")
        self.assertEqual(str(pathlib.Path.cwd() / "build/lockkeeper"), run.call_args.args[0])

    def test_a_missing_command_is_not_judged(self):
        self.write(GOOD)
        with mock.patch.object(packages, "npm", return_value=self.root):
            code, text = self.main("--bin", str(self.root / "none"))
        self.assertEqual(2, code)
        self.assertIn("not judged", text)

    def test_a_cache_that_cannot_be_written_is_not_judged(self):
        self.write(GOOD)
        (self.root / "cache").write_text("a file")
        code, text = self.main("--cache", str(self.root / "cache"))
        self.assertEqual(2, code)
        self.assertIn("my-lock 1.0.0: not judged: ", text)
        self.assertIn(str(self.root / "cache"), text)

    def test_what_goes_wrong_in_the_clinic_is_no_difference(self):
        self.write({**{key: value for key, value in ACCUSED.items() if key != "not_bare"}, "bare": "python3 driver.js"})
        result = {"verdict": "violated", "property": "leak", "steps": 4}
        for error, said in ((subprocess.TimeoutExpired("bare.py", 120), "timed out after 120 seconds"),
                            (FileNotFoundError(2, "No such file", "python3"), "python3"),
                            (KeyError("verdict"), "KeyError: 'verdict'"), (ValueError("no JSON"), "ValueError: no JSON")):
            with self.subTest(said), mock.patch.object(packages, "npm", return_value=self.root), \
                    mock.patch.object(runs, "run", return_value=(result, {})), \
                    mock.patch.object(runs, "run_bare", side_effect=error):
                code, text = self.main()
            self.assertEqual(2, code)
            self.assertIn(said, text)

    def test_an_expectation_that_cannot_be_written_is_not_judged(self):
        self.write(GOOD)
        with mock.patch.object(packages, "npm", return_value=self.root), \
                mock.patch.object(runs, "run", return_value=({"verdict": "passed", "complete": True}, {})), \
                mock.patch.object(pathlib.Path, "write_text", side_effect=PermissionError(13, "Permission denied")):
            code, text = self.main("--accept", "my-lock")
        self.assertEqual(2, code)
        self.assertIn("my-lock 1.0.0: not judged: PermissionError: [Errno 13] Permission denied", text)

    def test_a_program_without_lockkeeper_that_says_something_else_fails(self):
        (self.folder / "bare.py").write_text("print('kept')")
        self.write({key: value for key, value in {**ACCUSED, "bare": f"{sys.executable} bare.py"}.items()
                    if key != "not_bare"})
        results = [({"verdict": "violated", "property": "leak", "steps": 4}, {}), ({"verdict": "passed", "complete": True}, {})]
        with mock.patch.object(packages, "npm", return_value=self.root), mock.patch.object(runs, "run", side_effect=results):
            code, text = self.main()
        self.assertEqual(1, code)
        self.assertIn("without Lockkeeper: exit code 0, not 1: kept", text)

    def test_accept_writes_what_came_out_and_says_what_is_missing(self):
        self.write(GOOD)
        document = {"violations": [{"trace": [{"text": "A acquire", "result": "-> A acquired"}]}]}
        with mock.patch.object(packages, "npm", return_value=self.root), mock.patch.object(
                runs, "run", return_value=({"verdict": "violated", "property": "leak", "steps": 1}, document)):
            code, text = self.main("--accept", "my-lock")
        self.assertEqual(0, code)
        self.assertIn("my-lock/expectation.json: a version is violated: say \"fault\"", text)
        written = json.loads((self.folder / "expectation.json").read_text())["versions"][0]
        self.assertEqual(("violated", "leak", 1), (written["verdict"], written["property"], written["steps"]))
        self.assertEqual("  1  A acquire  -> A acquired\n", (self.folder / "run-1.0.0.txt").read_text())
        self.assertEqual(65, self.main("--accept")[0])
        with self.assertRaises(expectations.Mistake):
            expectations.Expectation(self.folder)

    def test_a_driver_that_died_accuses_nobody(self):
        document = {"verdict": "violated", "violations": [], "files": [{"detail": "P2 leak: nobody holds"}]}
        self.assertEqual({"verdict": "violated", "property": "leak"}, runs.came_out(document))
        document["files"][0]["detail"] = "misbehaved: died: ended with exit status 1"
        with self.assertRaisesRegex(runs.Broken, "the driver and not the library: misbehaved"):
            runs.came_out(document)

    def test_a_driver_that_died_is_heard(self):
        self.write(GOOD)
        one = expectations.Expectation(self.folder)
        document = {"verdict": "violated", "violations": [], "files": [{"detail": "misbehaved: died"}]}
        text = "time  1 s\nits last lines on stderr:\n    Error: mine\n        at driver.js:2\nverdict: violated\n"
        ran = [subprocess.CompletedProcess([], 1, said, "") for said in (json.dumps(document), text)]
        with mock.patch.object(runs.interrupts, "run", side_effect=ran), self.assertRaisesRegex(
                runs.Broken, "not the library: misbehaved: died; it said: Error: mine$"):
            runs.run("lockkeeper", one, one.versions[0], self.root)

    def test_steps_and_property_are_compared(self):
        version = ACCUSED["versions"][0]
        self.assertEqual("", runs.difference(version, {"verdict": "violated", "property": "leak", "steps": 4}))
        self.assertEqual("steps 5, not 4", runs.difference(version, {"verdict": "violated", "property": "leak", "steps": 5}))
        self.assertIn("property", runs.difference(version, {"verdict": "violated", "property": "deadlock", "steps": 4}))
        self.assertEqual("complete False, not True",
                         runs.difference(ACCUSED["versions"][1], {"verdict": "passed", "complete": False}))

    def test_a_driver_elsewhere_finds_what_the_drivers_here_share(self):
        (self.folder / "driver.py").write_text("import lockkeeper_tasks, lockkeeper_client, lockkeeper_wire\n")
        with mock.patch.dict("os.environ", {"NODE_PATH": "/mine"}):
            found = packages.environment(self.folder)
        self.assertTrue(found["NODE_PATH"].endswith(":/mine"))
        self.assertTrue(any((pathlib.Path(part) / "library.js").is_file() for part in found["NODE_PATH"].split(":")))
        subprocess.run([sys.executable, self.folder / "driver.py"], env=found, check=True)

    def test_a_long_step_is_cut_in_the_run_of_a_page(self):
        step = {"text": "A acquire: " + "x" * 500, "result": "-> ok"}
        line = runs.run_text({"violations": [{"trace": [step]}]})
        self.assertTrue(line.startswith("  1  A acquire: xxx") and line.endswith("xxx...  -> ok\n"), line)
        self.assertLess(len(line), 130)

    def start_what_never_ends(self):
        """The clinic with two versions: the first passes, the second never ends. Returns when that one runs."""
        version = {"packages": ["my-lock"], "verdict": "passed", "complete": True}
        self.write({**GOOD, "source": "debian", "versions": [{"version": "1.0.0", **version}, {"version": "1.0", **version}]})
        told, first = self.root / "told", self.root / "first"
        os.mkfifo(told)
        programs = {"bin/dpkg-query": f'[ -e "{first}" ] && echo "installed 1.0-1" || echo "installed 1.0.0-1"',
                    "lockkeeper": f'[ -e "{first}" ] && echo runs > "{told}" && exec sleep 600\n'
                                  f'echo > "{first}"\necho \'{{"verdict": "passed", "complete": true}}\''}
        (self.root / "bin").mkdir()
        for name, text in programs.items():
            (self.root / name).write_text(f"#!/bin/sh\n{text}\n")
            (self.root / name).chmod(0o755)
        path = f"{self.root / 'bin'}:{os.environ['PATH']}"
        words = [sys.executable, "-B", clinic.__file__, "--folder", self.root, "--bin", self.root / "lockkeeper"]
        process = subprocess.Popen(words, env={**os.environ, "PATH": path}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   text=True)
        told.read_text()
        return process

    def ends_with_what_was_found(self, one):
        with self.start_what_never_ends() as process:
            process.send_signal(one)
            text, _ = process.communicate(timeout=100)
        self.assertEqual(130, process.returncode, text)
        self.assertRegex(text, r"^my-lock 1\.0\.0: passed, complete \(\d+ s\)\nmy-lock 1\.0: not judged: interrupted\n"
                               r"clinic: 1 libraries; 1 as expected, 0 differs, 1 not judged\n$")

    def test_ctrl_c_ends_it_with_what_was_found(self):
        self.ends_with_what_was_found(signal.SIGINT)

    def test_sigterm_ends_it_with_what_was_found(self):
        self.ends_with_what_was_found(signal.SIGTERM)

    def test_a_signal_before_there_are_handlers_is_not_lost(self):
        hold = lambda: signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])  # as the command does
        with subprocess.Popen([sys.executable, "-B", clinic.__file__, "--folder", self.root], preexec_fn=hold,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
            process.send_signal(signal.SIGTERM)
            self.assertEqual(("", None), process.communicate(timeout=100))
        self.assertEqual(130, process.returncode)

    def test_the_wrong_version_of_debian_is_named(self):
        with mock.patch.object(packages, "debian_version", return_value="4.5.0"), \
                self.assertRaisesRegex(packages.NotInstalled, "met python3-redis 4.5.0, not 4.3.4"):
            packages.debian("4.3.4", ["python3-redis"])
        with mock.patch.object(packages, "debian_version", return_value=None), \
                self.assertRaisesRegex(packages.NotInstalled, "apt-get install .*python3-redis"):
            packages.debian("4.3.4", ["python3-redis"])

    def test_what_debian_has_is_installed_by_set_up(self):
        tools = pathlib.Path(clinic.__file__).resolve().parents[1]
        lists = [(tools / name).read_text(encoding="utf-8") for name in ("packages.txt", "packages_clinic.txt")]
        known = {line.split("#")[0].strip() for text in lists for line in text.splitlines()} | {"python3.11"}
        for one in expectations.all_of(tools.parent / "examples/clinic"):
            if one.source == "debian":
                named = {package for version in one.versions for package in version["packages"]}
                self.assertEqual(set(), named - known, one.name)

    def test_the_wrong_version_of_npm_is_named(self):
        file = self.root / "node_modules/@a/b/package.json"
        file.parent.mkdir(parents=True)
        file.write_text('{"version": "v2.0.0"}')
        packages.check_version(self.root, "@a/b@2.0.0")
        with self.assertRaisesRegex(packages.NotInstalled, "met @a/b 2.0.0, not 1.0.0"):
            packages.check_version(self.root, "@a/b@1.0.0")

    def test_a_page_shows_the_run_but_none_of_who_waits_for_ever(self):
        one = self.read(ACCUSED)
        (self.folder / "run-1.0.0.txt").write_text("  1  A acquire\n")
        with mock.patch.object(pages, "ROOT", self.root.resolve()):
            text = pages.page(one, {"leak": "P2 leak"})
            self.assertIn("  1  A acquire", text)
            self.assertIn("2 callers, 2 expiries", text)
            one.versions[0]["property"] = "deadlock"
            text = pages.page(one, {})
        self.assertNotIn("A acquire", text)
        self.assertIn("The run is not shown", text)
        self.assertEqual("1.1.0 passes", pages.repaired(one))


if __name__ == "__main__":
    unittest.main()
