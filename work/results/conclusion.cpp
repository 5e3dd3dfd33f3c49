// SPDX-License-Identifier: Apache-2.0
#include "work/results/conclusion.hpp"

#include "model/json.hpp"

namespace lockkeeper {
namespace {

int rank(int code) {
    switch (code) {
        case kExitPassed: return 0;
        case kExitInconclusive: return 1;
        case kExitViolated: return 2;
        case kExitDiverged: return 3;
        case kExitInput: return 4;
        case kExitUsage: return 5;
        case kExitInternal: return 6;
        case kExitInterrupted: return 7;
        default: return 6;
    }
}

struct CodeOfKind {
    int operator()(const Passed& /*kind*/) const { return kExitPassed; }
    int operator()(const Violated& /*kind*/) const { return kExitViolated; }
    int operator()(const Stuck& /*kind*/) const { return kExitViolated; }
    int operator()(const Unreached& /*kind*/) const { return kExitViolated; }
    int operator()(const Inconclusive& /*kind*/) const { return kExitInconclusive; }
    int operator()(const Diverged& /*kind*/) const { return kExitDiverged; }
    int operator()(const NotDeterministic& /*kind*/) const { return kExitDiverged; }
    int operator()(const RefusedFile& /*kind*/) const { return kExitInput; }
    int operator()(const Disagreement& /*kind*/) const { return kExitInternal; }
    int operator()(const Error& /*kind*/) const { return kExitInternal; }
};

}  // namespace

int worse_exit_code(int left, int right) { return rank(right) > rank(left) ? right : left; }

int exit_code_of(const Verdict& verdict) { return std::visit(CodeOfKind{}, verdict); }

int exit_code_of(const Conclusion& outcome) {
    return outcome.is_interrupted      ? kExitInterrupted
           : outcome.has_failed_output ? worse_exit_code(exit_code_of(outcome.verdict), kExitInput)
                                       : exit_code_of(outcome.verdict);
}

std::string verdict_text(const Verdict& verdict, const VerdictWords& words) {
    const std::string& detail = detail_of(verdict);
    return std::string(name_of(verdict, words)) + (detail.empty() ? "" : ": " + detail);
}

void add_verdict(const Verdict& verdict, const VerdictWords& words, nlohmann::ordered_json& json) {
    json["verdict"] = name_of(verdict, words);
    json["detail"] = detail_of(verdict);
}

}  // namespace lockkeeper
