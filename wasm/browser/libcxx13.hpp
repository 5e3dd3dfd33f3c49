// SPDX-License-Identifier: Apache-2.0

// The parts of C++20 that the sources use and libc++ 13 (Debian's, for emscripten) does not have.
// Included before every source of the preset `wasm` (cmake/LockkeeperWasm.cmake), by nobody else.
// Each part does what the standard says of it, for the types and numbers that are used here.
#pragma once

#include <array>
#include <charconv>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace std {

// <bit>
template <class To, class From>
    requires(sizeof(To) == sizeof(From) && is_trivially_copyable_v<To> &&
             is_trivially_copyable_v<From>)
constexpr To bit_cast(const From& from) noexcept { return __builtin_bit_cast(To, from); }

// <memory>
template <class T>
    requires is_unbounded_array_v<T> unique_ptr<T> make_unique_for_overwrite(size_t count) {
        return unique_ptr<T>(new remove_extent_t<T>[count]);
    }

// <compare>: what has no <=> of its own has == and <.
template <class T>
constexpr auto lockkeeper_three_way(const T& left, const T& right) {
    if constexpr (requires { left <=> right; }) {
        return left <=> right;
    } else {
        return left < right   ? weak_ordering::less
               : right < left ? weak_ordering::greater
                              : weak_ordering::equivalent;
    }
}
template <class T>
using lockkeeper_order = decltype(lockkeeper_three_way(declval<const T&>(), declval<const T&>()));

template <class Range>
constexpr auto lockkeeper_three_way_ranges(const Range& left, const Range& right) {
    using Order =
        common_comparison_category_t<lockkeeper_order<typename Range::value_type>, strong_ordering>;
    auto one = left.begin();
    auto other = right.begin();
    for (; one != left.end() && other != right.end(); ++one, ++other) {
        if (const auto order = lockkeeper_three_way(*one, *other); order != 0) {
            return Order(order);
        }
    }
    return Order(one != left.end()      ? strong_ordering::greater
                 : other != right.end() ? strong_ordering::less
                                        : strong_ordering::equal);
}

// <string>, <string_view>, <vector>, <array>, <map>, <utility>, <optional>
template <class T, class Traits, class Allocator>
constexpr strong_ordering operator<=>(const basic_string<T, Traits, Allocator>& left,
                                      const basic_string<T, Traits, Allocator>& right) {
    return left.compare(right) <=> 0;
}
template <class T, class Traits>
constexpr strong_ordering operator<=>(basic_string_view<T, Traits> left,
                                      basic_string_view<T, Traits> right) {
    return left.compare(right) <=> 0;
}
template <class T, class Allocator>
constexpr auto operator<=>(const vector<T, Allocator>& left, const vector<T, Allocator>& right) {
    return lockkeeper_three_way_ranges(left, right);
}
template <class T, size_t Size>
constexpr auto operator<=>(const array<T, Size>& left, const array<T, Size>& right) {
    return lockkeeper_three_way_ranges(left, right);
}
template <class Key, class T, class Less, class Allocator>
constexpr auto operator<=>(const map<Key, T, Less, Allocator>& left,
                           const map<Key, T, Less, Allocator>& right) {
    return lockkeeper_three_way_ranges(left, right);
}
template <class First, class Second>
constexpr auto operator<=>(const pair<First, Second>& left, const pair<First, Second>& right) {
    using Order = common_comparison_category_t<lockkeeper_order<First>, lockkeeper_order<Second>>;
    if (const auto order = lockkeeper_three_way(left.first, right.first); order != 0) {
        return Order(order);
    }
    return Order(lockkeeper_three_way(left.second, right.second));
}
template <class T>
constexpr auto operator<=>(const optional<T>& left, const optional<T>& right) {
    using Order = common_comparison_category_t<lockkeeper_order<T>, strong_ordering>;
    return left && right ? Order(lockkeeper_three_way(*left, *right))
                         : Order(left.has_value() <=> right.has_value());
}

// <charconv>: the decimal notation, without a sign in front but minus.
inline from_chars_result from_chars(const char* first, const char* last, double& value) {
    const string text(first, last);
    const size_t sign = text.starts_with('-') ? 1 : 0;
    const bool is_number =
        text.size() > sign && (text[sign] == '.' || (text[sign] >= '0' && text[sign] <= '9'));
    if (!is_number) {
        return {first, errc::invalid_argument};
    }
    // strtod reads hexadecimal numbers, too.
    const size_t hexadecimal = text.find_first_of("xX", sign);
    const string decimal = text.substr(0, hexadecimal);
    char* end = nullptr;
    const double read = strtod(decimal.c_str(), &end);
    if (end == decimal.c_str()) {
        return {first, errc::invalid_argument};
    }
    const char* const rest = first + (end - decimal.c_str());
    if (read == __builtin_huge_val() || read == -__builtin_huge_val()) {
        return {rest, errc::result_out_of_range};
    }
    value = read;
    return {rest, errc{}};
}

// The shortest text that reads back as the same number.
inline to_chars_result to_chars(char* first, char* last, double value) {
    constexpr int kDigitsMax = 17;
    char scientific[32];
    int digits = 0;
    do {
        snprintf(scientific, sizeof scientific, "%.*e", digits, value);
    } while (strtod(scientific, nullptr) != value && ++digits < kDigitsMax);
    const char* const letter = string_view(scientific).find('e') == string_view::npos
                                   ? nullptr
                                   : scientific + string_view(scientific).find('e');
    const int exponent = letter == nullptr ? 0 : atoi(letter + 1);
    char fixed[400];
    snprintf(fixed, sizeof fixed, "%.*f", digits > exponent ? digits - exponent : 0, value);
    const string_view shorter =
        letter != nullptr && string_view(scientific).size() < string_view(fixed).size() ? scientific
                                                                                        : fixed;
    if (static_cast<size_t>(last - first) < shorter.size()) {
        return {last, errc::value_too_large};
    }
    return {first + shorter.copy(first, shorter.size()), errc{}};
}

}  // namespace std

// <stdio.h>: without looking at whether the name is free, as where the file system does not know
// the flag.
#define RENAME_NOREPLACE 1
inline int renameat2(int, const char* name, int, const char* path, unsigned) {
    return std::rename(name, path);
}
// <immintrin.h>: there is nobody to wait for.
#define __builtin_ia32_pause() static_cast<void>(0)
