// SPDX-License-Identifier: Apache-2.0

// Run after run, until something is found or there is no other.
#include <algorithm>
#include <cstdlib>

#include "validate/threads/runtime/run.hpp"
#include "validate/threads/runtime/system.hpp"

namespace lockkeeper::threads {
namespace {

void find_stuck(Hosted& host) {
    host.found = {};
    host.found.kind = "deadlock";
    host.found.text = "threads wait for what no thread will do";
}

// What the marks of the test say of a complete run. True: something was found.
bool find_by_marks(Hosted& host) {
    const Graph& graph = host.search.graph();
    const MarkFinding over = over_allocated(host.sections, graph);
    const MarkFinding under =
        over.one == nullptr ? under_allocated(host.sections, graph) : MarkFinding{};
    const Section* one = over.one == nullptr ? under.one : over.one;
    if (one == nullptr) {
        return false;
    }
    host.found = {};
    host.found.kind = over.one == nullptr ? "P3 under-allocation" : "P1 over-allocation";
    host.found.text =
        over.one == nullptr
            ? "a try is refused, although at no moment of it enough was taken"
            : "more is held at once than the " + std::to_string(one->capacity) + " that there is";
    host.found.thread = one->thread;
    host.found.site = one->site;
    host.found.address = reinterpret_cast<std::uint64_t>(one->lock);
    host.found.is_of_marks = true;
    if (over.other != nullptr) {
        host.found.other_thread = over.other->thread;
        host.found.other_site = over.other->site;
    }
    return true;
}

// False: something was found, or the run cannot be hosted.
bool judge(Hosted& host, RunEnd end) {
    switch (end) {
        case RunEnd::kDropped: return true;
        case RunEnd::kOver:
            switch (host.search.finish()) {
                case Ending::kStuck: find_stuck(host); return false;
                case Ending::kComplete:
                    return !find_by_marks(host) && !(host.settings.finds_leaks && find_leak(host));
                default: return true;
            }
        case RunEnd::kFound:
            if (!host.search.is_consistent()) {
                host.found = {};
                return true;
            }
            return false;
        case RunEnd::kExited:
            host.found = {};
            if (!host.search.is_consistent()) {
                return true;
            }
            host.found.kind = "exit code";
            host.found.text = "the test ends with " + std::to_string(host.exit_code);
            return false;
        case RunEnd::kDiverged:
            host.is_not_deterministic = true;
            host.refused =
                "the program did not do the same from the same values: it depends on "
                "something else (time, random numbers, addresses, state in a library)";
            return false;
        case RunEnd::kRefused: return false;
    }
    return true;
}

std::unique_ptr<Choices> choices_of(const Settings& settings) {
    if (settings.replayed) {
        return std::make_unique<ScriptedChoices>(*settings.replayed);
    }
    if (settings.strategy == "random") {
        return std::make_unique<RandomChoices>(settings.seed, settings.schedules_max);
    }
    if (settings.strategy.starts_with("pct:")) {
        const auto depth = static_cast<std::uint32_t>(std::atoi(settings.strategy.c_str() + 4));
        return std::make_unique<PctChoices>(settings.seed, settings.schedules_max,
                                            std::max(depth, 1U));
    }
    return nullptr;
}

// The same run once more, to tell it.
void tell_run(Hosted& host, RunEnd end) {
    const Finding found = host.found;
    host.is_telling = true;
    host.told.clear();
    host.watched = found.is_of_marks ? 0 : found.address & ~std::uint64_t{7};
    host.deadline += 60;
    host.search.repeat();
    const RunEnd again = run_once(host);
    host.is_telling = false;
    if (again != end) {
        host.is_not_deterministic = true;
        host.refused = "what was found is not found when the same is run again";
    }
    host.found = found;
}

// The line that is replayed is of this program.
bool fits(const Hosted& host) {
    const auto* script = dynamic_cast<const ScriptedChoices*>(host.choices.get());
    return script == nullptr || !script->is_another_program();
}

}  // namespace

int explore(Hosted& host) {
    const double begin = seconds_now();
    host.deadline = begin + static_cast<double>(host.settings.seconds_max);
    host.choices = choices_of(host.settings);
    host.search.follow(host.choices.get());
    bool is_complete = true;
    bool is_over = false;
    std::uint64_t runs = 0;
    watch_time(true);
    while (!is_over && host.search.begin()) {
        const RunEnd end = run_once(host);
        if (!judge(host, end) || !fits(host)) {
            if (!fits(host)) {
                host.refused =
                    "the line that is replayed was printed by another program, or by another build "
                    "of this one";
            } else if (host.refused.empty()) {
                tell_run(host, end);
            }
            is_over = true;
        }
        ++runs;
        if (runs >= host.settings.executions_max || host.is_late ||
            (runs % 256 == 0 && seconds_now() > host.deadline)) {
            is_complete = is_over;
            break;
        }
    }
    watch_time(false);
    return report(host, is_complete, seconds_now() - begin);
}

}  // namespace lockkeeper::threads
