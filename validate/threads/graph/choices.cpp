// SPDX-License-Identifier: Apache-2.0
#include "validate/threads/graph/choices.hpp"

#include <algorithm>
#include <utility>

#include "validate/threads/graph/search.hpp"

namespace lockkeeper::threads {
namespace {

constexpr std::string_view kBegin = "threads1:";
constexpr std::size_t kStepsMax = std::size_t{1} << 20;

}  // namespace

bool RandomChoices::begin() {
    if (run_ == runs_) {
        return false;
    }
    random_ = Random(seed_ + 0x9e3779b97f4a7c15U * run_++);
    return true;
}

Thread RandomChoices::turn(std::span<const Thread> threads) {
    return threads[random_.below(static_cast<std::uint32_t>(threads.size()))];
}

std::size_t RandomChoices::option(std::span<const std::uint32_t> options) {
    if (options.size() == 1 || random_.below(2) == 0) {
        return 0;
    }
    return random_.below(static_cast<std::uint32_t>(options.size()));
}

bool PctChoices::begin() {
    if (!RandomChoices::begin()) {
        return false;
    }
    turns_max_ = std::max(turns_max_, std::exchange(turns_, 0U));
    priorities_ = PctStrategy(depth_, turns_max_);
    priorities_.begin(random().next());
    rounds_ = {};
    return true;
}

Thread PctChoices::turn(std::span<const Thread> threads) {
    ActionList actions;
    for (const Thread thread : threads) {
        actions.add({static_cast<std::uint8_t>(thread), ActionKind::kStep, 0});
    }
    ++turns_;
    return threads[priorities_.choose(actions)];
}

void PctChoices::gives_way(Thread thread) {
    constexpr std::uint32_t kRoundsMax = 16;
    if (++rounds_[thread] > kRoundsMax) {
        priorities_.lower(static_cast<Party>(thread));
    }
}

std::optional<RunLine> parse_run_line(std::string_view text) {
    RunLine line;
    if (!text.starts_with(kBegin)) {
        return std::nullopt;
    }
    text.remove_prefix(kBegin.size());
    const std::string_view model = text.substr(0, text.find(':'));
    line.merges_barriers = model.ends_with('m');
    if (model == "sc" || model == "scm") {
        line.model = Model::kSc;
    } else if (model != "c11" && model != "c11m") {
        return std::nullopt;
    }
    text.remove_prefix(std::min(text.size(), model.size() + 1));
    for (const char sign : text) {
        const bool is_digit = sign >= '0' && sign <= '9';
        if (sign >= 'a' && sign < static_cast<char>('a' + kThreadsMax)) {
            line.steps.push_back({static_cast<Thread>(sign - 'a'), std::nullopt});
        } else if (!is_digit || line.steps.empty() ||
                   line.steps.back().number.value_or(0) > kEventsMax * kThreadsMax) {
            return std::nullopt;
        } else {
            std::optional<std::uint32_t>& number = line.steps.back().number;
            number = number.value_or(0) * 10 + static_cast<std::uint32_t>(sign - '0');
        }
        if (line.steps.size() > kStepsMax) {
            return std::nullopt;
        }
    }
    return line;
}

std::string run_line(const Search& search, std::span<const EventId> order, Thread last,
                     bool merges_barriers) {
    const Graph& graph = search.graph();
    std::string text = std::string(kBegin) + (search.model() == Model::kSc ? "sc" : "c11") +
                       (merges_barriers ? "m:" : ":");
    Clock done;
    // How many stores of the location up to this place were done already.
    const auto done_before = [&](Location location, std::uint32_t place) {
        const std::span<const EventId> stores = graph.stores(location).first(place);
        return static_cast<std::uint32_t>(std::count_if(
            stores.begin(), stores.end(), [&](EventId one) { return done.has(one); }));
    };
    for (const EventId id : order) {
        const Event& event = graph.at(id);
        std::uint32_t usual = 0;
        std::uint32_t number = 0;
        if (event.kind == Kind::kLoad || (event.kind == Kind::kStore && !event.is_rmw)) {
            const auto count = static_cast<std::uint32_t>(graph.stores(event.location).size());
            usual = done_before(event.location, count);
            number = done_before(event.location, event.kind == Kind::kLoad
                                                     ? graph.place_behind(event.from)
                                                     : event.place);
        } else if (event.kind == Kind::kChoice) {
            number = static_cast<std::uint32_t>(event.value);
        }
        text += static_cast<char>('a' + id.thread);
        if (number != usual) {
            text += std::to_string(number);
        }
        done.include(id);
    }
    if (last != kNobody) {
        text += static_cast<char>('a' + last);
    }
    return text;
}

bool ScriptedChoices::begin() {
    const bool is_first = !has_begun_;
    has_begun_ = true;
    at_ = 0;
    return is_first;
}

Thread ScriptedChoices::turn(std::span<const Thread> threads) {
    if (at_ >= line_.steps.size()) {
        return threads.front();
    }
    const Thread next = line_.steps[at_].thread;
    if (std::find(threads.begin(), threads.end(), next) == threads.end()) {
        is_another_program_ = true;
        return threads.front();
    }
    return next;
}

std::size_t ScriptedChoices::option(std::span<const std::uint32_t> options) {
    if (at_ >= line_.steps.size() || !line_.steps[at_].number) {
        return 0;
    }
    const auto found = std::find(options.begin(), options.end(), *line_.steps[at_].number);
    if (found == options.end()) {
        is_another_program_ = true;
        return 0;
    }
    return static_cast<std::size_t>(found - options.begin());
}

bool ScriptedChoices::goes_on(Thread thread) const {
    return std::any_of(
        line_.steps.begin() + static_cast<std::ptrdiff_t>(std::min(at_, line_.steps.size())),
        line_.steps.end(), [&](const RunLine::Step& step) { return step.thread == thread; });
}

}  // namespace lockkeeper::threads
