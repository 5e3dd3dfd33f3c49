"""The scopes of the leases: faults, pauses, delays, clocks. Times are milliseconds."""

from sweep_common import (CRASH, DEATHS, RESTART, Scope, acquire, call, clients_of,
                          faults_of, release, sets_of)

PAUSE = "a pause"
LONG_PAUSE = "a pause of a quarter of the ttl"
DELAY = "a delay"
BEHIND = "a clock behind"
SLOW = "slow timers"
SKEW = 10
CONTROLLERS = "controller_crashes"  # of the one that all clients ask


ONE_LEASE = "acquire, write, release"
CALLS = "an asynchronous call"
SETUPS = {
    ONE_LEASE: [acquire("lease"), call("write", "lease"), release("lease")],
    "two leases, one after the other": [
        acquire("x"), call("write", "x"), release("x"),
        acquire("y"), call("write", "y"), release("y")],
    "two leases at once": [
        acquire("x"), acquire("y"), call("write", "x"), release("x"), release("y")],
    CALLS: [acquire("call"), call("complete", "call")],
}


def pause_of(circumstances, ttl):
    if LONG_PAUSE in circumstances:
        return ttl // 4
    return 1 if PAUSE in circumstances else 0


# A row that somebody else deletes ends what its holder believes, and a stream that breaks leaves its
# entry to run out: both on purpose (docs/leases.md).
SAFETY = ["belief-overlap", "grant-overlap", "unprotected-effect", "foreign-removal", "false-ok",
          "phantom", "token-order", "stale-read", "deadlock"]


def properties(system, variant, circumstances):
    if variant != "repaired":
        return "safety"
    left_out = set()
    if "deletions" in circumstances:
        left_out.add("belief-overlap")
    if system == "lease_service" and "resets" in circumstances:
        left_out.add("phantom")
    own = ["repeated-effect"] if system == "lease_db" else []
    return [name for name in SAFETY if name not in left_out] + own


def scopes(system, variant, faults, ttl, until, grace_of):
    names = faults + [CRASH, RESTART, PAUSE, LONG_PAUSE, DELAY, SLOW]
    if system == "lease_coordinator":
        names.append(BEHIND)
    for clients in (2, 3):
        for name, script in SETUPS.items():
            if name == CALLS and system != "lease_db":
                continue
            size_most = 2 if clients == 2 and name in (ONE_LEASE, CALLS) else 1
            for circumstances in sets_of(names, size_most, [(PAUSE, LONG_PAUSE), DEATHS]):
                parameters = {"ttl": ttl, "until": until}
                if name == CALLS:
                    parameters["calls"] = 1
                if pause := pause_of(circumstances, ttl):
                    parameters["pause"] = pause
                if DELAY in circumstances:
                    parameters["delay"] = 1
                if variant == "repaired" or system == "lease_coordinator":
                    parameters["grace"] = grace_of(circumstances, pause, ttl)
                settings = {}
                if BEHIND in circumstances:
                    settings["clock"] = -SKEW
                if SLOW in circumstances:
                    settings["drift"] = 1
                if CONTROLLERS in circumstances:
                    settings["controller"] = 1
                callers = clients_of(clients, script, settings)
                yield Scope(clients, circumstances, name, {
                    "version": 1, "system": system, "variant": variant, "parameters": parameters,
                    "faults": faults_of([*faults, CRASH, RESTART], circumstances),
                    "callers": callers, "check": properties(system, variant, circumstances)})


def drift_of(circumstances, ttl):
    return ttl // 1000 if SLOW in circumstances else 0


def database_scopes(variant):
    def grace(circumstances, pause, ttl):
        jump = 1 if "clock_jumps" in circumstances else 0
        return pause + jump + drift_of(circumstances, ttl)

    return scopes("lease_db", variant,
                  ["lost_requests", "lost_replies", "late_requests", "deletions", "clock_jumps",
                   "slow_commits", "small_tokens", "resets", "resends", "duplicates", "row_locks",
                   CONTROLLERS], 5000, 11000, grace)


def service_scopes(variant):
    def grace(circumstances, pause, ttl):
        return pause + 1 + drift_of(circumstances, ttl)

    return scopes("lease_service", variant, ["resets", "restarts"], 1000, 2600, grace)


def coordinator_scopes(variant):
    def grace(circumstances, pause, ttl):
        skew = SKEW if BEHIND in circumstances else 0
        jump = len(circumstances & {"clock_jumps", "client_clock_jumps"})
        return skew + pause + jump + drift_of(circumstances, ttl)

    return scopes("lease_coordinator", variant,
                  ["lost_requests", "lost_replies", "late_requests", "deletions", "clock_jumps",
                   "small_tokens", "resends", "duplicates", "client_clock_jumps", "hook_failures"],
                  3000, 7000, grace)
