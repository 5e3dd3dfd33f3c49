// SPDX-License-Identifier: Apache-2.0

// Scenarios in the words of their system: what it does not know is refused with file, place and the
// nearest known word.
#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "properties/catalogue.hpp"
#include "scenarios/registry/job.hpp"
#include "scenarios/registry/shipped_systems.hpp"

namespace lockkeeper {
namespace {

// A scenario of one client of the write lock, with `parts` added and `operation` in its script.
std::string document(const std::string& parts, const std::string& operation,
                     const std::string& system = "monglock_write") {
    return R"({"version": 1, "system": ")" + system + R"(", )" + parts +
           R"("callers": [{"script": [{"acquire": {"key": "doc"}}, )" + operation + R"(]}]})";
}

std::string answer(const std::string& text) {
    const auto parsed = parse_scenario(text, "x.json");
    if (const auto* error = std::get_if<InputError>(&parsed)) {
        return error->text();
    }
    const MadeRunner made = shipped_systems().make(std::get<Scenario>(parsed));
    const auto* error = std::get_if<InputError>(&made);
    return error == nullptr ? "accepted" : error->text();
}

constexpr const char* kRelease = R"({"release": {"key": "doc"}})";

TEST(Vocabulary, accepts_what_the_system_knows) {
    EXPECT_EQ(
        answer(document(R"("parameters": {"locktimeout": 20}, "faults": {"ack_lost": 1}, )",
                        R"({"call": {"what": "write", "key": "doc"}}, {"sleep": {"time": 3}})")),
        "accepted");
    EXPECT_EQ(
        answer(document(R"("parameters": {"locktimeout:doc": 20}, )", kRelease, "monglock_multi")),
        "accepted");
}

TEST(Vocabulary, refuses_numbers_that_the_system_does_not_know) {
    EXPECT_EQ(answer(document(R"("parameters": {"locktimout": 20}, )", kRelease)),
              "x.json: /parameters/locktimout: system \"monglock_write\" has no parameter "
              "\"locktimout\"; did you mean \"locktimeout\"?");
    EXPECT_EQ(answer(document(R"("faults": {"crashs": 1}, )", kRelease)),
              "x.json: /faults/crashs: system \"monglock_write\" has no fault \"crashs\"; did you "
              "mean \"crashes\"?");
    EXPECT_EQ(answer(document(R"("parameters": {"locktimeout:dock": 20}, )", kRelease)),
              "x.json: /parameters/locktimeout:dock: system \"monglock_write\" has no parameter "
              "\"locktimeout:dock\"; did you mean \"locktimeout\"?");
    EXPECT_EQ(answer(document(R"("parameters": {"locktimeout:doc": 20}, )", kRelease)),
              "x.json: /parameters/locktimeout:doc: system \"monglock_write\" has no parameter "
              "\"locktimeout:doc\"; did you mean \"locktimeout\"?");
    EXPECT_EQ(answer(document(R"("parameters": {"locktimeout": -1}, )", kRelease)),
              "x.json: /parameters/locktimeout: expected 0 to 60000, found -1");
}

TEST(Vocabulary, refuses_repairs_that_the_variant_does_not_have) {
    constexpr const char* kRepaired = R"("variant": "repaired", "parameters": {"repairs": )";
    const auto with = [&](const std::string& repairs) {
        return answer(document(kRepaired + repairs + "}, ", kRelease));
    };
    EXPECT_EQ(with(R"(["unique_ids"])"), "accepted");
    EXPECT_EQ(with(R"({"all_but": ["unique_ids"]})"), "accepted");
    EXPECT_EQ(with(R"(["unique_id"])"),
              "x.json: /parameters/repairs/0: unknown repair \"unique_id\"; did you mean "
              "\"unique_ids\"?");
    EXPECT_EQ(with(R"({"all_but": ["unique_ids", "unique_id"]})"),
              "x.json: /parameters/repairs/all_but/1: unknown repair \"unique_id\"; did you mean "
              "\"unique_ids\"?");
    EXPECT_EQ(answer(document(R"("parameters": {"repairs": {"all_but": []}}, )", kRelease)),
              "x.json: /parameters/repairs: the faithful variant has no repairs; use \"variant\": "
              "\"repaired\"");
}

TEST(Vocabulary, takes_a_locktimeout_of_0_for_none_and_the_multi_lock_has_no_default) {
    constexpr const char* kZero = R"("parameters": {"locktimeout": 0}, )";
    EXPECT_EQ(answer(document(kZero, kRelease)), "accepted");
    for (const char* parameters : {"", kZero}) {
        EXPECT_EQ(answer(document(parameters, kRelease, "monglock_multi")),
                  "x.json: /parameters: no locktimeout of \"doc\": the tags of the multi lock have "
                  "no default; give \"locktimeout\" or \"locktimeout:doc\" (0: the "
                  "configuration has none, its entries never become old)");
    }
    EXPECT_EQ(
        answer(document(R"("parameters": {"locktimeout:doc": 0}, )", kRelease, "monglock_multi")),
        "accepted");
}

TEST(Vocabulary, refuses_upserts_that_a_library_renews_and_calls_that_are_nested_too_deep) {
    const auto of_coordinator = [](const std::string& parameters, const std::string& operation) {
        return answer(
            document(R"("parameters": {)" + parameters + "}, ", operation, "lease_coordinator"));
    };
    const auto nested = [](int number) {
        return R"({"call": {"what": "nested", "key": "doc", "number": )" + std::to_string(number) +
               "}}";
    };
    EXPECT_EQ(of_coordinator(R"("upsert": 1)", nested(3)), "accepted");
    EXPECT_EQ(of_coordinator("", nested(4)),
              "x.json: /callers/0/script: nested: expected a number of at most 3");
    EXPECT_EQ(of_coordinator(R"("upsert": 1, "module": 1)", kRelease),
              "x.json: /parameters/module: with \"upsert\": 1 each message renews, and no library "
              "does");
    EXPECT_EQ(of_coordinator(R"("upsert": 1, "free_within": 5)", kRelease),
              "x.json: /parameters/free_within: with \"upsert\": 1 a lease does not belong to one "
              "caller, and is not kept by one that has died");
    EXPECT_EQ(of_coordinator(R"("use_case:doc": 3)", kRelease), "accepted");
    EXPECT_EQ(of_coordinator(R"("use_case:doc": 4)", kRelease),
              "x.json: /parameters/use_case:doc: expected 0 to 3, found 4");
}

TEST(Vocabulary, refuses_a_clean_up_inside_of_a_block) {
    const std::string clean_up = R"({"call": {"what": "clean_up", "key": "doc"}})";
    const std::string back = R"({"call": {"what": "rollback", "key": "doc"}}, )";
    EXPECT_EQ(answer(document("", clean_up, "transactional_innodb")),
              "x.json: /callers/0/script: clean_up inside of a block: its deletes would be part of "
              "the block's transaction, which is not modelled; end the block before");
    EXPECT_EQ(answer(document("", kRelease + (", " + clean_up), "transactional_innodb")),
              "accepted");
    EXPECT_EQ(answer(document("", back + clean_up, "transactional_innodb")), "accepted");
}

std::string tags(const std::string& parameters, const std::string& script) {
    return answer(
        R"({"version": 1, "system": "monglock_multi", "keys": ["x.a", "y.b"], "parameters": {)" +
        parameters + R"("locktimeout": 10}, "callers": [{"name": "A", "script": [)" + script +
        R"({"acquire": {"key": "x.a"}}, {"acquire": {"key": "y.b"}}]}]})");
}

TEST(Vocabulary, refuses_tags_and_write_locks_that_cannot_be) {
    EXPECT_EQ(tags("", ""), "accepted");
    EXPECT_EQ(tags(R"("relations": {"x.a": {"cooperative": ["y.b"]}}, )", ""),
              "x.json: /parameters/relations: \"x.a\" and \"y.b\" cannot be related: tags of two "
              "documents");
    EXPECT_EQ(tags(R"("write_lock:x.a": 1, "relations": {"x.a": {"cooperative": ["x.a"]}}, )", ""),
              "x.json: /parameters/relations: \"x.a\" and \"x.a\" cannot be related: a write lock "
              "is no tag");
    EXPECT_EQ(
        tags(R"("write_lock:x.a": 1, )", R"({"call": {"what": "ask_again", "key": "x.a"}}, )"),
        "x.json: /callers: \"x.a\" is a write lock: nobody asks again for it, or withdraws "
        "it");
    EXPECT_EQ(answer(R"({"version": 1, "system": "monglock_multi", "keys": ["a", "b"],
                         "parameters": {"locktimeout": 10, "write_lock": 1},
                         "callers": [{"name": "A", "script": [{"acquire": {"key": "a"}},
                                                              {"acquire": {"key": "b"}}]}]})"),
              "x.json: /parameters: \"a\" and \"b\" cannot both be the write lock of one document");
}

TEST(Vocabulary, refuses_the_number_of_an_operation_where_the_system_has_none) {
    const std::string acquire = R"({"acquire": {"key": "doc", "number": 5}})";
    EXPECT_EQ(answer(document("", acquire)), "accepted");
    EXPECT_EQ(answer(document("", acquire, "canal")),
              "x.json: /callers/0/script/1/acquire/number: an acquire of system \"canal\" has no "
              "number");
    const std::string write = R"({"call": {"what": "write", "key": "doc", "number": 5}})";
    EXPECT_EQ(answer(document("", write)),
              "x.json: /callers/0/script/1/call/number: the call \"write\" of system "
              "\"monglock_write\" has no number");
    const std::string reap = R"({"call": {"what": "reap", "key": "doc", "number": 1}})";
    EXPECT_EQ(answer(document("", reap, "lease_coordinator")), "accepted");
}

TEST(Vocabulary, refuses_several_keys_and_weights_which_clients_at_the_wire_have) {
    for (const char* more : {R"(, "with": ["other"])", R"(, "weight": 2)"}) {
        const std::string acquire = std::string(R"({"acquire": {"key": "doc")") + more + "}}";
        EXPECT_EQ(
            answer(document("", acquire, "canal")),
            "x.json: /callers/0/script: \"with\" and \"weight\" go with validate --wire; system "
            "\"canal\" takes one place of one key");
    }
}

TEST(Vocabulary, refuses_calls_relations_and_sleep_that_the_system_does_not_know) {
    EXPECT_EQ(answer(document("", R"({"call": {"what": "wrte", "key": "doc"}})")),
              "x.json: /callers/0/script/1/call/what: system \"monglock_write\" has no call "
              "\"wrte\"; did you "
              "mean \"write\"?");
    EXPECT_EQ(answer(document(R"("parameters": {"relations": {"doc": {"rude": []}}}, )", kRelease,
                              "monglock_multi")),
              "x.json: /parameters/relations/doc/rude: system \"monglock_multi\" has no relation "
              "\"rude\"; known: assertive, cooperative");
    EXPECT_EQ(answer(document("", R"({"sleep": {"time": 3}})", "canal")),
              "x.json: /callers/0/script/1/sleep: system \"canal\" has no time to sleep in");
}

// A scenario of one caller of this system, with these parameters and this acquire.
std::string keys_answer(const std::string& system, const std::string& parts,
                        const std::string& acquire = "") {
    return answer(R"({"version": 1, "system": ")" + system + R"(", )" + parts +
                  R"("callers": [{"script": [{"acquire": {"key": "k")" + acquire +
                  R"(}}, {"release": {"key": "k"}}]}]})");
}

constexpr const char* kOnePlaceSystems[] = {
    "lease_db",         "lease_service",        "lease_coordinator", "monglock_write",
    "transactional_pg", "transactional_innodb", "session_lock_pool", "try_retry"};

TEST(Vocabulary, refuses_parameters_of_the_canal_lock_where_they_mean_nothing) {
    const std::pair<const char*, const char*> given[] = {{"manager", R"("none")"},
                                                         {"manager_max_per", "2"},
                                                         {"max_decr_tries", "3"},
                                                         {"returns", R"("plain")"},
                                                         {"table", R"({"warm": 1})"}};
    for (const auto& [name, value] : given) {
        const std::string parts =
            std::string(R"("parameters": {")") + name + "\": " + value + "}, ";
        EXPECT_EQ(keys_answer("canal", parts), "accepted");
        for (const char* system : kOnePlaceSystems) {
            EXPECT_EQ(keys_answer(system, parts),
                      std::string("x.json: /parameters/") + name + ": system \"" + system +
                          "\" makes nothing of \"" + name + "\"; leave it out");
        }
    }
    EXPECT_EQ(keys_answer("single_counter", R"("parameters": {"table": {"warm": 1}}, )"),
              "accepted");
    EXPECT_EQ(keys_answer("single_counter", R"("parameters": {"returns": "plain"}, )"),
              "x.json: /parameters/returns: system \"single_counter\" makes nothing of "
              "\"returns\"; leave it out");
}

TEST(Vocabulary, refuses_several_places_where_a_key_has_one) {
    const std::string acquire = "/callers/0/script/0/acquire/";
    const auto refusal = [](const std::string& system, const std::string& where,
                            const std::string& what) {
        return "x.json: " + where + ": system \"" + system + "\" has one place of each key; " +
               what;
    };
    for (const char* system : kOnePlaceSystems) {
        for (const std::string value : {"0", "2"}) {
            EXPECT_EQ(keys_answer(system, "", R"(, "max_per": )" + value),
                      refusal(system, acquire + "max_per", "leave \"max_per\" out, or give 1"));
        }
        EXPECT_EQ(keys_answer(system, R"("view": 1, )", R"(, "buckets": "current")"),
                  refusal(system, acquire + "buckets", "leave \"buckets\" out, or give 1"));
        EXPECT_EQ(keys_answer(system, R"("view": 1, "resizes": [1], )"),
                  refusal(system, "/resizes", "leave \"resizes\" out"));
        EXPECT_EQ(keys_answer(system, R"("view": 0, )"),
                  refusal(system, "/view", "leave \"view\" out, or give 1"));
    }
    EXPECT_EQ(keys_answer("single_counter", R"("view": 1, "resizes": [2], )",
                          R"(, "max_per": 2, "buckets": "current")"),
              "accepted");
}

TEST(Vocabulary, accepts_keys_that_say_what_holds_anyway) {
    constexpr const char* kNeutral =
        R"("view": 1, "parameters": {"manager_max_per": 1, "max_decr_tries": 15, "manager": "full",
           "returns": "count", "table": "cold", "relations": {}}, )";
    for (const char* system : kOnePlaceSystems) {
        EXPECT_EQ(keys_answer(system, kNeutral, R"(, "max_per": 1, "buckets": 1)"), "accepted");
    }
}

// Whatever a scenario says is written with all defaults: it is read again.
TEST(Vocabulary, accepts_what_it_has_written_itself) {
    for (const char* system : kOnePlaceSystems) {
        const auto parsed = parse_scenario(document("", kRelease, system), "x.json");
        EXPECT_EQ(answer(to_json_text(std::get<Scenario>(parsed))), "accepted") << system;
    }
}

TEST(Vocabulary, says_line_and_column_of_a_key_that_the_system_does_not_know) {
    const auto parsed = parse_scenario(
        "{\"version\": 1, \"system\": \"lease_db\",\n"
        " \"parameters\": {\"manager\": \"none\"},\n"
        " \"callers\": [{\"script\": [{\"acquire\": {\"key\": "
        "\"k\"}}]}]}",
        "x.json");
    const auto& scenario = std::get<Scenario>(parsed);
    const MadeRunner made = shipped_systems().make(scenario);
    EXPECT_EQ(located(scenario, std::get<InputError>(made)).text(),
              "x.json:2:28: /parameters/manager: system \"lease_db\" makes nothing of \"manager\"; "
              "leave it out");
}

TEST(Vocabulary, another_system_may_be_asked_with_the_file_of_one_that_knows_more) {
    auto parsed = parse_scenario(
        R"({"version": 1, "system": "canal", "parameters": {"manager": "none"},
            "callers": [{"script": [{"acquire": {"key": "k"}}]}]})",
        "x.json");
    auto& scenario = std::get<Scenario>(parsed);
    scenario.system = "single_counter";
    EXPECT_TRUE(std::holds_alternative<std::unique_ptr<Runner>>(shipped_systems().make(scenario)));
}

TEST(Vocabulary, refuses_repairs_of_a_system_that_has_none_and_what_a_crash_takes) {
    EXPECT_EQ(keys_answer("single_counter", R"("parameters": {"repairs": ["x"]}, )"),
              "x.json: /parameters/repairs: the faithful variant has no repairs; leave them out");
    EXPECT_EQ(keys_answer("canal_broken", R"("variant": "grants_at_cap", "parameters": {"repairs":
                                             ["owners_in_row"]}, )"),
              "x.json: /parameters/repairs: the grants_at_cap variant has no repairs; leave them "
              "out");
    EXPECT_EQ(keys_answer("canal", R"("parameters": {"crash_takes": "locks"}, )"),
              "x.json: /parameters/crash_takes: system \"canal\" has no parameter \"crash_takes\"");
}

TEST(Vocabulary, knows_the_bounds_that_leases_are_judged_by_where_a_scenario_gives_them) {
    for (const char* system : {"lease_db", "lease_service", "lease_coordinator"}) {
        for (const std::string bound : {"told_within", "free_within"}) {
            const auto with = [&](const std::string& value) {
                return answer(document(fmt::format(R"("parameters": {{"{}": {}}}, )", bound, value),
                                       kRelease, system));
            };
            EXPECT_EQ(with("-1"), "accepted");
            EXPECT_EQ(with("0"), "accepted");
            EXPECT_EQ(with("-2"),
                      "x.json: /parameters/" + bound + ": expected -1 to 60000, found -2");
        }
    }
    EXPECT_EQ(
        answer(document(R"("check": ["told-late"], )", kRelease)),
        "x.json: /check/0: property \"told-late\" does not apply to system "
        "\"monglock_write\": it does not show what is needed; give the parameter told_within");
}

TEST(Vocabulary, knows_the_bound_of_the_mailbox_where_a_scenario_gives_it) {
    const std::string check = R"("check": ["long-mailbox"], )";
    const auto with = [&](const std::string& parameters) {
        return answer(
            document("\"parameters\": {" + parameters + "}, " + check, kRelease, "canal_mailbox"));
    };
    EXPECT_EQ(with("\"waiting_at_most\": 0"), "accepted");
    EXPECT_EQ(with("\"waiting_at_most\": -2"),
              "x.json: /parameters/waiting_at_most: expected -1 to 1000, found -2");
    EXPECT_EQ(with(R"("manager": "none")"),
              "x.json: /parameters/manager: the mailbox is the manager's: leave it out");
    const auto parsed = parse_scenario(document(check, kRelease, "canal_mailbox"), "x.json");
    const auto job = make_job(shipped_systems(), std::get<Scenario>(parsed));
    EXPECT_EQ(std::get<InputError>(job).text(),
              "x.json: /check/0: property \"long-mailbox\" does not apply to system "
              "\"canal_mailbox\": it does not show what is needed; give the parameter "
              "waiting_at_most");
}

// Whether "told-late" is checked, or why not: what can be judged depends on this scenario's
// numbers.
std::string judges_told_late(const std::string& parts) {
    const auto parsed = parse_scenario(document(parts, kRelease, "lease_db"), "x.json");
    const auto made = make_job(shipped_systems(), std::get<Scenario>(parsed));
    if (const auto* error = std::get_if<InputError>(&made)) {
        return error->text();
    }
    const auto& check = std::get<Job>(made).check;
    return std::count(check.begin(), check.end(), find_property("told-late")) == 1 ? "yes" : "no";
}

TEST(Vocabulary, leaves_out_of_all_what_no_bound_of_the_scenario_lets_judge) {
    const std::string bound = R"("parameters": {"told_within": 5}, )";
    EXPECT_EQ(judges_told_late(""), "no");
    EXPECT_EQ(judges_told_late(bound), "yes");
    EXPECT_EQ(judges_told_late(bound + R"("check": ["told-late", "all"], )"), "yes");
    EXPECT_EQ(judges_told_late(R"("check": ["deadlock", "told-late"], )"),
              "x.json: /check/1: property \"told-late\" does not apply to system \"lease_db\": it "
              "does not show what is needed; give the parameter told_within");
}

}  // namespace
}  // namespace lockkeeper
