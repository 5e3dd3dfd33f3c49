// SPDX-License-Identifier: Apache-2.0

// A sweep: a base scenario, the axes along which it varies, and what each choice changes. Every
// combination of choices is a point, and every point is explored completely, or measured.
// docs/howto/sweep.md describes the file.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "measure/measure.hpp"
#include "scenarios/scenario.hpp"

namespace lockkeeper {

inline constexpr int kSweepVersion = 1;
inline constexpr std::size_t kSweepPointsMax = 100'000;
// The limit counts combinations that are left out, too.
inline constexpr std::size_t kSweepCombinationsMax = 10'000'000;

// A piece of a file, never changed; null: it is not there. Held so that whoever reads a sweep need
// not read JSON's own header.
using SharedJson = std::shared_ptr<const nlohmann::json>;

// How a point is measured. What a change leaves open is as the sweep says.
struct SweepMeasuring {
    std::optional<MeasureMethod> method;
    std::optional<std::uint64_t> runs;  // sampled
};

// The changes that a choice makes to the base scenario, before it is parsed.
struct SweepChange {
    std::string place;  // of the change in the sweep file, for messages
    // By JSON pointer; a step "*" is every element of a list.
    std::map<std::string, SharedJson> set;
    std::map<std::string, std::int64_t> add;  // to a number that is there; else nothing
    // By the names of --set and --sweep.
    std::map<std::string, double> vary;
    std::vector<std::string> not_checked;  // taken out of a list "check"
    SharedJson one_caller;  // object: one of the first entry's callers stands apart with it
    SharedJson caller;      // object: one more entry of "callers"
    SweepMeasuring measuring;
};

// A condition on the choices that a point has of one axis.
struct SweepAlternative {
    std::set<std::string> all;     // are chosen
    std::set<std::string> any;     // one of these is chosen; empty: says nothing
    std::set<std::string> only;    // nothing but these is chosen; empty: says nothing
    std::size_t chosen_least = 0;  // so many are chosen
    std::size_t chosen_most = SIZE_MAX;
    std::size_t different_most = SIZE_MAX;
};
// Holds for a point when one alternative of every axis that is named does.
using SweepCondition = std::map<std::size_t, std::vector<SweepAlternative>>;  // by axis

struct SweepChoice {
    std::string name;
    SweepChange change;
    std::vector<SweepAlternative> of = {};  // of a class: one of them holds; empty: always
};

struct SweptAxis {
    std::string name;
    std::vector<SweepChoice> choices;
    // Sets of up to so many choices instead of one choice; of each exclusive group at most one.
    std::optional<std::size_t> subsets_most;
    std::vector<std::set<std::string>> exclusive;
    // From one to so many choices instead of one; a choice may be there several times.
    std::optional<std::size_t> repeats_most;
    // The choices are classes of what is chosen of an earlier axis: a point is in the first that
    // fits.
    std::optional<std::size_t> classes_of;

    [[nodiscard]] bool has_several() const { return subsets_most || repeats_most; }
};

struct SweepRule {
    SweepCondition of;
    SweepChange change;
};
// Findings that the sweep is there to show.
struct ExpectedFindings {
    SweepCondition of;
    bool any = false;
    std::set<std::string> properties;
    std::string why;
};

struct Sweep {
    std::string file;
    std::string about;
    SharedJson scenario;
    std::vector<SweptAxis> axes;
    std::vector<SweepRule> rules;
    std::vector<SweepCondition> leave_out;
    std::vector<SweepCondition> takes_long;
    std::vector<SweepCondition> takes_hours;
    std::vector<ExpectedFindings> expected;
    std::optional<std::uint64_t> states_max;
    std::optional<SweepMeasuring> measuring;  // nothing: points are explored
};

enum class SweepEffort : std::uint8_t { kQuick, kLong, kHours };

struct SweepPoint {
    std::vector<std::vector<std::string>> chosen;  // of each axis
    SweepEffort effort = SweepEffort::kQuick;
    SharedJson scenario;
    std::map<std::string, double> vary;
    SweepMeasuring measuring;
};

// `text` is untrusted. Unknown keys and names are refused with the nearest known one.
[[nodiscard]] std::variant<Sweep, InputError> parse_sweep(const std::string& text,
                                                          const std::string& file);
[[nodiscard]] std::variant<Sweep, InputError> load_sweep(const std::string& file);

// In the order of the file, the last axis fastest. An error: a change that fits nothing.
[[nodiscard]] std::variant<std::vector<SweepPoint>, InputError> points_of(const Sweep& sweep);

[[nodiscard]] bool holds(const SweepCondition& condition,
                         const std::vector<std::vector<std::string>>& chosen);

// "client_restarts, a pause"; "none" of no choice.
[[nodiscard]] std::string choice_text(const std::vector<std::string>& chosen);
// "variant faithful, clients 2".
[[nodiscard]] std::string point_text(const Sweep& sweep, const SweepPoint& point);

}  // namespace lockkeeper
