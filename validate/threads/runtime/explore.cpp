// SPDX-License-Identifier: Apache-2.0

// Run after run, until something is found or there is no other.
#include <algorithm>
#include <cstdlib>
#include <optional>

#include "properties/rules/deadlock.hpp"
#include "properties/rules/livelock.hpp"
#include "validate/threads/marked/judge_marks.hpp"
#include "validate/threads/runtime/run.hpp"
#include "validate/threads/runtime/system.hpp"

namespace lockkeeper::threads {
namespace {

void find_stuck(Hosted& host) {
    const bool spins = std::any_of(std::begin(host.fibers), std::end(host.fibers),
                                   [](const Fiber& fiber) { return fiber.spins; });
    const Property rule = spins ? properties::livelock() : properties::deadlock();
    host.found = {};
    host.found.kind = "P" + std::to_string(rule.number) + " " + std::string(rule.name);
    host.found.text = spins ? "threads go round for ever, for what no thread will do"
                            : "threads wait for what no thread will do";
    host.found.property = rule.number;
}

// In the words of the marks. The definition says the rest.
const char* text_of(const Property& property) {
    switch (PropertyNumber(property.number)) {
        case PropertyNumber::kOverAllocation: return "more is held at once than there is";
        case PropertyNumber::kLeak:
            return "nobody holds it, and nobody can have it: less is free at rest than should be";
        case PropertyNumber::kUnderAllocation:
            return "a try is refused, although at no moment of it enough was taken";
        case PropertyNumber::kDoubleRelease: return "more is free at rest than there is";
        case PropertyNumber::kBeliefOverlap:
            return "the lock is granted while another thread believes to hold it";
        case PropertyNumber::kFalseOk:
            return "a release says ok, although others were granted the lock since";
        default: return "no correct lock has these calls and answers, in whatever order they act";
    }
}

// Each mark by its thread, and its number among those of the thread.
std::vector<std::pair<Thread, std::size_t>> numbers_of(const std::vector<Mark>& marks,
                                                       const std::vector<std::size_t>& order) {
    std::vector<std::pair<Thread, std::size_t>> numbers;
    for (const std::size_t index : order) {
        const Thread thread = marks[index].thread;
        const auto before =
            std::count_if(marks.begin(), marks.begin() + static_cast<std::ptrdiff_t>(index),
                          [&](const Mark& mark) { return mark.thread == thread; });
        numbers.emplace_back(thread, static_cast<std::size_t>(before));
    }
    return numbers;
}

// What the marks of the test say of a complete run. True: something was found.
bool find_by_marks(Hosted& host) {
    if (host.marks.empty()) {
        return false;
    }
    const std::optional<BrokenPromise> broken = host.judge->judge(host.marks, host.search.graph());
    if (!broken) {
        return false;
    }
    const Mark& last = host.marks[broken->order.back()];
    host.found = {};
    host.found.kind =
        "P" + std::to_string(broken->property->number) + " " + std::string(broken->property->name);
    host.found.text = text_of(*broken->property);
    host.found.property = broken->property->number;
    host.found.thread = last.thread;
    host.found.site = last.site;
    host.found.address = reinterpret_cast<std::uint64_t>(last.lock);
    host.found.is_of_marks = true;
    host.found.marks = numbers_of(host.marks, broken->order);
    if (broken->other) {
        const Mark& other = host.marks[*broken->other];
        host.found.other_thread = other.thread;
        host.found.other_site = other.site;
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

// The shortest run so far in which something was found.
struct Shortest {
    Graph graph;
    Finding found;
    RunEnd end = RunEnd::kOver;
    int exit_code = 0;
    std::uint64_t runs_left = 0;  // as many as before are looked through for a shorter one
};

// The same run once more, to tell it.
void tell_run(Hosted& host, const Shortest& run) {
    host.is_telling = true;
    host.told.clear();
    host.refused.clear();
    host.is_not_deterministic = false;
    host.exit_code = run.exit_code;
    host.events_max = UINT64_MAX;
    host.watched = run.found.is_of_marks ? 0 : run.found.address & ~std::uint64_t{7};
    host.deadline = seconds_now() + 60;
    host.search.repeat(run.graph);
    const RunEnd again = run_once(host);
    host.is_telling = false;
    if (again != run.end) {
        host.is_not_deterministic = true;
        host.refused = "what was found is not found when the same is run again";
    }
    if (run.end != RunEnd::kFound) {  // or else the same race may be met from its other side
        host.found = run.found;
    }
    host.told_events = host.search.done();
    if (run.end == RunEnd::kOver) {
        order_told(host);
        host.found.is_of_whole_run = true;
    }
}

constexpr std::uint64_t kRunsMore = 1000;
constexpr const char* kAnotherProgram =
    "the line that is replayed was printed by another program, or by another build of this one";

// The line that is replayed is of this program.
bool fits(const Hosted& host) {
    const auto* script =
        host.settings.replayed ? dynamic_cast<const ScriptedChoices*>(host.choices.get()) : nullptr;
    return script == nullptr || !script->is_another_program();
}

struct Progress {
    bool is_complete = true;
    std::uint64_t runs = 0;
    std::optional<Shortest> shortest;
};

// False: there is enough.
bool take_run(Hosted& host, Progress& progress) {
    const RunEnd end = run_once(host);
    ++progress.runs;
    std::optional<Shortest>& shortest = progress.shortest;
    if (!judge(host, end) || !fits(host)) {
        if (!fits(host)) {
            host.refused = kAnotherProgram;
        }
        if (!host.refused.empty()) {
            return false;
        }
        const std::uint64_t events = host.search.done().size();
        shortest = Shortest{host.search.graph(), host.found, end, host.exit_code,
                            shortest ? shortest->runs_left : progress.runs + kRunsMore};
        host.events_max = std::max<std::uint64_t>(events, 1) - 1;
    }
    if (shortest && shortest->runs_left-- == 0) {
        return false;
    }
    if (progress.runs >= host.settings.executions_max || host.is_late || host.is_interrupted ||
        (progress.runs % 256 == 0 && seconds_now() > host.deadline)) {
        progress.is_complete = shortest.has_value();
        return false;
    }
    return true;
}

// The search begins again.
Progress begin_anew(Hosted& host, Barriers::Way way) {
    host.barriers.way = way;
    host.barriers.is_wrong = false;
    host.search = Search(host.settings.model);
    host.search.follow(host.choices.get());
    return {};
}

// A line of a run with merged barriers: who passes which, by a run before it.
void learn_for_replay(Hosted& host) {
    host.search.follow(nullptr);
    host.barriers.way = Barriers::Way::kLearn;
    if (host.search.begin()) {
        static_cast<void>(run_once(host));
    }
    host.found = {};
    host.refused.clear();
}

// Begins anew where the barriers of a run ask for it. False: the search has come to its end.
bool follow_barriers(Hosted& host, Progress& progress) {
    using Way = Barriers::Way;
    if (host.barriers.way == Way::kLearn) {  // the first run
        if (host.barriers.has_merged() && !progress.shortest) {
            progress = begin_anew(host, Way::kMerge);
        } else {
            host.barriers.way = Way::kPlain;
        }
    } else if (host.barriers.is_wrong) {
        if (host.settings.replayed) {
            host.refused = kAnotherProgram;
        }
        if (progress.shortest || host.settings.replayed) {
            host.barriers.is_wrong = false;
            return false;
        }
        progress = begin_anew(host, Way::kPlain);
    }
    return true;
}

Progress search(Hosted& host) {
    const bool is_all = host.choices == nullptr;
    const bool is_merged = host.settings.replayed && host.settings.replayed->merges_barriers;
    if (is_merged) {
        learn_for_replay(host);
    }
    Progress progress = begin_anew(host, is_all      ? Barriers::Way::kLearn
                                         : is_merged ? Barriers::Way::kMerge
                                                     : Barriers::Way::kPlain);
    while (host.search.begin() && take_run(host, progress) && follow_barriers(host, progress)) {
    }
    return progress;
}

}  // namespace

int explore(Hosted& host) {
    const double begin = seconds_now();
    host.deadline = begin + static_cast<double>(host.settings.seconds_max);
    host.choices = choices_of(host.settings);
    watch_time(true);
    watch_interrupts(host);
    const Progress progress = search(host);
    if (progress.shortest) {
        tell_run(host, *progress.shortest);
    }
    begin_report(host);
    return report(host, progress.is_complete, seconds_now() - begin);
}

}  // namespace lockkeeper::threads
