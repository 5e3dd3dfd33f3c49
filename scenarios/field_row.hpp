// How a row of the table of fields is said (scenarios/fields.cpp): what is allowed, and the member
// of a Scenario that the field is. Nothing else includes it.
#pragma once

#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "scenarios/fields.hpp"

namespace lockkeeper {

inline Allowed whole(std::uint64_t least, std::uint64_t most, std::string_view or_word = {}) {
    Allowed allowed;
    allowed.kind = Allowed::Kind::kWhole;
    allowed.least = least;
    allowed.most = most;
    allowed.or_word = or_word;
    return allowed;
}

inline Allowed number(double least, double most, bool or_zero = false) {
    Allowed allowed;
    allowed.kind = Allowed::Kind::kNumber;
    allowed.least_number = least;
    allowed.most_number = most;
    allowed.or_zero = or_zero;
    return allowed;
}

inline Allowed truth() {
    Allowed allowed;
    allowed.kind = Allowed::Kind::kTruth;
    return allowed;
}

inline Allowed one_of(std::string_view first, std::string_view second, std::size_t true_word) {
    Allowed allowed;
    allowed.kind = Allowed::Kind::kWord;
    allowed.words = {first, second};
    allowed.true_word = true_word;
    return allowed;
}

inline Allowed name() {
    Allowed allowed;
    allowed.kind = Allowed::Kind::kName;
    return allowed;
}

template <class Member>
struct Optional : std::false_type {
    using Value = Member;
};
template <class Value_>
struct Optional<std::optional<Value_>> : std::true_type {
    using Value = Value_;
};

template <class Value>
nlohmann::ordered_json written(const Allowed& allowed, const Value& value) {
    if constexpr (std::is_same_v<Value, bool>) {
        if (allowed.kind == Allowed::Kind::kWord) {
            return allowed.words[value ? allowed.true_word : 1 - allowed.true_word];
        }
    }
    return value;
}

// `member`: of a Scenario that may be written to, or not.
template <class Member>
Field with_member(Field field, Member member) {
    using Type = std::remove_cvref_t<decltype(member(std::declval<Scenario&>()))>;
    using Value = typename Optional<Type>::Value;
    const Allowed allowed = field.allowed;
    const bool is_of_traffic = field.object == "traffic";
    field.get = [=](const Scenario& scenario) -> nlohmann::ordered_json {
        if (is_of_traffic && !scenario.traffic) {
            return {};
        }
        const Type& value = member(scenario);
        if constexpr (Optional<Type>::value) {
            return value                     ? written(allowed, *value)
                   : allowed.or_word.empty() ? nlohmann::ordered_json()
                                             : nlohmann::ordered_json(allowed.or_word);
        } else {
            return written(allowed, value);
        }
    };
    field.set = [=](Scenario& scenario, const nlohmann::json& value) {
        if constexpr (std::is_same_v<Value, bool>) {
            member(scenario) = allowed.kind == Allowed::Kind::kWord
                                   ? value == allowed.words[allowed.true_word]
                                   : value.get<bool>();
        } else if constexpr (Optional<Type>::value) {
            member(scenario) = value.is_number() ? std::optional(value.get<Value>()) : std::nullopt;
        } else {
            member(scenario) = value.get<Value>();
        }
    };
    return field;
}

}  // namespace lockkeeper
