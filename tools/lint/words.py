# SPDX-License-Identifier: Apache-2.0
"""No unfinished business, no commented-out code, no path that exists on one machine only, few comments that
begin with a word behind which most readers read twice."""

import re

_UNFINISHED = re.compile(r"\b(TO" + r"DO|FIX" + r"ME)\b")
_DISABLED = re.compile(r"^\s*#\s*if\s+(0|false)\b")
_MACHINE = re.compile(r"(/[w]ork/|[.]library\b|[f]arm-bench|/[h]ome/\w|/[r]oot/\w|/[U]sers/\w)",
                      re.IGNORECASE)

# Statements that prose does not look like. A comment that shows how something is used indents the
# example by two spaces or more, and is not looked at.
_COMMENTED_OUT = re.compile(
    r"^\s*// ?(?:"
    r"#\s*include\s*[<\"]"
    r"|(?:if|for|while|switch) \(.*\) \{$"
    r"|\} ?else\b.*\{$"
    r"|(?:const |constexpr |static )*(?:auto|bool|int|void|double|std::[\w:<>, ]+)[&*]* \w+(?: = .*|\{.*\})?;$"
    r"|(?:return|co_return)(?: [\w:.>\-]+(?:\(.*\))?)?;$"
    r"|[A-Za-z_][\w:]*(?:(?:\.|->)\w+)*\([^()]*(?:\([^()]*\)[^()]*)*\);$"
    r"|[A-Za-z_]\w*(?:(?:\.|->)\w+)* [-+|&]?= [^ ]+;$"
    r")")

# "Of the last step what is known" says neither who acts nor what is done.
_READ_TWICE = re.compile(r"^ *// (Of|What|Who|Whose|As|So|Those) ")
_READ_TWICE_MAX = 60  # in all, and none in a header


def read_twice(files):
    in_sources = []
    findings = []
    for source in files:
        if not source.path.endswith((".cpp", ".hpp")):
            continue
        for number, text in enumerate(source.lines, 1):
            if match := _READ_TWICE.match(text):
                to = findings if source.suffix == ".hpp" else in_sources
                to.append(f"{source.path}:{number}: a comment's line begins with '{match.group(1)}':"
                          " say who does what")
    return findings + (in_sources if len(in_sources) > _READ_TWICE_MAX else [])


def check(files):
    findings = read_twice(files)
    for source in files:
        for number, text in enumerate(source.lines, 1):
            where = f"{source.path}:{number}"
            if match := _UNFINISHED.search(text):
                findings.append(f"{where}: {match.group()}: finish it or file an issue")
            if match := _MACHINE.search(text):
                findings.append(f"{where}: '{match.group()}' means something on one machine only")
            if source.is_cpp and _DISABLED.match(text):
                findings.append(f"{where}: disabled code; git remembers it")
            if source.is_cpp and _COMMENTED_OUT.match(text):
                findings.append(f"{where}: commented-out code? (an example is indented by two"
                                " spaces)")
    return findings
