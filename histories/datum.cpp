#include "histories/datum.hpp"

#include <charconv>

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
        case Kind::kReal: return text_of(real);
        case Kind::kText: return text;
        case Kind::kList: return "[" + joined(items, false) + "]";
        case Kind::kMap: return "{" + joined(items, true) + "}";
    }
    return "?";
}

}  // namespace lockkeeper
