// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <map>

#include "properties/catalogue.hpp"
#include "scheduler/base/interrupt.hpp"
#include "validate/threads/command/results.hpp"
#include "validate/threads/marked/mark_words.hpp"
#include "work/failure.hpp"
#include "work/jobs.hpp"

namespace lockkeeper {
namespace {

using threads::ProgramResult;
using threads::ResultStep;

const Property* property_of(int number) {
    const auto all = all_properties();
    const auto found = std::find_if(all.begin(), all.end(), [&](const Property& property) {
        return property.number == number;
    });
    return found == all.end() ? nullptr : &*found;
}

Verdict verdict_of(const ProgramResult& result) {
    if (!result.error.empty()) {
        return Error{result.error};
    }
    if (result.verdict == "passed") {
        return Passed{};
    }
    if (result.verdict == "violated") {
        return Violated{result.detail, result.property == 0 ? "" : result.kind};
    }
    if (result.verdict == "inconclusive") {
        return Inconclusive{result.detail};
    }
    if (result.verdict == "not deterministic") {
        return NotDeterministic{result.detail};
    }
    return RefusedFile{result.detail};
}

// "/src/limiter.cpp:12": its path as the repository has it.
SourceLine source_of(const std::string& place) {
    SourceLine source;
    const std::size_t colon = place.rfind(':');
    if (colon != std::string::npos) {
        const char* end = place.data() + place.size();
        std::from_chars(place.data() + colon + 1, end, source.line);
        source.file = repository_path(place.substr(0, colon));
    }
    return source;
}

// A run as all reports draw it: a lane for each thread, calls of locks as operations, who holds as
// bars, and an arrow from each store to whoever reads it in another thread.
class ThreadsTrace {
  public:
    ThreadsTrace(const ProgramResult& result, const Property* violated) {
        for (const ResultStep& step : result.steps) {
            party_of(step.thread);
            if (!step.mark.empty()) {
                key_of(step.object);
            }
        }
        trace_.features = kShowsGrants;
        callers_ = std::min(trace_.parties.size(), kDrawnMax);
        for (std::size_t key = 0; key < std::min(trace_.keys.size(), kDrawnMax); ++key) {
            for (std::size_t caller = 0; caller < callers_; ++caller) {
                trace_.fields.push_back({ShownKind::kBelieved, static_cast<std::uint8_t>(caller),
                                         static_cast<std::uint8_t>(key)});
                trace_.initial_values.push_back(0);
            }
        }
        values_ = trace_.initial_values;
        for (const ResultStep& step : result.steps) {
            add(step);
        }
        if (violated != nullptr) {
            trace_.violated = {violated};
            trace_.judged = {violated};
            trace_.deadlocked = violated->is(PropertyNumber::kDeadlock);
            if (!trace_.steps.empty()) {
                trace_.steps.back().violates = {violated};
            }
        }
    }
    [[nodiscard]] Trace take() { return std::move(trace_); }

  private:
    // Threads and locks beyond it have steps, and no bars.
    static constexpr std::size_t kDrawnMax = 255;

    std::uint32_t party_of(const std::string& thread) {
        const auto [known, is_new] =
            parties_.try_emplace(thread, static_cast<std::uint32_t>(trace_.parties.size()));
        if (is_new) {
            trace_.parties.push_back({thread, Doer::kCaller});
        }
        return known->second;
    }
    std::size_t key_of(const std::string& lock) {
        const auto found = std::find(trace_.keys.begin(), trace_.keys.end(), lock);
        const auto key = static_cast<std::size_t>(found - trace_.keys.begin());
        if (found == trace_.keys.end()) {
            trace_.keys.push_back(lock);
        }
        return key;
    }

    void add(const ResultStep& step) {
        TraceStep shown;
        const std::uint32_t party = party_of(step.thread);
        shown.action.actor = static_cast<std::uint8_t>(party);
        shown.party = party;
        shown.text = step.thread + (step.where.empty() ? "" : " " + step.where) + ": " + step.what;
        shown.words.label = step.what;
        shown.result = step.result.empty() ? "" : "-> " + step.result;
        const std::size_t number = trace_.steps.size() + 1;
        if (step.reads > 0 && step.reads < number && trace_.steps[step.reads - 1].party != party) {
            TraceMessage message;
            message.from = trace_.steps[step.reads - 1].party;
            message.to = party;
            message.sent = step.reads;
            message.arrives = number;
            trace_.messages.push_back(message);
        }
        if (!step.mark.empty()) {
            add_mark(step, party, shown);
        }
        trace_.steps.push_back(std::move(shown));
    }

    void add_mark(const ResultStep& step, std::uint32_t party, TraceStep& shown) {
        const std::size_t number = key_of(step.object);
        if (number >= kDrawnMax || party >= callers_) {
            return;
        }
        const auto key = static_cast<std::uint8_t>(number);
        const auto enter = [&](HistoryType type, Verb verb) {
            HistoryEntry entry;
            entry.step = static_cast<std::uint32_t>(trace_.steps.size());
            entry.caller = static_cast<std::uint8_t>(party);
            entry.type = type;
            entry.verb = verb;
            entry.key = key;
            trace_.history.push_back(entry);
        };
        const std::string& mark = step.mark;
        if (mark == threads::words::kAsksFor) {
            enter(HistoryType::kInvoke, Verb::kAcquire);
        } else if (mark == threads::words::kHolds || mark == threads::words::kHoldsForATime) {
            enter(HistoryType::kOk, Verb::kAcquire);
            change(party, key, 1, shown);
        } else if (mark == threads::words::kIsRefused) {
            enter(HistoryType::kFail, Verb::kAcquire);
        } else if (mark == threads::words::kGivesBack) {
            enter(HistoryType::kInvoke, Verb::kRelease);
            change(party, key, -1, shown);
        } else if (mark == threads::words::kHoldsNoLonger) {
            change(party, key, -1, shown);
        } else if (mark == threads::words::kHasGivenBack) {
            enter(HistoryType::kOk, Verb::kRelease);
        } else if (mark == threads::words::kIsToldThatItHasLost) {
            enter(HistoryType::kInfo, Verb::kRelease);
        }
    }

    void change(std::uint32_t party, std::uint8_t key, std::int32_t by, TraceStep& shown) {
        const auto field = static_cast<std::uint32_t>(std::size_t{key} * callers_ + party);
        if (by < 0 && values_[field] == 0) {
            return;  // its time was over before it gave back
        }
        values_[field] += by;
        shown.changes.push_back({field, values_[field]});
    }

    Trace trace_;
    std::size_t callers_ = 0;  // that have bars
    std::map<std::string, std::uint32_t> parties_;
    std::vector<std::int32_t> values_;
};

Finding finding_of(const ProgramResult& result) {
    Finding finding;
    finding.property = property_of(result.property);
    if (finding.property == nullptr) {
        finding.kind = result.kind;
        finding.difference = result.kind + ": " + result.text;
    }
    finding.trace = ThreadsTrace(result, finding.property).take();
    for (const ResultStep& step : result.steps) {
        finding.sources.push_back(source_of(step.file));
    }
    finding.outside = result.lines;
    finding.replay_command = result.replay;
    return finding;
}

}  // namespace

RunReport threads_report(const ProgramResult& result, const std::string& program) {
    RunReport report;
    report.command = "threads";
    report.file = program;
    report.verdict = verdict_of(result);
    report.is_interrupted = interrupt_requested();
    report.system = "threads";
    report.variant = result.model;
    report.strategy = result.strategy;
    report.scope = result.scope;
    report.short_scope = result.scope;
    report.seed = result.seed;
    report.complete = result.is_complete;
    report.seconds = result.seconds;
    report.repeat_command = result.replay;
    for (const PropertyNumber always : {PropertyNumber::kDeadlock, PropertyNumber::kLivelock}) {
        report.checked.push_back(property_of(static_cast<int>(always)));
    }
    for (const int number : result.judged) {
        report.checked.push_back(property_of(number));
    }
    std::sort(
        report.checked.begin(), report.checked.end(),
        [](const Property* one, const Property* other) { return one->number < other->number; });
    report.details = ThreadsAnswer{result.printed};
    if (is<Violated>(report.verdict)) {
        report.findings.push_back(finding_of(result));
    }
    return report;
}

}  // namespace lockkeeper
