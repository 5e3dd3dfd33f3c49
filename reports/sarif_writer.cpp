// SPDX-License-Identifier: Apache-2.0

// SARIF 2.1.0: a result for each violation, or for each scenario that did not come out as expected,
// at the scenario's line, with the run as a code flow. GitHub refuses files of more than 10 MB
// packed: ours are smaller unpacked. What is left out for that is counted in a notification.
#include <map>
#include <ostream>

#include <fmt/format.h>
#include <xxhash.h>

#include "reports/sarif_results.hpp"
#include "reports/texts.hpp"
#include "reports/writer.hpp"
#include "version.hpp"
#include "work/results/words.hpp"

namespace lockkeeper {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kSarifBytesMax = 9'000'000;
constexpr std::size_t kResultsBytesMax = 5'000'000;  // without their code flows
constexpr std::size_t kSarifResultsMax = 5000;       // GitHub shows no more

std::string sarif_text(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

class SarifLog {
  public:
    void add(const RunReport& report) {
        for (SarifResult& result : sarif_results(report)) {
            add(report, result);
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
    void add(const RunReport& report, SarifResult& result) {
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

class SarifWriter final : public Writer {
  public:
    using Writer::Writer;

    void end(const Results& results) override {
        SarifLog log;
        for (const RunReport& report : results.files) {
            log.add(report);
        }
        if (const std::string rest = beyond_files(results); !rest.empty()) {
            log.notify("error", rest);
        }
        out() << log.finish(results.command, results.exit_code) << std::flush;
    }
    void refused(int exit_code, const std::string& message) override {
        SarifLog log;
        log.notify("error", message);
        out() << log.finish("refused", exit_code) << std::flush;
    }
};

}  // namespace

// A row of formats.cpp.
std::unique_ptr<Writer> make_sarif_writer(std::ostream& out, bool verbose) {
    return std::make_unique<SarifWriter>(out, verbose);
}

}  // namespace lockkeeper
