# SPDX-License-Identifier: Apache-2.0
"""How the reference is made of what the command says."""

import unittest

import reference

HELP = """Scenarios as tests: does each file meet its expectation?
Usage: lockkeeper run [OPTIONS] FILE|DIR...

Positionals:
  FILE|DIR TEXT ... REQUIRED  Scenario files

Options:
  -h,--help                   Print this help message and exit
  --seed N                    Seed of all random
                              choices [LOCKKEEPER_SEED] (default: the scenario's, else 1)
  -q,--quiet                  No progress on stderr

Examples:
  lockkeeper run scenarios/single_counter
"""


class Flags(unittest.TestCase):
    def test_are_rows_with_default_and_variable(self):
        self.assertEqual(["`--seed N`", "Seed of all random choices", "the scenario's, else 1",
                          "`LOCKKEEPER_SEED`"],
                         reference.row_of_flag(*reference.options_of(HELP)[1]))

    def test_of_a_verb_are_a_table_with_its_examples(self):
        page = reference.flags_page(lambda verb: HELP)
        self.assertIn("| `-q,--quiet` | No progress on stderr |  |  |", page)
        self.assertIn("```sh\nlockkeeper run scenarios/single_counter\n```", page)
        self.assertNotIn("--help`", page.split("## run", 1)[1])


class Schemas(unittest.TestCase):
    def test_keys_of_objects_and_lists_are_entered(self):
        schema = {"properties": {"a": {"type": "array", "items": {"properties": {"b": {"type": "string"}}}}}}
        self.assertEqual(["a", "a[].b"], [key for key, _ in reference.keys_of(schema)])

    def test_types_are_words(self):
        self.assertEqual("list of integer", reference.type_of({"type": "array", "items": {"type": "integer"}}))
        self.assertEqual("`verdict`", reference.type_of({"$ref": "#/definitions/verdict"}))
        self.assertEqual("string or null", reference.type_of({"type": ["string", "null"]}))


if __name__ == "__main__":
    unittest.main()
