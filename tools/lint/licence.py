# SPDX-License-Identifier: Apache-2.0
"""Each source file names its licence in its first line, or in the second behind a `#!`."""

import pathlib

LICENCE = "SPDX-License-Identifier: Apache-2.0"
SLASHES = {".cpp", ".hpp", ".cc", ".c", ".h", ".ts", ".tsx", ".js", ".mjs"}
HASHES = {".py", ".sh", ".cmake"}
BLOCKS = {".css", ".pml", ".m"}
HASHES_BY_NAME = {"CMakeLists.txt", "Makefile", "Dockerfile"}


def line_for(source):
    """The line that the file must have, or None where it needs none: data, pages, settings."""
    name = pathlib.PurePosixPath(source.path.removesuffix(".in"))
    if name.suffix in SLASHES:
        return f"// {LICENCE}"
    if name.suffix in BLOCKS:
        return f"/* {LICENCE} */"
    if name.suffix == ".erl":
        return f"%% {LICENCE}"
    if name.suffix in HASHES or name.name in HASHES_BY_NAME or source.text.startswith("#!"):
        return f"# {LICENCE}"
    return None


def check(files):
    findings = []
    for source in files:
        wanted = line_for(source)
        number = 1 if source.text.startswith("#!") else 0
        if wanted and source.lines[number:number + 1] != [wanted]:
            findings.append(f"{source.path}:{number + 1}: this line must be: {wanted}")
    return findings
