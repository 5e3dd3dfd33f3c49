// A candidate and its reference, made from one scenario file. Used by validate_against.cpp only.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/against.hpp"
#include "app/session.hpp"

namespace lockkeeper::against {

struct Pair {
    std::string candidate;  // "canal/faithful", or the program's command
    std::uint64_t seed = 1;
    std::vector<std::string> callers;
    std::unique_ptr<Against> against;
    // A run step by step, and the command that repeats it.
    std::function<Trace(const ObservedRun&)> show;
    std::function<std::string(const std::string& schedule)> replay_of;
};

// The candidate is --program where there is one, else the scenario's own system. Throws BadInput.
[[nodiscard]] Pair make_pair(const Session& session, const std::string& file,
                             const RegisteredSystem& reference);

}  // namespace lockkeeper::against
