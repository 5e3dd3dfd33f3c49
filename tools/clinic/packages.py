# SPDX-License-Identifier: Apache-2.0
"""The packages of a version: of npm into a folder of their own, Debian's as they are installed."""

import fcntl
import json
import os
import pathlib
import re
import shutil
import subprocess

import interrupts

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"


class NotInstalled(Exception):
    """A package is not to be had, or not in this version."""


def debian_version(package):
    """Of the installed package, without the epoch and Debian's own number; or nothing."""
    if shutil.which("dpkg-query") is None:
        return None
    ran = interrupts.run(["dpkg-query", "-W", "-f", "${db:Status-Status} ${Version}", package],
                         stderr=subprocess.DEVNULL)
    status, _, version = ran.stdout.partition(" ")
    if status != "installed":
        return None
    return re.sub(r"\+dfsg.*$", "", version.split(":", 1)[-1].rsplit("-", 1)[0])


def debian(version, packages):
    """The first package is the library; the others only have to be there."""
    missing = [package for package in packages if debian_version(package) is None]
    if missing:
        raise NotInstalled(f"not installed: {' '.join(missing)}; as root: apt-get install "
                           f"--no-install-recommends {' '.join(missing)}")
    met = debian_version(packages[0])
    if met != version:
        raise NotInstalled(f"met {packages[0]} {met}, not {version}")
    return pathlib.Path.cwd()


def name_of(package):
    """Of "tarn@2.0.0" or "redis-4@npm:redis@4.7.1": the folder below node_modules."""
    at = package.find("@", 1)
    return package[:at]


def npm(folder, packages):
    """Installs what is not there yet. No program of a package is run."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two that run at once install once
        stamp = folder / "installed"
        wanted = "\n".join(packages)
        if not stamp.is_file() or stamp.read_text(encoding="utf-8") != wanted:
            install(folder, packages)
            stamp.write_text(wanted, encoding="utf-8")
    for package in packages:
        check_version(folder, package)
    return folder


def install(folder, packages):
    if shutil.which("npm") is None:
        raise NotInstalled("not installed: npm")
    shutil.rmtree(folder / "node_modules", ignore_errors=True)
    (folder / "package-lock.json").unlink(missing_ok=True)
    (folder / "package.json").write_text('{"private": true}\n', encoding="utf-8")
    ran = interrupts.run(["npm", "install", "--prefix", str(folder), "--ignore-scripts", "--no-fund", "--no-audit",
                          "--save-exact", "--loglevel=error", "--", *packages], cwd=folder, stderr=subprocess.PIPE)
    if ran.returncode != 0:
        last = [line for line in ran.stderr.splitlines() if line.strip()][:3]
        raise NotInstalled(f"npm could not install {' '.join(packages)}: {' / '.join(last)}")


def check_version(folder, package):
    document = json.loads((folder / "node_modules" / name_of(package) / "package.json").read_text(encoding="utf-8"))
    met, wanted = document["version"].removeprefix("v"), package.rsplit("@", 1)[1]
    if met != wanted:
        raise NotInstalled(f"met {name_of(package)} {met}, not {wanted}")


def ready(expectation, version, cache):
    """The folder to run in."""
    if expectation.source == "debian":
        return debian(version["version"], version["packages"])
    return npm(cache / f"{expectation.name}-{version['version']}", version["packages"])


def environment(folder):
    """A driver outside this tree finds what the drivers here share by its name alone."""
    shared = {"NODE_PATH": ("clinic", "tasks", "wire/libraries", "wire"), "PYTHONPATH": ("tasks", "outside", "wire")}
    paths = {name: os.pathsep.join([*(str(EXAMPLES / part) for part in parts), *filter(None, [os.environ.get(name)])])
             for name, parts in shared.items()}
    return {**os.environ, **paths, "LOCKKEEPER_LIBRARIES": str(folder)}
