// SPDX-License-Identifier: Apache-2.0

// The first run as a log with vector clocks, in the form that ShiViz reads without being told how:
// a line with the event, and a line with its host and clock. What is not of this form ShiViz
// passes over, so the first lines say what the log is.
//
// One event knows of another by a message, by the place in the servers' counters or records that
// both touched, and by the passing of time and resizes, which everybody sees.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "reports/clean_text.hpp"
#include "reports/drawn_run.hpp"

namespace lockkeeper {
namespace {

using Clock = std::vector<std::uint32_t>;  // of each party, the events that are known

void learn(Clock& clock, const Clock& other) {
    for (std::size_t i = 0; i < clock.size(); ++i) {
        clock[i] = std::max(clock[i], other[i]);
    }
}

// Different names without spaces.
std::vector<std::string> shiviz_hosts(const DrawnRun& run) {
    std::vector<std::string> hosts;
    for (const std::string& party : run.parties()) {
        std::string host = clean_line(party);
        std::replace_if(
            host.begin(), host.end(),
            [](char character) {
                return character == ' ' || character == '"' || character == '\\' ||
                       character == '{' || character == '}';
            },
            '_');
        if (host.empty() || std::find(hosts.begin(), hosts.end(), host) != hosts.end()) {
            host += fmt::format("_{}", hosts.size() + 1);
        }
        hosts.push_back(host);
    }
    return hosts;
}

class VectorClocks {
  public:
    explicit VectorClocks(const DrawnRun& run)
        : run_(run),
          clocks_(run.parties().size(), Clock(run.parties().size())),
          seen_by_all_(run.parties().size()),
          fields_(run.trace().fields) {}

    // The clock of the step with that number. Call it once for each step, in their order.
    const Clock& advance(std::size_t number) {
        const TraceStep& step = run_.steps()[number - 1];
        const std::size_t party = run_.party_of(step);
        Clock& clock = clocks_[party];
        learn(clock, seen_by_all_);
        for (const TraceMessage& message : run_.arrivals_at(number)) {
            const auto sent = at_step_.find(message.sent);
            if (sent != at_step_.end() && !message.is_lost) {
                learn(clock, sent->second);
            }
        }
        const std::vector<std::size_t> keys = touched_by(step);
        for (const std::size_t key : keys) {
            learn(clock, at_key_.try_emplace(key, clock.size()).first->second);
        }
        ++clock[party];
        for (const std::size_t key : keys) {
            at_key_.insert_or_assign(key, clock);
        }
        if (is_seen_by_all(party)) {
            learn(seen_by_all_, clock);
        }
        return at_step_.insert_or_assign(number, clock).first->second;
    }

  private:
    // Everybody sees the steps of the clock and of the world.
    [[nodiscard]] bool is_seen_by_all(std::size_t party) const {
        const std::vector<TraceParty>& parties = run_.trace().parties;
        return party < parties.size() &&
               (parties[party].kind == Doer::kClock || parties[party].kind == Doer::kWorld);
    }
    // Keys whose counters or records the step reads or changes.
    [[nodiscard]] std::vector<std::size_t> touched_by(const TraceStep& step) const {
        std::vector<std::size_t> keys;
        const auto add = [&](std::size_t key) {
            if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
                keys.push_back(key);
            }
        };
        if (step.event.value != Event::kNoValue || step.event.place != 0) {
            add(step.event.key);
        }
        for (const ShownChange& change : step.changes) {
            const ShownField& field = fields_[change.field];
            const bool is_shared = field.kind == ShownKind::kCounter ||
                                   field.kind == ShownKind::kCounted ||
                                   field.kind == ShownKind::kGranted;
            if (is_shared && field.key) {
                add(*field.key);
            }
        }
        return keys;
    }

    const DrawnRun& run_;
    std::vector<Clock> clocks_;  // of each party
    Clock seen_by_all_;
    std::map<std::size_t, Clock> at_key_;
    std::map<std::size_t, Clock> at_step_;
    const std::vector<ShownField>& fields_;
};

std::string shiviz_log(const DrawnRun& run) {
    const std::vector<std::string> hosts = shiviz_hosts(run);
    VectorClocks clocks(run);
    std::string out;
    for (std::size_t number = 1; number <= run.steps().size(); ++number) {
        const TraceStep& step = run.steps()[number - 1];
        const Clock& clock = clocks.advance(number);
        std::string entries;
        for (std::size_t i = 0; i < hosts.size(); ++i) {
            if (clock[i] > 0) {
                entries +=
                    fmt::format("{}\"{}\":{}", entries.empty() ? "" : ", ", hosts[i], clock[i]);
            }
        }
        out += fmt::format("step {}: {}{}\n{} {{{}}}\n", number, clean_line(run.step_text(step)),
                           step.violates.empty() ? "" : " (violation)", hosts[run.party_of(step)],
                           entries);
    }
    return out;
}

}  // namespace

// For a row of formats.cpp.
std::string shiviz_document(const Results& results) {
    const std::vector<DrawnRun> runs = drawn_runs(results);
    if (runs.empty()) {
        return "# written by lockkeeper\n# no run to draw\n";
    }
    return fmt::format("# written by lockkeeper\n# {}{}\n\n{}", clean_line(runs.front().title()),
                       runs.size() > 1 ? fmt::format(", the first of {} runs", runs.size()) : "",
                       shiviz_log(runs.front()));
}

std::string shiviz_refusal(int /*exit_code*/, const std::string& message) {
    return "# written by lockkeeper\n# " + clean_line(message) + "\n";
}

}  // namespace lockkeeper
