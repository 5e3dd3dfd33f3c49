// SPDX-License-Identifier: Apache-2.0

// A scenario file as a value: what to build, what to check, what to expect. Parsed and validated
// by parse_scenario; everything that runs scenarios starts from this.
// docs/reference/scenario_keys.md describes the format, scenarios/schema/scenario.schema.json is
// its published schema.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/law.hpp"
#include "model/rate_limit.hpp"
#include "model/reduction.hpp"
#include "model/schedule.hpp"
#include "model/text_place.hpp"
#include "model/verdict.hpp"
#include "model/world_config.hpp"

namespace lockkeeper {

// Buckets of a key, as scenarios may name them.
inline constexpr std::size_t kBucketsMax = 99;

inline constexpr int kScenarioVersion = 1;

// Bounds of the format. A scenario within them may still be too large for every compiled size of
// its system; the registry says so then.
inline constexpr std::size_t kScenarioBytesMax = 4U << 20U;
inline constexpr std::size_t kScenarioDepthMax = 64;    // nesting of the JSON text
inline constexpr std::size_t kOperationsMax = 100'000;  // of one script, written out
// Nesting of if_holding: what to_json_text writes is bounded in depth, too.
inline constexpr std::size_t kConditionsMax = 8;
inline constexpr std::size_t kOrderEntriesMax = 200'000;  // written out
inline constexpr std::size_t kResizesMax = 63;
inline constexpr std::uint16_t kMaxPerMax = 250;
inline constexpr std::uint8_t kCrashesMax = 16;
inline constexpr std::int32_t kOwnNumberMax = 2'000'000'000;  // that only the system knows
inline constexpr std::int32_t kSleepMax = 60'000;             // in the unit of its times
inline constexpr std::uint32_t kRateGrantsMax = 1'000;        // of one window
inline constexpr std::size_t kOwnNumbersMax = 32;
inline constexpr std::size_t kWordsMax = 16;  // different calls in the scripts
inline constexpr std::uint8_t kDecrTriesMax = 100;
inline constexpr std::uint64_t kLimitMax = 1'000'000'000'000'000;
// Weights, rates and traffic. What is possible at all is not slower than once in 30,000 years.
inline constexpr double kWeightMin = 1e-12;
inline constexpr double kWeightMax = 1e12;
inline constexpr double kSecondsMin = 0.001;
inline constexpr double kSecondsMax = 10'000'000;
// Initial counters: below zero and above any cap are situations worth starting from, too.
inline constexpr std::int32_t kCounterMin = -16;
inline constexpr std::int32_t kCounterMax = kMaxPerMax + 1;

struct ScenarioTable {
    std::vector<std::int32_t> buckets;  // empty: cold
    std::optional<std::int32_t> highest;
};

// Repairs by name: those that are on, or all of the variant but those.
struct RepairChoice {
    bool all_but = false;
    std::vector<std::string> names;

    friend bool operator==(const RepairChoice&, const RepairChoice&) = default;
};

struct ScenarioParameters {
    std::uint16_t manager_max_per = 1;  // default: the largest max_per of the scripts
    // nullopt: "unlimited"
    std::optional<std::uint8_t> max_decr_tries = 15;
    bool has_manager = true;
    bool returns_count = true;                    // "returns": "count" | "plain"
    std::map<std::string, ScenarioTable> tables;  // by key; missing: cold
    // Numbers that only the system knows, by name; it refuses those that it does not know.
    NamedNumbers own;
    // The same for budgets of faults, beside crashes.
    NamedNumbers faults;
    // "relations": for each key and kind of relation, keys (monglock's multi lock).
    std::map<std::string, std::map<std::string, std::vector<std::string>>> relations;
    // "repairs"; absent: as the variant says.
    std::optional<RepairChoice> repairs;
    std::vector<std::string> repairs_on;  // once the system has understood it
    std::int32_t time_unit = 1;           // once its times fit (registry/time_units.hpp)
};

// How the scenario is to be run when the command line does not say.
enum class Method : std::uint8_t { kExplore, kFuzz, kOrder, kReplay };

struct ScenarioLimits {
    std::optional<std::uint64_t> states_max;
    std::optional<std::uint64_t> steps_max;      // of one run, or depth of the exploration
    std::optional<std::uint64_t> schedules_max;  // fuzz
    std::optional<double> seconds_max;
};

// One result of one call, as a script's author writes it: 3, "acquired", "full", "ok", "died", or
// an error by the name that the implementation gives it.
struct ExpectedResult {
    enum class Kind : std::uint8_t { kAcquired, kCount, kFull, kReleased, kDied, kError };
    Kind kind = Kind::kAcquired;
    std::uint32_t count = 0;  // kCount
    std::string error = {};   // kError: as the implementation calls it

    friend bool operator==(const ExpectedResult&, const ExpectedResult&) = default;
};

// explore: the smallest (or largest) value of a parameter of the system with which nothing is
// violated, by explorations of whole scopes. "find": {"smallest": "grace", "from": 0, "to": 20}
struct BoundarySearch {
    std::string parameter;
    bool smallest = true;
    std::int32_t from = 0;
    std::int32_t to = 0;

    friend bool operator==(const BoundarySearch&, const BoundarySearch&) = default;
};

struct Expectation {
    Verdict verdict;                      // its kind: passed, violated, stuck, inconclusive
    std::vector<std::string> properties;  // violated: exactly these, in any order
    std::optional<std::uint64_t> steps;   // of the first (shortest) violation
    std::optional<std::uint64_t> states;
    std::optional<std::uint64_t> transitions;
    std::optional<std::uint64_t> terminal_states;
    std::optional<std::string> interleavings;  // decimal, exact
    std::optional<bool> complete;
    std::optional<std::int32_t> value;  // of a BoundarySearch
    // By property: its probability per run, under the scenario's law, is at most this.
    std::map<std::string, double> max_rate;
    // At the end of an order or replay run: counters by key, results by caller.
    std::map<std::string, std::vector<std::int32_t>> counters;
    std::map<std::string, std::vector<ExpectedResult>> results;
};

// An operator's knowledge of the load, for forecasts: of all callers together, but for the steps.
struct Traffic {
    double acquires_per_second = 0;  // above 0
    double hold_seconds = 0;
    double crashes_per_hour = 0;
    double resizes_per_hour = 0;
    double steps_per_second = 1000;  // of one caller inside a call, and of each background action

    friend bool operator==(const Traffic&, const Traffic&) = default;
};

inline constexpr std::int32_t kServersMax = 5;

// "server": one that Lockkeeper does not know, for `validate --wire tcp`. Empty: not said.
struct OutsideServer {
    std::string command;        // with {port} and {dir}
    std::string framing;        // "newline", "length", "http"
    std::string reset;          // a request; without it the server is started again for each run
    std::string granted;        // how a reply says a lease: with {lease} and {seconds}
    std::string expire;         // a request, with {lease}
    std::string changing;       // of each run, between texts, a line each: "\"revision\":\"{}\""
    std::int32_t count = 1;     // of `validate --wire redis`: so many, apart from each other
    std::int32_t replicas = 0;  // of the one: so many, each as far behind as the search lets it be

    friend bool operator==(const OutsideServer&, const OutsideServer&) = default;
};

// Keys of the format that not every system makes something of.
enum class FormatKey : std::uint8_t {
    kPlaces,  // several of one key: "max_per", "buckets", "view", "resizes"
    kTable,
    kMaxDecrTries,
    kManager,  // "manager", "manager_max_per"
    kReturns,
};

// One that the text gives, with another value than what holds without it.
struct GivenKey {
    FormatKey key = FormatKey::kPlaces;
    std::string pointer;
};

// The text that a scenario was read from, for the place of what only its system refuses.
struct ScenarioSource {
    std::string name;  // as messages call it
    std::string text;
    std::string pointer;                       // of the scenario in it; empty: the whole document
    std::string of_case;                       // InputText::of_case
    std::map<std::string, std::string> words;  // where each call first stands
    // Where a call of this word first has a number; "acquire": where an acquire has.
    std::map<std::string, std::string> numbers;
    std::string sleep;   // where a script first sleeps
    std::string system;  // which the text names
    std::vector<GivenKey> given;
};

struct Scenario {
    std::string file;  // as it was named on the command line, "x.json#case"; for messages
    std::shared_ptr<const ScenarioSource> source;  // null: not read from a text
    std::string about;
    std::string system;
    std::string variant = "faithful";
    ScenarioParameters parameters;
    WorldConfig world;
    std::vector<std::string> check;  // property names; {"all"} is expanded by the registry
    std::vector<std::string> reach;  // goals
    Method method = Method::kExplore;
    std::optional<BoundarySearch> find;                // kExplore
    bool symmetry = true;                              // explore
    AskedReduction reduction = AskedReduction::kAuto;  // explore
    bool stop_at_first = false;                        // explore: end at the first violation
    std::string strategy;                              // fuzz; empty: feedback
    std::uint64_t seed = 1;
    std::vector<std::string> order;    // kOrder: callers, one whole operation each
    std::optional<Schedule> schedule;  // kReplay
    std::optional<Law> law;            // measure; nothing: uniform
    std::optional<Traffic> traffic;    // measure: forecasts
    std::optional<bool> reentrant;     // of outside code: nobody says
    RateLimit rate_limit;              // of outside code; within: see for_program and for_wire
    OutsideServer server;
    ScenarioLimits limits;
    Expectation expect;
};

// An error in one line: whose fault, where, what was expected.
struct InputError {
    std::string file;     // "x.json:3:7" where line and column are known
    std::string pointer;  // JSON pointer, or empty
    std::string message;
    std::optional<TextPlace> place = {};  // that of `file`, where it is known

    [[nodiscard]] std::string text() const {
        return file + (pointer.empty() ? "" : ": " + pointer) + ": " + message;
    }
};

// Locates an error that was found after reading: `pointer` begins at the scenario. The result has
// line and column, and the pointer from the document's root, where the text is known.
[[nodiscard]] InputError located(const Scenario& scenario, InputError error);
// Where the scenario begins in the text that it was read from, of a case the case; else the text's
// beginning.
[[nodiscard]] TextPlace place_of(const Scenario& scenario);

// `text` is untrusted: every value is checked for type and range, unknown keys are refused with
// the nearest known one, sizes are bounded before anything is written out. `file` may name a case
// of the text (scenarios/cases.hpp); where the text has cases it has to.
[[nodiscard]] std::variant<Scenario, InputError> parse_scenario(const std::string& text,
                                                                const std::string& file);
// Reads the file and parses it. A missing or unreadable file is an InputError.
[[nodiscard]] std::variant<Scenario, InputError> load_scenario(const std::string& file);

// The largest in the scripts; 1 where they have none. A manager started with no number has it.
[[nodiscard]] std::uint16_t largest_max_per(const WorldConfig& world);

// Makes the law of a file's "law" or of the flag --law. Where rates are not named, callers' and
// background steps and time have the rate of a step, which has to be named; faults, crashes,
// disturbances and resizes do not happen. Weights that are not named are 1. Nothing: no law.
[[nodiscard]] std::optional<Law> make_law(LawKind kind,
                                          const std::map<ActionClass, double>& weights);

// The scenario as a document that parse_scenario reads back to the same value (`file` apart).
// Writes only what the method uses: the order with kOrder, the schedule with kReplay, and of the
// expectation what such a run can show. Ends with a line end; readable, at most 100 columns where
// the values allow it.
[[nodiscard]] std::string to_json_text(const Scenario& scenario);

}  // namespace lockkeeper
