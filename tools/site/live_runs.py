# SPDX-License-Identifier: Apache-2.0
"""Runs on the site that a reader walks through: behind each command of a page that explores a shipped scenario stands a
<lockkeeper-run> (wasm/README.md), where `make playground` has made the playground before; so does the first scenario
of a table of findings, and the name of each leads to its run. So does what a page of findings links to, behind the
paragraph. A library of the clinic runs in no browser: behind its shortest run stands the recorded one, where
`make clinic` has run it before."""

import base64
import html
import json
import pathlib
import re
import shutil
import sys
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "wasm"))

from playground import each_case  # noqa: E402

PLAYGROUND = ROOT / "build/playground"
REPORTS = ROOT / "build/clinic/reports"  # tools/clinic/clinic.py writes them
RECORDED = "recorded"  # their folder on the site
ELEMENT = "lockkeeper-run-1.js"
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
RUN = re.compile(r"^<lockkeeper-run .*</lockkeeper-run>\n", re.MULTILINE)
# Without flags: with them it would be another run. After `run` several files may stand: the first of them.
COMMAND = re.compile(r"^\$ lockkeeper (?:explore|run) (scenarios/[\w/]+[.]json(?:#\w+)?)(?: scenarios/[\w/.#]+)*(?: +#.*)?$",
                     re.MULTILINE)
# A paragraph or a table, with the scenario that it links to first.
LINKING = re.compile(r"^(?:.+\n)*?.*?\]\([./]*/(scenarios/[\w/]+[.]json(?:#\w+)?)\)(?:.*\n)(?:.+\n)*", re.MULTILINE)


def packed(name, text):
    """A scenario as an address of the playground has it (reports/web/src/playground_link.ts)."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    data = deflate.compress(json.dumps([name, text], separators=(",", ":"), ensure_ascii=False).encode()) + deflate.flush()
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def fragment(named):
    """The address of the shortest violation of "FILE" or "FILE#CASE", behind the playground's own. "": there is none."""
    path, _, case = named.partition("#")
    if not (ROOT / path).is_file():
        return ""
    wanted = f"{path.removesuffix('.json')}/{case}.json" if case else path
    texts = dict(each_case(path, (ROOT / path).read_text(encoding="utf-8")))
    return f"#1s/{packed(wanted, texts[wanted])}//find=1" if wanted in texts else ""


def element(link, root):
    """The run, and a link for readers without scripts. `root`: from the page to the site's."""
    return (f'\n\n<lockkeeper-run link="{link}"><a href="{root}playground/index.html{link}">run it in the browser</a>'
            "</lockkeeper-run>\n")


SHORTEST = re.compile(r"^The shortest run of (\S+):\n\n```text\n.*?^```$", re.MULTILINE | re.DOTALL)


def with_recorded(markdown, url):
    """A page of the clinic with its recorded runs."""
    library = re.fullmatch(r"clinic/([\w-]+)[.]html", url)

    def behind(run):
        name = f"{library[1]}-{run[1]}.html"
        if not (REPORTS / name).is_file():
            return run[0]
        address = f"{to_root(url)}{RECORDED}/{name}"
        return (f'{run[0]}\n\n<lockkeeper-run recorded="{address}" title="The shortest run of {run[1]}">'
                f'<a href="{address}">the recorded run</a></lockkeeper-run>')

    return SHORTEST.sub(behind, markdown) if library else markdown


def to_root(url):
    """From the page of this address to the site's first."""
    return "../" * url.count("/")


def breakable(name):
    """A path that a narrow column may break."""
    return re.sub("([/#_])", r"\1<wbr>", html.escape(name))


def in_table(rows, url):
    """(rows, what stands below): a table with the column `scenario`, whose names lead to their runs. Others as they are."""
    if rows[0][-1] != "scenario":
        return rows, ""
    links = [fragment(f"scenarios/{row[-1]}") for row in rows[1:]]
    cells = [f'<a href="{to_root(url)}playground/index.html{link}">{breakable(row[-1])}</a>' if link else row[-1]
             for row, link in zip(rows[1:], links)]
    return [rows[0], *([*row[:-1], cell] for row, cell in zip(rows[1:], cells))], \
        "".join(element(link, to_root(url)) for link in [*filter(None, links)][:1])


def on_site(markdown, url):
    """The page with its runs. `url`: of the page on the site."""
    root = to_root(url)

    def with_runs(block):
        links = map(fragment, dict.fromkeys(COMMAND.findall(block[1])))
        return block[0] + "".join(element(link, root) for link in links if link)

    def behind_links(block):
        link = fragment(block[1])
        return block[0] + (element(link, root) if link else "")

    if url.startswith("findings/"):
        markdown = LINKING.sub(behind_links, markdown)
    markdown = with_recorded(BLOCK.sub(with_runs, markdown), url)
    for run in set(RUN.findall(markdown)):  # once on a page
        before, *behind = markdown.split(run)
        markdown = before + run + "".join(behind)
    script = f'\n\n<script type="module" src="{root}playground/{ELEMENT}"></script>\n'
    return markdown + script if "<lockkeeper-run " in markdown else markdown


def copy(site):
    """The playground and the recorded runs as parts of the site."""
    for source, name in ((PLAYGROUND, "playground"), (REPORTS, RECORDED)):
        shutil.rmtree(site / name, ignore_errors=True)
        if source.is_dir():
            shutil.copytree(source, site / name)
