# SPDX-License-Identifier: Apache-2.0
"""What links.py says of objects: a call that leaves the page is told, and no other."""

import pathlib
import unittest

import links


def made(name, defines, calls, archive="liba.a"):
    one = links.Object(name, pathlib.Path(archive))
    one.defined, one.called = set(defines), set(calls)
    return one


SERVE = "_ZN10lockkeeper5serveEv"


class WhatWouldNotLink(unittest.TestCase):
    def told(self, browser, libraries, refused=(), c_library=None):
        return list(links.findings(browser, libraries, list(refused), c_library))

    def setUp(self):
        self.page = made("exports.o", ["lockkeeper_answer"], ["_ZN10lockkeeper3runEv"])
        self.verb = made("verb.o", ["_ZN10lockkeeper3runEv"], [SERVE])
        self.server = made("serve.cpp.o", [SERVE], ["socket"])

    def test_a_call_of_what_a_page_has_not_is_told_with_both_places(self):
        told = self.told([self.page], [self.verb], [self.server])
        self.assertEqual(1, len(told))
        self.assertIn("lockkeeper::serve() stands in liba.a(serve.cpp.o), which a page has not, and is called in liba.a(verb.o)", told[0])

    def test_where_the_browser_refuses_it_all_is_well(self):
        stub = made("refused.o", [SERVE], [])
        self.assertEqual([], self.told([self.page, stub], [self.verb], [self.server]))

    def test_an_object_that_nobody_calls_may_call_anything(self):
        alone = made("alone.o", ["_ZN10lockkeeper5aloneEv"], [SERVE, "socket"])
        self.verb.called = set()
        self.assertEqual([], self.told([self.page], [self.verb, alone], [self.server], c_library=set()))

    def test_a_function_of_ours_that_stands_nowhere_is_told(self):
        self.assertIn("is called in liba.a(verb.o)", self.told([self.page], [self.verb])[0])

    def test_a_new_function_of_the_c_library_is_told_and_those_of_the_c_plus_plus_library_are_not(self):
        self.verb.called = {"epoll_wait", "open", "memcpy", "__errno_location", "_ZSt9terminatev"}
        told = self.told([self.page], [self.verb], c_library={"open"})
        self.assertEqual(1, len(told))
        self.assertTrue(told[0].startswith("epoll_wait is called in liba.a(verb.o)"), told[0])


if __name__ == "__main__":
    unittest.main()
