// SPDX-License-Identifier: Apache-2.0
#include "scheduler/runs/step_label.hpp"

#include <algorithm>
#include <cctype>

#include "scheduler/runs/replay.hpp"

namespace lockkeeper {
namespace {

bool is_of_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool is_caller(std::string_view word, const std::vector<std::string>& callers) {
    return std::find(callers.begin(), callers.end(), word) != callers.end();
}

}  // namespace

// Whoever acts stands first and is left out; others become "@".
std::string label_without_callers(std::string_view text, const std::vector<std::string>& callers) {
    std::string label;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = at;
        while (end < text.size() && is_of_word(text[end])) {
            ++end;
        }
        if (end == at) {
            label += text[at++];
            continue;
        }
        const std::string_view word = text.substr(at, end - at);
        if (!is_caller(word, callers)) {
            label += word;
        } else if (at == 0 && end < text.size() && text[end] == ' ') {
            ++end;
        } else {
            label += '@';
        }
        at = end;
    }
    return label;
}

std::string label_difference(const TraceStep& step, const std::string& recorded) {
    const std::string label = step.text + " " + step.result;
    return label == recorded ? "" : "recorded \"" + recorded + "\", now \"" + label + "\"";
}

}  // namespace lockkeeper
