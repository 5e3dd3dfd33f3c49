// SPDX-License-Identifier: Apache-2.0
#include "scheduler/proofs/closed_states.hpp"

#include <map>
#include <string_view>

#include "model/json.hpp"
#include "scheduler/proofs/certificate.hpp"

namespace lockkeeper::proofs {
namespace {

// The parts at one place of all states, each with its number.
using Parts = std::map<std::string_view, std::size_t>;

std::vector<Parts> parts_of(const ClosedStates& closed) {
    std::vector<Parts> columns(closed.widths.size());
    for (const std::string& state : closed.states) {
        std::size_t at = 0;
        for (std::size_t i = 0; i < columns.size(); ++i) {
            columns[i].emplace(std::string_view(state).substr(at, closed.widths[i]), 0);
            at += closed.widths[i];
        }
    }
    for (Parts& parts : columns) {
        std::size_t next = 0;
        for (auto& [bytes, number] : parts) {
            number = next++;
        }
    }
    return columns;
}

std::string line_of(const Parts& parts) {
    std::string line = "[";
    for (const auto& [bytes, number] : parts) {
        line += number == 0 ? "\"" : ", \"";
        line += to_hex(Bytes(bytes)) + "\"";
    }
    return line + "]";
}

std::string line_of(const std::string& state, const ClosedStates& closed,
                    const std::vector<Parts>& columns) {
    std::string line = "[";
    std::size_t at = 0;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        line += i == 0 ? "" : ",";
        line += std::to_string(columns[i].at(std::string_view(state).substr(at, closed.widths[i])));
        at += closed.widths[i];
    }
    return line + "]";
}

}  // namespace

std::vector<std::size_t> widths_of(const ErasedSystem& system) {
    std::vector<std::size_t> widths(system.slots_count(), system.parts().slot_bytes);
    std::size_t rest = system.used_bytes();
    for (const std::size_t width : widths) {
        rest -= width;
    }
    widths.push_back(rest);
    return widths;
}

std::string to_text(const ClosedStates& closed) {
    using nlohmann::ordered_json;
    const std::vector<Parts> columns = parts_of(closed);
    std::string text = std::string("{\n  \"$schema\": \"") + ClosedStates::kSchema + "\",\n";
    text += std::string("  \"kind\": \"") + ClosedStates::kKind + "\",\n  \"version\": ";
    text += std::to_string(ClosedStates::kVersion) + ",\n  \"scenario\": ";
    text += ordered_json(closed.scenario).dump() + ",\n  \"proved\": ";
    text += ordered_json(closed.proved).dump() + ",\n  \"parts\": [\n";
    for (std::size_t i = 0; i < columns.size(); ++i) {
        text += "    " + line_of(columns[i]) + (i + 1 < columns.size() ? ",\n" : "\n");
    }
    text += "  ],\n  \"states\": [\n";
    for (std::size_t i = 0; i < closed.states.size(); ++i) {
        text += "    ";
        text += line_of(closed.states[i], closed, columns);
        text += i + 1 < closed.states.size() ? ",\n" : "\n";
    }
    return text + "  ]\n}\n";
}

}  // namespace lockkeeper::proofs
