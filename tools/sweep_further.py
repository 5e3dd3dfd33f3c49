"""Scopes of calls and settings that the sweeps by fault leave out: savepoints, the clean-up, waiting
and modules of the coordinator, two documents, asking again, the baselines. Each script with each
circumstance alone."""

import sweep_leases
import sweep_monglock
import sweep_transactional
from sweep_common import (CRASH, RESTART, Scope, acquire, call, clients_of,
                          faults_of, release, sets_of)


def block(key, *inside):
    return [acquire(key), *inside, release(key)]


# --- transactional locks -------------------------------------------------------------------------

WRITE = call("write", "x")
GOES_BACK = "back to a savepoint older than the block"
CLEANED_UP = "read and write, beside a clean-up"
SAVEPOINT_CLEANED_UP = "back to a savepoint after a look, beside a clean-up"
BACK = [call("savepoint", "x"), acquire("x"), WRITE, call("rollback_to", "x"), release("x"),
        call("commit", "x")]
SCRIPTS = {
    "back to a savepoint of the block":
        block("x", call("savepoint", "x"), WRITE, call("rollback_to", "x"), WRITE),
    "an error in a savepoint of the block":
        block("x", call("savepoint", "x"), call("fail", "x"), call("rollback_to", "x"), WRITE),
    "an inner block behind a savepoint, released":
        block("x", call("savepoint", "x"), *block("y", call("write", "y")),
              call("release_savepoint", "x"), WRITE),
    "an inner block behind a savepoint, gone back":
        block("x", call("savepoint", "x"), *block("y", call("write", "y")),
              call("rollback_to", "x"), WRITE),
    "begin, look, then the block":
        [call("begin", "x"), call("look", "x"), *block("x", call("read", "x"), WRITE),
         call("commit", "x")],
    GOES_BACK: [call("begin", "x"), *BACK],
}
CLEAN_UP_SCRIPTS = {
    CLEANED_UP: block("x", call("read", "x"), WRITE),
    SAVEPOINT_CLEANED_UP: [call("begin", "x"), call("look", "x"), *BACK],
}
BY_WEIGHT = "by weight"
ROW = "the row is there"
# What the lock cannot promise, whatever is repaired (docs/transactional_locks.md): between a
# ROLLBACK TO of the script's own and the end of its block, and for a line whose row is deleted.
NOT_PROMISED = {
    GOES_BACK: {"belief-overlap", "unprotected-effect"},
    SAVEPOINT_CLEANED_UP: {"belief-overlap", "unprotected-effect", "token-order"},
    CLEANED_UP: {"token-order"},
}


def promised(variant, script, circumstances):
    if variant != "repaired":
        return "safety"
    left_out = set(NOT_PROMISED.get(script, ()))
    if circumstances & {"kills", "server_crashes"}:
        left_out.add("belief-overlap")
    if BY_WEIGHT in circumstances:
        left_out.add("token-order")
    kept = [*sweep_transactional.PROMISED, "belief-overlap", "livelock"]
    return [name for name in kept if name not in left_out]


def transactional(system, variant, other_isolation, repeatable, scripts, names):
    for script, lines in scripts.items():
        for circumstances in sets_of(names, 1):
            settings = {}
            if sweep_transactional.RESCUES in circumstances:
                settings["rescues"] = 1
            if other_isolation in circumstances:
                settings["repeatable_read"] = repeatable
            parameters = {}
            if sweep_transactional.TIMES_OUT in circumstances:
                parameters["lock_timeout"] = 2000
            if BY_WEIGHT in circumstances:
                parameters["by_weight"] = 1
            if ROW in circumstances:
                parameters["row"] = 1
            callers = [{"name": "client", "count": 2, "script": lines}]
            if settings:
                callers[0]["settings"] = settings
            if script in CLEAN_UP_SCRIPTS:
                callers.append({"name": "helper", "script": [call("clean_up", "x")]})
            yield Scope(2 + len(callers) - 1, circumstances, script, {
                "version": 1, "system": system, "variant": variant, "parameters": parameters,
                "faults": {fault: 1 for fault in sweep_transactional.FAULTS
                           if fault in circumstances},
                "callers": callers, "check": promised(variant, script, circumstances)})


def names_of(*others):
    return [*sweep_transactional.FAULTS, sweep_transactional.RESCUES,
            sweep_transactional.TIMES_OUT, *others]


def postgresql_savepoints(variant):
    return transactional("transactional_pg", variant, sweep_transactional.REPEATABLE, 1, SCRIPTS,
                         names_of(sweep_transactional.REPEATABLE))


def innodb_savepoints(variant):
    return transactional("transactional_innodb", variant, sweep_transactional.COMMITTED, 0,
                         {**SCRIPTS, **CLEAN_UP_SCRIPTS},
                         names_of(sweep_transactional.COMMITTED, BY_WEIGHT, ROW))


# --- the coordinator -----------------------------------------------------------------------------

FEATURES = {
    "waiting": {"wait": 2000},
    "waiting for ever": {"wait": 60000},
    "a module": {"module": 1},
    "hooks": {"hooks": 1},
    "hooks and a module": {"hooks": 1, "module": 1},
    "transactions that take long": {"transaction": 4000},
    "nested calls": {},
    "nested calls and a module": {"module": 1},
}
COORDINATOR_FAULTS = ["lost_requests", "lost_replies", "late_requests", "deletions", "clock_jumps",
                      "small_tokens", "resends", "duplicates", "client_clock_jumps", CRASH,
                      RESTART]


def coordinator_features(variant):
    names = [*COORDINATOR_FAULTS, sweep_leases.PAUSE, sweep_leases.DELAY, sweep_leases.SLOW,
             sweep_leases.BEHIND]
    for feature, numbers in FEATURES.items():
        nested = feature.startswith("nested")
        for circumstances in sets_of(names, 1):
            pause = 1 if sweep_leases.PAUSE in circumstances else 0
            delay = 1 if sweep_leases.DELAY in circumstances else 0
            grace = pause + (delay if nested else 0)
            grace += sweep_leases.drift_of(circumstances, 3000)
            grace += sweep_leases.SKEW if sweep_leases.BEHIND in circumstances else 0
            grace += len(circumstances & {"clock_jumps", "client_clock_jumps"})
            # Whoever starts again makes a third acquisition, which waits for two to run out.
            until = 13000 if RESTART in circumstances else 7000
            parameters = {"ttl": 3000, "until": until, "grace": grace, "pause": pause,
                          "delay": delay, **numbers}
            work = call("nested" if nested else "write", "lease")
            script = [acquire("lease"), work, release("lease")]
            settings = {}
            if sweep_leases.BEHIND in circumstances:
                settings["clock"] = -sweep_leases.SKEW
            if sweep_leases.SLOW in circumstances:
                settings["drift"] = 1
            callers = [{"name": "client", "count": 2, "script": script}]
            if settings:
                callers = [{"name": "other", "settings": settings, "script": script},
                           {"name": "client", "script": script}]
            yield Scope(2, circumstances, feature, {
                "version": 1, "system": "lease_coordinator", "variant": variant,
                "parameters": parameters,
                "faults": faults_of(COORDINATOR_FAULTS, circumstances),
                "callers": callers,
                "check": sweep_leases.properties("lease_coordinator", variant, circumstances)})


# --- monglock ------------------------------------------------------------------------------------

def monglock(system, variant, scripts, parameters, promises, names):
    for script, all_callers in scripts.items():
        for circumstances in sets_of(names, 1):
            if variant == "repaired" and sweep_monglock.SHORTER in circumstances:
                continue  # no repair on the holder's side can know of a contender's period
            numbers = {"locktimeout": sweep_monglock.TIMEOUT, "jump": sweep_monglock.JUMP,
                       **parameters}
            if variant == "repaired":
                numbers.update(sweep_monglock.bounds_of(circumstances))
            callers = [dict(caller) for caller in all_callers]
            settings = sweep_monglock.clients_of(1, [], circumstances)[0].get("settings")
            if settings:
                callers[0]["settings"] = settings
            check = "safety"
            if variant == "repaired":
                check = promises
            yield Scope(len(callers), circumstances, script, {
                "version": 1, "system": system, "variant": variant, "parameters": numbers,
                "faults": faults_of(sweep_monglock.FAULTS, circumstances),
                "callers": callers, "check": check})


def callers_of(*scripts):
    return [{"name": f"client{number}", "script": script} for number, script in enumerate(scripts)]


PROMISED_BY_WRITE_LOCK = ["belief-overlap", "grant-overlap", "unprotected-effect",
                          "foreign-removal", "false-ok", "phantom", "token-order", "deadlock"]
# A clock that is wrong makes an entry old for others that its holder gave up before: P18 by true
# time, and nobody believes wrongly (docs/monglock.md).
PROMISED_BY_MULTI_LOCK = ["belief-overlap", "unprotected-effect", "foreign-removal", "false-ok",
                          "phantom", "deadlock"]
MONGLOCK_NAMES = [*sweep_monglock.FAULTS, *sweep_monglock.CLOCKS, sweep_monglock.SHORTER]


def two_documents(variant):
    once = [acquire("a"), call("write", "a"), release("a"),
            acquire("b"), call("write", "b"), release("b")]
    nested = [acquire("a"), acquire("b"), call("write", "b"), release("b"), release("a")]
    return monglock("monglock_write", variant,
                    {"two documents, one after the other": callers_of(once, once),
                     "two documents at once": callers_of(nested, nested)},
                    {}, PROMISED_BY_WRITE_LOCK, MONGLOCK_NAMES)


def asking_again(variant):
    relations = {"read": {"cooperative": ["write"]},
                 "write": {"cooperative": ["write"], "assertive": ["read"]}}
    reader = [acquire("read"), call("write", "read"), release("read")]
    asks = [acquire("write"), call("ask_again", "write"), call("write", "write"), release("write")]
    withdraws = [acquire("write"), call("withdraw", "write"), call("write", "write"),
                 release("write")]
    return monglock("monglock_multi", variant,
                    {"a reader, and a writer that asks again": callers_of(asks, reader),
                     "a reader, and a writer that withdraws": callers_of(withdraws, reader)},
                    {"relations": relations}, PROMISED_BY_MULTI_LOCK, MONGLOCK_NAMES)


# --- the baselines -------------------------------------------------------------------------------

TRANSACTION_LEVEL = "one at transaction level"
TRIES = "one tries"
WAITS = "one waits in line"
NESTED = "one block in the other"
ONE_CONNECTION = "one connection"
TWO_CONNECTIONS = "two connections"


def pooled(system, variant, names):
    effect = call("effect", "x")
    # Who tries and is refused tries again.
    again = {"until": "acquired"}
    x_block = [acquire("x", **again), effect, release("x")]
    scripts = {
        "effect": x_block,
        "effect, twice": [*x_block, *x_block],
        "effect, and an error": [acquire("x", **again), effect, call("drop", "x")],
        NESTED: block("x", *block("y"), effect),
    }
    for clients in (2, 3):
        for script, lines in scripts.items():
            for circumstances in sets_of(names, 1 if clients == 3 else 2,
                                         [(ONE_CONNECTION, TWO_CONNECTIONS)]):
                if script == NESTED and system == "try_retry":
                    continue
                settings = {}
                if TRANSACTION_LEVEL in circumstances:
                    settings["session_level"] = 0
                if TRIES in circumstances:
                    settings["tries"] = 1
                if WAITS in circumstances:
                    settings["tries"] = 0
                parameters = {}
                if ONE_CONNECTION in circumstances:
                    parameters["connections"] = 1
                if TWO_CONNECTIONS in circumstances:
                    parameters["connections"] = 2
                callers = clients_of(clients, lines, settings)
                check = "safety"
                if variant == "repaired":
                    # Who tries is overtaken: that is what the baseline is there to show.
                    check = [name for name in sweep_leases.SAFETY
                             if name != "stale-read"
                             and not (name == "token-order" and TRIES in circumstances)]
                yield Scope(clients, circumstances, script, {
                    "version": 1, "system": system, "variant": variant, "parameters": parameters,
                    "faults": {"crashes": 1} if "crashes" in circumstances else {},
                    "callers": callers, "check": check})


def session_pool(variant):
    return pooled("session_lock_pool", variant,
                  ["crashes", TRANSACTION_LEVEL, TRIES, ONE_CONNECTION, TWO_CONNECTIONS])


def try_retry(variant):
    return pooled("try_retry", variant, ["crashes", WAITS, ONE_CONNECTION, TWO_CONNECTIONS])


SWEEPS = {
    "transactional_pg-savepoints": postgresql_savepoints,
    "transactional_innodb-savepoints": innodb_savepoints,
    "lease_coordinator-features": coordinator_features,
    "monglock_write-documents": two_documents,
    "monglock_multi-asking": asking_again,
    "session_lock_pool": session_pool,
    "try_retry": try_retry,
}
