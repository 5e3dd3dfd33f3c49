// SPDX-License-Identifier: Apache-2.0
#include "mpi/rank_arguments.hpp"

#include <algorithm>

namespace lockkeeper {
namespace {

// Flags of `explore` that name a file to write.
constexpr std::string_view kWriting[] = {"--checkpoint", "--out", "--report", "-o"};

bool begins(const std::string& argument, std::string_view text) {
    return argument.compare(0, text.size(), text) == 0;
}

}  // namespace

RankVerb verb_of_ranks(const std::vector<std::string>& given) {
    if (given.empty() || given.front() == "explore" || given.front().empty() ||
        given.front().front() == '-') {
        return RankVerb::kSame;
    }
    const std::string& verb = given.front();
    return verb == "fuzz" || verb == "measure" || verb == "sweep" ? RankVerb::kFollowed
                                                                  : RankVerb::kRefused;
}

std::vector<std::string> arguments_of_rank(const std::vector<std::string>& given, bool is_first,
                                           std::uint64_t memory) {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < given.size(); ++i) {
        const auto* const names =
            std::find(std::begin(kWriting), std::end(kWriting), std::string_view(given[i]));
        const bool names_and_has = begins(given[i], "--checkpoint=") ||
                                   begins(given[i], "--out=") || begins(given[i], "--report=") ||
                                   (begins(given[i], "-o") && given[i].size() > 2);
        if (is_first || (names == std::end(kWriting) && !names_and_has)) {
            out.push_back(given[i]);
        } else if (!names_and_has) {
            ++i;  // its value
        }
    }
    const bool all_keep_states =
        !out.empty() && (out.front() == "explore" || out.front() == "sweep");
    if (all_keep_states && !value_of(given, "--memory")) {
        constexpr std::uint64_t kMegabyte = std::uint64_t{1} << 20U;
        out.insert(
            out.begin() + 1,
            {"--memory", std::to_string(std::max<std::uint64_t>(1, memory / kMegabyte)) + "M"});
    }
    return out;
}

const char* environment_of_rank(std::string_view name, bool is_first, const char* value) {
    if (name == "LOCKKEEPER_JOBS" && (value == nullptr || *value == '\0')) {
        return "1";
    }
    return name == "LOCKKEEPER_OUT" && !is_first ? nullptr : value;
}

std::optional<std::string> value_of(const std::vector<std::string>& given, std::string_view flag) {
    std::optional<std::string> value;
    for (std::size_t i = 0; i < given.size(); ++i) {
        if (given[i] == flag && i + 1 < given.size()) {
            value = given[i + 1];
        } else if (begins(given[i], std::string(flag) + "=")) {
            value = given[i].substr(flag.size() + 1);
        }
    }
    return value;
}

}  // namespace lockkeeper
