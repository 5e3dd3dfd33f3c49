# SPDX-License-Identifier: Apache-2.0
"""Files that a tool writes: written again where they differ, or only compared. For tools/fill_tables.py
and the tools of tools/site."""


def write_or_check(texts, only_check, source, tool):
    """texts: (path, text) of each file. Returns the exit code: 1 where `only_check` found one that is
    not as `source` says; it is named, and so is the tool that writes it."""
    differing = []
    for path, text in texts:
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        differing.append(path.name)
        if not only_check:
            path.write_text(text, encoding="utf-8")
    if differing and only_check:
        print(f"{', '.join(differing)}: not as {source}; run {tool}")
        return 1
    return 0
