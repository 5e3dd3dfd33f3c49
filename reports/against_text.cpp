#include "reports/against_text.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "reports/words.hpp"
#include "version.hpp"

namespace lockkeeper {
namespace {

using against::Compared;
using against::Difference;
using Json = nlohmann::ordered_json;

std::string difference_text(const AgainstReport& report) {
    const Compared& compared = report.compared;
    const against::Explanation& found = compared.explanation;
    if (!found.call) {
        return "the reference: " + found.expected;
    }
    const against::ObservedCall& call = compared.shown->calls[*found.call];
    return fmt::format("step {}: {} of {} answers \"{}\", the reference \"{}\"",
                       call.returned.value_or(0), name_of(call.verb), report.callers[call.caller],
                       call.text, found.expected);
}

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

Json json_of(const AgainstReport& report) {
    const Compared& compared = report.compared;
    Json json{{"file", report.file}};
    if (!has_answer(report.verdict)) {
        json["error"] = detail_of(report.verdict);
        return json;
    }
    json["candidate"] = report.candidate;
    json["verdict"] = name_of(compared.worst());
    json["seed"] = compared.seed;
    json["schedules"] = compared.schedules;
    for (std::size_t i = 0; i < compared.counts.size(); ++i) {
        json[std::string(name_of(static_cast<Difference>(i)))] = compared.counts[i];
    }
    json["cut"] = compared.cut;
    if (compared.shown) {
        json["first_at"] = compared.first_at;
        json["difference"] = difference_text(report);
        json["steps"] = report.trace.steps.size();
        json["replay"] = report.replay;
    }
    return json;
}

}  // namespace

std::string against_head_text(const std::string& reference) {
    return fmt::format("lockkeeper {} ({}), validate against {}\n", version(), commit(), reference);
}

std::string against_text(const AgainstReport& report) {
    const Compared& compared = report.compared;
    std::string out =
        fmt::format("{}: {}, seed {}\n", report.file, report.candidate, compared.seed);
    if (compared.shown) {
        out +=
            fmt::format("first difference ({}, schedule {}), in {}:\n", name_of(compared.worst()),
                        compared.first_at, counted(report.trace.steps.size(), "step"));
        std::size_t text_width = 38;
        std::size_t result_width = 22;
        for (const TraceStep& step : report.trace.steps) {
            text_width = std::max(text_width, step.text.size());
            result_width = std::max(result_width, step.result.size());
        }
        for (std::size_t i = 0; i < report.trace.steps.size(); ++i) {
            const TraceStep& step = report.trace.steps[i];
            out += fmt::format("  {:>5}  {:<{}} {:<{}} {}\n", i + 1, step.text, text_width,
                               step.result, result_width, step.state);
        }
        out += difference_text(report) + "\nreplay: " + report.replay + "\n";
    }
    out += fmt::format("verdict: {}; {}: {}\n", name_of(compared.worst()),
                       counted(compared.schedules, "schedule"), counts_text(compared));
    return out;
}

std::string against_json(const std::string& reference, const std::vector<AgainstReport>& reports,
                         int exit_code) {
    Json json{{"$schema", "validate_against.schema.json"},
              {"validate_against_version", 1},
              {"version", version()},
              {"commit", commit()},
              {"command", "validate"},
              {"reference", reference},
              {"exit_code", exit_code},
              {"compared", Json::array()}};
    for (const AgainstReport& report : reports) {
        json["compared"].push_back(json_of(report));
    }
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace lockkeeper
