// SPDX-License-Identifier: Apache-2.0
#include "scheduler/search/growth.hpp"

#include <cctype>
#include <cstring>
#include <utility>

namespace lockkeeper {
namespace {

// A number in a text, and the word before it.
struct NamedNumber {
    std::string name;
    std::string digits;
};

std::vector<NamedNumber> numbers_in(const std::string& text) {
    const auto is_digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
    const auto is_word = [](char c) {
        return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
    };
    std::vector<NamedNumber> numbers;
    std::string word;
    for (std::size_t i = 0; i < text.size();) {
        std::size_t end = i + 1;
        if (is_word(text[i])) {
            for (; end < text.size() && (is_word(text[end]) || is_digit(text[end])); ++end) {
            }
            word = text.substr(i, end - i);
        } else if (is_digit(text[i])) {
            for (; end < text.size() && is_digit(text[end]); ++end) {
            }
            numbers.push_back({word, text.substr(i, end - i)});
        }
        i = end;
    }
    return numbers;
}

std::string name_of(const GrowingField& field, const std::string& low_shown,
                    const std::string& high_shown) {
    const auto low = numbers_in(low_shown);
    const auto high = numbers_in(high_shown);
    for (std::size_t i = 0; i < low.size() && i < high.size(); ++i) {
        if (low[i].digits == std::to_string(field.low) &&
            high[i].digits == std::to_string(field.high) && low[i].name == high[i].name) {
            return low[i].name;
        }
    }
    return "";
}

}  // namespace

GrowthWatch::GrowthWatch(PartLayout layout, std::size_t slots_count)
    : layout_(layout), slots_count_(slots_count) {
    const std::size_t shared_at = layout_.slots_max * layout_.slot_bytes;
    add_fields(shared_at, shared_at + layout_.shared_bytes, false);
    if (layout_.call_at > 0) {
        add_fields(layout_.call_at, layout_.slot_bytes, true);
    }
}

void GrowthWatch::add_fields(std::size_t begin, std::size_t end, bool in_slot) {
    for (const std::size_t width : {1U, 2U, 4U}) {
        for (std::size_t at = (begin + width - 1) / width * width; at + width <= end; at += width) {
            Field field;
            field.at = at;
            field.width = width;
            field.in_slot = in_slot;
            fields_.push_back(field);
        }
    }
}

void GrowthWatch::look(std::span<const std::byte> state, std::uint64_t id, std::uint64_t depth) {
    depth_ = depth;
    for (Field& field : fields_) {
        if (!field.in_slot) {
            look_at(field, state, field.at, id);
            continue;
        }
        for (std::size_t slot = 0; slot < slots_count_; ++slot) {
            look_at(field, state, slot * layout_.slot_bytes + field.at, id);
        }
    }
}

void GrowthWatch::look_at(Field& field, std::span<const std::byte> state, std::size_t at,
                          std::uint64_t id) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < field.width; ++i) {
        value |= static_cast<std::uint32_t>(state[at + i]) << (8 * i);
    }
    GrowingField& seen = field.seen;
    if (value <= seen.high) {
        return;
    }
    if (seen.high == 0) {
        seen.low = value;
        seen.low_depth = depth_;
        seen.low_state = id;
    }
    field.highs += seen.high == 0 || seen.high_depth != depth_ ? 1U : 0U;
    seen.high = value;
    seen.high_depth = depth_;
    seen.high_state = id;
}

// Chooses the narrowest and first of fields that grew alike: a wider one begins with the same byte.
std::optional<GrowingField> GrowthWatch::growing() const {
    const Field* found = nullptr;
    for (const Field& field : fields_) {
        const bool still_grows = depth_ - field.seen.high_depth <= 8 + depth_ / 16;
        // A jump is no growth: the upper byte of a negative number. Depth first looks are far
        // apart.
        const bool is_steady = field.seen.high / 4096 <= field.highs;
        if (field.highs >= kHighsMin && still_grows && is_steady &&
            (found == nullptr || field.highs > found->highs + found->highs / 4)) {
            found = &field;
        }
    }
    if (found == nullptr) {
        return std::nullopt;
    }
    GrowingField result = found->seen;
    result.place = place_of(*found);
    return result;
}

std::string GrowthWatch::place_of(const Field& field) const {
    std::string part = "Shared";
    std::size_t begin = layout_.slots_max * layout_.slot_bytes;
    if (field.in_slot) {
        const bool in_record = layout_.record_at > 0 && field.at >= layout_.record_at;
        part = in_record ? "Record" : "Call";
        begin = in_record ? layout_.record_at : layout_.call_at;
    }
    const std::size_t first = field.at - begin;
    std::string text = part + ", byte " + std::to_string(first);
    if (field.width > 1) {
        text += " to " + std::to_string(first + field.width - 1);
    }
    return text;
}

std::string growth_text(const GrowingField& field, const std::string& low_shown,
                        const std::string& high_shown) {
    const std::string name = name_of(field, low_shown, high_shown);
    return "a field keeps growing: " + (name.empty() ? "" : "\"" + name + "\" (") + field.place +
           (name.empty() ? "" : ")") + " is " + std::to_string(field.low) + " after " +
           std::to_string(field.low_depth) + " steps and " + std::to_string(field.high) +
           " after " + std::to_string(field.high_depth);
}

}  // namespace lockkeeper
