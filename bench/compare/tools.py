# SPDX-License-Identifier: Apache-2.0
"""Runs one tool once on one scope and says how many states it saw and what it cost."""

import json
import math
import os
import pathlib
import shutil
import subprocess
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]

# Everything that compare.py and counts_test.py say to `lockkeeper` (docs/reference/output.md).
COMMON = ["--quiet", "--format", "json"]
EVERY_STATE = ["explore", "--keep-going", "--no-symmetry", "--interleavings", "off", *COMMON]
UP_TO_SYMMETRY = ["explore", "--keep-going", "--interleavings", "off", *COMMON]
ALL_REDUCTIONS = [*UP_TO_SYMMETRY, "--reduction", "relative-time"]
SHORTEST = ["explore", "--reduction", "symmetry", "--no-symmetry", "--interleavings", "off", *COMMON]
WHOLE_SMALL_SCOPE = ["explore", "--keep-going", *COMMON]
RANDOM_RUNS = ["fuzz", "--strategy", "random", "--schedules", "2000000", "--jobs", "1", *COMMON]

PASSED_OR_VIOLATED = (0, 1)


class ToolFailed(Exception):
    """A tool did not do what it was asked for."""


def measured(command, allowed=(0,), environment=None):
    """What the command prints, and what it cost with all its children: CPU s, s, MiB."""
    begin = time.monotonic()
    # Python's own wait would throw the child's usage away.
    child = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, cwd=ROOT,
                             text=True, env={**os.environ, **(environment or {})})
    output = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in allowed:
        raise ToolFailed(f"exit code {child.returncode}: {' '.join(map(str, command))}")
    return output, {"cpu_s": max(usage.ru_utime + usage.ru_stime, 0.001),
                    "wall_s": time.monotonic() - begin, "total_mib": usage.ru_maxrss / 1024}


class Lockkeeper:
    name = "lockkeeper"

    def __init__(self, binary, extra_flags=()):
        self.binary = pathlib.Path(binary).resolve()
        self.extra_flags = list(extra_flags)

    def missing(self):
        return None if self.binary.exists() else f"{self.binary} is not built"

    def run(self, flags, path):
        verb, *rest = flags
        extra = []
        if verb == "explore":  # the other tools use one core, too
            extra = self.extra_flags + ([] if "--jobs" in self.extra_flags else ["--jobs", "1"])
        output, cost = measured([self.binary, verb, path, *rest, *extra],
                                allowed=PASSED_OR_VIOLATED)
        result = json.loads(output)
        return {"tool": self.name, "version": result["version"], "scope": pathlib.Path(path).stem,
                "complete": result["complete"], "states": result["states"],
                "transitions": result["transitions"], "interleavings": result["interleavings"],
                "steps": result["files"][0]["steps"], "violations": result["violations"],
                "search_s": result["seconds"], **cost}

    def explore(self, scope, symmetry, states=0):
        del states  # it needs no hint
        result = self.run(UP_TO_SYMMETRY if symmetry else EVERY_STATE, scope.path)
        if not result["complete"]:
            raise ToolFailed(f"lockkeeper did not explore all of {scope.name}")
        return result

    def shortest(self, scope):
        """The steps of a shortest violation; None: nothing is violated."""
        result = self.run(SHORTEST, scope.path)
        if result["violations"]:
            return min(violation["steps"] for violation in result["violations"])
        if not result["complete"]:
            raise ToolFailed(f"lockkeeper did not explore all of {scope.name}")
        return None


class Reduced:
    """Lockkeeper with its reductions: another graph, of other states."""
    name = "reduced"
    counts_every_state = False

    def __init__(self, lockkeeper):
        self.lockkeeper = lockkeeper

    def missing(self):
        return None

    def explore(self, scope, symmetry, states=0):
        del symmetry, states
        result = self.lockkeeper.run(ALL_REDUCTIONS, scope.path)
        if not result["complete"]:
            raise ToolFailed(f"lockkeeper did not explore all of {scope.name}")
        return result


class Spin:
    name = "spin"

    def __init__(self, compiler_options="", compiler="gcc"):
        self.compiler_options = compiler_options
        self.compiler = compiler

    def missing(self):
        return None if shutil.which("spin") else "spin is not installed"

    def explore(self, scope, symmetry, states=0):
        """`states`, if known, sizes the hash table: one to two slots a state are fastest."""
        if symmetry:
            raise ToolFailed("SPIN knows no symmetry")
        return self._run(scope, {"W": str(max(math.ceil(math.log2(max(states, 1))), 16))})

    def shortest(self, scope):
        """The steps of a shortest violation; None: nothing is violated."""
        return self._run(scope, {"SHORTEST": "1", "W": "16"})["steps"]

    def _run(self, scope, environment):
        environment = {"REPEAT": "1", "PAN_CC": self.compiler, **environment}
        if self.compiler_options:
            environment["PAN_CFLAGS"] = self.compiler_options
        script, *arguments = scope.spin_command
        output, _ = measured([HERE / "spin" / script, *arguments], environment=environment)
        return {**json.loads(output), "scope": scope.name}


class Rumur:
    name = "rumur"

    def __init__(self, compiler_options="", reduction="heuristic", compiler="gcc"):
        self.compiler_options = compiler_options
        self.compiler = compiler
        self.reduction = reduction

    def missing(self):
        return None if shutil.which("rumur") else "rumur is not installed"

    def explore(self, scope, symmetry, states=0):
        """`states`, if known, makes the first hash table (8 bytes a slot) large enough."""
        environment = {"REPEAT": "1", "CAPACITY": str(max(16 * states, 2**20)),
                       "CHECKER_CC": self.compiler}
        if self.compiler_options:
            environment["CHECKER_CFLAGS"] = self.compiler_options
        output, _ = measured([HERE / "rumur/run_rumur.sh", *scope.model_arguments,
                              self.reduction if symmetry else "off"], environment=environment)
        return {**json.loads(output), "scope": scope.name}


class Relacy:
    name = "relacy"

    def __init__(self, binary, seconds):
        self.binary = pathlib.Path(binary).resolve()
        self.seconds = seconds

    def missing(self):
        return None if self.binary.exists() else (
            f"{self.binary} is not built (it needs the package relacy-dev)")

    def run(self, callers):
        output, _ = measured([self.binary, callers, self.seconds])
        return json.loads(output)
