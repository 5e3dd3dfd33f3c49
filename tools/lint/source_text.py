# SPDX-License-Identifier: Apache-2.0
"""Reading the repository's files, and C++ without comments and literals."""

import pathlib
import re
import subprocess

CPP_SUFFIXES = {".cpp", ".hpp", ".cc", ".h"}

# A raw string, a string, a character (not the ' of 1'000), a comment.
_LITERAL_OR_COMMENT = re.compile(
    r'R"(?P<tag>[^()\\\s]{0,16})\(.*?\)(?P=tag)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-zA-Z_])'(?:\\.|[^'\\\n])+'"
    r"|//[^\n]*|/\*.*?\*/",
    re.DOTALL,
)
_PREPROCESSOR = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)


class SourceFile:
    """One file: its path relative to the root, with slashes, and its text."""

    def __init__(self, path, text):
        self.path = path
        self.text = text
        self.lines = text.splitlines()
        self.suffix = pathlib.PurePosixPath(path).suffix
        self.folder = path.split("/", 1)[0] if "/" in path else ""

    @property
    def is_cpp(self):
        return self.suffix in CPP_SUFFIXES

    @property
    def is_test(self):
        return self.path.endswith(("_test.cpp", "_test.hpp", "_test.py"))


def read_repository(root):
    """All text files that git tracks or would add."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root, check=True, capture_output=True).stdout.decode()
    files = []
    for path in sorted(set(filter(None, listed.split("\0")))):
        try:
            files.append(SourceFile(path, (root / path).read_text(encoding="utf-8")))
        except (UnicodeDecodeError, FileNotFoundError, IsADirectoryError):
            continue  # not text, or deleted and not yet committed
    return files


def _blank(match):
    """Spaces of the same shape, so that lines and columns stay where they are."""
    return re.sub(r"[^\n]", " ", match.group())


def code_only(text):
    """C++ without comments, literals and preprocessor lines; line numbers unchanged."""
    return _PREPROCESSOR.sub(_blank, _LITERAL_OR_COMMENT.sub(_blank, text))
