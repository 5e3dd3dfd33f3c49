#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The repository's own rules. Prints `file:line: problem` and exits with 1 when there is one."""

import pathlib
import sys

sys.dont_write_bytecode = True

import browser
import headers
import includes
import length
import licence
import lists
import pages
import source_text
import tables
import words

CHECKS = (length, includes, headers, licence, lists, words, pages, tables, browser)


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    files = source_text.read_repository(root)
    findings = [finding for check in CHECKS for finding in check.check(files)]
    for finding in findings:
        print(finding)
    if findings:
        print(f"lint: {len(findings)} problems in {len(files)} files", file=sys.stderr)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
