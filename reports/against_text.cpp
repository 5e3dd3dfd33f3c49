// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "model/json.hpp"
#include "reports/run_json.hpp"
#include "reports/texts.hpp"
#include "version.hpp"
#include "work/results/words.hpp"

namespace lockkeeper {
namespace {

using against::Compared;
using against::Difference;
using Json = nlohmann::ordered_json;

std::string counts_text(const Compared& compared) {
    std::string text;
    for (std::size_t i = 0; i < compared.counts.size(); ++i) {
        if (compared.counts[i] > 0) {
            text +=
                fmt::format("{}{} {}", text.empty() ? "" : ", ", with_commas(compared.counts[i]),
                            name_of(static_cast<Difference>(i)));
        }
    }
    return text + (compared.cut > 0 ? fmt::format(", {} cut", with_commas(compared.cut)) : "");
}

Json json_of(const RunReport& report) {
    const auto* comparison = std::get_if<ReferenceComparison>(&report.details);
    Json json{{"file", report.file}};
    if (comparison == nullptr) {
        json["error"] = detail_of(report.verdict);
        return json;
    }
    const Compared& compared = comparison->compared;
    json["candidate"] = comparison->candidate;
    json["verdict"] = name_of(compared.worst());
    json["seed"] = compared.seed;
    json["schedules"] = compared.schedules;
    for (std::size_t i = 0; i < compared.counts.size(); ++i) {
        json[std::string(name_of(static_cast<Difference>(i)))] = compared.counts[i];
    }
    json["cut"] = compared.cut;
    if (compared.shown) {
        json["first_at"] = compared.first_at;
        const Finding& finding = report.findings.front();
        json["difference"] = finding.difference;
        json["steps"] = finding.trace.steps.size();
        json["replay"] = finding.replay_command;
        json["schedule"] = to_line(finding.schedule);
        add_run({.trace = finding.trace, .sources = &finding.sources}, json["run"]);
    }
    return json;
}

}  // namespace

std::string against_text(const RunReport& report, const ReferenceComparison& comparison) {
    const Compared& compared = comparison.compared;
    std::string out =
        fmt::format("{}: {}, seed {}\n", report.file, comparison.candidate, compared.seed);
    if (compared.shown) {
        const Finding& finding = report.findings.front();
        const std::vector<TraceStep>& steps = finding.trace.steps;
        out +=
            fmt::format("first difference ({}, schedule {}), in {}:\n", name_of(compared.worst()),
                        compared.first_at, counted(steps.size(), "step"));
        std::size_t text_width = 38;
        std::size_t result_width = 22;
        for (const TraceStep& step : steps) {
            text_width = std::max(text_width, step.text.size());
            result_width = std::max(result_width, step.result.size());
        }
        for (std::size_t i = 0; i < steps.size(); ++i) {
            const TraceStep& step = steps[i];
            out += fmt::format("  {:>5}  {:<{}} {:<{}} {}\n", i + 1, step.text, text_width,
                               step.result, result_width, step.state);
        }
        out += finding.difference + "\nreplay: " + finding.replay_command + "\n";
    }
    out += fmt::format("verdict: {}; {}: {}\n", name_of(compared.worst()),
                       counted(compared.schedules, "schedule"), counts_text(compared));
    return out;
}

nlohmann::ordered_json against_document(const Results& results) {
    Json::array_t compared;
    for (const RunReport& report : results.files) {
        compared.push_back(json_of(report));
    }
    return {{"$schema", "validate_against.schema.json"},
            {"validate_against_version", 1},
            {"version", version()},
            {"commit", commit()},
            {"command", "validate"},
            {"reference", results.beside},
            {"exit_code", results.exit_code},
            {"compared", std::move(compared)}};
}

}  // namespace lockkeeper
