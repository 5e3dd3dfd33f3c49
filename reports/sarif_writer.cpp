// SPDX-License-Identifier: Apache-2.0

// SARIF 2.1.0: a result for each violation, or for each scenario that did not come out as expected,
// at the scenario's line, with the run as a code flow. GitHub refuses files of more than 10 MB
// packed: ours are smaller unpacked. What is left out for that is counted in a notification.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iterator>
#include <map>
#include <system_error>

#include <fmt/format.h>
#include <xxhash.h>

#include "model/json.hpp"
#include "properties/catalogue.hpp"
#include "reports/clean_text.hpp"
#include "reports/step_lines.hpp"
#include "reports/texts.hpp"
#include "version.hpp"
#include "work/results/words.hpp"

namespace lockkeeper {
namespace {

using Json = nlohmann::ordered_json;

struct SarifResult {
    std::string rule;  // its id
    Json rule_descriptor;
    std::string identity;  // the same in each run that finds the same
    Json json;             // without rule index, fingerprints and code flows
    std::vector<const Finding*> flows;
};

// GitHub shows a thousand steps of a result at most, chosen by their importance.
constexpr std::size_t kFlowStepsMax = 1000;
constexpr std::size_t kFlowBeginning = 200;  // of those that are shown of a longer run
constexpr std::size_t kSarifTextBytesMax = 2000;

struct PlainRule {
    std::string_view id;
    std::string_view sentence;
};
// Rules for results that violate no property. Other names of verdicts stand for themselves.
constexpr PlainRule kPlainRules[] = {
    {"expectation", "The scenario did not come out as its file expects."},
    {"data-race", "Two threads access a place, one of them writes, and nothing orders them."},
    {"difference", "The two sides of a comparison give different answers."},
    {"exceeded", "A measured rate is above its bound."},
    {"inconclusive", "A limit ended the search before there was an answer."},
    {"not-run", "The file was refused, or the harness failed: there is no answer."},
    {"stuck", "Nobody can take a step, and somebody is unfinished."},
    {"unreached", "A goal that the scenario names was not reached."},
};

const char* level_of(Severity severity) {
    switch (severity) {
        case Severity::kNotice: return "note";
        case Severity::kWarning: return "warning";
        case Severity::kError:
        case Severity::kFatal: return "error";
    }
    return "error";
}

Json rule_of(const Property& property) {
    const std::string example(property.example);
    return {{"id", fmt::format("P{}", property.number)},
            {"name", property.name},
            {"shortDescription", {{"text", title_of(property)}}},
            {"fullDescription", {{"text", property.definition}}},
            {"help", {{"text", example.empty() ? std::string(property.definition) : example}}},
            {"defaultConfiguration", {{"level", level_of(property.severity)}}},
            {"properties", {{"severity", name_of(property.severity)}}}};
}

Json plain_rule(const std::string& id, const char* level) {
    const auto* known = std::find_if(std::begin(kPlainRules), std::end(kPlainRules),
                                     [&](const PlainRule& rule) { return rule.id == id; });
    const std::string sentence = known == std::end(kPlainRules) ? "The verdict is: " + id + "."
                                                                : std::string(known->sentence);
    return {{"id", id},
            {"shortDescription", {{"text", id}}},
            {"fullDescription", {{"text", sentence}}},
            {"help", {{"text", sentence}}},
            {"defaultConfiguration", {{"level", level}}}};
}

// RFC 3986; a path stays a path.
std::string uri_of(const std::string& path) {
    std::string uri = path.starts_with('/') ? "file://" : "";
    for (const char character : path) {
        const auto byte = static_cast<unsigned char>(character);
        const bool is_plain =
            byte < 0x80 && (std::isalnum(byte) != 0 ||
                            std::string_view("/-._~").find(character) != std::string_view::npos);
        uri += is_plain ? std::string(1, character) : fmt::format("%{:02X}", byte);
    }
    return uri;
}

Json location_at(const std::string& path, Json region) {
    Json artifact = {{"uri", uri_of(path)}};
    if (!path.starts_with('/')) {
        artifact["uriBaseId"] = "%SRCROOT%";
    }
    return {{"physicalLocation",
             {{"artifactLocation", std::move(artifact)}, {"region", std::move(region)}}}};
}

// Where the step, from 1, stands in the code that is tested; empty: nobody knows.
Json source_location(const Finding& finding, std::size_t number) {
    if (number == 0 || number > finding.sources.size() ||
        finding.sources[number - 1].file.empty()) {
        return Json::object();
    }
    const SourceLine& source = finding.sources[number - 1];
    return location_at(source.file, {{"startLine", std::max<std::uint32_t>(source.line, 1)}});
}

// The id of the rule of a report that no finding explains.
std::string plain_id(const RunReport& report) {
    switch (outcome_of(report)) {
        case FileOutcome::kNotRun: return "not-run";
        case FileOutcome::kUndecided: return "inconclusive";
        case FileOutcome::kPassed:
        case FileOutcome::kFailed: break;
    }
    if (report.met) {
        return "expectation";
    }
    std::string id(name_of(report.verdict, report.words));
    std::replace(id.begin(), id.end(), ' ', '-');
    return id;
}

// For a message: text that no reader takes for a link.
Json sarif_message(const std::string& text) {
    std::string clean = shortened(clean_text(text), kSarifTextBytesMax);
    // "[text](target)" is a link.
    for (std::size_t at = clean.find("]("); at != std::string::npos; at = clean.find("](", at)) {
        clean.insert(at + 1, " ");
    }
    return {{"text", clean}};
}

Json sarif_location(const RunReport& report) {
    return location_at(path_of(report), {{"startLine", report.place.at.line},
                                         {"startColumn", report.place.at.column}});
}

SarifResult result_with(const RunReport& report, Json rule, const char* level,
                        const std::string& message) {
    SarifResult result;
    result.rule = rule["id"].get<std::string>();
    result.rule_descriptor = std::move(rule);
    const std::size_t mark = report.file.rfind('#');
    result.identity = path_of(report) + "\n" +
                      (mark == std::string::npos ? "" : report.file.substr(mark)) + "\n" +
                      result.rule;
    result.json = {{"ruleId", result.rule},
                   {"level", level},
                   {"message", sarif_message(message)},
                   {"locations", Json::array({sarif_location(report)})}};
    return result;
}

SarifResult plain_result(const RunReport& report) {
    const char* level = outcome_of(report) == FileOutcome::kUndecided ? "warning" : "error";
    SarifResult result =
        result_with(report, plain_rule(plain_id(report), level), level, outcome_message(report));
    for (const Finding& finding : report.findings) {
        result.flows.push_back(&finding);
    }
    return result;
}

SarifResult finding_result(const RunReport& report, const Finding& finding) {
    const Property* property = finding.property;
    std::string message = finding_title(finding);
    message += property ? fmt::format(". {}", property->definition) : "";
    message += finding.replay_command.empty() ? "" : "\n" + finding.replay_command;
    std::string id = !finding.kind.empty()        ? finding.kind
                     : finding.difference.empty() ? "stuck"
                                                  : "difference";
    std::replace(id.begin(), id.end(), ' ', '-');
    SarifResult result =
        property ? result_with(report, rule_of(*property), level_of(property->severity), message)
                 : result_with(report, plain_rule(id, "error"), "error", message);
    result.identity += "\n" + finding.cause;
    if (const Json place = source_location(finding, finding.sources.size()); !place.empty()) {
        result.json["locations"] = Json::array({place});
    }
    result.flows = {&finding};
    return result;
}

// Whoever keeps scenarios in a repository of his own has no file to show there.
bool has_model(const RunReport& report, const ShownNames& names) {
    if (report.place.root.empty() || names.steps.empty()) {
        return false;
    }
    std::error_code error;
    return std::filesystem::exists(std::filesystem::path(report.place.root) / names.steps, error);
}

// `names`: nullptr without the model's source.
Json flow_step(const RunReport& report, const ShownNames* names, std::size_t number,
               const Finding& finding) {
    const TraceStep& step = finding.trace.steps[number - 1];
    std::string text = fmt::format("{}. {}", number, step.text);
    text += step.result.empty() ? "" : " " + step.result;
    for (const Property* property : step.violates) {
        text += fmt::format(" (violates {})", title_of(*property));
    }
    const std::uint32_t line = names == nullptr ? 0 : line_of_step(*names, step);
    Json location = line == 0 ? sarif_location(report)
                              : location_at(std::string(names->steps), {{"startLine", line}});
    if (Json place = source_location(finding, number); !place.empty()) {
        location = std::move(place);
    }
    location["message"] = sarif_message(text);
    const bool matters = step.is_cause || !step.violates.empty();
    return {{"location", location},
            {"state", {{"state", sarif_message(step.state)}}},
            {"executionOrder", number},
            {"importance", matters ? "essential" : "important"}};
}

// The run as a code flow: each step at its line of the model where the scenario's repository has
// the model's source, else at the scenario; with the state after it.
Json sarif_code_flow(const RunReport& report, const Finding& finding) {
    const std::vector<TraceStep>& steps = finding.trace.steps;
    const ShownNames& names = finding.trace.names;
    const ShownNames* known = has_model(report, names) ? &names : nullptr;
    const bool fits = steps.size() <= kFlowStepsMax;
    const std::size_t left_out = fits ? 0 : steps.size() - kFlowStepsMax;
    Json::array_t locations;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (!fits && i == kFlowBeginning) {
            i += left_out;
        }
        locations.push_back(flow_step(report, known, i + 1, finding));
    }
    std::string message = finding_title(finding);
    message += fits ? "" : fmt::format("; {} left out in the middle", counted(left_out, "step"));
    return {{"message", sarif_message(message)},
            {"threadFlows", Json::array({{{"locations", locations}}})}};
}

constexpr std::size_t kSarifBytesMax = 9'000'000;
constexpr std::size_t kResultsBytesMax = 5'000'000;  // without their code flows
constexpr std::size_t kSarifResultsMax = 5000;       // GitHub shows no more

std::string sarif_text(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

class SarifLog {
  public:
    // Nothing of what passed.
    void add(const RunReport& report) {
        const FileOutcome outcome = outcome_of(report);
        if (outcome == FileOutcome::kPassed) {
            return;
        }
        // A test may expect its findings, so only its difference matters.
        const bool are_told = outcome == FileOutcome::kFailed && !report.met;
        std::size_t told = 0;
        for (const Finding& finding : report.findings) {
            if (are_told && finding.is_violation) {
                add(report, finding_result(report, finding));
                ++told;
            }
        }
        if (told == 0) {
            add(report, plain_result(report));
        }
    }
    void notify(const char* level, const std::string& text) {
        notifications_.push_back({{"level", level}, {"message", sarif_message(text)}});
    }
    // Call it once.
    std::string finish(const std::string& command, int exit_code) {
        if (results_left_out_ + flows_left_out_ > 0) {
            notify("warning", fmt::format("{} and {} left out: the file would be too long",
                                          counted(results_left_out_, "result"),
                                          counted(flows_left_out_, "code flow")));
        }
        Json driver = {{"name", "lockkeeper"},
                       {"version", fmt::format("{} ({})", version(), commit())},
                       {"semanticVersion", version()},
                       {"rules", rules_}};
        Json invocation = {{"executionSuccessful", exit_code <= kExitInconclusive},
                           {"exitCode", exit_code},
                           {"toolExecutionNotifications", notifications_}};
        Json run = {{"tool", {{"driver", driver}}},
                    {"automationDetails", {{"id", "lockkeeper/" + command + "/"}}},
                    {"invocations", Json::array({invocation})},
                    {"originalUriBaseIds",
                     {{"%SRCROOT%", {{"description", {{"text", "The root of the repository."}}}}}}},
                    {"columnKind", "unicodeCodePoints"},
                    {"results", results_}};
        Json log = {{"properties", {{"writer", "lockkeeper"}}},
                    {"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                    {"version", "2.1.0"},
                    {"runs", Json::array({run})}};
        return sarif_text(log) + "\n";
    }

  private:
    void add(const RunReport& report, SarifResult result) {
        result.json["ruleIndex"] = index_of_rule(result);
        result.json["partialFingerprints"] = fingerprints_of(result.identity);
        const std::size_t size = sarif_text(result.json).size();
        if (results_.size() == kSarifResultsMax || results_bytes_ + size > kResultsBytesMax) {
            ++results_left_out_;
            return;
        }
        results_bytes_ += size;
        for (const Finding* finding : result.flows) {
            if (flows_left_out_ > 0 || !add_flow(sarif_code_flow(report, *finding), result.json)) {
                ++flows_left_out_;
            }
        }
        results_.push_back(std::move(result.json));
    }
    // False: there is no room. Code flows leave kResultsBytesMax for the results still to come.
    bool add_flow(Json flow, Json& result) {
        const std::size_t size = sarif_text(flow).size();
        if (flows_bytes_ + size > kSarifBytesMax - kResultsBytesMax) {
            return false;
        }
        flows_bytes_ += size;
        result["codeFlows"].push_back(std::move(flow));
        return true;
    }
    std::size_t index_of_rule(const SarifResult& result) {
        const auto [at, is_new] = rule_index_.try_emplace(result.rule, rules_.size());
        if (is_new) {
            rules_.push_back(result.rule_descriptor);
        }
        return at->second;
    }
    // GitHub tells alerts apart by "primaryLocationLineHash" alone; ours does not move with lines.
    Json fingerprints_of(const std::string& identity) {
        const std::string hash =
            fmt::format("{:016x}", XXH3_64bits(identity.data(), identity.size()));
        const std::string whole = fmt::format("{}:{}", hash, ++times_[hash]);
        return {{"primaryLocationLineHash", whole}, {"lockkeeperFinding/v1", whole}};
    }

    Json::array_t rules_;
    Json::array_t results_;
    Json::array_t notifications_;
    std::map<std::string, std::size_t> rule_index_;
    std::map<std::string, int> times_;
    std::size_t results_bytes_ = 0;
    std::size_t flows_bytes_ = 0;
    std::size_t results_left_out_ = 0;
    std::size_t flows_left_out_ = 0;
};

}  // namespace

// For a row of formats.cpp.
std::string sarif_document(const Results& results) {
    SarifLog log;
    for (const RunReport& report : results.files) {
        log.add(report);
    }
    if (const std::string rest = beyond_files(results); !rest.empty()) {
        log.notify("error", rest);
    }
    return log.finish(results.command, results.exit_code);
}

std::string sarif_refusal(int exit_code, const std::string& message) {
    SarifLog log;
    log.notify("error", message);
    return log.finish("refused", exit_code);
}

}  // namespace lockkeeper
