// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "model/json.hpp"
#include "reports/run_json.hpp"
#include "reports/texts.hpp"
#include "work/results/words.hpp"

namespace lockkeeper {
namespace {

using Json = nlohmann::ordered_json;

const ServerComparison& compared_in(const RunReport& report) {
    static const ServerComparison kNotCompared;  // of a file that was refused
    const auto* compared = std::get_if<ServerComparison>(&report.details);
    return compared != nullptr ? *compared : kNotCompared;
}

std::string_view verdict_name(const RunReport& report) {
    return compared_in(report).not_expressible.empty() ? name_of(report.verdict, report.words)
                                                       : "not expressible";
}

const std::string& reason_of(const RunReport& report) {
    const std::string& not_expressible = compared_in(report).not_expressible;
    return not_expressible.empty() ? detail_of(report.verdict) : not_expressible;
}

std::string numbers_text(const databases::Comparison& comparison) {
    return counted(comparison.schedules, "schedule") + ", " + counted(comparison.steps, "step") +
           ", " + counted(comparison.statements, "statement");
}

Json document_of(const RunReport& report) {
    const databases::Comparison& comparison = compared_in(report).comparison;
    Json json{{"file", report.file}, {"verdict", verdict_name(report)}};
    if (!reason_of(report).empty()) {
        json["reason"] = reason_of(report);
    }
    json["schedules"] = comparison.schedules;
    json["steps"] = comparison.steps;
    json["statements"] = comparison.statements;
    if (const auto& difference = comparison.difference; difference) {
        json["difference"] = {{"step", difference->step},
                              {"text", difference->text},
                              {"model", difference->model},
                              {"server", difference->server},
                              {"schedule", to_line(difference->schedule)},
                              {"steps", difference->steps},
                              {"statements", difference->statements}};
    }
    json["exit_code"] = exit_code_of(report.verdict);
    return json;
}

}  // namespace

std::string server_comparison_text(const RunReport& report, const ServerComparison& compared) {
    std::string line = fmt::format("{}: {}", printable(report.file), verdict_name(report));
    const auto& difference = compared.comparison.difference;
    if (!difference) {
        return line + (reason_of(report).empty() ? "" : ", because " + reason_of(report)) +
               (compared.not_expressible.empty() ? ": " + numbers_text(compared.comparison) : "") +
               "\n";
    }
    line += fmt::format(" at step {}: {}\n  model:  {}\n  server: {}\n", difference->step,
                        printable(difference->text), printable(difference->model),
                        printable(difference->server));
    for (std::size_t at = 0; at < difference->steps.size(); ++at) {
        line += fmt::format("  {:>4}  {}\n", at + 1, printable(difference->steps[at]));
    }
    line += "  sent:\n";
    for (const std::string& statement : difference->statements) {
        line += "        " + printable(statement) + "\n";
    }
    return line + "  " + report.findings.front().replay_command + "\n";
}

std::string server_summary_text(const Results& results) {
    std::size_t not_expressible = 0;
    std::size_t wrong = 0;
    std::map<std::string_view, std::size_t> counts;
    for (const RunReport& report : results.files) {
        not_expressible += compared_in(report).not_expressible.empty() ? 0U : 1U;
        wrong += has_answer(report.verdict) ? 0U : 1U;
        ++counts[verdict_name(report)];
    }
    return fmt::format(
        "{}{}: {} agree, {} differ, {} not expressible, {} inconclusive, {} wrong\nseed {}\n",
        has_compared(results) ? "" : "nothing was compared\n",
        counted(results.files.size(), "scenario"), counts[kServerWords.passed],
        counts[kServerWords.violated], not_expressible, counts[Inconclusive::kName], wrong,
        results.seed.value_or(1));
}

nlohmann::ordered_json server_document(const Results& results) {
    return {{"$schema", "validate_server.schema.json"},
            {"validate_server_version", 1},
            {"command", "validate"},
            {"lockkeeper", build_text()},
            {"server", results.beside},
            {"server_version", results.beside_version},
            {"seed", results.seed.value_or(1)},
            {"scenarios", list_of(results.files, document_of)},
            {"exit_code", results.exit_code}};
}

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
    const auto* undecided = std::get_if<Inconclusive>(&compared.verdict);
    const bool has_limit = undecided != nullptr && !undecided->limit.empty();
    out += fmt::format("verdict: {}{}; {}: {}\n", name_of(compared.worst()),
                       has_limit ? ", " + undecided->detail : "",
                       counted(compared.schedules, "schedule"), counts_text(compared));
    return out;
}

nlohmann::ordered_json against_document(const Results& results) {
    Json json = document_head("validate_against", 1);
    json["command"] = "validate";
    json["reference"] = results.beside;
    json["exit_code"] = results.exit_code;
    json["compared"] = list_of(results.files, json_of);
    return json;
}

}  // namespace lockkeeper
