// SPDX-License-Identifier: Apache-2.0

// Messages of ranks as lists of fields: each type that is sent has one list, for both ways, so that
// nothing is written that is not read, nor in another order.
//
//   template <class Way>
//   void pass(const Way& way, Sent& sent) { pass_all(way, sent.first, sent.second); }
//
//   put(out, sent, number);   get(in, sent, number);
//
// A list stands in namespace lockkeeper. Numbers, enumerations and actions need none, nor do texts,
// lists, optional values, properties (by their names) and exceptions. Included by sources only.
#pragma once

#include <concepts>
#include <exception>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "model/action.hpp"
#include "model/property.hpp"
#include "scheduler/ranks/message.hpp"

namespace lockkeeper {

struct Outward {
    static constexpr bool kReads = false;
    MessageWriter& out;
};
struct Inward {
    static constexpr bool kReads = true;
    MessageReader& in;
};

// Values without pointers, sent as their bytes: to be said of other types, too.
template <class T>
inline constexpr bool kIsPlain =
    std::is_arithmetic_v<T> || std::is_enum_v<T> || std::same_as<T, Action>;
template <class T>
concept IsPlain = kIsPlain<T> && std::is_trivially_copyable_v<T>;

template <class Way, IsPlain T>
void pass(const Way& way, T& value) {
    if constexpr (Way::kReads) {
        value = way.in.template value<T>();
    } else {
        way.out.value(value);
    }
}
inline void pass(const Outward& way, std::string& text) { way.out.text(text); }
inline void pass(const Inward& way, std::string& text) { text = way.in.text(); }
// By its name, because it stands elsewhere in each process; nullptr is none. InternalError: the
// reader knows no such property or goal.
void pass(const Outward& way, const Property*& property);
void pass(const Inward& way, const Property*& property);
// From the rank that did a piece of work to the rank that asked for it, which throws it as if the
// work had been done there. LimitExceeded, InternalError and std::bad_alloc keep their types, all
// else keeps its text. Nullptr: nothing was thrown.
void pass(const Outward& way, std::exception_ptr& error);
void pass(const Inward& way, std::exception_ptr& error);

template <class Way, class T>
void pass(const Way& way, std::optional<T>& value) {
    bool is_there = value.has_value();
    pass(way, is_there);
    if constexpr (Way::kReads) {
        value = is_there ? std::optional<T>(std::in_place) : std::nullopt;
    }
    if (is_there) {
        pass(way, *value);
    }
}
template <class Way, class T>
void pass(const Way& way, std::vector<T>& values) {
    if constexpr (IsPlain<T> && !std::same_as<T, bool>) {
        if constexpr (Way::kReads) {
            values = way.in.template array<T>();
        } else {
            way.out.array(values);
        }
    } else {
        std::uint64_t count = values.size();
        pass(way, count);
        values.resize(count);
        for (std::size_t i = 0; i < values.size(); ++i) {
            if constexpr (std::same_as<T, bool>) {
                bool value = values[i];
                pass(way, value);
                values[i] = value;
            } else {
                pass(way, values[i]);
            }
        }
    }
}

template <class Way, class... Fields>
void pass_all(const Way& way, Fields&... fields) {
    (pass(way, fields), ...);
}
// Writing changes nothing; the lists serve both ways.
template <class... Fields>
void put(MessageWriter& out, const Fields&... fields) {
    pass_all(Outward{out}, const_cast<Fields&>(fields)...);
}
template <class... Fields>
[[nodiscard]] RankMessage message_of(const Fields&... fields) {
    RankMessage message;
    MessageWriter out(message);
    put(out, fields...);
    return message;
}
template <class... Fields>
void get(MessageReader& in, Fields&... fields) {
    pass_all(Inward{in}, fields...);
}

}  // namespace lockkeeper
