// SPDX-License-Identifier: Apache-2.0

// A server is driven with the scenario as its system understands it: the defaults and the repairs
// that are on come from there, for each system that has a server.

#include <gtest/gtest.h>

#include "scenarios/bad_input.hpp"
#include "scenarios/registry/shipped_systems.hpp"
#include "validate/erlang/canal_walk.hpp"
#include "validate/servers/subject.hpp"

namespace lockkeeper {
namespace {

const Registry& registry() {
    static const Registry kRegistry = shipped_systems();
    return kRegistry;
}

struct Made {
    Understood understood;
    std::unique_ptr<Runner> runner;
};

// One caller, with `parts` added, of this system.
Made made_of(const std::string& system, const std::string& variant, const std::string& parts = "") {
    Scenario scenario = value_or_throw(parse_scenario(
        R"({"version": 1, "system": ")" + system + R"(", "variant": ")" + variant + "\", " + parts +
            R"("callers": [{"script": [{"acquire": {"key": "k"}}, {"release": {"key": "k"}}]}]})",
        "x.json"));
    Understood understood = value_or_throw(scenario, registry().understand(scenario));
    auto runner = value_or_throw(scenario, understood.system->make(understood.scenario));
    return {std::move(understood), std::move(runner)};
}

databases::Subject subject_of(const std::string& system, const std::string& variant,
                              const std::string& parts = "") {
    const Made scenario = made_of(system, variant, parts);
    const auto engine = databases::engine_of(scenario.understood.system->server.name);
    return make_subject(scenario.understood, *scenario.runner, engine.value());
}

TEST(DatabaseSubject, has_the_repairs_that_are_on_in_the_model) {
    std::size_t systems_count = 0;
    for (const RegisteredSystem& system : registry().systems()) {
        if (!databases::engine_of(system.server.name)) {
            continue;
        }
        const auto& known = system.vocabulary.repairs;
        const std::set<std::string> all{known.begin(), known.end()};
        EXPECT_EQ(all, subject_of(system.system, system.variant).repairs)
            << system.system << "/" << system.variant;
        EXPECT_TRUE(system.variant != "repaired" || !all.empty());
        ++systems_count;
    }
    EXPECT_GT(systems_count, 60U);
}

// A former second list of repairs, beside the registry's, had forgotten both.
TEST(DatabaseSubject, has_the_repairs_of_planted_bugs_and_those_that_came_later) {
    EXPECT_TRUE(subject_of("session_lock_pool_broken", "frees_at_effect").has("reset_on_return"));
    EXPECT_TRUE(subject_of("lease_db", "repaired").has("applied_once"));
    EXPECT_TRUE(subject_of("lease_db_broken", "picks_anyway").has("checked_pick"));
    EXPECT_TRUE(subject_of("transactional_broken", "frees_at_read").repairs.empty());
}

TEST(DatabaseSubject, has_the_repairs_that_a_scenario_chooses) {
    const auto with = [](const std::string& repairs) {
        return subject_of("transactional_pg", "repaired",
                          "\"parameters\": {\"repairs\": " + repairs + "}, ")
            .repairs;
    };
    EXPECT_EQ((std::set<std::string>{"outbox"}), with(R"(["outbox"])"));
    EXPECT_EQ((std::set<std::string>{}), with("[]"));
    EXPECT_EQ((std::set<std::string>{"guard_savepoint", "read_committed", "checked_end",
                                     "ask_outcome", "fixed_byte_order"}),
              with(R"({"all_but": ["outbox"]})"));
}

TEST(DatabaseSubject, has_the_defaults_of_the_system) {
    const databases::Subject leases = subject_of("lease_db", "faithful");
    EXPECT_EQ(std::chrono::milliseconds(5'000), leases.leases->ttls.at(0));
    EXPECT_EQ(std::chrono::milliseconds(1), leases.leases->jump);
    EXPECT_TRUE(leases.leases->retries);
    EXPECT_FALSE(leases.leases->calls);
    EXPECT_TRUE(subject_of("transactional_innodb", "faithful").clients.at(0).repeatable_read);
    EXPECT_FALSE(subject_of("transactional_pg", "faithful").clients.at(0).repeatable_read);
    const databases::Subject pool = subject_of("session_lock_pool", "faithful");
    EXPECT_EQ(4U, pool.connections);
    EXPECT_TRUE(pool.clients.at(0).session_level);
    EXPECT_FALSE(pool.clients.at(0).tries);
    const databases::Subject tries = subject_of("try_retry", "faithful");
    EXPECT_EQ(4U, tries.connections);
    EXPECT_FALSE(tries.clients.at(0).session_level);
    EXPECT_TRUE(tries.clients.at(0).tries);
    EXPECT_EQ(4U, subject_of("transactional_broken", "unlocks_by_key").connections);
    EXPECT_EQ(0U, subject_of("transactional_broken", "frees_at_read").connections);
}

std::string reason(const std::string& system, const std::string& variant, databases::Engine engine,
                   const std::string& parts = "") {
    const Made scenario = made_of(system, variant, parts);
    try {
        static_cast<void>(make_subject(scenario.understood, *scenario.runner, engine));
        return "expressible";
    } catch (const databases::NotExpressible& none) {
        return none.because;
    }
}

TEST(DatabaseSubject, says_why_there_is_none) {
    using databases::Engine;
    EXPECT_EQ("system canal is none of a database server",
              reason("canal", "faithful", Engine::kPostgresql));
    EXPECT_EQ("system lease_service is none of a database server",
              reason("lease_service", "faithful", Engine::kPostgresql));
    EXPECT_EQ("its rules are those of InnoDB",
              reason("transactional_innodb", "faithful", Engine::kPostgresql));
    EXPECT_EQ("its rules are those of PostgreSQL",
              reason("transactional_broken", "frees_at_read", Engine::kMariadb));
    EXPECT_EQ("nothing sends a statement twice, or starts a client again: resends",
              reason("lease_db", "faithful", Engine::kPostgresql, R"("faults": {"resends": 1}, )"));
}

std::string canal_reason(const std::string& system, const std::string& variant) {
    const Made scenario = made_of(system, variant);
    try {
        static_cast<void>(erlang::canal_subject(scenario.understood, *scenario.runner));
        return "expressible";
    } catch (const databases::NotExpressible& none) {
        return none.because;
    }
}

TEST(CanalSubject, is_of_the_published_lock_and_the_bugs_planted_in_it) {
    EXPECT_EQ("expressible", canal_reason("canal", "faithful"));
    EXPECT_EQ("expressible", canal_reason("canal_broken", "grants_at_cap"));
    EXPECT_EQ("its row is one object of the table, which the published lock does not have",
              canal_reason("canal", "repaired"));
    EXPECT_EQ("system lease_db is none of Erlang's", canal_reason("lease_db", "faithful"));
}

TEST(CanalSubject, has_what_the_scenario_says_and_the_defaults_of_the_rest) {
    const Made scenario = made_of("canal", "faithful", R"("parameters": {"max_decr_tries": 3}, )");
    const auto subject = erlang::canal_subject(scenario.understood, *scenario.runner);
    EXPECT_EQ(1, subject.parameters.manager_max_per);
    EXPECT_EQ(std::optional<std::uint8_t>(3), subject.parameters.max_decr_tries);
    EXPECT_TRUE(subject.parameters.has_manager);
    EXPECT_TRUE(subject.parameters.returns_count);
}

}  // namespace
}  // namespace lockkeeper
