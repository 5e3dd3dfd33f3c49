# SPDX-License-Identifier: Apache-2.0
"""What mkdocs.yml asks of us while MkDocs builds the site: links to files that are no pages, tables of
data beside the pages, and no dead link at the end."""

import csv
import pathlib
import re
import sys

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import links  # noqa: E402
import live_runs  # noqa: E402
import outside  # noqa: E402

# A paragraph that is nothing but a link to a table shows the table.
TABLE = re.compile(r"^\[([^\]]+)\]\(([^()\s]+[.]csv)\)$", re.MULTILINE)
_targets = set()


def _page_outside(target, config):
    """A Markdown file that is not below docs/, as a page."""
    place = outside.place_of(target)
    file = File(place, str(outside.DOCS), config["site_dir"], config["use_directory_urls"])
    file.abs_src_path = str(target)
    return file


def on_files(files, config):
    """Adds the Markdown files outside of docs/ that pages link to, and theirs."""
    _targets.clear()
    pages = [pathlib.Path(file.abs_src_path) for file in files.documentation_pages()]
    while pages:
        page = pages.pop()
        for target in outside.outside_targets(page.read_text(encoding="utf-8"), page):
            if target in _targets:
                continue
            _targets.add(target)
            if target.suffix == ".md":
                files.append(_page_outside(target, config))
                pages.append(target)
    return files


def _cell(text):
    return text.replace("|", "\\|")


def table(match, page, url):
    """The rows of a .csv as a table that opens."""
    with (page.parent / match[2]).open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    rows, run = live_runs.in_table(rows, url) if live_runs.PLAYGROUND.is_dir() else (rows, "")
    lines = ["| " + " | ".join(map(_cell, row)) + " |" for row in rows]
    lines.insert(1, "|" + "---|" * len(rows[0]))
    return f'??? note "{match[1]}"\n\n' + "\n".join("    " + line for line in lines) + "\n" + run


def on_page_markdown(markdown, page, config, files):
    """Tables and links as the site has them."""
    path = pathlib.Path(page.file.abs_src_path)
    markdown = TABLE.sub(lambda match: table(match, path, page.url), markdown)
    if live_runs.PLAYGROUND.is_dir():
        markdown = live_runs.on_site(markdown, page.url)
    return outside.on_site(markdown, path, page.file.src_uri)


def on_page_content(html, page, config, files):
    """Links to sources, now that the page is HTML."""
    return outside.resolved(html, page.url)


def on_post_build(config):
    """Writes the pages of sources, adds the playground, and looks at every link."""
    site = pathlib.Path(config["site_dir"])
    for target in sorted(_targets):
        if target.suffix != ".md":
            outside.write_below(target, site)
    if live_runs.PLAYGROUND.is_dir():
        live_runs.copy(site)
    dead = list(links.dead(site))
    if dead:
        raise PluginError("dead links:\n  " + "\n  ".join(dead))
