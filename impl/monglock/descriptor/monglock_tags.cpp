// SPDX-License-Identifier: Apache-2.0

// The multi lock of a scenario: its tags, their documents, relations and time-outs.
#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "impl/monglock/descriptor/monglock_options.hpp"

namespace lockkeeper::monglock {
namespace {

constexpr NamedRepair kMultiLockRepairs[] = {
    {"all_elements", kAllElements},
    {"current_clock", kCurrentClock},
    {"own_entry", kOwnEntry},
    {"guarded_writes", kMultiGuardedWrites},
    {"own_deadline", kMultiOwnDeadline},
    {"clean_up", kMultiCleanUp},
    {"settling_reads", kMultiSettlingReads},
    {"kept_writes", kMultiKeptWrites},
    {"applied_once", kMultiAppliedOnce},
    {"own_fields", kOwnFields},
};
static_assert(names_all(kMultiLockRepairs, kAllMultiLockRepairs));

// The number of one tag, 0 where none is given.
std::int32_t of_tag(const std::map<std::string, std::int32_t>& numbers, const std::string& tag) {
    const auto found = numbers.find("locktimeout:" + tag);
    return found == numbers.end() ? 0 : found->second;
}

TagSet related(const Scenario& scenario, const std::string& key, const std::string& kind) {
    TagSet tags = 0;
    const auto relations = scenario.parameters.relations.find(key);
    if (relations == scenario.parameters.relations.end() || !relations->second.contains(kind)) {
        return tags;
    }
    for (const std::string& name : relations->second.at(kind)) {
        const auto& keys = scenario.world.keys;
        const auto index = std::find(keys.begin(), keys.end(), name) - keys.begin();
        tags = static_cast<TagSet>(tags | 1U << index);
    }
    return tags;
}

// "document.tag", or "tag" of the only document.
std::string document_name(const std::string& key) {
    const std::size_t dot = key.find('.');
    return dot == std::string::npos ? std::string() : key.substr(0, dot);
}

// In the order in which the keys name them.
std::vector<std::uint8_t> documents_of(const std::vector<std::string>& keys) {
    std::vector<std::string> names;
    std::vector<std::uint8_t> documents;
    for (const std::string& key : keys) {
        const auto found = std::find(names.begin(), names.end(), document_name(key));
        documents.push_back(static_cast<std::uint8_t>(found - names.begin()));
        if (found == names.end()) {
            names.push_back(document_name(key));
        }
    }
    return documents;
}

// The keys for which the scenario says so: "NAME:KEY", or "NAME" for all.
TagSet keys_with(const Scenario& scenario, const std::string& name) {
    const auto& own = scenario.parameters.own;
    TagSet keys = 0;
    for (std::size_t key = 0; key < scenario.world.keys.size(); ++key) {
        const auto found = own.find(name + ":" + scenario.world.keys[key]);
        const bool is_said = (found == own.end() ? own.at(name) : found->second) != 0;
        keys = static_cast<TagSet>(keys | (is_said ? 1U : 0U) << key);
    }
    return keys;
}

// Nothing: none is given. A 0 that is written down: the configuration has none for the tag.
std::optional<std::int32_t> timeout_of(const Scenario& scenario, const std::string& key,
                                       bool is_write_lock) {
    const auto& own = scenario.parameters.own;
    const auto of_key = own.find("locktimeout:" + key);
    const std::int32_t given = of_key == own.end() ? own.at("locktimeout") : of_key->second;
    if (given != 0) {
        return given;
    }
    if (is_write_lock) {
        return kWriteLockTimeout / scenario.parameters.time_unit;
    }
    return of_key == own.end() ? std::nullopt : std::optional(kNeverOld);
}

// Nothing, or what a write lock among the tags cannot be asked.
std::optional<InputError> wrong_write_lock(const Scenario& scenario,
                                           const MultiLockOptions& options) {
    const auto& keys = scenario.world.keys;
    const auto is_write_lock = [&](std::size_t key) {
        return (options.write_locks >> key & 1U) != 0;
    };
    for (std::size_t key = 0; key < keys.size(); ++key) {
        for (std::size_t other = key + 1; other < keys.size(); ++other) {
            if (is_write_lock(key) && is_write_lock(other) &&
                options.documents[key] == options.documents[other]) {
                return InputError{scenario.file, "/parameters",
                                  fmt::format("\"{}\" and \"{}\" cannot both be the write lock of "
                                              "one document",
                                              keys[key], keys[other])};
            }
        }
        const auto asks_again = [&](const Operation& one) {
            return one.verb == Verb::kCall && one.key == key &&
                   one.word != static_cast<std::uint8_t>(MultiLockCall::kWrite);
        };
        for (const CallerConfig& caller : scenario.world.callers) {
            const auto& script = caller.script;
            if (is_write_lock(key) && std::any_of(script.begin(), script.end(), asks_again)) {
                return InputError{scenario.file, "/callers",
                                  fmt::format("\"{}\" is a write lock: nobody asks again for it, "
                                              "or withdraws it",
                                              keys[key])};
            }
        }
    }
    return std::nullopt;
}

// Nothing, or which relation cannot be.
std::optional<InputError> wrong_relation(const Scenario& scenario,
                                         const MultiLockOptions& options) {
    const auto& keys = scenario.world.keys;
    for (std::size_t key = 0; key < keys.size(); ++key) {
        for (std::size_t other = 0; other < keys.size(); ++other) {
            if (((options.cooperative[key] | options.assertive[key]) >> other & 1U) == 0) {
                continue;
            }
            const bool is_tag =
                ((options.write_locks >> key | options.write_locks >> other) & 1U) == 0;
            if (is_tag && options.documents[key] == options.documents[other]) {
                continue;
            }
            return InputError{
                scenario.file, "/parameters/relations",
                fmt::format("\"{}\" and \"{}\" cannot be related: {}", keys[key], keys[other],
                            is_tag ? "tags of two documents" : "a write lock is no tag")};
        }
    }
    return std::nullopt;
}

// Nothing, or what is missing.
std::optional<InputError> fill_in_tags(const Scenario& scenario, MultiLockOptions& options) {
    options.unknown = keys_with(scenario, "unknown");
    options.write_locks = keys_with(scenario, "write_lock");
    options.documents = documents_of(scenario.world.keys);
    for (std::size_t index = 0; index < scenario.world.keys.size(); ++index) {
        const std::string& key = scenario.world.keys[index];
        const auto timeout = timeout_of(scenario, key, (options.write_locks >> index & 1U) != 0);
        if (!timeout) {
            return InputError{
                scenario.file, "/parameters",
                fmt::format(
                    "no locktimeout of \"{0}\": the tags of the multi lock have no default; "
                    "give \"locktimeout\" or \"locktimeout:{0}\" (0: the configuration "
                    "has none, its entries never become old)",
                    key)};
        }
        options.lock_timeouts.push_back(*timeout);
        options.cooperative.push_back(related(scenario, key, "cooperative"));
        options.assertive.push_back(related(scenario, key, "assertive"));
        for (std::size_t caller = 0; caller < options.clients.size(); ++caller) {
            options.clients[caller].lock_timeouts.push_back(
                of_tag(scenario.world.callers[caller].settings, key));
        }
    }
    if (auto error = wrong_write_lock(scenario, options)) {
        return error;
    }
    return wrong_relation(scenario, options);
}

}  // namespace

std::span<const NamedRepair> multi_lock_repairs() { return kMultiLockRepairs; }

std::variant<MultiLock, InputError> make_multi_lock(const Scenario& scenario,
                                                    void (*plant)(MultiLockOptions&)) {
    MultiLockOptions options;
    fill_in(scenario, options);
    if (auto error = fill_in_tags(scenario, options)) {
        return *error;
    }
    options.keeps_released = somebody_calls(scenario.world, MultiLockCall::kAskAgain);
    options.asks_again = options.keeps_released || somebody_goes_on_until_acquired(scenario.world);
    options.repairs = repairs_of<std::uint16_t>(scenario, kMultiLockRepairs);
    plant(options);
    return MultiLock(options);
}

}  // namespace lockkeeper::monglock
