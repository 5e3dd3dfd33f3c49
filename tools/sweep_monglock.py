"""The scopes of monglock's locks: faults of the store, clocks, time-outs."""

from sweep_common import (CRASH, DEATHS, RESTART, Scope, acquire, call, faults_of, release,
                          sets_of)

FAULTS = ["not_applied", "ack_lost", "read_fails", "read_lags", "deletions", "failovers",
          "save_backs", "clock_jumps", "resends", "duplicates", "late_requests", CRASH, RESTART]
AHEAD = "a clock ahead"
BEHIND = "a clock behind"
FAST = "a clock that runs fast"
CLOCKS = (AHEAD, BEHIND, FAST)
SHORTER = "a shorter locktimeout"
TIMEOUT = 10
SKEW = 3
JUMP = 3
DRIFT = 200  # thousandths
GAINED = 4   # and what it gains in the time that a scope takes


def clients_of(count, script, circumstances):
    """One entry for those that are alike, one for the client that differs."""
    settings = {}
    if AHEAD in circumstances:
        settings["clock"] = SKEW
    if BEHIND in circumstances:
        settings["clock"] = -SKEW
    if FAST in circumstances:
        settings["drift"] = DRIFT
    if SHORTER in circumstances:
        settings["locktimeout"] = TIMEOUT // 2
    if not settings:
        return [{"count": count, "script": script}]
    return [{"name": "other", "settings": settings, "script": script},
            {"name": "client", "count": count - 1, "script": script}]


# A clock that is never set gains more than any grace by the time that somebody has started again.
def is_beyond_any_grace(circumstances):
    return {FAST, RESTART} <= circumstances


def bounds_of(circumstances):
    """Grace that the repaired variant needs: 1, because expiry is inclusive, and what clocks do."""
    grace = 1
    grace += SKEW if AHEAD in circumstances or BEHIND in circumstances else 0
    grace += GAINED if FAST in circumstances else 0
    grace += 2 * JUMP if "clock_jumps" in circumstances else 0
    return {"grace": grace}


def document(key):
    return acquire(key, until="acquired")


def write_lock_scopes(variant):
    write = call("write", "doc")
    scripts = {
        "acquire, write, release": [document("doc"), write, release("doc")],
        "acquire, write, release_any":
            [document("doc"), write, call("release_any", "doc")],
    }
    for clients in (2, 3):
        for name, script in scripts.items():
            for circumstances in sets_of([*FAULTS, *CLOCKS, SHORTER], 2 if clients == 2 else 1,
                                         [CLOCKS, DEATHS]):
                # A contender whose own period is shorter takes what is not old for the holder: no
                # repair on the holder's side can know of it.
                if variant == "repaired" and (SHORTER in circumstances
                                              or is_beyond_any_grace(circumstances)):
                    continue
                parameters = {"locktimeout": TIMEOUT, "jump": JUMP}
                if variant == "repaired":
                    parameters.update(bounds_of(circumstances))
                yield Scope(clients, circumstances, name, {
                    "version": 1, "system": "monglock_write", "variant": variant,
                    "parameters": parameters,
                    "faults": faults_of(FAULTS, circumstances),
                    "callers": clients_of(clients, script, circumstances)})


# What the tags are to each other, and who asks for which: the scripts of the clients.
MULTI_SETUPS = {
    "one writer, one reader": (
        {"read": {"cooperative": ["write"]},
         "write": {"cooperative": ["write"], "assertive": ["read"]}}, ["write", "read"]),
    "two writers": (
        {"write": {"cooperative": ["write"], "assertive": []}}, ["write", "write"]),
    "one writer, two readers": (
        {"read": {"cooperative": ["write"]},
         "write": {"cooperative": ["write"], "assertive": ["read"]}}, ["write", "read", "read"]),
    "each cooperative to the other": (
        {"a": {"cooperative": ["b"]}, "b": {"cooperative": ["a"]}}, ["a", "b"]),
    "each assertive to the other": (
        {"a": {"assertive": ["b"]}, "b": {"assertive": ["a"]}}, ["a", "b"]),
    "assertive to itself": ({"a": {"assertive": ["a"]}}, ["a"]),
}


def multi_lock_scopes(variant):
    for setup, (relations, tags) in MULTI_SETUPS.items():
        for circumstances in sets_of([*FAULTS, *CLOCKS], 2 if len(tags) < 3 else 1,
                                     [CLOCKS, DEATHS]):
            if len(tags) == 1 and circumstances & set(CLOCKS):
                continue
            if variant == "repaired" and is_beyond_any_grace(circumstances):
                continue
            parameters = {"locktimeout": TIMEOUT, "jump": JUMP, "relations": relations}
            if variant == "repaired":
                parameters.update(bounds_of(circumstances))
            settings = clients_of(1, [], circumstances)[0].get("settings")
            callers = []
            for number, tag in enumerate(tags):
                script = [document(tag), call("write", tag),
                          release(tag)]
                if callers and callers[-1]["script"] == script and not callers[-1].get("settings"):
                    callers[-1]["count"] = callers[-1].get("count", 1) + 1
                else:
                    callers.append({"name": f"client{number}", "script": script})
                if number == 0 and settings:
                    callers[-1]["settings"] = settings
            yield Scope(len(tags), circumstances, setup, {
                "version": 1, "system": "monglock_multi", "variant": variant,
                "parameters": parameters,
                "faults": faults_of(FAULTS, circumstances),
                "callers": callers})
