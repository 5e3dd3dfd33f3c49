// SPDX-License-Identifier: Apache-2.0
#include "reports/drawn_run.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "reports/texts.hpp"

namespace lockkeeper {

StepWindow window_of(std::size_t steps_count, std::size_t steps_max) {
    if (steps_count <= steps_max) {
        return {steps_count, steps_count + 1};
    }
    const std::size_t head = steps_max / 4;
    return {head, steps_count - (steps_max - head) + 1};
}

DrawnRun::DrawnRun(const RunReport& report, const Trace& trace, const Finding* finding)
    : report_(&report), trace_(&trace), finding_(finding) {
    for (const TraceParty& party : trace.parties) {
        parties_.push_back(party.name);
    }
    if (parties_.empty()) {
        parties_.emplace_back("run");
    }
    find_operations();
    find_messages();
    find_participants();
}

std::string DrawnRun::title() const {
    return finding_ != nullptr ? finding_title(*finding_) : verdict_text(*report_);
}

std::optional<std::size_t> DrawnRun::cycle_start() const {
    const std::size_t start = finding_ != nullptr ? finding_->cycle_start : trace_->cycle_start;
    return start < steps().size() ? std::optional(start) : std::nullopt;
}

std::size_t DrawnRun::party_of(const TraceStep& step) const {
    return std::min<std::size_t>(step.party, parties_.size() - 1);
}

std::string DrawnRun::step_text(const TraceStep& step) const {
    const std::string& label = step.words.label.empty() ? step.text : step.words.label;
    return label + (step.result.empty() ? "" : " " + step.result);
}

std::string DrawnRun::key_name(std::size_t key) const {
    return key < trace_->keys.size() ? trace_->keys[key] : fmt::format("key {}", key + 1);
}

// A finding ends with the step that violates; what its run did later is not part of it.
void DrawnRun::find_messages() {
    for (TraceMessage message : trace_->messages) {
        if (message.sent > steps().size() ||
            std::max(message.from, message.to) >= parties_.size()) {
            continue;
        }
        message.arrives = message.arrives <= steps().size() ? message.arrives : 0;
        if (message.arrives != 0) {
            arrivals_.emplace(message.arrives, messages_.size());
        }
        messages_.push_back(message);
    }
}

std::vector<TraceMessage> DrawnRun::arrivals_at(std::size_t step) const {
    std::vector<TraceMessage> arriving;
    const auto [begin, end] = arrivals_.equal_range(step);
    for (auto at = begin; at != end; ++at) {
        arriving.push_back(messages_[at->second]);
    }
    return arriving;
}

std::string DrawnRun::message_text(const TraceMessage& message) const {
    if (message.of_death) {
        return "word of death";
    }
    if (message.key) {
        return "message about " + key_name(*message.key);
    }
    const bool is_request = message.from < message.to;
    return is_request ? "request" : "reply";
}

std::vector<std::vector<std::int32_t>> DrawnRun::values() const {
    std::vector<std::vector<std::int32_t>> states{trace_->initial_values};
    for (const TraceStep& step : steps()) {
        states.push_back(states.back());
        for (const ShownChange& change : step.changes) {
            states.back().at(change.field) = change.value;
        }
    }
    return states;
}

void DrawnRun::find_operations() {
    std::map<std::size_t, std::size_t> open;  // of each party, in operations_
    for (const HistoryEntry& entry : trace_->history) {
        if (entry.step >= steps().size() || entry.caller >= parties_.size()) {
            continue;
        }
        if (entry.type == HistoryType::kInvoke) {
            const std::string& name = steps()[entry.step].words.operation;
            open[entry.caller] = operations_.size();
            operations_.push_back(
                {entry.caller,
                 (name.empty() ? std::string("call") : name) + " " + key_name(entry.key),
                 entry.step + 1});
        } else if (const auto at = open.find(entry.caller); at != open.end()) {
            operations_[at->second].last = entry.step + 1;
            operations_[at->second].ended = entry.type;
            open.erase(at);
        }
    }
}

void DrawnRun::find_participants() {
    takes_part_.resize(parties_.size());
    for (std::size_t i = 0; i < trace_->parties.size(); ++i) {
        takes_part_[i] = trace_->parties[i].kind == Doer::kCaller;
    }
    for (const TraceStep& step : steps()) {
        takes_part_[party_of(step)] = true;
    }
    for (const TraceMessage& message : messages_) {
        takes_part_[message.from] = takes_part_[message.to] = true;
    }
}

std::vector<DrawnRun> drawn_runs(const Results& results) {
    std::vector<DrawnRun> runs;
    const auto add = [&](const RunReport& report, const Trace& trace, const Finding* finding) {
        const bool has_words = !trace.steps.empty() && !trace.steps.front().text.empty();
        if (has_words) {
            runs.emplace_back(report, trace, finding);
        }
    };
    for (const RunReport& report : results.files) {
        if (report.replayed) {
            add(report, *report.replayed, nullptr);
            continue;
        }
        for (const Finding& finding : report.findings) {
            add(report, finding.trace, &finding);
        }
    }
    return runs;
}

}  // namespace lockkeeper
