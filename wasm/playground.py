#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts the playground together: static files, which any web server serves.

The engine's module, the pages that npm has built, the scenarios that are shipped, and the locks to begin with
(wasm/starts.json). Usage: playground.py ENGINE_FOLDER PAGES_FOLDER OUT. Exit codes: 0, 2 usage.
"""

import hashlib
import json
import pathlib
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
MERGED_IN_CASES = ("parameters", "faults", "limits")
SCHEMA = "scenarios/schema/scenario.schema.json"
CLIENT = "examples/outside/lockkeeper_client.js"


def each_case(name, text):
    """The scenarios of a file: scenarios/cases.hpp says what a case is."""
    document = json.loads(text)
    if "cases" not in document:
        yield name, text
        return
    for case in document.pop("cases"):
        one = dict(document)
        for key, value in case.items():
            is_merged = key in MERGED_IN_CASES and isinstance(one.get(key), dict) and isinstance(value, dict)
            one[key] = {**one[key], **value} if is_merged else value
        # A name with # would ask for a case of this text, which has none.
        yield f"{name.removesuffix('.json')}/{one.pop('name')}.json", json.dumps(one, indent=4)


def scenarios():
    """The text of each shipped scenario, by the path of its file and the name of its case."""
    paths = sorted(path for path in (ROOT / "scenarios").rglob("*.json") if "schema" not in path.parts)
    return {name: text for path in paths
            for name, text in each_case(str(path.relative_to(ROOT)), path.read_text())}


def scenario(named):
    """(name, text) of "FILE", or of "FILE#CASE"."""
    file, _, case = named.partition("#")
    wanted = f"{file.removesuffix('.json')}/{case}.json" if case else file
    return wanted, dict(each_case(file, (ROOT / file).read_text()))[wanted]


def form(described):
    """A start as the page takes it (reports/web/src/playground_starts.tsx)."""
    if "scenario" in described:
        name, text = scenario(described["scenario"])
        return {"name": name, "text": text}
    own = described["own"]
    program = ROOT / own["program"]
    return {"name": own["program"],
            "own": {"file": program.name, "program": program.read_text(), "flags": own["flags"],
                    "scenario": (ROOT / own["scenario"]).read_text()}}


def starts():
    described = json.loads((ROOT / "wasm/starts.json").read_text())
    return [{**start, "wrong": form(start["wrong"]), "right": form(start["right"])} for start in described]


def service_worker(out):
    """The worker that keeps all files, under a name that changes with any of them."""
    files = sorted(str(path.relative_to(out)) for path in out.rglob("*") if path.is_file())
    digest = hashlib.sha256(b"".join((out / name).read_bytes() for name in files)).hexdigest()[:16]
    text = (ROOT / "wasm/service_worker.js").read_text()
    text = text.replace("'lockkeeper-0'", f"'lockkeeper-{digest}'").replace("['./']", json.dumps(["./", *files]))
    (out / "service_worker.js").write_text(text)


def write(path, value):
    path.write_text(json.dumps(value, separators=(",", ":")))


def main():
    if len(sys.argv) != 4:
        print(__doc__, file=sys.stderr)
        return 2
    engine, pages, out = map(pathlib.Path, sys.argv[1:])
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(pages / "dist/playground", out)
    (out / "playground.html").rename(out / "index.html")
    modules = [engine / f"{module}.{kind}" for module in ("api", "engine") for kind in ("js", "wasm")]
    for source in (*modules, engine / "names.json", ROOT / SCHEMA, pages / "own_lock.html", ROOT / CLIENT):
        shutil.copy(source, out)
    write(out / "scenarios.json", scenarios())
    write(out / "starts.json", starts())
    service_worker(out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
