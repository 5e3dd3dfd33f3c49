// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "impl/descriptor/by_record.hpp"
#include "impl/transactional/line_by_record.hpp"
#include "impl/transactional/planted_bugs.hpp"
#include "scenarios/registry/repairs.hpp"

namespace lockkeeper {

void add_pooled(Registry& registry);  // pooled.cpp: the baselines

namespace {

using namespace transactional;

constexpr NamedRepair kPgRepairs[] = {
    {"guard_savepoint", kGuardSavepoint}, {"read_committed", kReadCommitted},
    {"checked_end", kCheckedEnd},         {"outbox", kOutbox},
    {"ask_outcome", kAskOutcome},         {"fixed_byte_order", kFixedByteOrder},
};
constexpr NamedRepair kInnodbRepairs[] = {
    {"row_first", kRowFirst},
    {"locking_reads", kLockingReads},
    {"checked_end", kCheckedEnd},
    {"outbox", kOutbox},
    {"ask_outcome", kAskOutcome},
    {"counts_again", kCountsAgain},
    {"fixed_byte_order", kFixedByteOrder},
    {"inner_savepoint", kInnerSavepoint},
    {"checked_lock", kCheckedLock},
    {"rolls_back", kRollsBack},
};

static_assert(names_all(kPgRepairs, kAllPgRepairs));
static_assert(names_all(kInnodbRepairs, kAllInnodbRepairs));

constexpr std::int32_t kTimeMost = 60'000;
constexpr std::int32_t kBudgetMost = 4;

std::vector<OwnNumber> faults() {
    return {
        {"statement_errors", 0, kBudgetMost, 0, "a read or write of the block fails"},
        {"kills", 0, kBudgetMost, 0, "the backend of a caller is killed, or its connection lost"},
        {"server_crashes", 0, kBudgetMost, 0, "the server crashes and restarts"},
        {"acks_lost", 0, kBudgetMost, 0, "a COMMIT is done, and never acknowledged"},
        {"requests_lost", 0, kBudgetMost, 0,
         "a connection is lost before its statement gets to the server"},
        {"answers_lost", 0, kBudgetMost, 0,
         "... after it, before the answer gets to the caller, also while the statement waits"},
    };
}

std::vector<OwnNumber> innodb_faults() {
    auto all = faults();
    all.push_back({"query_kills", 0, kBudgetMost, 0,
                   "KILL QUERY ends a waiting GET_LOCK, which answers NULL without an error"});
    return all;
}

std::vector<OwnNumber> parameters(std::int32_t lock_timeout) {
    return {
        of_time({"lock_timeout", 0, kTimeMost, lock_timeout,
                 "a waiter gives up after so long; 0: never"}),
        {"name", 0, 3, 0, "keys that mean one name have one number; 0: its own", true},
        {"id", 0, 3, 0, "keys that are hashed to one id have one number; 0: its own", true},
        {"notices", 0, 1, 1, "whether the server notices that a living caller's session is lost"},
        {"database", 0, 3, 0, "where the key is; each database has its own ids", true},
    };
}
std::vector<OwnNumber> pg_parameters() {
    auto all = parameters(0);
    all.push_back(of_time({"deadlock_timeout", 1, kTimeMost, 1000,
                           "so long after its wait began a waiter looks for a deadlock"}));
    all.push_back({"shared", 0, 1, 0,
                   "whether the key is the shared mode of the lock that has its id and name",
                   true});
    return all;
}
std::vector<OwnNumber> innodb_parameters() {
    auto all = parameters(50'000);
    all.push_back({"by_weight", 0, 1, 0, "who blocks most others is served first (8.0.20)"});
    all.push_back({"row", 0, 1, 0, "whether the row of the key is there already", true});
    all.push_back({"user_lock", 0, 1, 0,
                   "whether the key is locked by GET_LOCK and is no row (MariaDB 10.11)", true});
    return all;
}

std::vector<OwnNumber> settings(std::int32_t repeatable_read) {
    return {{"repeatable_read", 0, 1, repeatable_read, "isolation of its transactions"},
            {"rescues", 0, 1, 0, "its block goes on after an error, and ends normally"},
            of_time({"lock_timeout", 0, kTimeMost, 0, "its own; 0: as the server says"}),
            {"reconnects", 0, 1, 0,
             "goes on in its block on a new connection, in no transaction, after it has lost one"}};
}

std::vector<OwnNumber> pg_settings() {
    auto all = settings(0);
    all.push_back({"tries", 0, 1, 0, "its lock statement does not wait: granted, or refused"});
    return all;
}
std::vector<OwnNumber> innodb_settings() {
    auto all = settings(1);
    all.push_back({"restarts", 0, 1, 0,
                   "takes a deadlock for the end of its transaction, and sends no ROLLBACK"});
    return all;
}

std::vector<OwnCall> calls() {
    const auto word = [](Word call) { return static_cast<std::uint8_t>(call); };
    return {
        {"begin", word(Word::kBegin), false, false, "opens a transaction without a lock"},
        {"begin_new", word(Word::kBeginNew), false, false,
         "the same with a transaction of its own: inside of another a savepoint"},
        {"commit", word(Word::kCommit), false, false, "ends what begin or begin_new has opened"},
        {"rollback", word(Word::kRollBack), false, true, "the innermost block ends by an error"},
        {"read", word(Word::kRead), true, false, "reads what the lock protects"},
        {"write", word(Word::kWrite), true, false, "writes what the lock protects"},
        {"effect", word(Word::kEffect), true, false, "does something outside of the database"},
        {"look", word(Word::kLook), false, false, "reads without any lock"},
        {"fail", word(Word::kFail), false, false, "a statement with an error"},
        {"savepoint", word(Word::kSavepoint), false, false, ""},
        {"rollback_to", word(Word::kRollBackTo), false, false,
         "to the latest savepoint that the script has set"},
        {"release_savepoint", word(Word::kReleaseSavepoint), false, false,
         "the latest that it has set"},
    };
}
std::vector<OwnCall> innodb_calls() {
    auto all = calls();
    all.push_back({"clean_up", static_cast<std::uint8_t>(Word::kCleanUp), false, false,
                   "the gem's helper: counts the rows and deletes until it has deleted as many"});
    return all;
}

// The number of the key by that name; 0 where none is given.
std::int32_t of_key(const Scenario& scenario, const std::string& name, const std::string& key) {
    const auto& own = scenario.parameters.own;
    const auto found = own.find(name + ":" + key);
    return found == own.end() ? own.at(name) : found->second;
}

ServerOptions options_of(const Scenario& scenario, std::uint16_t repairs) {
    ServerOptions options;
    options.keys = scenario.world.keys;
    options.time_unit = scenario.parameters.time_unit;
    options.numbers.clear();
    for (std::size_t key = 0; key < options.keys.size(); ++key) {
        const auto number = [&](const char* name) {
            const std::int32_t given = of_key(scenario, name, options.keys[key]);
            // Numbers that are given come after all that are not.
            return given == 0 ? static_cast<std::int32_t>(key) : given + 100;
        };
        options.numbers.push_back(
            {number("name"), number("id"), of_key(scenario, "database", options.keys[key])});
        if (scenario.parameters.own.contains("row") &&
            of_key(scenario, "row", options.keys[key]) != 0) {
            options.rows = static_cast<std::uint8_t>(options.rows | 1U << key);
        }
        if (scenario.parameters.own.contains("shared") &&
            of_key(scenario, "shared", options.keys[key]) != 0) {
            options.shared = static_cast<std::uint8_t>(options.shared | 1U << key);
        }
        if (scenario.parameters.own.contains("user_lock") &&
            of_key(scenario, "user_lock", options.keys[key]) != 0) {
            options.user_locks = static_cast<std::uint8_t>(options.user_locks | 1U << key);
        }
    }
    const auto& own = scenario.parameters.own;
    options.lock_timeout = own.at("lock_timeout");
    options.deadlock_timeout =
        own.contains("deadlock_timeout") ? own.at("deadlock_timeout") : options.deadlock_timeout;
    options.notices = own.at("notices") != 0;
    options.by_weight = own.contains("by_weight") && own.at("by_weight") != 0;
    const auto budget = [&](const char* name) {
        const auto& faults = scenario.parameters.faults;
        return static_cast<std::uint8_t>(faults.contains(name) ? faults.at(name) : 0);
    };
    options.faults = {budget("statement_errors"), budget("acks_lost"),     budget("kills"),
                      budget("server_crashes"),   budget("requests_lost"), budget("answers_lost"),
                      budget("query_kills")};
    for (const CallerConfig& caller : scenario.world.callers) {
        options.clients.push_back(
            {caller.settings.at("repeatable_read") != 0, caller.settings.at("rescues") != 0,
             caller.settings.at("lock_timeout"), caller.settings.at("reconnects") != 0,
             caller.settings.contains("restarts") && caller.settings.at("restarts") != 0,
             caller.settings.contains("tries") && caller.settings.at("tries") != 0});
    }
    options.repairs = repairs;
    return options;
}

bool is_call(const Operation& operation, Word word) {
    return operation.verb == Verb::kCall && operation.word == static_cast<std::uint8_t>(word);
}

// Whether the script may get to a clean-up inside of a block. An acquire that fails opens none;
// that this takes it for one refuses more, not less.
bool cleans_up_in_a_block(const CallerConfig& caller) {
    std::vector<std::uint8_t> blocks;  // the key that each is of
    constexpr std::uint8_t kOfNoKey = 0xFF;
    const int rounds = caller.repeats_forever ? 2 : 1;
    for (int round = 0; round < rounds; ++round) {
        for (const Operation& operation : caller.script) {
            const bool opens = operation.verb == Verb::kAcquire ||
                               is_call(operation, Word::kBegin) ||
                               is_call(operation, Word::kBeginNew);
            const bool ends = is_call(operation, Word::kCommit) ||
                              is_call(operation, Word::kRollBack) ||
                              (operation.verb == Verb::kRelease &&
                               (operation.unchecked ||
                                std::count(blocks.begin(), blocks.end(), operation.key) > 0));
            if (opens) {
                blocks.push_back(operation.verb == Verb::kAcquire ? operation.key : kOfNoKey);
            } else if (ends && !blocks.empty()) {
                blocks.pop_back();
            } else if (is_call(operation, Word::kCleanUp) && !blocks.empty()) {
                return true;
            }
        }
    }
    return false;
}

std::optional<InputError> refuse_clean_up_in_a_block(const Scenario& scenario) {
    for (const CallerConfig& caller : scenario.world.callers) {
        if (cleans_up_in_a_block(caller)) {
            return InputError{
                scenario.file, "/callers/" + std::to_string(caller.group) + "/script",
                "clean_up inside of a block: its deletes would be part of the block's "
                "transaction, which is not modelled; end the block before"};
        }
    }
    return std::nullopt;
}

template <class Server>
auto maker(
    std::span<const NamedRepair> repairs, void (*plant)(ServerOptions&) = [](ServerOptions&) {}) {
    return [repairs, plant](const Scenario& scenario) -> std::variant<Server, InputError> {
        if (const auto error = refuse_clean_up_in_a_block(scenario)) {
            return *error;
        }
        ServerOptions options = options_of(scenario, repairs_of<std::uint16_t>(scenario, repairs));
        plant(options);
        return Server(options);
    };
}

Vocabulary with_times(Vocabulary words) {
    words.knows_its_times = true;
    return words;
}

const LockLimits kLimits{.buckets = 1, .max_per = 1, .locks = 6};

// `prove` takes it apart by record, and asks nothing of the order of grants or of what is read.
template <class Server>
void register_server(
    Registry& registry, const SystemDescription& description, std::span<const NamedRepair> repairs,
    void (*plant)(ServerOptions&) = [](ServerOptions&) {}) {
    RegisteredSystem system = registered(description, maker<Server>(repairs, plant), kLimits);
    prove_by_record<LineByRecord<Server>, Server>(
        system, kLimits, "transactional locks", [repairs, plant](const Scenario& scenario) {
            ServerOptions options =
                options_of(scenario, repairs_of<std::uint16_t>(scenario, repairs));
            plant(options);
            return options;
        });
    registry.add(std::move(system));
}

}  // namespace

void register_transactional(Registry& registry) {
    const SystemDescription pg{
        "transactional_pg",
        "faithful",
        "with_transactional_lock on PostgreSQL, pg_advisory_xact_lock",
        "",
        with_times(of_one_place({pg_parameters(), faults(), pg_settings(), calls(), {}, true})),
        {"postgresql", RealServer::Clients::kTransactions}};
    const SystemDescription innodb{
        "transactional_innodb",
        "faithful",
        "with_transactional_lock on MySQL/InnoDB, a table of lock ids",
        "",
        with_times(of_one_place(
            {innodb_parameters(), innodb_faults(), innodb_settings(), innodb_calls(), {}, true})),
        {"mariadb", RealServer::Clients::kTransactions}};
    register_server<PgServer>(registry, pg, kPgRepairs);
    register_server<PgServer>(registry, repaired(pg, kPgRepairs), kPgRepairs);
    register_server<InnodbServer>(registry, innodb, kInnodbRepairs);
    register_server<InnodbServer>(registry, repaired(innodb, kInnodbRepairs), kInnodbRepairs);
    const auto add_innodb_bug = [&](const auto& bug) {
        register_server<InnodbServer>(registry,
                                      with_bug(innodb, "transactional_innodb_broken", bug),
                                      kInnodbRepairs, bug.plant);
    };
    for (const auto& bug : server_bugs()) {
        register_server<PgServer>(registry, with_bug(pg, "transactional_broken", bug), kPgRepairs,
                                  bug.plant);
        add_innodb_bug(bug);
    }
    for (const auto& bug : innodb_bugs()) {
        add_innodb_bug(bug);
    }
    add_pooled(registry);
}

}  // namespace lockkeeper
