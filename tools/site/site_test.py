# SPDX-License-Identifier: Apache-2.0
"""Links and tables of the site, and that a dead link is found."""

import base64
import csv
import json
import pathlib
import re
import subprocess
import tempfile
import unittest
import zlib
from unittest import mock

import links
import live_runs
import outside

DOCS = outside.DOCS


class LinksOfPages(unittest.TestCase):
    def test_to_a_source_become_pages_of_the_site(self):
        markdown = outside.on_site("[x](../../impl/canal)", DOCS / "start/x.md", "start/x.md")
        self.assertIn(f"]({outside.MARK}source/impl/canal/index.html)", markdown)
        html = outside.resolved(f'<a href="{outside.MARK}source/impl/canal/index.html">', "start/x.html")
        self.assertEqual(html, '<a href="../source/impl/canal/index.html">')

    def test_to_a_page_outside_lead_to_that_page(self):
        markdown = outside.on_site("[x](../../README.md#build)", DOCS / "start/x.md", "start/x.md")
        self.assertEqual(markdown, "[x](../source/README.md#build)")

    def test_of_a_page_outside_lead_back(self):
        readme = outside.ROOT / "README.md"
        markdown = outside.on_site("[x](docs/index.md)", readme, "source/README.md")
        self.assertEqual(markdown, "[x](../index.md)")

    def test_in_code_stay(self):
        code = "```\n[x](../../impl/canal)\n```"
        self.assertEqual(outside.on_site(code, DOCS / "start/x.md", "start/x.md"), code)


class LiveRuns(unittest.TestCase):
    SCENARIO = "scenarios/canal/findings/leak_two_callers.json"

    def test_stand_behind_the_command_and_hold_the_scenario(self):
        markdown = live_runs.on_site(f"```console\n$ lockkeeper explore {self.SCENARIO}   # exit 1\n```\n\nend", "a/b.html")
        link = re.search(r'<lockkeeper-run link="#1s/([\w-]+)//find=1">', markdown)[1]
        self.assertIn('<a href="../playground/index.html#1s/', markdown)
        self.assertIn('src="../playground/lockkeeper-run-1.js"', markdown)
        data = zlib.decompress(base64.urlsafe_b64decode(link + "=" * (-len(link) % 4)), -zlib.MAX_WBITS)
        self.assertEqual(json.loads(data), [self.SCENARIO, (outside.ROOT / self.SCENARIO).read_text()])

    def scenario_behind(self, text):
        link = re.search(r'index[.]html#1s/([\w-]+)//find=1"', text)[1]
        return json.loads(zlib.decompress(base64.urlsafe_b64decode(link + "=" * (-len(link) % 4)), -zlib.MAX_WBITS))

    def test_stand_behind_each_scenario_of_a_table_and_the_first_below(self):
        head = ["finding", "scenario"]
        rows, below = live_runs.in_table([head, ["a", "canal/findings/leak_two_callers.json"],
                                          ["b", "canal/findings/cold_first_callers.json#manager_death_cold_start"], ["c", "none.json"]], "a/b.html")
        self.assertEqual([head, ["c", "none.json"]], [rows[0], rows[3]])
        self.assertEqual(self.SCENARIO, self.scenario_behind(rows[1][1])[0])
        name, text = self.scenario_behind(rows[2][1])
        self.assertEqual("scenarios/canal/findings/cold_first_callers/manager_death_cold_start.json", name)
        self.assertNotIn("cases", json.loads(text))
        self.assertEqual([self.SCENARIO], re.findall("scenarios/.*json", self.scenario_behind(below)[0]))
        command = f"```console\n$ lockkeeper explore {self.SCENARIO}\n```\n"
        page = live_runs.on_site(command + below, "a/b.html")
        self.assertEqual(1, page.count("<lockkeeper-run"))
        self.assertIn("<script", page)
        self.assertIn("canal/<wbr>findings/<wbr>", rows[1][1])

    def test_stand_behind_a_case_and_behind_the_first_file_of_run(self):
        case = "scenarios/canal/findings/cold_first_callers.json#manager_death_cold_start"
        for command, name in ((f"explore {case}   # exit 1", "scenarios/canal/findings/cold_first_callers/manager_death_cold_start.json"),
                              (f"run {self.SCENARIO} scenarios/canal/wave", self.SCENARIO)):
            page = live_runs.on_site(f"```console\n$ lockkeeper {command}\n```\n", "a/b.html")
            self.assertEqual(name, self.scenario_behind(page)[0])
        self.assertNotIn("<lockkeeper-run", live_runs.on_site(f"```console\n$ lockkeeper explore {self.SCENARIO} --seed 2\n```\n", "a/b.html"))

    def test_stand_behind_what_links_to_a_scenario_on_a_page_of_findings(self):
        linking = f"one\n[two](../../{self.SCENARIO}) three\nfour\n"
        page = live_runs.on_site(f"zero\n\n{linking}\nfive\n", "findings/a.html")
        self.assertEqual(self.SCENARIO, self.scenario_behind(page)[0])
        self.assertRegex(page, f"^zero\n\n{re.escape(linking)}\n+<lockkeeper-run [^\n]*\n+five\n")
        self.assertNotIn("<lockkeeper-run", live_runs.on_site(linking, "start/a.html"))
        self.assertNotIn("<lockkeeper-run", live_runs.on_site("[one](../../scenarios/none.json)\n", "findings/a.html"))

    def test_each_page_of_findings_has_one(self):
        for path in sorted((outside.DOCS / "findings").glob("*.md")):
            if path.stem == "README":  # the list of them
                continue
            url, markdown = f"findings/{path.stem}.html", path.read_text(encoding="utf-8")
            for table in re.findall(r"\]\((data/\w+[.]csv)\)", markdown):
                with (path.parent / table).open(encoding="utf-8", newline="") as file:
                    markdown += live_runs.in_table(list(csv.reader(file)), url)[1]
            self.assertIn("<lockkeeper-run", live_runs.on_site(markdown, url), path.name)

    def test_of_the_clinic_are_the_recorded_ones_that_there_are(self):
        page = (outside.DOCS / "clinic/async-mutex.md").read_text(encoding="utf-8")
        version = re.search(r"The shortest run of (\S+):", page)[1]
        with tempfile.TemporaryDirectory() as directory, mock.patch.object(live_runs, "REPORTS", pathlib.Path(directory)):
            self.assertEqual(page, live_runs.on_site(page, "clinic/async-mutex.html"))
            (live_runs.REPORTS / f"async-mutex-{version}.html").write_text("x")
            self.assertEqual(page, live_runs.on_site(page, "findings/async-mutex.html"))
            markdown = live_runs.on_site(page, "clinic/async-mutex.html")
        address = f"../recorded/async-mutex-{version}.html"
        self.assertRegex(markdown, f'```\n\n<lockkeeper-run recorded="{re.escape(address)}" title="[^"]+">'
                                   f'<a href="{re.escape(address)}">[^<]+</a></lockkeeper-run>\n')
        self.assertIn('<script type="module" src="../playground/lockkeeper-run-1.js">', markdown)

    def test_are_none_in_a_table_without_scenarios(self):
        rows = [["a", "b"], ["c", "d"]]
        self.assertEqual((rows, ""), live_runs.in_table(rows, "a/b.html"))

    def test_are_none_where_flags_or_another_verb_make_another_run(self):
        for command in (f"explore {self.SCENARIO} --set callers=3", f"fuzz {self.SCENARIO}", "explore scenarios/none.json"):
            markdown = f"```console\n$ lockkeeper {command}\n```\n"
            self.assertEqual(live_runs.on_site(markdown, "a/b.html"), markdown)


class DeadLinks(unittest.TestCase):
    def dead(self, pages):
        with tempfile.TemporaryDirectory() as directory:
            for name, text in pages.items():
                path = pathlib.Path(directory) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return list(links.dead(directory))

    def test_are_none_where_file_and_anchor_are_there(self):
        self.assertEqual([], self.dead({"a.html": '<a href="b/c.html#there">x</a><a href="#up"><p id="up">',
                                        "b/c.html": '<p id="there"><a href="../a.html">'}))

    def test_are_none_where_the_playground_has_a_scenario_behind_the_mark(self):
        self.assertEqual([], self.dead({"a.html": '<a href="playground/index.html#1s/abc//find=1">', "playground/index.html": ""}))
        self.assertEqual(["a.html: playground/index.html#1s/abc"], self.dead({"a.html": '<a href="playground/index.html#1s/abc">'}))

    def test_a_file_that_is_missing(self):
        self.assertEqual(["a.html: b.html"], self.dead({"a.html": '<a href="b.html">'}))

    def test_an_anchor_that_is_missing(self):
        self.assertEqual(["a.html: a.html#x"], self.dead({"a.html": '<a href="a.html#x">'}))

    def test_the_folder_of_a_source_that_is_a_page_is_no_page(self):
        self.assertEqual([], self.dead({"a.html": '<a href="page.html/index.html">', "page.html/index.html": ""}))

    def test_a_picture_that_is_missing(self):
        self.assertEqual(["a.html: p.svg"], self.dead({"a.html": '<img src="p.svg">'}))


class WithoutMkDocs(unittest.TestCase):
    def build(self, **environment):
        script = pathlib.Path(__file__).resolve().parent / "build.sh"
        with tempfile.TemporaryDirectory() as directory:
            for name in ("bash", "dirname", "realpath"):
                (pathlib.Path(directory) / name).symlink_to(f"/usr/bin/{name}")
            return subprocess.run(["/bin/bash", script], env={"PATH": directory, **environment},
                                  capture_output=True, text=True, timeout=60, check=False)

    def test_is_skipped_and_said(self):
        ran = self.build()
        self.assertEqual((77, "site: MkDocs is not installed (Debian: mkdocs-material)\n"),
                         (ran.returncode, ran.stderr))

    def test_fails_in_ci(self):
        self.assertEqual(1, self.build(CI="1").returncode)


if __name__ == "__main__":
    unittest.main()
