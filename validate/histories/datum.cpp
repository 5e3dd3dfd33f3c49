// SPDX-License-Identifier: Apache-2.0
#include "validate/histories/datum.hpp"

#include <charconv>
#include <set>

namespace lockkeeper {
namespace {

std::string joined(const std::vector<Datum>& items, bool is_map) {
    std::string out;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const bool is_value = is_map && i % 2 == 1;
        out += i == 0 ? "" : is_value ? ": " : ", ";
        out += items[i].to_text();
    }
    return out;
}

std::string text_of(double real) {
    char buffer[32];
    const auto [end, error] = std::to_chars(buffer, buffer + sizeof(buffer), real);
    return error == std::errc{} ? std::string(buffer, end) : "?";
}

}  // namespace

const Datum* Datum::find(std::string_view name) const {
    if (kind != Kind::kMap) {
        return nullptr;
    }
    for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
        if (items[i].is(Kind::kText) && items[i].text == name) {
            return &items[i + 1];
        }
    }
    return nullptr;
}

const Datum* Datum::repeated_name() const {
    constexpr std::size_t kFew = 32;  // items: below, comparing is quicker than a set
    std::set<std::string> names;
    for (std::size_t i = 0; kind == Kind::kMap && i + 1 < items.size(); i += 2) {
        if (items.size() > kFew) {
            if (!names.insert(items[i].to_text()).second) {
                return &items[i];
            }
            continue;
        }
        for (std::size_t j = 0; j < i; j += 2) {
            const bool both_texts = items[i].is(Kind::kText) && items[j].is(Kind::kText);
            if (both_texts ? items[i].text == items[j].text
                           : items[i].to_text() == items[j].to_text()) {
                return &items[i];
            }
        }
    }
    return nullptr;
}

void Datum::set(std::string name, Datum value) {
    kind = Kind::kMap;
    items.push_back(of(std::move(name)));
    items.push_back(std::move(value));
}

std::string Datum::to_text() const {
    switch (kind) {
        case Kind::kNil: return "nil";
        case Kind::kTruth: return integer != 0 ? "true" : "false";
        case Kind::kInteger: return std::to_string(integer);
        case Kind::kReal: return text.empty() ? text_of(real) : text;
        case Kind::kText: return text;
        case Kind::kList: return "[" + joined(items, false) + "]";
        case Kind::kSet: return "#{" + joined(items, false) + "}";
        case Kind::kMap: return "{" + joined(items, true) + "}";
    }
    return "?";
}

}  // namespace lockkeeper
