# SPDX-License-Identifier: Apache-2.0
"""Links of pages to files of the repository that are no pages: sources, scenarios, folders.

On the site each such file or folder is a page of its own below `source/`, so that the site needs no
network and has no dead links. Markdown files outside of docs/ become pages like those inside."""

import html
import os
import pathlib
import posixpath
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
FENCE = re.compile(r"^\s*(```|~~~)")
LINK = re.compile(r"\]\(([^()\s]+)\)")
REMOTE = re.compile(r"^([a-z][a-z0-9+.-]*:|//|#)", re.IGNORECASE)


def prose_lines(markdown):
    """(line, whether it is outside of fenced code) of each line."""
    is_code = False
    for line in markdown.split("\n"):
        is_fence = bool(FENCE.match(line))
        yield line, not (is_code or is_fence)
        is_code ^= is_fence


def target_of(link, page):
    """The file or folder that a link of the file `page` names, and the anchor; None for other links."""
    path, _, anchor = link.partition("#")
    if REMOTE.match(link) or not path:
        return None
    return pathlib.Path(os.path.normpath(page.parent / path)), anchor


def is_on_site(target):
    """Whether MkDocs itself has it: a file below docs/."""
    return target.is_relative_to(DOCS) and target.is_file()


def outside_targets(markdown, page):
    """What the page links to that exists in the repository and is no file in docs/."""
    for line, is_prose in prose_lines(markdown):
        for link in LINK.findall(line) if is_prose else ():
            target = target_of(link, page)
            if target and target[0].exists() and not is_on_site(target[0]):
                yield target[0]


def folder_of(name):
    """The folder of a file's page. A page is called index.html itself."""
    return name + "_" if name == "index.html" else name


def place_of(target):
    """Where on the site a file that is not below docs/ stands."""
    place = target.relative_to(ROOT)
    return posixpath.normpath(posixpath.join("source", place.parent.as_posix(), folder_of(place.name)))


# A link that MkDocs leaves alone until the page is HTML.
MARK = "source-of-the-repository:"


def on_site(markdown, page, page_place):
    """The Markdown with its links as the site has them. `page_place`: of the page among the site's
    Markdown files, by which those find each other."""

    def replaced(match):
        target = target_of(match[1], page)
        if not target or not target[0].exists():
            return match[0]
        file, anchor = target
        is_inside = is_on_site(file)
        if is_inside and page.is_relative_to(DOCS):
            return match[0]
        if not is_inside and file.suffix != ".md":
            return f"]({MARK}{place_of(file)}/index.html)"
        place = file.relative_to(DOCS).as_posix() if is_inside else place_of(file)
        link = posixpath.relpath(place, posixpath.dirname(page_place) or ".")
        return f"]({link}{'#' + anchor if anchor else ''})"

    return "\n".join(LINK.sub(replaced, line) if is_prose else line
                     for line, is_prose in prose_lines(markdown))


def resolved(page_html, page_url):
    """The page with its marked links relative to its address."""
    return re.sub(f'"{MARK}([^"]+)"',
                  lambda match: f'"{posixpath.relpath(match[1], posixpath.dirname(page_url) or ".")}"',
                  page_html)


def listing(target):
    """A folder as HTML: what git would find there."""
    names = sorted(child.name + ("/" if child.is_dir() else "") for child in target.iterdir()
                   if not child.name.startswith(".") and child.name != "node_modules")
    return "".join(f'<li><a href="{html.escape(folder_of(name.rstrip("/")))}/index.html">'
                   f"{html.escape(name)}</a></li>" for name in names)


def document(target):
    """The page of one file or folder."""
    name = html.escape(target.relative_to(ROOT).as_posix())
    if target.is_dir():
        body = f"<ul>{listing(target)}</ul>"
    else:
        text = target.read_text(encoding="utf-8", errors="replace")
        body = f"<pre>{html.escape(text)}</pre>"
    return (f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{name}</title></head>'
            f"<body><h1>{name}</h1>{body}</body></html>\n")


def write_below(target, site):
    """Writes the page of a file, or of a folder and everything in it."""
    folder = site / place_of(target)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "index.html").write_text(document(target), encoding="utf-8")
    for child in target.iterdir() if target.is_dir() else ():
        if not child.name.startswith(".") and child.name != "node_modules":
            write_below(child, site)
