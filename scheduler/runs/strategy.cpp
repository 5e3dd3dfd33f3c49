// SPDX-License-Identifier: Apache-2.0
#include "scheduler/runs/strategy.hpp"

#include <algorithm>
#include <bit>
#include <charconv>

namespace lockkeeper {

void PctStrategy::begin(std::uint64_t seed) {
    random_ = Random(seed);
    step_ = 0;
    least_ = 0;
    // Distinct enough: ties are broken by the order of the actions.
    for (std::int64_t& priority : priority_) {
        priority = std::int64_t{depth_} + random_.below(1U << 30U);
    }
    change_points_.clear();
    for (std::uint32_t i = 1; i < depth_; ++i) {
        change_points_.push_back(random_.below(steps_));
    }
}

std::size_t PctStrategy::choose(const ActionList& actions) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < actions.size(); ++i) {
        const auto of = [&](std::size_t index) { return priority_[party_of(actions[index])]; };
        // Within one party (messages in the mailbox) any may go first.
        if (of(i) > of(best) || (of(i) == of(best) && random_.below(2) == 0)) {
            best = i;
        }
    }
    for (std::size_t i = 0; i < change_points_.size(); ++i) {
        if (change_points_[i] == step_) {
            const Party chosen = party_of(actions[best]);
            if (least_ < 0) {
                lower(chosen);
            } else {
                priority_[chosen] = static_cast<std::int64_t>(i);
            }
        }
    }
    ++step_;
    return best;
}

std::size_t PosStrategy::choose(const ActionList& actions) {
    std::size_t best = 0;
    std::uint64_t highest = 0;
    for (std::size_t i = 0; i < actions.size(); ++i) {
        const auto [known, is_new] =
            priority_.try_emplace(std::bit_cast<std::uint32_t>(actions[i]), 0);
        if (is_new) {
            known->second = random_.next();
        }
        if (known->second >= highest) {
            highest = known->second;
            best = i;
        }
    }
    priority_.erase(std::bit_cast<std::uint32_t>(actions[best]));
    return best;
}

void RoundRobinStrategy::begin(std::uint64_t seed) {
    random_ = Random(seed);
    turn_ = 1 + random_.below(4);
    left_ = 0;
    started_ = false;
}

std::size_t RoundRobinStrategy::choose(const ActionList& actions) {
    if (!started_) {
        // Drawn among what is possible: otherwise the faults, whose numbers are high, come first.
        const std::size_t first = random_.below(static_cast<std::uint32_t>(actions.size()));
        started_ = true;
        party_ = party_of(actions[first]);
        left_ = turn_ - 1;
        return first;
    }
    if (left_ > 0) {
        for (std::size_t i = 0; i < actions.size(); ++i) {
            if (party_of(actions[i]) == party_) {
                --left_;
                return i;
            }
        }
    }
    // The next party after the last one, in the order of their numbers, wrapping around.
    std::size_t next = 0;
    const auto distance = [&](std::size_t index) {
        return static_cast<Party>(party_of(actions[index]) - party_ - 1);
    };
    for (std::size_t i = 1; i < actions.size(); ++i) {
        if (distance(i) < distance(next)) {
            next = i;
        }
    }
    party_ = party_of(actions[next]);
    left_ = turn_ - 1;
    return next;
}

std::vector<std::string> strategy_names() {
    return {"feedback", "portfolio",   "random", "rare-faults", "pct:D",
            "pos",      "round-robin", "replay", "order"};
}

std::optional<std::uint32_t> pct_depth(std::string_view name) {
    if (name.substr(0, 4) != "pct:") {
        return std::nullopt;
    }
    std::uint32_t depth = 0;
    const std::string_view digits = name.substr(4);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), depth);
    if (error != std::errc{} || end != digits.data() + digits.size() || depth < 1 || depth > 100) {
        return std::nullopt;
    }
    return depth;
}

std::optional<std::string> strategy_error(std::string_view name) {
    const bool is_plain = std::find(std::begin(kPlainStrategies), std::end(kPlainStrategies),
                                    name) != std::end(kPlainStrategies);
    if (is_plain || pct_depth(name)) {
        return std::nullopt;
    }
    return "unknown strategy \"" + std::string(name) +
           "\"; expected feedback, portfolio, random, rare-faults, pos, round-robin, or pct:D "
           "with D from 1 to 100";
}

}  // namespace lockkeeper
