"""The scopes of the transactional locks: what a block does, faults of server and statements."""

from sweep_common import Scope, call, sets_of

FAULTS = ["statement_errors", "kills", "server_crashes", "acks_lost", "crashes"]
RESCUES = "blocks that go on after an error"
REPEATABLE = "REPEATABLE READ"
COMMITTED = "READ COMMITTED"
TIMES_OUT = "a lock time-out"


def block(key, *inside):
    return [{"acquire": {"key": key}}, *inside, {"release": {"key": key}}]


# By name: the scripts of the clients, one after the other, again from the beginning.
SETUPS = {
    "read and write": [block("x", call("read", "x"), call("write", "x"))],
    "read and effect": [block("x", call("read", "x"), call("effect", "x"))],
    "one block in the other, in one order": [block("x", *block("y"))],
    "one block in the other, in both orders": [block("x", *block("y")), block("y", *block("x"))],
}


# What callers may be told of a repaired lock, whatever happens: everything but that they believe
# to hold until they hear of a connection that is gone, or of a deadlock whose victim they are.
PROMISED = ["grant-overlap", "unprotected-effect", "foreign-removal", "false-ok", "phantom",
            "false-error", "token-order", "stale-read", "deadlock"]


def properties(variant, circumstances, script):
    hears_late = circumstances & {"kills", "server_crashes"} or "both orders" in script
    return PROMISED if variant == "repaired" and hears_late else "safety"


def scopes(system, variant, other_isolation, repeatable):
    for clients in (2, 3, 4):
        for name, scripts in SETUPS.items():
            names = FAULTS + [RESCUES, other_isolation, TIMES_OUT]
            # Four clients and a fault go beyond what fits.
            size_most = {2: 2, 3: 1, 4: 0}[clients]
            for circumstances in sets_of(names, size_most):
                settings = {}
                if RESCUES in circumstances:
                    settings["rescues"] = 1
                if other_isolation in circumstances:
                    settings["repeatable_read"] = repeatable
                parameters = {"lock_timeout": 2000} if TIMES_OUT in circumstances else {}
                callers = []
                for number, script in enumerate(scripts):
                    count = len(range(number, clients, len(scripts)))
                    callers.append({"name": f"client{number}", "count": count, "script": script})
                    if settings:
                        callers[-1]["settings"] = settings
                yield Scope(clients, circumstances, name, {
                    "version": 1, "system": system, "variant": variant, "parameters": parameters,
                    "faults": {fault: 1 for fault in FAULTS if fault in circumstances},
                    "callers": callers, "check": properties(variant, circumstances, name)})


def postgresql_scopes(variant):
    return scopes("transactional_pg", variant, REPEATABLE, 1)


def innodb_scopes(variant):
    return scopes("transactional_innodb", variant, COMMITTED, 0)
