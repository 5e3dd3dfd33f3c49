// SPDX-License-Identifier: Apache-2.0

// How a row of a table of keys is said: what is allowed, and the member that the key is. For the
// tables (table_of_*.cpp, keys/operations.cpp) alone.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "scenarios/fields.hpp"
#include "scenarios/outside_lock.hpp"

namespace lockkeeper {

inline Allowed whole(std::uint64_t least, std::uint64_t most, std::string_view or_word = {}) {
    return {.kind = Allowed::Kind::kWhole, .least = least, .most = most, .or_word = or_word};
}

inline Allowed number(double least, double most, bool or_zero = false) {
    return {.kind = Allowed::Kind::kNumber,
            .least_number = least,
            .most_number = most,
            .or_zero = or_zero};
}

inline Allowed truth() { return {.kind = Allowed::Kind::kTruth}; }

inline Allowed one_of(std::string_view first, std::string_view second, std::size_t true_word) {
    return {.kind = Allowed::Kind::kWord, .words = {first, second}, .true_word = true_word};
}

// The words of an enum, in its order.
inline Allowed one_of(std::span<const char* const> words) {
    return {.kind = Allowed::Kind::kWord, .words = {words.begin(), words.end()}};
}

// `true` in the member; without it, `false`.
inline Allowed word(std::string_view only) {
    return {.kind = Allowed::Kind::kWord, .words = {only}};
}

inline Allowed name() { return {.kind = Allowed::Kind::kName}; }

inline Allowed names(std::uint64_t most, bool or_one = false) {
    return {.kind = Allowed::Kind::kNames, .most = most, .or_one = or_one};
}

inline Allowed text() { return {.kind = Allowed::Kind::kText}; }

template <class Member>
struct Optional : std::false_type {
    using Value = Member;
};
template <class Inner>
struct Optional<std::optional<Inner>> : std::true_type {
    using Value = Inner;
};

// The member as the file says it. Null: the file says nothing.
template <class Member>
nlohmann::ordered_json written_plain(const Allowed& allowed, const Member& member) {
    if constexpr (Optional<Member>::value) {
        return member                    ? written_plain(allowed, *member)
               : allowed.or_word.empty() ? nlohmann::ordered_json()
                                         : nlohmann::ordered_json(allowed.or_word);
    } else if constexpr (std::is_same_v<Member, bool>) {
        const std::size_t chosen = member ? allowed.true_word : 1 - allowed.true_word;
        return allowed.kind != Allowed::Kind::kWord ? nlohmann::ordered_json(member)
               : chosen < allowed.words.size()      ? nlohmann::ordered_json(allowed.words[chosen])
                                                    : nlohmann::ordered_json();
    } else if constexpr (std::is_enum_v<Member>) {
        return allowed.words[static_cast<std::size_t>(member)];
    } else {
        return member;
    }
}

// `value`: one that is allowed.
template <class Member>
void set_plain(const Allowed& allowed, const nlohmann::json& value, Member& member) {
    using Value = typename Optional<Member>::Value;
    if constexpr (std::is_same_v<Value, bool>) {
        member = allowed.kind == Allowed::Kind::kWord ? value == allowed.words[allowed.true_word]
                                                      : value.get<bool>();
    } else if constexpr (std::is_enum_v<Value>) {
        const auto word = std::find(allowed.words.begin(), allowed.words.end(), value);
        member = static_cast<Value>(word - allowed.words.begin());
    } else if constexpr (Optional<Member>::value) {
        member = value.is_number() ? std::optional(value.get<Value>()) : std::nullopt;
    } else {
        member = value.get<Value>();
    }
}

// `member`: of a Scenario that may be written to, or not; &Scenario::about, or a function.
template <class Member>
Field with_member(Field field, Member member) {
    const Allowed allowed = field.allowed;
    const bool is_of_traffic = field.object == "traffic";
    field.get = [=](const Scenario& scenario) -> nlohmann::ordered_json {
        return is_of_traffic && !scenario.traffic
                   ? nlohmann::ordered_json()
                   : written_plain(allowed, std::invoke(member, scenario));
    };
    field.set = [=](Scenario& scenario, const nlohmann::json& value) {
        set_plain(allowed, value, std::invoke(member, scenario));
    };
    return field;
}

inline Field with_codec(Field field, const Codec& codec) {
    field.codec = codec;
    field.get = codec.written;
    return field;
}

// The parts of the table of keys. For use_fields.cpp.

inline constexpr std::size_t kNamesMax = 64;  // of a list of properties or goals

// The fields of each object are written and read in the order of these tables: what a field means
// may depend on those before it.
[[nodiscard]] std::vector<Field> table_of_top_level();
[[nodiscard]] std::vector<Field> table_of_objects();  // parameters, faults, server ...
[[nodiscard]] std::vector<Field> table_of_expect();

inline constexpr Condition kExploring{
    [](const Scenario& scenario) { return scenario.method == Method::kExplore; },
    "\"method\": \"explore\" only"};
inline constexpr Condition kInOrder{
    [](const Scenario& scenario) { return scenario.method == Method::kOrder; },
    "\"method\": \"order\" only"};
inline constexpr Condition kReplaying{
    [](const Scenario& scenario) { return scenario.method == Method::kReplay; },
    "\"method\": \"replay\" only"};
inline constexpr Condition kOutside{
    [](const Scenario& scenario) { return is_outside_lock(scenario.system); },
    "\"system\": \"program\", \"wire\" or \"outside\" only"};
inline constexpr Condition kOneRun{
    [](const Scenario& scenario) { return kInOrder.holds(scenario) || kReplaying.holds(scenario); },
    "\"method\": \"order\" or \"replay\" only"};

}  // namespace lockkeeper
