"""What a scope of tools/sweep.py is."""

import itertools
from dataclasses import dataclass


@dataclass(frozen=True)
class Scope:
    clients: int
    circumstances: frozenset
    script: str
    scenario: dict


def sets_of(names, size_most, exclusive=()):
    """All sets of up to `size_most` names; of each exclusive group at most one."""
    for size in range(size_most + 1):
        for chosen in itertools.combinations(names, size):
            if all(len(set(chosen) & set(group)) <= 1 for group in exclusive):
                yield frozenset(chosen)


CRASH = "crashes"
RESTART = "client_restarts"  # after a crash
DEATHS = (CRASH, RESTART)


def faults_of(known, circumstances):
    """As `faults` of a scenario: each once; who starts again has died before."""
    faults = {fault: 1 for fault in known if fault in circumstances}
    if RESTART in faults:
        faults[CRASH] = 1
    return faults


def clients_of(count, script, settings):
    """As `callers` of a scenario: all alike, or one with settings of its own."""
    if not settings:
        return [{"name": "client", "count": count, "script": script}]
    return [{"name": "other", "settings": settings, "script": script},
            {"name": "client", "count": count - 1, "script": script}]


def call(what, key, **more):
    return {"call": {"what": what, "key": key, **more}}


def acquire(key, **more):
    return {"acquire": {"key": key, **more}}


def release(key):
    return {"release": {"key": key}}
