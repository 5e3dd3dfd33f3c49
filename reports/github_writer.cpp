// SPDX-License-Identifier: Apache-2.0

// Workflow commands of GitHub Actions: an annotation at the scenario for each file that did not
// pass. A step shows ten annotations of a kind and drops the others without a word, so the tenth
// says how many there are besides.
#include <vector>

#include <fmt/format.h>

#include "reports/clean_text.hpp"
#include "reports/texts.hpp"

namespace lockkeeper {
namespace {

constexpr std::size_t kAnnotationsMax = 10;  // of a kind
constexpr std::size_t kAnnotationBytesMax = 4000;

// A command ends with its line, and a property with ',' or "::".
std::string command_text(const std::string& text, bool is_property) {
    std::string out;
    for (const char character : clean_text(text)) {
        const bool separates = is_property && (character == ':' || character == ',');
        out += character == '%' || character == '\n' || separates
                   ? fmt::format("%{:02X}", static_cast<unsigned char>(character))
                   : std::string(1, character);
    }
    return out;
}

std::string annotation(const char* kind, const std::string& properties,
                       const std::string& message) {
    return fmt::format("::{}{}{}::{}\n", kind, properties.empty() ? "" : " ", properties,
                       command_text(shortened(clean_text(message), kAnnotationBytesMax), false));
}

std::string annotation_of(const char* kind, const RunReport& report) {
    const std::string properties = fmt::format(
        "file={},line={},col={},title={}", command_text(path_of(report), true),
        report.place.at.line, report.place.at.column,
        command_text(fmt::format("{}: {}", name_of(outcome_of(report)), report.file), true));
    std::string message = outcome_message(report);
    if (!report.findings.empty() && outcome_of(report) == FileOutcome::kFailed) {
        const Finding& first = report.findings.front();
        message += report.met ? "\n" + finding_title(first) : "";
        message += first.property ? fmt::format("\n{}", first.property->definition) : "";
        message += first.replay_command.empty() ? "" : "\n" + first.replay_command;
    }
    return annotation(kind, properties, message);
}

std::string annotations_text(const char* kind, const std::vector<std::string>& annotations) {
    const bool fit = annotations.size() <= kAnnotationsMax;
    const std::size_t shown = fit ? annotations.size() : kAnnotationsMax - 1;
    std::string text;
    for (std::size_t i = 0; i < shown; ++i) {
        text += annotations[i];
    }
    return fit ? text
               : text + annotation(kind, "title=lockkeeper",
                                   fmt::format("{} more like these: see the whole report",
                                               annotations.size() - shown));
}

}  // namespace

// For a row of formats.cpp.
std::string github_document(const Results& results) {
    std::vector<std::string> errors;
    std::vector<std::string> warnings;
    if (const std::string rest = beyond_files(results); !rest.empty()) {
        errors.push_back(annotation("error", "title=lockkeeper", rest));
    }
    for (const RunReport& report : results.files) {
        switch (outcome_of(report)) {
            case FileOutcome::kPassed: break;
            case FileOutcome::kUndecided:
                warnings.push_back(annotation_of("warning", report));
                break;
            case FileOutcome::kFailed:
            case FileOutcome::kNotRun: errors.push_back(annotation_of("error", report)); break;
        }
    }
    return build_text() + "  " + counts_text(count_outcomes(results.files)) + "\n" +
           annotations_text("error", errors) + annotations_text("warning", warnings);
}

std::string github_refusal(int /*exit_code*/, const std::string& message) {
    return build_text() + "\n" + annotation("error", "title=lockkeeper", message);
}

}  // namespace lockkeeper
