# SPDX-License-Identifier: Apache-2.0
"""Each header starts with a comment that says what it is for, behind the line of its licence, and has
`#pragma once`."""

import re


def check(files):
    findings = []
    for source in files:
        if source.suffix not in {".hpp", ".h"}:
            continue
        if not re.search(r"^#pragma once$", source.text, re.MULTILINE):
            findings.append(f"{source.path}:1: no #pragma once")
        text = re.sub(r"\A// SPDX-[^\n]*", "", source.text)
        leading = re.sub(r"\A\s*#pragma once\s*", "", text).lstrip()
        if not leading.startswith(("//", "/*")):
            findings.append(f"{source.path}:1: no leading comment that says what the header is for")
    return findings
