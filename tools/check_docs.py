#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands that the documentation shows and compares what they print.

In README.md and docs/**/*.md a fenced block

    ```console
    $ lockkeeper replay scenarios/example.json   # exit 1
    verdict: violated
    ...
    seed: <number>
    ```

is run from the repository's root, each command by bash, with the built `lockkeeper` first in PATH.
- Each non-empty line below a command must be a line of its output (stdout and stderr), in this
  order; other lines may stand between them.
- `...` alone on a line is for the reader. `<commit>`, `<seconds>`, `<number>`, ... match any text
  without spaces. Spaces at the end of a line do not count.
- `# exit N` behind a command is the exit code it must have, 0 when it is missing.
- A command that ends in a backslash goes on in the next line.
- `build/release` in a command is the build that --bin names, and `/tmp/` a directory of the check's
  own beside it, `documentation/`: what one block makes there, the next may use.
- Pages of docs/start/ come first: what they make, the others use.
- `python3` is Debian's where another one is first in PATH that lacks Debian's packages for it.
- No block is left out: ```console with anything behind it is an error.
Exit codes: 0 as shown, 1 a mismatch (the first one is printed with file:line), 2 usage.
"""

import argparse
import contextlib
import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

FENCE = re.compile(r"^(\s*)(`{3,}|~{3,})\s*(.*?)\s*$")
EXIT_CODE = re.compile(r"\s+#\s*exit\s+(\d+)\s*$")
OWN_PLACES = re.compile(r"build/release|/tmp/")
# Where npm is not there, or has no network, the command is built without pages, and says so.
WITHOUT_PAGES = "this lockkeeper was built without npm, and has no pages"
TOKEN = re.compile(r"<[a-z][a-z0-9_-]*>")


@dataclasses.dataclass
class Command:
    """One `$ ` line, and the (line number, text) pairs expected from it."""

    path: str
    line: int
    text: str
    exit_code: int = 0
    expected: list = dataclasses.field(default_factory=list)


class Mismatch(Exception):
    """What the documentation shows is not what happens."""


def read_commands(path, text):
    """The commands in the console blocks of one file."""
    commands, current, fence, indent = [], None, None, 0
    for number, line in enumerate(text.splitlines(), 1):
        match = FENCE.match(line)
        if fence is None:
            if match:
                fence, indent, info = match.group(2), len(match.group(1)), match.group(3).split()
                runs = info[:1] == ["console"]
                if runs and len(info) > 1:
                    raise Mismatch(f"{path}:{number}: every console block is run:"
                                   f" '{info[1]}' means nothing")
                current = None
        elif match and match.group(2).startswith(fence) and not match.group(3):
            fence = None
        elif runs:
            current = read_line(path, number, line[indent:].rstrip(), current, commands)
    return commands


def read_line(path, number, line, current, commands):
    """One line inside a console block; returns the command it belongs to."""
    if current is not None and current.text.endswith("\\") and not current.expected:
        current.text = current.text[:-1] + line.strip()
    elif line.startswith("$ "):
        current = Command(path, number, line[2:].strip())
        commands.append(current)
    elif current is None:
        raise Mismatch(f"{path}:{number}: expected a command, '$ ...'")
    else:
        current.expected.append((number, line))
        return current
    if match := EXIT_CODE.search(current.text):
        current.exit_code = int(match.group(1))
        current.text = current.text[: match.start()]
    return current


def pattern(expected):
    """The regular expression of one expected line."""
    pieces = [re.escape(piece) for piece in TOKEN.split(expected)]
    return re.compile(r"\S+".join(pieces))


def compare(command, exit_code, output):
    """Raises Mismatch unless the command did what is shown, or could not for lack of npm outside of CI."""
    if WITHOUT_PAGES in output and not os.environ.get("CI"):
        print(f"skipped: {command.path}:{command.line}: {WITHOUT_PAGES}")
        return
    printed = [line.rstrip() for line in output.splitlines()]
    shown = "\n".join("    " + line for line in printed[-40:]) or "    (nothing)"
    where = f"{command.path}:{command.line}: $ {command.text}"
    if exit_code != command.exit_code:
        raise Mismatch(f"{where}\n  exit code {exit_code}, documented {command.exit_code};"
                       f" it printed:\n{shown}")
    position = 0
    for number, expected in command.expected:
        if not expected.strip() or expected.strip() == "...":
            continue
        wanted = pattern(expected)
        while position < len(printed) and not wanted.fullmatch(printed[position]):
            position += 1
        if position == len(printed):
            raise Mismatch(f"{command.path}:{number}: not printed here: {expected}\n"
                           f"  by: $ {command.text}\n  it printed:\n{shown}")
        position += 1


def placed(text, build):
    """The command with its paths in the build that is checked."""
    scratch = build / "documentation"
    scratch.mkdir(parents=True, exist_ok=True)
    places = {"build/release": str(build), "/tmp/": f"{scratch}/"}
    return OWN_PLACES.sub(lambda match: places[match.group()], text)


def run(command, root, build, environment, timeout_seconds):
    try:
        result = subprocess.run(
            ["bash", "-c", placed(command.text, build)], cwd=root, env=environment, timeout=timeout_seconds,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except subprocess.TimeoutExpired:
        raise Mismatch(f"{command.path}:{command.line}: $ {command.text}\n"
                       f"  still running after {timeout_seconds} s") from None
    output = result.stdout.decode(errors="replace")
    for place in (build, build.resolve()):
        output = output.replace(f"{place / 'documentation'}/", "/tmp/")
    compare(command, result.returncode, output)


def has_packages(python):
    """The packages of Debian's that the examples use (tools/packages.txt)."""
    return subprocess.run([python, "-c", "import psycopg2, redis"], check=False,
                          stderr=subprocess.DEVNULL).returncode == 0


def directory_of_python(bin_directory):
    """A directory for PATH with a `python3` that has the packages; none where the first one has them."""
    own, debian = shutil.which("python3"), "/usr/bin/python3"
    if own is None or has_packages(own) or not os.path.exists(debian) or not has_packages(debian):
        return ""
    directory = bin_directory / "documentation_python"
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "python3").unlink(missing_ok=True)
    (directory / "python3").symlink_to(debian)
    return f"{directory}:"


def environment_for(bin_directory):
    """The caller's environment without Lockkeeper's own settings, in a fixed language."""
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith("LOCKKEEPER_")}
    environment["PATH"] = (f"{bin_directory}:{directory_of_python(bin_directory)}"
                           f"{environment.get('PATH', '')}")
    environment["LC_ALL"] = "C.UTF-8"
    return environment


@contextlib.contextmanager
def without_spaces(build):
    """The build by a path that commands need not quote: what they show is /tmp."""
    if " " not in str(build):
        yield build
        return
    with tempfile.TemporaryDirectory() as directory:
        link = pathlib.Path(directory) / "build"
        link.symlink_to(build)
        yield link


def check(files, root, build, timeout_seconds):
    """How many commands do what is shown."""
    environment = environment_for(build)
    count = 0
    for path in files:
        name = os.path.relpath(path, root)
        for command in read_commands(name, path.read_text(encoding="utf-8")):
            run(command, root, build, environment, timeout_seconds)
            count += 1
    return count


def pages_of(root):
    """README.md and docs/**/*.md; those for starters first."""
    pages = sorted(root.glob("docs/**/*.md"), key=lambda page: (page.parent.name != "start", page))
    return [page for page in (root / "README.md", *pages) if page.exists()]


def main(arguments=None):
    here = pathlib.Path(__file__).resolve().parents[1]
    parser = argparse.ArgumentParser(description="Runs the commands that the documentation shows.")
    parser.add_argument("--root", type=pathlib.Path, default=here, help="the repository")
    parser.add_argument("--bin", type=pathlib.Path, default=None,
                        help="where `lockkeeper` is (default build/release)")
    parser.add_argument("--timeout", type=float, default=300, help="seconds for one command")
    parser.add_argument("files", nargs="*", help="only these (default README.md, docs/**/*.md)")
    options = parser.parse_args(arguments)
    root = options.root.resolve()
    build = (options.bin or root / "build/release").resolve()
    files = [pathlib.Path(name).resolve() for name in options.files] or pages_of(root)
    try:
        with without_spaces(build) as place:
            count = check(files, root, place, options.timeout)
    except Mismatch as mismatch:
        print(mismatch)
        return 1
    print(f"{count} commands in {len(files)} files do what the documentation shows")
    return 0


if __name__ == "__main__":
    sys.exit(main())
