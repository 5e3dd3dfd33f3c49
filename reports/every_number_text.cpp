// SPDX-License-Identifier: Apache-2.0

#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "reports/run_json.hpp"
#include "reports/texts.hpp"
#include "work/results/words.hpp"

namespace lockkeeper {
namespace {

std::string callers_text(const EveryNumber& numbers, const std::vector<std::size_t>& counts) {
    const std::size_t sum = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
    std::string text = counted(sum, "caller");
    for (std::size_t kind = 0; kind < counts.size() && counts.size() > 1; ++kind) {
        text += kind == 0 ? " (" : ", ";
        text += fmt::format("{} of {}", counts[kind], printable(numbers.kinds[kind]));
    }
    return text + (counts.size() > 1 ? ")" : "");
}

std::string facts_of_proof(const EveryNumber& numbers) {
    const proofs::ProofSizes& sizes = numbers.sizes;
    return fmt::format(
        "proof                   by {}, certificate checked\n"
        "situations of a caller  {}\nshared values           {}\n"
        "combinations            {}\nweights                 {}\n",
        numbers.method, with_commas(sizes.situations), with_commas(sizes.shared),
        with_commas(sizes.markings), with_commas(sizes.weights));
}

std::string times_text(const EveryNumber& numbers) {
    switch (numbers.multiples) {
        case Multiples::kNone: return "";
        case Multiples::kAll:
            return "times                   as in the file, and all multiples of them: no time "
                   "passes in the proof\n";
        case Multiples::kNotKnown: break;
    }
    return fmt::format("times                   {}; not known for multiples of them\n",
                       numbers.time_unit == 1 ? "as in the file"
                                              : "in units of " + std::to_string(numbers.time_unit));
}

// The rows of the picture, null: any number.
nlohmann::ordered_json picture_json(const proofs::ProofPicture& picture) {
    nlohmann::ordered_json::array_t rows;
    for (const proofs::ProofPicture::Row& row : picture.rows) {
        nlohmann::ordered_json::array_t most;
        for (const std::optional<std::int64_t>& number : row.most) {
            most.push_back(or_null(number));
        }
        rows.push_back({{"example", row.example},
                        {"combinations", row.combinations},
                        {"most", std::move(most)}});
    }
    return {{"groups", proofs::ProofPicture::kGroups},
            {"rows", std::move(rows)},
            {"rows_left_out", picture.rows_left_out}};
}

nlohmann::ordered_json multiples_json(Multiples multiples) {
    switch (multiples) {
        case Multiples::kNone: return nullptr;
        case Multiples::kAll: return "all";
        case Multiples::kNotKnown: break;
    }
    return "not known";
}

std::string scope_of_answer(const RunReport& report, const EveryNumber& numbers) {
    if (numbers.least) {
        return "least number: " + callers_text(numbers, *numbers.least) +
               "; the trace is a shortest one for that number";
    }
    return (is<Passed>(report.verdict) ? "complete: " : "sought: ") + every_number_scope(numbers);
}

}  // namespace

std::string every_number_text(const RunReport& report, const EveryNumber& numbers) {
    std::string text = body_text(report);
    if (!numbers.method.empty()) {
        text += facts_of_proof(numbers) + times_text(numbers);
    }
    if (numbers.explored > 0) {
        text += fmt::format("explored                up to {}{}: nothing is violated\n",
                            counted(numbers.explored, "caller"),
                            numbers.not_covered.empty() ? "" : ", but for what is not covered");
    }
    if (!numbers.not_covered.empty()) {
        text += "not covered             " + names_text(numbers.not_covered) + "\n";
    }
    return text + foot_text(report, scope_of_answer(report, numbers),
                            report.findings.empty() ? "" : report.findings.front().replay_command);
}

std::string checked_states_text(const RunReport& report, const CheckedStates& checked) {
    std::string text = fmt::format("states listed           {}\nsteps taken             {}\n",
                                   with_commas(checked.states), with_commas(checked.steps));
    if (!checked.not_covered.empty()) {
        text += "not covered             " + names_text(checked.not_covered) + "\n";
    }
    return text + goals_text(report) +
           foot_text(report, (report.complete ? "complete: " : "") + report.short_scope, "");
}

nlohmann::ordered_json every_number_json(const EveryNumber& numbers) {
    const bool is_proved = !numbers.method.empty();
    return {{"kinds", numbers.kinds},
            {"any_crashes", numbers.any_crashes},
            {"not_covered", names(numbers.not_covered)},
            {"explored_callers", numbers.explored},
            {"least", or_null(numbers.least)},
            {"method", or_null(numbers.method)},
            {"situations", is_proved ? nlohmann::ordered_json(numbers.sizes.situations) : nullptr},
            {"shared", is_proved ? nlohmann::ordered_json(numbers.sizes.shared) : nullptr},
            {"combinations", is_proved ? nlohmann::ordered_json(numbers.sizes.markings) : nullptr},
            {"weights", is_proved ? nlohmann::ordered_json(numbers.sizes.weights) : nullptr},
            {"multiples", multiples_json(numbers.multiples)},
            {"time_unit", numbers.multiples == Multiples::kNone
                              ? nlohmann::ordered_json(nullptr)
                              : nlohmann::ordered_json(numbers.time_unit)},
            {"picture", is_proved ? picture_json(numbers.picture) : nullptr},
            {"certificate", or_null(numbers.certificate_file)},
            {"scenario", or_null(numbers.scenario_file)}};
}

}  // namespace lockkeeper
