// SPDX-License-Identifier: Apache-2.0

// Expectations that are not numbers: "verdict", "interleavings", "value", "max_rate", "counters",
// "results".
#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "model/observation.hpp"
#include "scenarios/keys/codecs.hpp"
#include "scenarios/keys/schema_parts.hpp"
#include "scenarios/parse_parts.hpp"

namespace lockkeeper {
namespace {

using Json = nlohmann::ordered_json;
using ResultKind = ExpectedResult::Kind;

constexpr std::size_t kRatesMax = 64;
constexpr std::size_t kDigitsMax = 4000;
constexpr std::int32_t kCounterAtEndMax = 1'000'000;
constexpr std::uint64_t kCountMax = kMaxPerMax * kBucketsMax + 1;
// Fewer equal results than this are shorter written one by one.
constexpr std::size_t kRunLeast = 5;

constexpr std::string_view kVerdictWords[] = {Passed::kName, Violated::kName, Stuck::kName,
                                              Inconclusive::kName};

void read_verdict(const Place& place, const Reading& reading) {
    const Verdict known[] = {Passed{}, Violated{}, Stuck{}, Inconclusive{}};
    reading.scenario.expect.verdict = known[place.word(kVerdictWords)];
}

Json written_verdict(const Scenario& scenario) { return name_of(scenario.expect.verdict); }

Json schema_of_verdict() { return words_schema(kVerdictWords); }

void read_interleavings(const Place& place, const Reading& reading) {
    const std::string& digits = place.text();
    const bool decimal = std::all_of(digits.begin(), digits.end(),
                                     [](char digit) { return digit >= '0' && digit <= '9'; });
    if (!decimal || digits.empty() || digits.size() > kDigitsMax || digits.front() == '0') {
        place.refuse(
            fmt::format("expected a number from 1 of 1 to {} decimal digits, in quotes, "
                        "found {}",
                        kDigitsMax, in_quotes(digits)));
    }
    reading.scenario.expect.interleavings = digits;
}

Json written_interleavings(const Scenario& scenario) {
    const auto& digits = scenario.expect.interleavings;
    return digits ? Json(*digits) : Json();
}

Json schema_of_interleavings() {
    return {{"type", "string"}, {"pattern", "^[1-9][0-9]*$"}, {"maxLength", kDigitsMax}};
}

void read_value(const Place& place, const Reading& reading) {
    reading.scenario.expect.value = place.integer<std::int32_t>(
        reading.scenario.find->from, static_cast<std::uint64_t>(kOwnNumberMax));
}

Json written_value(const Scenario& scenario) {
    const auto& value = scenario.expect.value;
    return value ? Json(*value) : Json();
}

Json schema_of_value() { return defined("own_number"); }

// {"leak": 1e-6}: probabilities. Which properties there are is not known here.
void read_max_rate(const Place& place, const Reading& reading) {
    auto& max_rate = reading.scenario.expect.max_rate;
    for (const auto& [property, rate] : place.members()) {
        if (max_rate.size() == kRatesMax) {
            place.refuse(fmt::format("more than {} properties", kRatesMax));
        }
        max_rate[property] = rate.real(0, 1);
    }
}

Json written_max_rate(const Scenario& scenario) {
    const auto& max_rate = scenario.expect.max_rate;
    return max_rate.empty() ? Json() : Json(max_rate);
}

Json schema_of_max_rate() {
    return map_schema({{"type", "number"}, {"minimum", 0}, {"maximum", 1}}, kRatesMax);
}

void read_counters(const Place& place, const Reading& reading) {
    Scenario& scenario = reading.scenario;
    for (const auto& [key, list] : place.members()) {
        refuse_unknown(list, "key", key, scenario.world.keys);
        auto& counters = scenario.expect.counters[key];
        for (const Place& counter : list.elements(0, kBucketsMax)) {
            counters.push_back(counter.integer<std::int32_t>(-kCounterAtEndMax, kCounterAtEndMax));
        }
    }
}

Json written_counters(const Scenario& scenario) {
    Json json;
    for (const auto& [key, counters] : scenario.expect.counters) {
        json[key] = counters;
    }
    return json;
}

Json schema_of_counters() {
    return map_schema(
        list_schema(whole_schema(-kCounterAtEndMax, kCounterAtEndMax), 0, kBucketsMax), kKeysMax);
}

constexpr std::pair<std::string_view, ResultKind> kResultWords[] = {
    {"acquired", ResultKind::kAcquired},
    {"full", ResultKind::kFull},
    {"ok", ResultKind::kReleased},
    {"died", ResultKind::kDied}};

ExpectedResult parse_result(const Place& place) {
    if (place.is_integer()) {
        return {ResultKind::kCount, place.integer<std::uint32_t>(0, kCountMax)};
    }
    if (!place.is_text()) {
        place.refuse_type("a count, \"acquired\", \"full\", \"ok\", \"died\" or an error's name");
    }
    std::vector<std::string_view> words;
    for (const auto& [word, kind] : kResultWords) {
        if (place.is_text(word)) {
            return {kind, 0, {}};
        }
        words.push_back(word);
    }
    // Errors begin with a capital letter, so that a misspelt word is none.
    const std::string name = place.name();
    if (name.front() < 'A' || name.front() > 'Z') {
        static_cast<void>(place.word(words));
    }
    return {ResultKind::kError, 0, name};
}

// A result, or {"result": "ok", "times": 350}.
void add_results(const Place& entry, const Scenario& scenario,
                 std::vector<ExpectedResult>& results) {
    std::size_t times = 1;
    if (entry.is_object()) {
        entry.has_only({"result", "times"});
        times = entry.at("times").integer<std::size_t>(1, kOperationsMax);
    }
    const Place place = entry.is_object() ? entry.at("result") : entry;
    const ExpectedResult result = parse_result(place);
    if (result.kind == ResultKind::kCount && !scenario.parameters.returns_count) {
        place.refuse("expected \"acquired\": with \"returns\": \"plain\" no count is returned");
    }
    if (times > kOperationsMax - results.size()) {
        entry.refuse(fmt::format("more than {} results, repetitions written out", kOperationsMax));
    }
    results.insert(results.end(), times, result);
}

void read_results(const Place& place, const Reading& reading) {
    Scenario& scenario = reading.scenario;
    const std::vector<std::string> callers = caller_names(scenario.world);
    for (const auto& [caller, list] : place.members()) {
        refuse_unknown(list, "caller", caller, callers);
        auto& results = scenario.expect.results[caller];
        for (const Place& result : list.elements(0, kOperationsMax)) {
            add_results(result, scenario, results);
        }
    }
}

Json written_result(const ExpectedResult& result) {
    if (result.kind == ResultKind::kCount) {
        return result.count;
    }
    for (const auto& [word, kind] : kResultWords) {
        if (kind == result.kind) {
            return word;
        }
    }
    return result.error;
}

Json written_list(const std::vector<ExpectedResult>& results) {
    Json::array_t list;
    for (std::size_t i = 0; i < results.size();) {
        std::size_t end = i;
        while (end < results.size() && results[end] == results[i]) {
            ++end;
        }
        if (end - i >= kRunLeast) {
            list.push_back({{"result", written_result(results[i])}, {"times", end - i}});
        } else {
            list.insert(list.end(), end - i, written_result(results[i]));
        }
        i = end;
    }
    return list;
}

Json written_results(const Scenario& scenario) {
    Json json;
    for (const auto& [caller, results] : scenario.expect.results) {
        json[caller] = written_list(results);
    }
    return json;
}

Json schema_of_results() {
    std::string words;
    for (const auto& entry : kResultWords) {
        words += std::string(entry.first) + "|";
    }
    const Json word{{"type", "string"},
                    {"pattern", "^(" + words + "[A-Z][A-Za-z0-9_.:-]*)$"},
                    {"maxLength", 64},
                    {"description",
                     "A word that begins with a capital letter is an error by the name that the "
                     "system gives it."}};
    const Json result = {{"oneOf", {whole_schema(0, kCountMax), word}}};
    const Json several = object_schema(
        {{"result", result}, {"times", whole_schema(1, kOperationsMax)}}, {"result", "times"});
    return map_schema(list_schema({{"oneOf", {result, several}}}, 0, kOperationsMax), kCallersMax);
}

}  // namespace

constinit const Codec kVerdictCodec{read_verdict, written_verdict, schema_of_verdict};
constinit const Codec kInterleavingsCodec{read_interleavings, written_interleavings,
                                          schema_of_interleavings};
constinit const Codec kValueCodec{read_value, written_value, schema_of_value};
constinit const Codec kMaxRateCodec{read_max_rate, written_max_rate, schema_of_max_rate};
constinit const Codec kCountersCodec{read_counters, written_counters, schema_of_counters};
constinit const Codec kResultsCodec{read_results, written_results, schema_of_results};

}  // namespace lockkeeper
