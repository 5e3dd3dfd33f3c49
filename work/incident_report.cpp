// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "properties/catalogue.hpp"
#include "validate/logs/document.hpp"
#include "validate/logs/written_time.hpp"
#include "work/incident.hpp"

namespace lockkeeper {
namespace {

constexpr std::size_t kLanesMax = 250;

bool is_a_time(std::int64_t time) { return time > logs::kLongAgo / 2 && time < logs::kNever / 2; }

// A thing that happens at one time: a step, and who holds after it.
struct Happening {
    std::int64_t time = 0;
    TraceStep step;
    SourceLine source;
    std::int32_t holds = 0;  // by how much the caller's bar changes
    std::optional<HistoryType> operation = {};
    LockCode code = LockCode::kAcquire;
    std::optional<std::uint32_t> ends = {};  // whose lease runs out
};

Verb verb_of(LockCode code) {
    return code == LockCode::kAcquire   ? Verb::kAcquire
           : code == LockCode::kRelease ? Verb::kRelease
                                        : Verb::kCall;
}

class IncidentTrace {
  public:
    IncidentTrace(const logs::ToldAnswer& told, const logs::Retold& run)
        : told_(told), problem_(*told.answer.problem), run_(run) {
        for (const std::string& caller : problem_.callers) {
            trace_.parties.push_back({caller, Doer::kCaller});
        }
        lock_ = static_cast<std::uint32_t>(trace_.parties.size());
        trace_.parties.push_back({"lock", Doer::kServers});
        trace_.keys.push_back(told.answer.key.empty() ? "lock" : told.answer.key);
        trace_.features = kShowsGrants;
        for (std::size_t i = 0; i < std::min<std::size_t>(lock_, kLanesMax); ++i) {
            trace_.fields.push_back({ShownKind::kBelieved, static_cast<std::uint8_t>(i), 0});
            trace_.initial_values.push_back(0);
        }
    }

    void fill() {
        for (const logs::Moment& moment : run_.moments) {
            add_moment(moment);
        }
        for (const logs::LostLine& lost : run_.lost) {
            add_lost(lost);
        }
        for (const logs::Holding& holding : run_.holdings) {
            add_end(holding);
        }
        if (!told_.answer.found.is_found && told_.answer.found.furthest.time < logs::kNever) {
            add_unreached();
        }
        std::stable_sort(
            happenings_.begin(), happenings_.end(),
            [](const Happening& left, const Happening& right) { return left.time < right.time; });
        std::vector<std::int32_t> holds(trace_.fields.size(), 0);
        for (Happening& happening : happenings_) {
            put(happening, holds);
        }
    }
    [[nodiscard]] Trace take() { return std::move(trace_); }
    [[nodiscard]] std::vector<SourceLine> take_sources() { return std::move(sources_); }

  private:
    [[nodiscard]] const logs::Observation& observation(logs::Place place) const {
        return told_.sources[place.source].observations[place.position];
    }
    [[nodiscard]] std::string time(std::int64_t at, bool up = false) const {
        return is_a_time(at) ? logs::time_text(at, told_.form, up) : std::string("?");
    }
    [[nodiscard]] std::string window(std::int64_t earliest, std::int64_t latest) const {
        const std::string from = time(earliest);
        const std::string to = time(latest, true);
        return from == to ? from : from + ".." + to;
    }
    Happening& add(std::int64_t at, std::uint32_t party, const std::string& label) {
        Happening happening;
        happening.time = at;
        happening.step.party = party;
        happening.step.action.actor = static_cast<std::uint8_t>(std::min<std::size_t>(party, 255));
        happening.step.words.label = label;
        happening.step.words.doer = party == lock_ ? Doer::kServers : Doer::kCaller;
        happening.step.text = trace_.parties[party].name + ": " + label;
        happenings_.push_back(std::move(happening));
        return happenings_.back();
    }

    void add_line(Happening& happening, logs::Place place) const {
        const logs::Observation& seen = observation(place);
        const std::string& file = told_.sources[place.source].file;
        happening.source = {file, seen.line};
        happening.step.text = fmt::format("{}:{}: {}", file, seen.line, seen.text);
    }

    void add_moment(const logs::Moment& moment) {
        const std::uint32_t party = moment.caller < lock_ ? moment.caller : lock_;
        const std::string what =
            std::string(name_of(moment.code)) + (moment.is_refused ? " is refused" : "");
        Happening& added =
            add(moment.earliest, party,
                moment.line ? observation(*moment.line).text : what + " (no line shows it)");
        added.code = moment.code;
        if (moment.line) {
            add_line(added, *moment.line);
            const logs::Line& line = problem_.line(*moment.line);
            if (line.seen == logs::Seen::kCall) {
                added.operation = HistoryType::kInvoke;
            } else if (line.seen == logs::Seen::kAnswer) {
                added.operation = line.outcome == logs::Outcome::kOk        ? HistoryType::kOk
                                  : line.outcome == logs::Outcome::kUnknown ? HistoryType::kInfo
                                                                            : HistoryType::kFail;
            }
        }
        added.step.is_cause = moment.is_hidden || moment.is_stray || moment.is_outside;
        added.step.state = window(moment.earliest, moment.latest);
        if (moment.is_outside) {
            added.step.result = "-> does not hold";
            if (told_.answer.answer == logs::Answer::kBroken) {
                added.step.violates = {find_property("unprotected-effect")};
            }
        } else if (moment.is_served) {
            added.step.result = "-> the lock carries it out: " + what;
            added.holds = begins_or_ends(moment);
        }
    }

    // A holding's first or last moment is the operation that began or ended it.
    [[nodiscard]] std::int32_t begins_or_ends(const logs::Moment& moment) const {
        for (const logs::Holding& holding : run_.holdings) {
            if (holding.caller != moment.caller || moment.is_refused) {
                continue;
            }
            if (holding.from_earliest == moment.earliest && moment.code != LockCode::kRelease) {
                return 1;
            }
            const bool gives_back = holding.ended == logs::Ended::kReleased &&
                                    holding.end_earliest == moment.earliest &&
                                    moment.code == LockCode::kRelease;
            if (gives_back) {
                return -1;
            }
        }
        return 0;
    }

    void add_lost(const logs::LostLine& lost) {
        if (!lost.is_due) {
            return;  // nobody need have written it
        }
        Happening& added = add(
            lost.time, lost.caller,
            fmt::format("a line is missing: {}, {}", name_of(lost.code), logs::name_of(lost.seen)));
        added.step.words.fault = "no log has this line";
        added.step.is_cause = true;
        added.step.state = time(lost.time);
    }

    void add_end(const logs::Holding& holding) {
        if (holding.ended != logs::Ended::kRanOut || !is_a_time(holding.end_earliest)) {
            return;
        }
        Happening& added = add(holding.end_earliest, lock_,
                               "the lease of " + problem_.callers[holding.caller] + " runs out");
        added.step.state = window(holding.end_earliest, holding.end_latest);
        added.step.action.kind = ActionKind::kBackground;
        added.ends = holding.caller;
    }

    void add_unreached() {
        const logs::Place place = told_.answer.found.furthest.line;
        const logs::Line& line = problem_.line(place);
        Happening& added =
            add(logs::kNever, line.caller < lock_ ? line.caller : lock_, observation(place).text);
        add_line(added, place);
        added.step.result = "-> no run gets here";
        added.step.is_cause = true;
    }

    void put(Happening& happening, std::vector<std::int32_t>& holds) {
        TraceStep& step = happening.step;
        const auto number = static_cast<std::uint32_t>(trace_.steps.size());
        if (happening.operation && step.party < std::min<std::size_t>(lock_, kLanesMax)) {
            HistoryEntry entry;
            entry.step = number;
            entry.caller = static_cast<std::uint8_t>(step.party);
            entry.type = *happening.operation;
            entry.verb = verb_of(happening.code);
            step.words.operation = name_of(happening.code);
            trace_.history.push_back(entry);
        }
        const std::uint32_t field = step.party;
        if (happening.holds != 0 && field < holds.size()) {
            change(field, happening.holds, holds, step);
        }
        if (happening.ends && *happening.ends < holds.size() && holds[*happening.ends] > 0) {
            change(*happening.ends, -1, holds, step);
        }
        std::string holders;
        for (std::uint32_t caller = 0; caller < holds.size(); ++caller) {
            holders += holds[caller] > 0
                           ? (holders.empty() ? "held by " : ", ") + problem_.callers[caller]
                           : "";
        }
        step.state += (step.state.empty() ? "" : "  ") + (holders.empty() ? "free" : holders);
        trace_.steps.push_back(std::move(step));
        sources_.push_back(std::move(happening.source));
    }

    static void change(std::uint32_t field, std::int32_t by, std::vector<std::int32_t>& holds,
                       TraceStep& step) {
        holds[field] = std::max(0, holds[field] + by);
        step.changes.push_back({field, holds[field]});
    }

    const logs::ToldAnswer& told_;
    const logs::Problem& problem_;
    const logs::Retold& run_;
    std::uint32_t lock_ = 0;  // the party
    Trace trace_;
    std::vector<SourceLine> sources_;
    std::vector<Happening> happenings_;
};

// "verdict: violated: ..." without its first word, and without the run.
std::string first_line(const std::string& text) {
    constexpr std::string_view kBeginning = "verdict: ";
    const std::string line = text.substr(0, text.find('\n'));
    return line.starts_with(kBeginning) ? line.substr(kBeginning.size()) : line;
}

Verdict verdict_of(const logs::ToldAnswer& told) {
    const std::string detail = first_line(told.text);
    const auto without = [&](const char* word) {
        return detail.starts_with(word) ? detail.substr(std::string_view(word).size()) : detail;
    };
    switch (told.answer.answer) {
        case logs::Answer::kExplained: return Passed{detail};
        case logs::Answer::kBroken: return Violated{without("violated: "), "unprotected-effect"};
        case logs::Answer::kNotExplained: return Violated{without("violated: "), ""};
        case logs::Answer::kUndecided: break;
    }
    return Inconclusive{told.answer.doubts.limit == nullptr ? "" : told.answer.doubts.limit,
                        without("inconclusive: ")};
}

std::string names_of_files(const std::vector<logs::Source>& sources) {
    std::set<std::string> names;
    std::string text;
    for (const logs::Source& source : sources) {
        if (!source.observations.empty() && names.insert(source.file).second) {
            text += (text.empty() ? "" : ", ") + source.file;
        }
    }
    return text;
}

}  // namespace

RunReport incident_report(const logs::ToldAnswer& told, const std::string& model,
                          const std::string& further) {
    RunReport report;
    report.command = "explain";
    report.file = names_of_files(told.sources);
    report.system = "logs";
    report.variant = model;
    report.strategy = "explain";
    report.verdict = verdict_of(told);
    report.scope = fmt::format("{} lines, model {}", told.answer.problem->lines(), model);
    report.short_scope = report.scope;
    report.complete = told.answer.doubts.limit == nullptr;
    report.seconds = told.seconds;
    nlohmann::ordered_json document = logs::lock_document(told.answer, told.sources, told.form);
    document["further"] = further;
    report.details = ExplainedAnswer{
        told.text, document.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)};
    IncidentTrace trace(told, *told.answer.run);
    trace.fill();
    if (!is<Violated>(report.verdict)) {
        report.replayed = trace.take();
        return report;
    }
    Finding finding;
    if (told.answer.answer == logs::Answer::kBroken) {
        finding.property = find_property("unprotected-effect");
    }
    finding.kind = "incident";
    finding.difference = detail_of(report.verdict);
    finding.trace = trace.take();
    if (finding.property != nullptr) {
        finding.trace.violated = {finding.property};
        finding.trace.judged = {finding.property};
    }
    finding.sources = trace.take_sources();
    report.findings.push_back(std::move(finding));
    return report;
}

}  // namespace lockkeeper
