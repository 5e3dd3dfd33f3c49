# SPDX-License-Identifier: Apache-2.0
"""Reads examples/clinic/NAME/expectation.json: what is asked of a library, and what came out.

Every mistake is a Mistake that names the file and the place in it.
"""

import json
import pathlib
import re
import shlex

DOORS = {"tasks": ["--tasks"], "program": ["--program"], "wire redis": ["--wire", "redis", "--client"],
         "wire postgresql": ["--wire", "postgresql", "--client"], "wire mariadb": ["--wire", "mariadb", "--client"],
         "wire files": ["--wire", "files", "--client"], "wire tcp": ["--wire", "tcp", "--client"]}
SOURCES = ("debian", "npm")
VERDICTS = {"passed": 0, "violated": 1, "inconclusive": 2}
HANGS = ("deadlock", "livelock")  # of these a page shows no run

# Of each key: its type, and whether it must be there.
KEYS = {"library": (str, True), "where": (str, True), "promises": (str, True), "door": (str, True),
        "driver": (str, True), "scenario": (str, True), "flags": (list, False), "source": (str, True),
        "report": (str, False), "fault": (str, False), "advice": (str, False), "bare": (str, False),
        "not_bare": (str, False), "row": (str, False), "ci": (bool, False), "versions": (list, True)}
VERSION_KEYS = {"version": (str, True), "packages": (list, True), "arguments": (str, False),
                "flags": (list, False), "verdict": (str, True), "property": (str, False),
                "steps": (int, False), "complete": (bool, False)}
NAMES = {str: "a text", list: "a list", bool: "true or false", int: "a whole number"}
VERSION = re.compile(r"\w[\w.+~-]*$")
PACKAGE = {"debian": re.compile(r"[a-z0-9][a-z0-9+.-]+$"),
           "npm": re.compile(r"(\w[\w.-]*@npm:)?(@\w[\w.-]*/)?\w[\w.-]*@\w[\w.-]*$")}


class Mistake(Exception):
    """Of the folder's author."""


class Expectation:
    def __init__(self, folder, is_draft=False):
        """A draft may lack what a violated version asks of its author."""
        self.folder, self.name, self.is_draft = folder, folder.name, is_draft
        self.file = folder / "expectation.json"
        self.document = read(self.file)
        check(self.file, "", self.document, KEYS)
        for key, (kind, _) in KEYS.items():
            setattr(self, key, self.document.get(key, kind()))
        self.title = self.document["library"]
        self.check_values()

    def wrong(self, place, text):
        raise Mistake(f"{self.file}: {place}: {text}")

    def check_values(self):
        one_of(self.file, "/door", self.door, DOORS)
        one_of(self.file, "/source", self.source, SOURCES)
        if not self.scenario.startswith("built-in:") and not self.scenario_file().is_file():
            self.wrong("/scenario", f"there is no file {self.scenario}")
        self.words("/driver", self.driver)
        if not self.versions:
            self.wrong("/versions", "there is none")
        for place, version in enumerate(self.versions):
            self.check_version(f"/versions/{place}", version)
        check_texts(self.file, "/flags", self.flags)
        if self.report and not self.report.startswith("https://"):
            self.wrong("/report", "not an address that begins with https://")
        if self.bare:
            self.words("/bare", self.bare)
        if self.missing() and not self.is_draft:
            self.wrong("/", self.missing())

    def missing(self):
        """What the author has to say yet of a version that is violated."""
        if all(version["verdict"] != "violated" for version in self.versions):
            return ""
        if not (self.fault and self.advice):
            return "a version is violated: say \"fault\" and \"advice\""
        if bool(self.bare) == bool(self.not_bare):
            return ("a version is violated: name \"bare\", a program that shows it without Lockkeeper, or say in "
                    "\"not_bare\" why there is none")
        return ""

    def check_version(self, place, version):
        if not isinstance(version, dict):
            self.wrong(place, "not an object")
        check(self.file, place, version, VERSION_KEYS)
        one_of(self.file, place + "/verdict", version["verdict"], VERDICTS)
        if not VERSION.match(version["version"]):
            self.wrong(place + "/version", f"\"{version['version']}\" is no version")
        self.words("/driver", f"{self.driver} {version.get('arguments', '')}")
        if (version["verdict"] == "violated") != ("property" in version):
            self.wrong(place, "\"property\" stands beside the verdict \"violated\", and there alone")
        check_texts(self.file, place + "/flags", version.get("flags", []))
        check_texts(self.file, place + "/packages", version["packages"])
        for number, package in enumerate(version["packages"]):
            if not PACKAGE[self.source].match(package):
                self.wrong(f"{place}/packages/{number}",
                           f"\"{package}\" is no package of {self.source}"
                           + (" with its version, as \"tarn@2.0.0\"" if self.source == "npm" else ""))
        if not version["packages"]:
            self.wrong(place + "/packages", "there is none")

    def scenario_file(self):
        return (self.folder / self.scenario).resolve()

    def words(self, place, command):
        """Its words, with whole paths: the second one is a file of the folder, or named from there."""
        try:
            words = shlex.split(command)
        except ValueError as error:
            self.wrong(place, str(error))
        if len(words) < 2:
            self.wrong(place, "not \"INTERPRETER FILE ...\", as \"node driver.js\"")
        file = (self.folder / words[1]).resolve()
        if not file.is_file():
            self.wrong(place, f"there is no file {words[1]}")
        return [words[0], str(file), *words[2:]]


def read(file):
    if not file.is_file():
        raise Mistake(f"{file}: there is no such file: a library's folder has one")
    try:
        document = json.loads(file.read_text(encoding="utf-8"), object_pairs_hook=unique(file))
    except UnicodeDecodeError as error:
        raise Mistake(f"{file}: not UTF-8: {error.reason} at byte {error.start}") from error
    except json.JSONDecodeError as error:
        raise Mistake(f"{file}:{error.lineno}:{error.colno}: {error.msg}") from error
    except RecursionError as error:
        raise Mistake(f"{file}: nested too deep") from error
    if not isinstance(document, dict):
        raise Mistake(f"{file}: not an object")
    return document


def unique(file):
    def made(pairs):
        for number, (key, _) in enumerate(pairs):
            if any(key == other for other, _ in pairs[:number]):
                raise Mistake(f"{file}: the key \"{key}\" stands twice in one object")
        return dict(pairs)
    return made


def check(file, place, document, keys):
    for key in document:
        if key not in keys:
            raise Mistake(f"{file}: {place}/{key}: unknown key; known are {', '.join(keys)}")
    for key, (kind, needed) in keys.items():
        if key not in document:
            if needed:
                raise Mistake(f"{file}: {place or '/'}: \"{key}\" is missing")
        elif type(document[key]) is not kind:
            raise Mistake(f"{file}: {place}/{key}: not {NAMES[kind]}")
        elif kind is str and (not document[key].strip() or not document[key].isprintable()):
            raise Mistake(f"{file}: {place}/{key}: empty, or not one line of text")


def check_texts(file, place, texts):
    for number, text in enumerate(texts):
        if type(text) is not str:
            raise Mistake(f"{file}: {place}/{number}: not a text")


def one_of(file, place, value, known):
    if value not in known:
        raise Mistake(f"{file}: {place}: \"{value}\" is none of {', '.join(known)}")


def scenario_of(expectation):
    """The scenario's document; of a built-in one only its name."""
    if expectation.scenario.startswith("built-in:"):
        return {"about": f"The scenario {expectation.scenario}.", "callers": [], "faults": {}}
    file = expectation.scenario_file()
    return read(file)


def all_of(root):
    """The expectations below this folder, by name."""
    return [Expectation(file.parent) for file in sorted(pathlib.Path(root).glob("*/expectation.json"))]
