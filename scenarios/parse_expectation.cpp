#include <algorithm>

#include <fmt/format.h>

#include "model/observation.hpp"
#include "scenarios/fields.hpp"
#include "scenarios/parse_parts.hpp"

namespace lockkeeper {
namespace {

constexpr std::size_t kPropertiesMax = 64;
constexpr std::size_t kDigitsMax = 4000;

ExpectedResult parse_result(const Place& place) {
    using Kind = ExpectedResult::Kind;
    if (place.is_integer()) {
        return {Kind::kCount, place.integer<std::uint32_t>(0, kMaxPerMax * kBucketsMax + 1)};
    }
    if (!place.is_text()) {
        place.refuse_type("a count, \"acquired\", \"full\", \"ok\", \"died\" or an error's name");
    }
    constexpr std::pair<std::string_view, Kind> kWords[] = {{"acquired", Kind::kAcquired},
                                                            {"full", Kind::kFull},
                                                            {"ok", Kind::kReleased},
                                                            {"died", Kind::kDied}};
    for (const auto& [word, kind] : kWords) {
        if (place.is_text(word)) {
            return {kind, 0, {}};
        }
    }
    // Errors begin with a capital letter, so that a misspelt word is none.
    const std::string name = place.name();
    if (name.front() < 'A' || name.front() > 'Z') {
        static_cast<void>(place.word({"acquired", "full", "ok", "died"}));
    }
    return {Kind::kError, 0, name};
}

void parse_counters(const Place& place, Scenario& scenario) {
    for (const auto& [key, list] : place.members()) {
        refuse_unknown(list, "key", key, scenario.world.keys);
        auto& counters = scenario.expect.counters[key];
        for (const Place& counter : list.elements(0, kBucketsMax)) {
            counters.push_back(counter.integer<std::int32_t>(-1'000'000, 1'000'000));
        }
    }
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
    if (result.kind == ExpectedResult::Kind::kCount && !scenario.parameters.returns_count) {
        place.refuse("expected \"acquired\": with \"returns\": \"plain\" no count is returned");
    }
    if (times > kOperationsMax - results.size()) {
        entry.refuse(fmt::format("more than {} results, repetitions written out", kOperationsMax));
    }
    results.insert(results.end(), times, result);
}

void parse_results(const Place& place, Scenario& scenario) {
    std::vector<std::string> callers;
    for (const CallerConfig& caller : scenario.world.callers) {
        callers.push_back(caller.name);
    }
    for (const auto& [caller, list] : place.members()) {
        refuse_unknown(list, "caller", caller, callers);
        auto& results = scenario.expect.results[caller];
        for (const Place& result : list.elements(0, kOperationsMax)) {
            add_results(result, scenario, results);
        }
    }
}

void parse_interleavings(const Place& place, Expectation& expect) {
    const std::string& digits = place.text();
    const bool decimal = std::all_of(digits.begin(), digits.end(),
                                     [](char digit) { return digit >= '0' && digit <= '9'; });
    if (!decimal || digits.empty() || digits.size() > kDigitsMax || digits.front() == '0') {
        place.refuse(
            fmt::format("expected a number from 1 of 1 to {} decimal digits, in quotes, "
                        "found {}",
                        kDigitsMax, in_quotes(digits)));
    }
    expect.interleavings = digits;
}

// {"leak": 1e-6}: probabilities. Which properties there are is not known here.
void parse_max_rate(const Place& place, Expectation& expect) {
    for (const auto& [property, rate] : place.members()) {
        if (expect.max_rate.size() == kPropertiesMax) {
            place.refuse(fmt::format("more than {} properties", kPropertiesMax));
        }
        expect.max_rate[property] = rate.real(0, 1);
    }
}

// What a run of another method cannot show would never be compared.
void refuse_other_methods(const Place& place, const Scenario& scenario) {
    const bool explores = scenario.method == Method::kExplore;
    const bool is_one_run = scenario.method == Method::kOrder || scenario.method == Method::kReplay;
    if (const auto found = place.find("interleavings"); found && !explores) {
        found->refuse("goes with \"method\": \"explore\" only");
    }
    if (const auto found = place.find("max_rate"); found && (is_one_run || scenario.find)) {
        found->refuse("goes with \"method\": \"explore\" or \"fuzz\" only, without \"find\"");
    }
    for (const char* key : {"counters", "results"}) {
        if (const auto found = place.find(key); found && !is_one_run) {
            found->refuse("goes with \"method\": \"order\" or \"replay\" only");
        }
    }
}

}  // namespace

void parse_expectation(const Place& document, Scenario& scenario) {
    const auto place = document.find("expect");
    if (!place) {
        return;
    }
    place->has_only(keys_of("expect"));
    refuse_other_methods(*place, scenario);
    Expectation& expect = scenario.expect;
    if (const auto verdict = place->find("verdict")) {
        const Verdict known[] = {Passed{}, Violated{}, Stuck{}, Inconclusive{}};
        expect.verdict = known[verdict->word(
            {Passed::kName, Violated::kName, Stuck::kName, Inconclusive::kName})];
    }
    if (const auto properties = place->find("properties")) {
        if (!is<Violated>(expect.verdict)) {
            properties->refuse("goes with \"verdict\": \"violated\" only");
        }
        expect.properties = parse_names(*properties, kPropertiesMax);
    }
    read_fields("expect", *place, scenario);
    if (const auto interleavings = place->find("interleavings")) {
        parse_interleavings(*interleavings, expect);
    }
    if (const auto value = place->find("value")) {
        if (!scenario.find) {
            value->refuse("goes with \"find\" only");
        }
        expect.value = value->integer<std::int32_t>(scenario.find->from,
                                                    static_cast<std::uint64_t>(kOwnNumberMax));
    }
    if (const auto max_rate = place->find("max_rate")) {
        parse_max_rate(*max_rate, expect);
    }
    if (const auto counters = place->find("counters")) {
        parse_counters(*counters, scenario);
    }
    if (const auto results = place->find("results")) {
        parse_results(*results, scenario);
    }
}

}  // namespace lockkeeper
