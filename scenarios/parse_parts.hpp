// The parts of a scenario document, in the order in which they are read: later ones need the
// earlier ones (an order names callers, an expectation names keys).
#pragma once

#include "scenarios/parse_place.hpp"

namespace lockkeeper {

// Also where the scripts first use each word, and keys that not every system knows.
void parse_callers(const Place& document, WorldConfig& world, ScenarioSource& source);
void parse_parameters(const Place& document, Scenario& scenario, ScenarioSource& source);
void parse_run(const Place& document, Scenario& scenario);
void parse_measuring(const Place& document, Scenario& scenario);
void parse_expectation(const Place& document, Scenario& scenario);

// {"name": number, ...} for what only the system knows, `others` left out.
[[nodiscard]] std::map<std::string, std::int32_t> parse_numbers(
    const Place& place, const std::vector<std::string_view>& others = {});

// A list of names, none of them twice.
[[nodiscard]] std::vector<std::string> parse_names(const Place& list, std::size_t size_max);

// For values that have to name one of `known`.
void refuse_unknown(const Place& place, std::string_view what, const std::string& name,
                    const std::vector<std::string>& known);

// A scenario inside of a larger document (a trace), which has been read by read_json. Throws
// RefusedInput.
[[nodiscard]] Scenario scenario_at(const Place& place, const std::string& file);

}  // namespace lockkeeper
