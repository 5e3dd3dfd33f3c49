"""Which scopes the tables of docs/reference/rates_tables.md are about. Used by rates_table.py."""

import dataclasses
import itertools

CANAL = "faithful,repaired,single_counter"
FIGURES = ["leak", "over-allocation", "under-allocation", "caller-death"]
TITLES = ["leak", "over-allocation", "spurious full", "caller death"]
SAMPLED = ["--method", "sampled", "--jobs", "2"]
# The method is chosen: exact up to so many states, and 20,000 sampled runs have to agree.
EXACT_AND_SAMPLED = ["--max-states", "10000000"]


@dataclasses.dataclass
class Scope:
    """One call of the command; `cells` begin its rows."""

    cells: list
    scenario: dict
    flags: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Table:
    """Rows of scopes: what they are told apart by, then figures."""

    name: str
    columns: list
    scopes: list
    figures: list = dataclasses.field(default_factory=lambda: list(FIGURES))
    titles: list = dataclasses.field(default_factory=lambda: list(TITLES))


def canal(callers, max_per, buckets, locks=1, crashes=0, resizes=()):
    """So many callers that acquire `locks` times and release as often, a warm table."""
    acquire = {"key": "db", "max_per": max_per, "buckets": "current" if resizes else buckets}
    script = [
        {"acquire": acquire, "times": locks},
        {"release": {"key": "db"}, "times": locks},
    ]
    scenario = {
        "version": 1,
        "about": "A scope of docs/reference/rates_tables.md.",
        "system": "canal",
        "parameters": {"table": {"warm": max([buckets, *resizes])}},
        "callers": [{"name": "A", "count": callers, "script": script}],
        "faults": {"crashes": crashes},
        "check": list(FIGURES),
    }
    if resizes:
        scenario["view"] = buckets
        scenario["resizes"] = list(resizes)
    return scenario


def small():
    """2 to 4 callers of 1, 2 and 4 buckets of one place, exactly."""
    scopes = []
    for callers in (2, 3, 4):
        for buckets in (1, 2, 4):
            scopes.append(Scope([str(callers), str(buckets)], canal(callers, 1, buckets), ["--compare", CANAL]))
    return Table("small", ["callers", "buckets"], scopes)


def faults():
    """2 to 4 callers of one place a bucket, and what happens to them, exactly."""
    happenings = (
        ("a crash", 2, {"crashes": 1}),
        ("two crashes", 2, {"crashes": 2}),
        ("2 buckets become 1", 2, {"resizes": (1,)}),
        ("1 bucket becomes 2", 1, {"resizes": (2,)}),
        ("2 buckets become 1, then 2", 2, {"resizes": (1, 2)}),
        ("2 buckets become 1, and a crash", 2, {"resizes": (1,), "crashes": 1}),
    )
    scopes = []
    for callers in (2, 3, 4):
        for text, buckets, what in happenings:
            scopes.append(
                Scope(
                    [str(callers), text],
                    canal(callers, 1, buckets, **what),
                    ["--compare", CANAL, *EXACT_AND_SAMPLED],
                )
            )
    return Table("faults", ["callers", "what happens"], scopes)


def crowd_faults():
    """Crowds in which somebody dies, or whose number of buckets changes."""
    scopes = []
    for callers, runs in ((8, 100_000), (32, 50_000), (128, 10_000)):
        for text, what in (("two crashes", {"crashes": 2}), ("4 buckets become 2, then 4", {"resizes": (2, 4)})):
            scopes.append(
                Scope(
                    [str(callers), text],
                    canal(callers, 1, 4, **what),
                    [*SAMPLED, "--runs", str(runs), "--compare", CANAL],
                )
            )
    return Table("crowd_faults", ["callers", "what happens"], scopes)


def places():
    """Buckets of more than one place, exactly."""
    scopes = []
    few = ((3, 2, 1, 1), (4, 2, 1, 1), (3, 2, 2, 1), (2, 2, 2, 2), (3, 3, 1, 2))
    many = ((4, 10, 1, 1), (4, 10, 4, 1), (4, 50, 1, 1), (4, 50, 4, 1))
    for callers, max_per, buckets, locks in few + many:
        scopes.append(
            Scope(
                [str(callers), str(max_per), str(buckets), str(locks)],
                canal(callers, max_per, buckets, locks),
                ["--compare", CANAL],
            )
        )
    return Table("places", ["callers", "max_per", "buckets", "locks each"], scopes)


def mixed():
    """Callers that do not agree: one sees a bucket more than the others."""
    scopes = []
    for others in (1, 2, 3):
        scenario = canal(others, 1, 1)
        scenario["parameters"] = {"table": {"warm": 2}}
        script = canal(1, 1, 2)["callers"][0]["script"]
        scenario["callers"].append({"name": "B", "script": script})
        scopes.append(Scope([f"{others} + 1"], scenario, ["--compare", CANAL]))
    return Table("mixed", ["callers"], scopes)


def tries():
    """What a try more before the forced double decrement is worth."""
    figures = ["double-release", "over-allocation", "leak"]
    scopes = []
    few = ["--method", "exact", "--sweep", "max_decr_tries=0,1,2,3,15"]
    many = [*SAMPLED, "--runs", "1000000", "--sweep", "max_decr_tries=0..8"]
    for callers, max_per, locks, flags in ((4, 2, 1, few), (3, 3, 2, few), (8, 4, 2, many)):
        scenario = canal(callers, max_per, 1, locks)
        scenario["check"] = figures
        scopes.append(Scope([f"{callers}, of {max_per} places, {locks} each"], scenario, flags))
    # Only who is disturbed often enough is ever forced: as many rounds as fifteen tries need.
    again = canal(3, 2, 1)
    again["callers"][0]["repeat"] = 12
    again["check"] = figures
    scopes.insert(
        2,
        Scope(
            ["3, of 2 places, 12 rounds"],
            again,
            ["--method", "exact", "--max-states", "10000000", "--sweep", "max_decr_tries=0..15"],
        ),
    )
    return Table("max_decr_tries", ["callers", "max_decr_tries"], scopes, figures, figures)


def crowds():
    """8, 32 and 128 callers, whether there are places for all of them or not."""
    scopes = []
    for callers, runs in ((8, 100_000), (32, 50_000), (128, 10_000)):
        for max_per, buckets in itertools.product((1, 2, 10, 50), (1, 2, 4)):
            scopes.append(
                Scope(
                    [str(callers), str(max_per), str(buckets)],
                    canal(callers, max_per, buckets),
                    [*SAMPLED, "--runs", str(runs), "--compare", CANAL],
                )
            )
    return Table("crowds", ["callers", "max_per", "buckets"], scopes)


def lease(system, parameters, offset=None):
    """Two clients that acquire, write and release."""
    script = [
        {"acquire": {"key": "lease"}},
        {"call": {"what": "write", "key": "lease"}},
        {"release": {"key": "lease"}},
    ]
    callers = [{"name": "A", "script": script}, {"name": "B", "script": script}]
    if offset is not None:
        callers[0]["settings"] = {"clock": offset}
    return {
        "version": 1,
        "about": "A scope of docs/reference/rates_tables.md.",
        "system": system,
        "parameters": parameters,
        "callers": callers,
        "check": ["belief-overlap"],
    }


def readers_and_writer(parameters):
    """A reader and a writer of monglock's multi lock: the writer waits until nobody reads."""
    relations = {"read": {"cooperative": ["write"]}, "write": {"cooperative": ["write"], "assertive": ["read"]}}
    callers = []
    for name, key in (("reader", "read"), ("writer", "write")):
        script = [
            {"acquire": {"key": key, "until": "acquired"}},
            {"call": {"what": "write", "key": key}},
            {"release": {"key": key}},
        ]
        callers.append({"name": name, "script": script})
    callers[1]["settings"] = {"clock": 0}
    return {
        "version": 1,
        "about": "A scope of docs/reference/rates_tables.md.",
        "system": "monglock_multi",
        "parameters": {**parameters, "relations": relations},
        "callers": callers,
        "check": ["belief-overlap"],
    }


def leases():
    """How often two clients believe to hold, by grace, pause, skew, ttl, and how seldom time passes."""
    flags = EXACT_AND_SAMPLED
    database = lease("lease_db", {"pause": 10, "grace": 9})
    database["faults"] = {"lost_requests": 1}
    database["variant"] = "repaired"
    coordinator = lease("lease_coordinator", {"ttl": 3000, "until": 7000, "pause": 7, "delay": 5, "grace": 16}, -10)
    write_lock = lease("monglock_write", {"locktimeout": 100})
    skewed = lease("monglock_write", {"locktimeout": 100}, 10)
    service = lease("lease_service", {"ttl": 1000, "until": 3500, "pause": 10, "grace": 10})
    service["variant"] = "repaired"
    service["faults"] = {"resets": 1}
    multi_lock = readers_and_writer({"locktimeout": 100})

    def rows(name, parameter, scenario, values, more=()):
        return Scope([name, parameter], scenario, [*flags, *more, "--sweep", f"{parameter}={values}"])

    seldom = ["--law", "weights:step=1"]
    scopes = [
        rows("lease_db", "grace", database, "0,5,9,10"),
        rows("lease_db", "pause", database, "0,9,10,100,1000"),
        rows("lease_db", "ttl", database, "5000,10000"),
        rows("lease_coordinator", "grace", coordinator, "0,8,16,17,20"),
        rows("lease_coordinator", "pause", coordinator, "0,7,20"),
        rows("lease_coordinator", "settings:clock:A", coordinator, "-20,-10,0,10"),
        rows("lease_coordinator", "ttl", coordinator, "1000,3000,5000"),
        rows("lease_coordinator", "law:time", coordinator, "0.01,0.1,1,10", seldom),
        rows("monglock_write", "locktimeout", write_lock, "10,100,1000"),
        rows("monglock_write", "settings:clock:A", skewed, "-100,-10,0,10,100"),
        rows("monglock_write", "law:time", write_lock, "0.001,0.01,0.1,1,10", seldom),
        rows("lease_service", "grace", service, "0,5,10,11"),
        rows("lease_service", "pause", service, "0,9,10,20,100"),
        rows("lease_service", "ttl", service, "300,1000,2000"),
        rows("monglock_multi", "locktimeout", multi_lock, "10,100,1000"),
        rows("monglock_multi", "settings:clock:writer", multi_lock, "-100,-10,0,10,100"),
        rows("monglock_multi", "law:time", multi_lock, "0.001,0.01,0.1,1,10", seldom),
    ]
    return Table(
        "leases",
        ["system", "what varies", "value"],
        scopes,
        ["belief-overlap", "belief-overlap/overlap_lasts_if_any"],
        ["belief overlap", "it lasts"],
    )


def tables():
    """All of them, in the order of the document."""
    return [small(), places(), mixed(), faults(), crowds(), crowd_faults(), tries(), leases()]
