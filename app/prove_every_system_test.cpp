// SPDX-License-Identifier: Apache-2.0

// The answer of `prove` for each shipped system and variant, whose callers acquire and release: the
// table of decision 30. A new system, or a new answer, changes the table.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/long_proof_test.hpp"
#include "model/slow_build_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_app;
using nlohmann::json;

// Systems whose names begin alike: the key, what stands beside it in a call, the parameters, and
// why there is no proof where nothing is violated.
struct Family {
    const char* begins;
    const char* key;
    const char* view;
    const char* parameters;
    const char* answer;
};
constexpr const char* kPlaces = R"(, "max_per": 2, "buckets": 2)";
constexpr const char* kFunctions =
    "inconclusive: its functions are handed the records of all callers (Traits::by_record)";
constexpr const char* kShortLease = R"({"ttl": 12, "reaper": 1, "until": 24})";
constexpr const char* kShortService = R"({"ttl": 12, "until": 24})";
// Divided by 1,000: a database refuses a ttl below 5,000.
constexpr const char* kMinute = R"({"ttl": 60000, "reaper": 60000, "until": 120000})";
constexpr const char* kAnotherRule =
    "inconclusive: leases are not proved like this: a rule of it is another one";
constexpr const char* kShortWriteLock = R"({"locktimeout": 6, "grace": 1})";
constexpr const char* kAnotherServerRule =
    "inconclusive: transactional locks are not proved like this: a rule of it is another one";
constexpr const char* kAbsentRow =
    "inconclusive: transactional locks are not proved like this: the row can be absent: then its "
    "insert waits for gaps of any number of sessions";
constexpr std::array<Family, 19> kFamilies{{
    {"canal", "db", kPlaces, "{}", "violated 2 caller-death"},
    {"single_counter", "db", R"(, "max_per": 2, "buckets": 1)", "{}", "violated 3 double-release"},
    {"lease_coordinator_broken", "db", "", kShortLease, kAnotherRule},
    {"lease_coordinator", "db", "", kShortLease, "passed"},
    {"lease_db_broken", "db", "", kMinute, kAnotherRule},
    {"lease_db", "db", "", kMinute, "passed"},
    {"lease_service_broken", "db", "", kShortService, kAnotherRule},
    {"lease_service", "db", "", kShortService, "passed"},
    {"monglock_write_broken", "doc", "", "{}",
     "inconclusive: the step \"time goes on to 9999\" is handed the records of all callers"},
    {"monglock_write", "doc", "", kShortWriteLock, "passed"},
    {"monglock_multi", "write", "", R"({"locktimeout": 10})",
     "inconclusive: the step \"time goes on to 9\" is handed the records of all callers"},
    {"transactional_innodb_broken", "db", "", "{}", kAnotherServerRule},
    {"transactional_innodb", "db", "", "{}", kAbsentRow},
    {"transactional_pg", "db", "", "{}", "passed"},
    {"transactional_broken", "db", "", "{}", kAnotherServerRule},
    {"session_lock_pool", "db", "", R"({"connections": 3})", "passed"},
    {"wait_die", "db", "", "{}", "violated 2 caller-death"},
    {"hysteresis", "db", R"(, "max_per": 2, "buckets": 1)", "{}", "violated 3 over-allocation"},
    {"try_retry", "db", "", R"({"connections": 3})", "passed"},
}};

constexpr const char* kMailbox =
    "inconclusive: the step \"manager: lock db of A1\" is handed the records of all callers";

// Systems that answer otherwise than their family.
const std::map<std::string, std::string>& others() {
    static const std::map<std::string, std::string> kOthers{
        {"canal/repaired", "passed"},
        {"canal_mailbox/repaired", kMailbox},
        {"canal_mailbox_broken/does_not_wait", kMailbox},
        {"canal_broken/keeps_the_reference", "violated 1 foreign-reference"},
        {"canal_broken/loses_the_notification", "violated 1 lost-reference"},
        {"canal_broken/forgets_to_register", "violated 1 caller-death"},
        {"canal_broken/forgets_to_reply", "stuck 1"},
        {"canal_broken/acquires_from_the_right", "violated 1 caller-death"},
        {"lease_db_broken/forgets_to_delete", "violated 1 phantom"},
        {"lease_db_broken/picks_anyway", "passed"},  // here no key is a call
        {"lease_db_broken/restarts_tokens", "violated 1 token-order"},
        {"lease_db_broken/renews_by_insert", "violated 1 phantom"},
        {"lease_service_broken/forgets_to_end", "violated 1 phantom"},
        {"lease_service_broken/ignores_expiry", "violated 2 belief-overlap"},
        {"lease_coordinator_broken/forgets_grace", "passed"},      // here it is 0
        {"lease_coordinator_broken/ignores_row_count", "passed"},  // no row is lost here
        {"lease_coordinator_broken/two_transactions", "violated 1 unprotected-effect"},
        {"lease_coordinator_broken/forgets_to_delete", "violated 1 phantom"},
        {"lease_coordinator_broken/restarts_tokens", "violated 1 token-order"},
        {"monglock_multi/faithful", "violated 1 false-ok"},
        {"monglock_write/faithful", "violated 1 token-order"},
        {"monglock_write_broken/cleans_nothing", "violated 1 phantom"},
        {"monglock_write_broken/constant_token", "violated 1 token-order"},
        {"transactional_broken/grants_all_in_line", "violated 3 grant-overlap"},
        {"transactional_broken/serves_the_newest", "violated 3 token-order"},
        {"transactional_broken/unlocks_by_key", "passed"},      // a session pool
        {"transactional_broken/forgets_outcome", "passed"},     // no acknowledgement is lost here
        {"transactional_broken/never_notices", "passed"},       // and no connection
        {"transactional_broken/two_names_one_lock", "passed"},  // here is one name
        {"transactional_innodb/repaired", "passed"},            // with row_first
        {"transactional_innodb_broken/forgets_outcome", kAbsentRow},
        {"transactional_innodb_broken/never_notices", kAbsentRow},
        {"transactional_innodb_broken/two_names_one_lock", kAbsentRow},
        {"transactional_innodb_broken/grants_all_in_line", "violated 3 grant-overlap"},
        {"transactional_innodb_broken/serves_the_newest", "violated 3 token-order"},
        {"session_lock_pool_broken/loses_connections", "stuck 1"},
        {"session_lock_pool_broken/shares_a_connection", "violated 2 belief-overlap"},
        {"session_lock_pool_broken/grants_all_in_line", "violated 3 grant-overlap"},
        {"session_lock_pool_broken/serves_the_newest", "violated 3 token-order"},
        {"hysteresis/repaired", kFunctions},
        {"wait_die_broken/younger_waits", kFunctions},
        {"try_retry_broken/loses_connections", "stuck 1"},
        {"try_retry_broken/refuses_the_free", "inconclusive: proved, but nobody can acquire"},
        {"try_retry_broken/shares_a_connection", "violated 2 belief-overlap"},
        {"try_retry_broken/grants_the_taken", "violated 2 belief-overlap"},
    };
    return kOthers;
}

const Family* family_of(const std::string& system) {
    const auto* found = std::find_if(kFamilies.begin(), kFamilies.end(), [&](const Family& each) {
        return system.rfind(each.begins, 0) == 0;
    });
    return found == kFamilies.end() ? nullptr : found;
}

std::string scenario_of(const Family& family, const std::string& system,
                        const std::string& variant) {
    const std::string call = std::string(R"({"key": ")") + family.key + "\"" + family.view + "}";
    return R"({"version": 1, "system": ")" + system + R"(", "variant": ")" + variant +
           R"(", "parameters": )" + family.parameters +
           R"(, "callers": [{"script": [{"acquire": )" + call + R"(}, {"release": )" + call +
           R"(}]}], "check": "safety"})";
}

// "passed", "violated 3 token-order", "stuck 1", "inconclusive: the step ..."
std::string answer_of(const Ran& ran) {
    const json document = json::parse(ran.out);
    const json& file = document["files"][0];
    const auto verdict = file["verdict"].get<std::string>();
    if (verdict == "violated" || verdict == "stuck") {
        const auto least = file["every_number"]["least"][0].get<int>();
        const std::string text = verdict + " " + std::to_string(least);
        return verdict == "stuck"
                   ? text
                   : text + " " + document["violations"][0]["property"].get<std::string>();
    }
    if (verdict != "inconclusive") {
        return verdict == "passed" ? verdict : verdict + ": " + ran.err;
    }
    const auto detail = file["detail"].get<std::string>();
    const std::string begin = "no proof was found: ";
    const std::size_t at = detail.starts_with(begin) ? begin.size() : 0;
    return verdict + ": " + detail.substr(at, detail.find(';') - at);
}

class ProveEverySystem : public WithFiles {};

TEST_F(ProveEverySystem, TheAnswerIsThatOfTheTable) {
    const json listed = json::parse(run({"list", "systems", "--format", "json"}).out);
    std::size_t exceptions = 0;
    for (const json& each : listed["systems"]) {
        const auto system = each["system"].get<std::string>();
        const auto variant = each["variant"].get<std::string>();
        const std::string name = fmt::format("{}/{}", system, variant);
        const Family* family = family_of(system);
        ASSERT_NE(family, nullptr) << name << " has no row";
        const auto other = others().find(name);
        exceptions += other != others().end() ? 1 : 0;
        const std::string file = write(fmt::format("{}.{}.json", system, variant),
                                       scenario_of(*family, system, variant));
        const std::string states = testing_model::kIsSlowBuild ? "1500" : "3000";
        const Ran ran = prove({file, "--max-states", states, "--format", "json"});
        EXPECT_EQ(answer_of(ran), other != others().end() ? other->second : family->answer) << name;
    }
    EXPECT_EQ(exceptions, others().size());  // none names what is not shipped
}

// A system of the table that passes, in a scope that is not proved.
TEST_F(ProveEverySystem, SeveralKeysOfALineWithoutAnEndAreInconclusiveWithTheReason) {
    const std::string keys = write("keys.json", R"({"version": 1, "system": "transactional_pg",
        "callers": [{"script": [{"acquire": {"key": "a"}}, {"acquire": {"key": "b"}},
        {"release": {"key": "b"}}, {"release": {"key": "a"}}]}], "check": "safety"})");
    EXPECT_EQ(answer_of(prove({keys, "--max-states", "300", "--format", "json"})),
              "inconclusive: transactional locks are not proved like this: there are several keys");
}

}  // namespace
}  // namespace lockkeeper
