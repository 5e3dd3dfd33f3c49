# SPDX-License-Identifier: Apache-2.0
"""Dead links of a finished site: each link to a page of its own leads to a file, and to an anchor there."""

import html.parser
import pathlib
import posixpath
import urllib.parse


class _Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.anchors = set()
        self.links = []

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        for name in ("id", "name"):
            if attributes.get(name):
                self.anchors.add(attributes[name])
        link = attributes.get("href" if tag in ("a", "link") else "src")
        if link:
            self.links.append(link)


def _read(path):
    page = _Page()
    page.feed(path.read_text(encoding="utf-8", errors="replace"))
    return page


def _destination(link, page, site):
    """(file, anchor) on the site, None for a link that leads away."""
    parts = urllib.parse.urlsplit(link)
    if parts.scheme or parts.netloc:
        return None
    path = urllib.parse.unquote(parts.path)
    if path.startswith("/"):
        return None  # the page for what is not found knows no place of its own
    file = site / posixpath.normpath(posixpath.join(page.parent.relative_to(site).as_posix(), path)) \
        if path else page
    return (file / "index.html" if file.is_dir() else file), urllib.parse.unquote(parts.fragment)


def dead(site):
    """`page: link` of each link that leads nowhere."""
    site = pathlib.Path(site)
    pages = {path: _read(path) for path in sorted(site.rglob("*.html")) if path.is_file()}
    for path, page in pages.items():
        for link in page.links:
            destination = _destination(link, path, site)
            if destination is None:
                continue
            file, anchor = destination
            if file.parent.name == "playground":
                anchor = ""  # its addresses hold a scenario there (wasm/README.md)
            if not file.exists():
                yield f"{path.relative_to(site)}: {link}"
            elif anchor and file in pages and anchor not in pages[file].anchors:
                yield f"{path.relative_to(site)}: {link}"
