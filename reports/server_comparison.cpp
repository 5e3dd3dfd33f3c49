#include "reports/server_comparison.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "reports/conclusion.hpp"
#include "reports/run_text.hpp"
#include "reports/words.hpp"

namespace lockkeeper {
namespace {

using Json = nlohmann::ordered_json;
using databases::Comparison;

std::string_view name_of(const ServerComparison& judged) {
    return judged.not_expressible.empty() ? name_of(judged.verdict(), {"agrees", "differs"})
                                          : "not expressible";
}

const std::string& reason_of(const ServerComparison& judged) {
    return judged.not_expressible.empty() ? detail_of(judged.verdict()) : judged.not_expressible;
}

std::string numbers_text(const Comparison& comparison) {
    return counted(comparison.schedules, "schedule") + ", " + counted(comparison.steps, "step") +
           ", " + counted(comparison.statements, "statement");
}

Json document_of(const ServerComparison& judged) {
    Json json{{"file", judged.file}, {"verdict", name_of(judged)}};
    if (!reason_of(judged).empty()) {
        json["reason"] = reason_of(judged);
    }
    json["schedules"] = judged.comparison.schedules;
    json["steps"] = judged.comparison.steps;
    json["statements"] = judged.comparison.statements;
    if (const auto& difference = judged.comparison.difference; difference) {
        json["difference"] = {{"step", difference->step},
                              {"text", difference->text},
                              {"model", difference->model},
                              {"server", difference->server},
                              {"schedule", to_line(difference->schedule)},
                              {"steps", difference->steps},
                              {"statements", difference->statements}};
    }
    json["exit_code"] = exit_code_of(judged.verdict());
    return json;
}

std::size_t count(const std::vector<ServerComparison>& all,
                  bool (*is_one)(const ServerComparison& judged)) {
    return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), is_one));
}

template <class Kind>
bool is_compared_as(const ServerComparison& judged) {
    return judged.not_expressible.empty() && is<Kind>(judged.verdict());
}

}  // namespace

std::string server_comparison_text(const ServerComparison& judged) {
    std::string line = fmt::format("{}: {}", printable(judged.file), name_of(judged));
    if (const auto& difference = judged.comparison.difference; difference) {
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
        line += "  lockkeeper replay " + shell_quoted(judged.file) + " --schedule " +
                shell_quoted(to_line(difference->schedule)) + "\n";
    } else {
        line += (reason_of(judged).empty() ? "" : ", because " + reason_of(judged)) +
                (judged.not_expressible.empty() ? ": " + numbers_text(judged.comparison) : "") +
                "\n";
    }
    return line;
}

std::string server_summary_text(const ServerReport& report) {
    const auto& all = report.compared;
    return fmt::format(
        "{}: {} agree, {} differ, {} not expressible, {} inconclusive, {} wrong\nseed {}\n",
        counted(all.size(), "scenario"), count(all, is_compared_as<Passed>),
        count(all, is_compared_as<Violated>),
        count(all, [](const ServerComparison& one) { return !one.not_expressible.empty(); }),
        count(all, is_compared_as<Inconclusive>),
        count(all, [](const ServerComparison& one) { return !has_answer(one.verdict()); }),
        report.seed);
}

std::string server_report_json(const ServerReport& report) {
    Json json{{"$schema", "validate_server.schema.json"},
              {"validate_server_version", 1},
              {"command", "validate"},
              {"lockkeeper", build_text()},
              {"server", report.server},
              {"server_version", report.version},
              {"seed", report.seed},
              {"scenarios", Json::array()}};
    for (const ServerComparison& judged : report.compared) {
        json["scenarios"].push_back(document_of(judged));
    }
    json["exit_code"] = report.exit_code;
    return json.dump(2, ' ', true, Json::error_handler_t::replace) + "\n";
}

}  // namespace lockkeeper
