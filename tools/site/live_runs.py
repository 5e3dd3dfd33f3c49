# SPDX-License-Identifier: Apache-2.0
"""Runs on the site that a reader walks through: behind each command of a page that explores a shipped scenario stands a
<lockkeeper-run> (wasm/README.md), where `make playground` has made the playground before."""

import base64
import json
import pathlib
import re
import shutil
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLAYGROUND = ROOT / "build/playground"
ELEMENT = "lockkeeper-run-1.js"
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# Without flags: with them it would be another run.
COMMAND = re.compile(r"^\$ lockkeeper explore (scenarios/[\w/]+[.]json)(?: +#.*)?$", re.MULTILINE)


def packed(name, text):
    """A scenario as an address of the playground has it (reports/web/src/playground_link.ts)."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    data = deflate.compress(json.dumps([name, text], separators=(",", ":"), ensure_ascii=False).encode()) + deflate.flush()
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def element(path, root):
    """The run of a scenario file, and a link for readers without scripts. `root`: from the page to the site's."""
    text = (ROOT / path).read_text(encoding="utf-8")
    if "cases" in json.loads(text):
        return ""
    link = f"#1s/{packed(path, text)}//find=1"
    return (f'\n\n<lockkeeper-run link="{link}"><a href="{root}playground/index.html{link}">run it in the browser</a>'
            "</lockkeeper-run>\n")


def on_site(markdown, url):
    """The page with its runs. `url`: of the page on the site."""
    root = "../" * url.count("/")
    found = False

    def with_runs(block):
        nonlocal found
        runs = [element(path, root) for path in dict.fromkeys(COMMAND.findall(block[1])) if (ROOT / path).is_file()]
        found = found or any(runs)
        return block[0] + "".join(runs)

    markdown = BLOCK.sub(with_runs, markdown)
    return f'{markdown}\n\n<script type="module" src="{root}playground/{ELEMENT}"></script>\n' if found else markdown


def copy(site):
    """The playground as a part of the site."""
    shutil.rmtree(site / "playground", ignore_errors=True)
    shutil.copytree(PLAYGROUND, site / "playground")
