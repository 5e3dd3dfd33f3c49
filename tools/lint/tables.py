# SPDX-License-Identifier: Apache-2.0
"""A table of a page is one: a head, a line of dashes, rows with as many cells, and blank lines around it. A blank
line inside of a table makes its rest a paragraph of bars, and a row with a cell more loses it. Code is passed over."""

import re

_FENCE = re.compile(r"^\s*(```+|~~~+)")
_DASHES = re.compile(r"^\|(?:\s*:?-+:?\s*\|)+$")
_COMMENT = re.compile(r"^<!--.*-->$")  # the mark of a generated part: a block of its own
_BAR = re.compile(r"(?<!\\)\|")


def _blocks(lines):
    """(number of the first line, lines) of what stands between blank lines, code left out."""
    fence, block, first = None, [], 0
    for number, line in enumerate(lines + [""], 1):
        mark = _FENCE.match(line)
        is_code = fence is not None or mark is not None
        if mark and fence is None:
            fence = mark.group(1)
        elif mark and mark.group(1).startswith(fence) and line.strip() == mark.group(1):
            fence = None
        if not is_code and line.strip() and not _COMMENT.match(line.strip()):
            first = first if block else number
            block.append(line.strip())
        elif block:
            yield first, block
            block = []


def _problems(block):
    """(line of the block, what is wrong)"""
    rows = [at for at, line in enumerate(block) if line.startswith("|")]
    if not rows:
        return
    head = rows[0]
    if head + 1 >= len(block) or not _DASHES.match(block[head + 1]):
        yield head, "a row of no table: a blank line above it cuts the table, or |---| is missing"
        return
    if head > 0:
        yield head, "a table without a blank line above it"
    cells = len(_BAR.findall(block[head])) - 1
    for at in range(head, len(block)):
        if not block[at].startswith("|"):
            yield at, "a line that belongs to the table above it: a blank line is missing"
            return
        found = len(_BAR.findall(block[at])) - 1
        if found != cells or not block[at].endswith("|"):
            yield at, f"a row of {found} cells in a table of {cells}"


def check(files):
    return [f"{source.path}:{first + at}: {problem}"
            for source in files if source.suffix == ".md"
            for first, block in _blocks(source.lines) for at, problem in _problems(block)]
