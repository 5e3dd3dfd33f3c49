// SPDX-License-Identifier: Apache-2.0

// The documents of --format json: one a command. Their schemas are published in reports/schema/.
// Text that is not UTF-8 is replaced.
#include <ostream>

#include "properties/catalogue.hpp"
#include "reports/run_json.hpp"
#include "reports/texts.hpp"
#include "reports/writer.hpp"
#include "work/results/sweep_table.hpp"
#include "work/results/told.hpp"

namespace lockkeeper {
namespace {

using Json = nlohmann::ordered_json;

Json smaller_of(const Finding& finding) {
    if (!finding.smaller) {
        return nullptr;
    }
    const SmallerFinding& smaller = *finding.smaller;
    return {{"scope", smaller.scope},
            {"steps", smaller.steps},
            {"trace_file", or_null(smaller.trace_file)}};
}

Json nearest_of(const NearestPass& nearest) {
    Json json{{"differs_at", nearest.differs_at + 1},
              {"ends", nearest.ends},
              {"schedule", to_line(nearest.schedule)},
              {"replay", nearest.replay_command}};
    add_run({.trace = nearest.trace}, json);
    return json;
}

Json violation_of(const Finding& finding, const std::string& file) {
    Json json;
    const Property* property = finding.property;
    json["file"] = file;
    json["property"] = property ? Json(property->name) : Json(nullptr);
    json["number"] = property ? Json(property->number) : Json(nullptr);
    json["severity"] = property ? Json(name_of(property->severity)) : Json(nullptr);
    json["definition"] = property ? Json(property->definition) : Json(nullptr);
    json["steps"] = step_count(finding);
    json["schedule"] = to_line(finding.schedule);
    json["cycle_from"] =
        finding.cycle_start == kNoStep ? Json(nullptr) : Json(finding.cycle_start + 1);
    json["cause"] = or_null(finding.cause);
    json["causes_cut"] = finding.causes_cut;
    json["found_by"] = or_null(finding.found_by);
    json["trace_file"] = or_null(finding.trace_file);
    json["replay"] = finding.replay_command;
    add_run({.trace = finding.trace, .property = property, .sources = &finding.sources}, json);
    if (finding.nearest) {
        json["nearest"] = nearest_of(*finding.nearest);
    }
    if (!finding.difference.empty()) {
        json["difference"] = finding.difference;
    }
    json["smaller"] = smaller_of(finding);
    json["shrinking_cut"] = finding.is_cut;
    return json;
}

// The run of `replay`: null and an empty list where nothing was replayed.
void add_replayed(const RunReport& report, Json& json) {
    json["trace"] = nullptr;
    json["overlaps"] = nullptr;
    json["divergences"] = Json::array_t();
    if (!report.replayed) {
        return;
    }
    const Trace& trace = *report.replayed;
    add_run({.trace = trace,
             .property = report.findings.empty() ? nullptr : report.findings.front().property},
            json);
    json["divergences"] = divergences_json(trace);
    json["schedule"] = to_line(trace.schedule(report.seed));
    json["repeat"] = report.repeat_command;
    if (trace.cycle_start != kNoStep) {
        json["cycle_from"] = trace.cycle_start + 1;
    }
}

Json boundary_json(const FoundBoundary& boundary) {
    return {{"parameter", boundary.parameter},
            {"sought", boundary.smallest ? "smallest" : "largest"},
            {"value", boundary.value},
            {"violated", or_null(boundary.violated)},
            {"probes",
             list_of(boundary.probes,
                     [](const auto& probe) -> Json {
                         return {{"value", probe.first}, {"verdict", verdict_text(probe.second)}};
                     })},
            {"refused", list_of(boundary.refused, [](const RefusedValues& values) -> Json {
                 return {{"from", values.from}, {"to", values.to}, {"why", values.why}};
             })}};
}

Json rates_of(const RunReport& report) {
    return list_of(report.rates, [](const RateCheck& check) -> Json {
        return {{"property", check.property->name}, {"bound", check.bound},
                {"rate", check.rate.value},         {"low", check.rate.low},
                {"high", check.rate.high},          {"method", name_of(check.method)},
                {"met", or_null(check.met)}};
    });
}

Json answers_of(const RunReport& report) {
    if (!report.answers) {
        return nullptr;
    }
    const AnswerCounts& answers = *report.answers;
    return {{"grants", answers.grants},
            {"refusals", answers.refusals},
            {"refusals_while_free", answers.refusals_while_free},
            {"errors", answers.errors},
            {"indefinite_answers", answers.indefinite_answers},
            {"runs", answers.runs},
            {"cut_runs", answers.cut_runs}};
}

Json passed_over_of(const RunReport& report) {
    return list_of(report.passed_over, [](const PassedOver& passed) -> Json {
        return {{"operations", passed.operations}, {"why", passed.why}};
    });
}

void add_search(const RunReport& report, Json& json) {
    const auto explored = [&](auto member) {
        return report.explored ? Json((*report.explored).*member) : Json(nullptr);
    };
    json["boundary"] = report.boundary ? boundary_json(*report.boundary) : Json(nullptr);
    json["states"] = explored(&ExploreResult::states);
    json["transitions"] = explored(&ExploreResult::transitions);
    json["depth"] = explored(&ExploreResult::depth);
    json["terminal_states"] = explored(&ExploreResult::terminal_states);
    json["interleavings"] =
        report.explored ? or_null(report.explored->interleavings) : Json(nullptr);
    json["acyclic"] = report.explored ? or_null(report.explored->acyclic) : Json(nullptr);
    json["symmetry"] = explored(&ExploreResult::used_symmetry);
    json["reduction"] = report.explored ? Json(word_of(report.explored->reduction)) : Json(nullptr);
    json["reductions"] = report.explored ? Json(reductions_used(*report.explored)) : Json(nullptr);
    json["reductions_text"] = report.explored ? Json(report.reductions) : Json(nullptr);
    json["keeps_lengths"] =
        report.explored ? Json(keeps_lengths(report.explored->reduction)) : Json(nullptr);
    json["states_before"] = explored(&ExploreResult::states_before);
    json["graph_seconds"] = explored(&ExploreResult::graph_seconds);
    json["bytes_stored"] = explored(&ExploreResult::bytes_stored);
    json["omission_probability"] = explored(&ExploreResult::omission_probability);
    json["schedules"] = report.fuzzed ? Json(report.fuzzed->schedules) : Json(nullptr);
    json["steps"] = report.fuzzed     ? Json(report.fuzzed->steps)
                    : report.replayed ? Json(report.replayed->steps.size())
                                      : Json(nullptr);
}

std::set<std::string> remarks_of(const RunReport& report) {
    const auto* stepped = std::get_if<SteppedAnswer>(&report.details);
    const auto* recorded = std::get_if<BlackBoxAnswer>(&report.details);
    return stepped != nullptr    ? stepped->remarks
           : recorded != nullptr ? recorded->result.tally.remarks_of_open()
                                 : std::set<std::string>{};
}

Json file_of(const RunReport& report) {
    Json json;
    json["file"] = report.file;
    json["system"] = report.system;
    json["variant"] = report.variant;
    add_verdict(report.verdict, {}, json);
    json["exit_code"] = exit_code_of(report);
    const bool is_met = report.met && is<Passed>(*report.met);
    json["met"] = report.met ? Json(is_met) : Json(nullptr);
    json["difference"] = report.met && !is_met ? Json(detail_of(*report.met)) : Json(nullptr);
    json["max_rate"] = rates_of(report);
    json["strategy"] = report.strategy;
    json["scope"] = report.scope;
    json["seed"] = report.seed;
    json["checked"] = names(report.checked);
    json["complete"] = report.complete;
    add_search(report, json);
    json["seconds"] = report.seconds;
    json["goals_reached"] = names(report.goals_reached);
    json["goals_missed"] = names(report.goals_missed);
    json["answers"] = answers_of(report);
    json["passed_over"] = passed_over_of(report);
    json["remarks"] = remarks_of(report);
    add_replayed(report, json);
    const auto* numbers = std::get_if<EveryNumber>(&report.details);
    json["every_number"] = numbers != nullptr ? every_number_json(*numbers) : Json(nullptr);
    json["files_written"] = report.files_written;
    if (const auto* explained = std::get_if<ExplainedAnswer>(&report.details)) {
        json["explained"] = Json::parse(explained->document);
    }
    return json;
}

void add_totals(const std::vector<RunReport>& reports, Json& json) {
    std::uint64_t states = 0;
    std::uint64_t transitions = 0;
    double seconds = 0;
    bool complete = !reports.empty();
    for (const RunReport& report : reports) {
        states += report.explored ? report.explored->states : 0;
        transitions += report.explored ? report.explored->transitions : 0;
        seconds += report.seconds;
        complete = complete && report.complete;
    }
    const RunReport* only = reports.size() == 1 ? &reports.front() : nullptr;
    json["complete"] = complete;
    json["states"] = states;
    json["transitions"] = transitions;
    json["interleavings"] =
        only && only->explored ? or_null(only->explored->interleavings) : Json(nullptr);
    json["seconds"] = seconds;
    json["seed"] = only ? Json(only->seed) : Json(nullptr);
    json["file"] = only ? Json(only->file) : Json(nullptr);
    json["system"] = only ? Json(only->system) : Json(nullptr);
    json["variant"] = only ? Json(only->variant) : Json(nullptr);
}

Json result_document(const Results& results) {
    const std::vector<RunReport>& reports = results.files;
    Json json = document_head("result", kResultVersion);
    json["command"] = results.command;
    json["verdict"] = name_of(overall_verdict(reports, results.exit_code));
    json["exit_code"] = results.exit_code;
    add_totals(reports, json);
    const OutcomeCounts outcomes = count_outcomes(reports);
    json["passed"] = outcomes.passed;
    json["failed"] = outcomes.failed;
    json["undecided"] = outcomes.undecided;
    json["not_run"] = outcomes.not_run;
    Json::array_t violations;
    Json::array_t files;
    for (const RunReport& report : reports) {
        for (const Finding& finding : report.findings) {
            violations.push_back(violation_of(finding, report.file));
        }
        files.push_back(file_of(report));
    }
    json["violations"] = std::move(violations);
    json["files"] = std::move(files);
    return json;
}

class JsonWriter final : public Writer {
  public:
    using Writer::Writer;

    void end(const Results& results) override {
        switch (results.kind) {
            case ResultsKind::kRuns:
            case ResultsKind::kTests: print(result_document(results)); return;
            case ResultsKind::kMeasurements: print(measure_document(results)); return;
            case ResultsKind::kServerComparisons: print(server_document(results)); return;
            case ResultsKind::kReferenceComparisons: print(against_document(results)); return;
            case ResultsKind::kHistories:
            case ResultsKind::kSweeps: end_with_only(results); return;
        }
    }
    void list(const Listing& listing) override { print(list_document(listing)); }
    void refused(int exit_code, const std::string& message) override {
        Json json = document_head("error", 1);
        json["exit_code"] = exit_code;
        json["error"] = message;
        print(json);
    }

  private:
    // A document of one file.
    void end_with_only(const Results& results) {
        const RunReport& report = results.files.front();
        if (const auto* judged = std::get_if<JudgedHistory>(&report.details)) {
            print(history_document(report, *judged));
        } else if (const auto* table = std::get_if<SweptTable>(&report.details)) {
            out() << sweep_table_json(*table) << std::flush;
        } else {
            refused(results.exit_code, detail_of(report.verdict));
        }
    }
    void print(const Json& json) {
        out() << json.dump(2, ' ', false, Json::error_handler_t::replace) << "\n" << std::flush;
    }
};

}  // namespace

// A row of formats.cpp.
std::unique_ptr<Writer> make_json_writer(std::ostream& out, bool verbose) {
    return std::make_unique<JsonWriter>(out, verbose);
}

}  // namespace lockkeeper
