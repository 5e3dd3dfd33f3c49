// SPDX-License-Identifier: Apache-2.0
#include "work/results/reductions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "scheduler/search/explore.hpp"

namespace lockkeeper {
namespace {

// "private steps", "faults left"
std::string spoken(std::string word) {
    for (char& letter : word) {
        letter = letter == '-' ? ' ' : letter;
    }
    return word;
}

std::vector<std::string> words_of(const Reductions& used) {
    std::vector<std::string> words;
    const auto add = [&](bool is_used, std::string_view word) {
        if (is_used) {
            words.emplace_back(word);
        }
    };
    add(used.symmetry, "symmetry");
    add(used.sleep_sets, "sleep-sets");
    const Reduction other = without_relative_time(used.further);
    add(other != Reduction::kNone, word_of(other));
    add(is_in_relative_time(used.further), word_of(Reduction::kRelativeTime));
    return words;
}

}  // namespace

std::string reductions_text(const Reductions& used) {
    const std::string text = spoken(fmt::format("{}", fmt::join(words_of(used), ", ")));
    const bool keeps = keeps_lengths(used.further);
    return text.empty() ? "none" : keeps ? text : text + " (lengths not promised shortest)";
}

std::vector<std::string> reductions_used(const ExploreResult& result) {
    return words_of({result.used_symmetry, result.used_sleep_sets, result.reduction});
}

}  // namespace lockkeeper
