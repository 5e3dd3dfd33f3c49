# SPDX-License-Identifier: Apache-2.0
"""Tests of the lint: each rule finds what is planted, and nothing in clean files."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import browser
import headers
import includes
import length
import licence
import lists
import pages
import tables
import words
from source_text import SourceFile


def findings(check, *files):
    return check.check([SourceFile(path, text) for path, text in files])


def function_of(lines):
    return "int long_one(int x) {\n" + "    x += 1;\n" * (lines - 2) + "}\n"


class LengthTest(unittest.TestCase):
    def test_functions_are_found_with_their_length(self):
        text = (
            "namespace a {\n"
            "template <class T, std::size_t kSize = 3>\n"
            "class Box : public Base<decltype(f())> {\n"
            "  public:\n"
            "    explicit Box(int x = g({1}))\n"
            "        : x_(x) {\n"
            "    }\n"
            "    bool operator==(const Box&) const { return \"}\"[0] == '}'; }\n"
            "    std::array<int, 2> values_{1, 2};\n"
            "    auto f = [] { return 1'000; };\n"
            "};\n"
            "const std::map<int, int> kTable = make({{1, 2}});\n"
            "TEST(Suite, Name) {\n"
            "    if (x) {  // }\n"
            "    }\n"
            "}\n"
            "}  // namespace a\n")
        self.assertEqual([("Box", 5, 3), ("operator", 8, 1), ("Suite.Name", 13, 4)],
                         length.functions(text))

    def test_long_function(self):
        self.assertEqual([], findings(length, ("app/a.cpp", function_of(70))))
        found = findings(length, ("app/a.cpp", "\n" + function_of(71)))
        self.assertEqual(["app/a.cpp:2: function app/a.cpp long_one: 71 lines, at most 70"], found)

    def test_long_file(self):
        self.assertEqual([], findings(length, ("app/a.cpp", "\n" * 400)))
        self.assertEqual(1, len(findings(length, ("app/a.cpp", "\n" * 401))))

    def test_large_folder(self):
        full = [(f"app/{name}.cpp", "\n" * 300) for name in "abcdefghij"]
        more = ("app/more.hpp", "\n")
        self.assertEqual([], findings(length, *full, ("app/a_test.cpp", "\n" * 300), ("impl/a.cpp", "\n")))
        self.assertEqual(["app: folder app: 3100 lines, at most 3000"], findings(length, *full, more))
        for excused, problems in ((3000, 1), (3100, 0), (3200, 1)):
            ratchet = (length.RATCHET, f"folder app {excused}\n")
            self.assertEqual(problems, len(findings(length, *full, more, ratchet)), excused)

    def test_ratchet_only_turns_one_way(self):
        for lines, problems in ((79, 1), (80, 0), (81, 1)):
            ratchet = (length.RATCHET, "function app/a.cpp long_one 80\n")
            found = findings(length, ("app/a.cpp", function_of(lines)), ratchet)
            self.assertEqual(problems, len(found), found)
        self.assertEqual(1, len(findings(length, (length.RATCHET, "file app/gone.cpp 500\n"))))


class ListsTest(unittest.TestCase):
    def test_lists_that_are_pushed_back_into(self):
        for text in ("Json list = Json::array();", "json[\"a\"] = nlohmann::ordered_json::array();"):
            found = findings(lists, ("reports/a.cpp", "\n" + text))
            self.assertEqual(["reports/a.cpp:2: a list is written into a Json::array_t and then moved "
                              "(model/json.hpp)"], found)
            self.assertEqual([], findings(lists, ("reports/a_test.cpp", text)))
        for text in ("Json::array_t list;", "Json json{{\"params\", Json::array()}};"):
            self.assertEqual([], findings(lists, ("reports/a.cpp", text)))


class IncludesTest(unittest.TestCase):
    MODEL = ("model/action.hpp", "")
    IMPL = ("impl/canal/canal.hpp", "")

    def test_allowed_directions(self):
        self.assertEqual([], findings(
            includes, self.MODEL, self.IMPL,
            ("scheduler/a.cpp", '#include "model/action.hpp"\n#include <vector>\n'),
            ("scheduler/a_test.cpp", '#include "impl/canal/canal.hpp"\n'),
            ("impl/canal/descriptor/a.cpp", '#include "impl/canal/canal.hpp"\n'),
            ("app/a.cpp", '#include "impl/canal/canal.hpp"\n#include "version.hpp"\n'),
            ("examples/your_own_lock/a.cpp", '#include "own.hpp"\n')))

    def test_forbidden_directions(self):
        for path, included in (("model/a.hpp", "impl/canal/canal.hpp"),
                               ("scheduler/a.cpp", "impl/canal/canal.hpp"),
                               ("scenarios/a.cpp", "impl/canal/canal.hpp"),
                               ("impl/canal/a.hpp", "scheduler/search/a.hpp"),
                               ("validate/histories/a.cpp", "validate/servers/a.hpp"),
                               ("model/a.hpp", "version.hpp"),
                               ("model/a.hpp", "action.hpp"),
                               ("model/a.hpp", "model/gone.hpp")):
            found = findings(includes, self.MODEL, self.IMPL, (path, f'#include "{included}"\n'))
            self.assertEqual(1, len(found), (path, included))

    def test_floors_of_the_scheduler(self):
        search = ("scheduler/search/a.hpp", "")
        for path in ("scheduler/states/b.cpp", "scheduler/base/b.hpp", "properties/b.hpp"):
            self.assertEqual(1, len(findings(includes, search, (path, '#include "scheduler/search/a.hpp"\n'))), path)
        for path in ("scheduler/runs/b.cpp", "scheduler/b.hpp", "scheduler/states/b_test.cpp", "measure/b.hpp"):
            self.assertEqual([], findings(includes, search, (path, '#include "scheduler/search/a.hpp"\n')), path)

    def test_results_are_values(self):
        runner = ("scheduler/runner.hpp", "")
        values = ("measure/a.hpp", '#include "scheduler/runner.hpp"\n')
        for path in ("reports/b.cpp", "work/results/b.hpp"):
            found = findings(includes, runner, values, (path, '#include "measure/a.hpp"\n'))
            self.assertEqual([f"{path}: results are values, but it reaches what runs: "
                              "measure/a.hpp > scheduler/runner.hpp"], found)
        for path in ("reports/b_test.cpp", "work/b.cpp"):
            self.assertEqual([], findings(includes, runner, values, (path, '#include "measure/a.hpp"\n')), path)
        self.assertEqual(1, len(findings(includes, ("work/a.hpp", ""), ("reports/b.cpp", '#include "work/a.hpp"\n'))))


class HeadersTest(unittest.TestCase):
    def test_headers(self):
        self.assertEqual([], findings(headers, ("model/a.hpp", "// What.\n#pragma once\n")))
        self.assertEqual([], findings(headers, ("model/a.hpp", "#pragma once\n\n// What.\n")))
        self.assertEqual(1, len(findings(headers, ("model/a.hpp", "// What.\n"))))
        self.assertEqual(1, len(findings(headers, ("model/a.hpp", "#pragma once\nint x;\n"))))

    def test_the_licence_is_not_what_a_header_is_for(self):
        line = "// " + licence.LICENCE + "\n"
        self.assertEqual([], findings(headers, ("model/a.hpp", line + "\n// What.\n#pragma once\n")))
        self.assertEqual(1, len(findings(headers, ("model/a.hpp", line + "#pragma once\nint x;\n"))))


class LicenceTest(unittest.TestCase):
    def test_each_language_has_its_comment(self):
        for path, line in (("a.cpp", "// {}"), ("a.cpp.in", "// {}"), ("a.tsx", "// {}"), ("a.css", "/* {} */"),
                           ("a.erl", "%% {}"), ("a.py", "# {}"), ("b/CMakeLists.txt", "# {}")):
            line = line.format(licence.LICENCE) + "\n"
            self.assertEqual([], findings(licence, (path, line + "x\n")), path)
            for wrong in ("", "x\n", "x\n" + line, line.replace("Apache", "MIT"), "\n" + line):
                found = findings(licence, (path, wrong))
                self.assertEqual([f"{path}:1: this line must be: {line.rstrip()}"], found, wrong)

    def test_what_the_kernel_reads_stays_the_first_line(self):
        line = "# " + licence.LICENCE + "\n"
        self.assertEqual([], findings(licence, (".ci/run", "#!/bin/sh\n" + line)))
        self.assertEqual(1, len(findings(licence, (".ci/run", "#!/bin/sh\ntrue\n" + line))))

    def test_data_and_pages_need_none(self):
        self.assertEqual([], findings(licence, ("a.json", "{}"), ("a.md", "# A\n"), ("a.pc.in", "x\n")))


class BrowserTest(unittest.TestCase):
    def test_what_the_playgrounds_library_lacks(self):
        for text in ("std::ranges::sort(v);", "std::jthread a;", "for (int i : std::views::iota(1, 2)) {}", 'x = std::format("{}", 1);'):
            self.assertEqual(1, len(findings(browser, ("reports/a.cpp", text))), text)
            for path in ("reports/a_test.cpp", "validate/wire/a.cpp", "impl/native/a.hpp", "serve/http_a.cpp"):
                self.assertEqual([], findings(browser, (path, text)), path)

    def test_headers_of_sockets_are_reached_by_what_a_page_has_not_alone(self):
        sockets = ("serve/http_a.hpp", "#include <boost/beast/http.hpp>\n")
        between = ("serve/b.hpp", '#include "serve/http_a.hpp"\n')
        user = '#include "serve/b.hpp"\n'
        self.assertEqual(["app/a.cpp: the playground has no sockets, but it includes serve/b.hpp > serve/http_a.hpp > boost/beast/http.hpp"],
                         findings(browser, ("app/a.cpp", user), between, sockets))
        self.assertEqual([], findings(browser, ("serve/http_b.cpp", user), ("app/a_test.cpp", user), between, sockets))

    def test_what_it_has(self):
        for text in ("fmt::format(a);", "std::span<int> a;", "// std::format", "std::ranges::begin(a);", "std::formatter_of x;"):
            self.assertEqual([], findings(browser, ("model/a.cpp", text)), text)


class WordsTest(unittest.TestCase):
    def test_planted(self):
        for text in ("// TO" + "DO: later", "// FIX" + "ME", "#if 0", "// return x;",
                     "// table.lock = free;", "// if (x > 1) {", "//release(unit);",
                     "// std::vector<int> a;", "// #include <vector>", "// at /" + "work/main",
                     "// in /" + "home/me/x"):
            self.assertEqual(1, len(findings(words, ("model/a.cpp", text))), text)

    def test_prose_and_examples(self):
        for text in ("// returns the unit; see below", "// the caller then calls",
                     "// return the unit to its bucket;", "// a = b means that both are equal;",
                     "//   release(unit);", "// acquire(): the grant;", "// in a network/ or disk",
                     "int x = 1;  // holds (believes) until release;", "#if defined(A)"):
            self.assertEqual([], findings(words, ("model/a.cpp", text)), text)

    def test_comments_that_are_read_twice(self):
        self.assertEqual([], findings(words, ("model/a.cpp", "// Of the last step.\n" * 60)))
        self.assertEqual(61, len(findings(words, ("model/a.cpp", "  // As it was.\n" * 61))))
        self.assertEqual([], findings(words, ("model/a.hpp", "// Official; what is known; Whatever")))
        self.assertEqual(["model/a.hpp:2: a comment's line begins with 'Who': say who does what"],
                         findings(words, ("model/a.hpp", "// one\n    // Who waits.\n")))


class PagesTest(unittest.TestCase):
    def test_a_page_for_users_has_an_end(self):
        self.assertEqual(["docs/start/a.md: 2501 words, at most 2500"],
                         findings(pages, ("docs/start/a.md", "word " * 2501), ("README.md", "x"),
                                  ("docs/index.md", "x")))

    def test_all_pages_for_users_together_have_one(self):
        many = [(f"docs/howto/p{number}.md", "word " * 599) for number in range(60)]
        self.assertEqual(["docs: 35940 words for users, at most 35000"], findings(pages, *many))

    def test_the_median_page_is_short(self):
        self.assertEqual(["docs: the median page has 700 words, below 600 is asked for"],
                         findings(pages, ("docs/index.md", "word " * 700)))

    def test_generated_pages_and_those_for_developers_are_not_counted(self):
        own = [(f"docs/decisions/{number}.md", "word " * 2500) for number in range(20)]
        self.assertEqual([], findings(pages, ("docs/reference/a.md", "<!-- generated by x -->" + "word " * 40000),
                                      *own))

    def test_the_readme_has_an_end(self):
        self.assertIn("README.md: 2501 words, at most 2500", findings(pages, ("README.md", "word " * 2501)))

    def test_a_page_for_developers_has_an_end_too(self):
        self.assertEqual(["docs/ARCHITECTURE.md: 2501 words, at most 2500"],
                         findings(pages, ("docs/ARCHITECTURE.md", "word " * 2501)))

    def test_a_page_that_a_source_names_is_there(self):
        self.assertEqual(["model/a.hpp:1: there is no docs/start/b.md"],
                         findings(pages, ("model/a.hpp", "// docs/start/b.md says how"),
                                  ("docs/start/c.md", "x")))
        self.assertEqual([], findings(pages, ("model/a.hpp", "// docs/start/b.md"),
                                      ("docs/start/b.md", "x")))


class TablesTest(unittest.TestCase):
    HEAD = "| a | b |\n|---|:-:|\n| 1 | 2 |\n"

    def found(self, text, path="docs/a.md"):
        return findings(tables, (path, text))

    def test_a_table_that_a_blank_line_cuts_is_found(self):
        self.assertEqual(["docs/a.md:5: a row of no table: a blank line above it cuts the table, or |---| is missing"],
                         self.found(self.HEAD + "\n| 3 | 4 |\n"))
        self.assertEqual([], self.found("text\n\n" + self.HEAD + "\ntext\n\n" + self.HEAD))

    def test_rows_have_the_cells_of_the_head(self):
        self.assertEqual(["docs/a.md:4: a row of 3 cells in a table of 2"], self.found(self.HEAD + "| 3 | 4 | 5 |\n"))
        self.assertEqual(["docs/a.md:4: a row of 1 cells in a table of 2"], self.found(self.HEAD + "| 3 | 4\n"))
        self.assertEqual(["docs/a.md:2: a row of 1 cells in a table of 2"], self.found("| a | b |\n|---|\n"))
        self.assertEqual([], self.found(self.HEAD + "| `3 \\| 4` | 5 |\n"))

    def test_a_head_without_dashes_is_found(self):
        self.assertEqual(1, len(self.found("| a | b |\n| 1 | 2 |\n")))
        self.assertEqual(1, len(self.found("| a | b |\n")))

    def test_text_that_touches_a_table_is_found(self):
        self.assertEqual(["docs/a.md:2: a table without a blank line above it"], self.found("text\n" + self.HEAD))
        self.assertEqual(["docs/a.md:4: a line that belongs to the table above it: a blank line is missing"],
                         self.found(self.HEAD + "text\n"))

    def test_marks_of_generated_parts_may_touch_a_table(self):
        self.assertEqual([], self.found("<!-- rates -->\n" + self.HEAD + "<!-- end of rates -->\ntext\n"))

    def test_code_and_other_files_are_passed_over(self):
        for fence in ("```", "~~~~", "  ```"):
            self.assertEqual([], self.found(f"{fence}console\n| a |\n\n```x\n| b |\n{fence.strip()}\n\n" + self.HEAD))
        self.assertEqual([], self.found("| a |\n", "model/a.cpp"))


if __name__ == "__main__":
    unittest.main()
