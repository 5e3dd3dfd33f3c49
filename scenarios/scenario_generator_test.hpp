// Random valid scenarios, for property tests. Inside of a property only: draws with RapidCheck.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <vector>

#include <rapidcheck.h>

#include "model/observation.hpp"
#include "scenarios/fields.hpp"
#include "scenarios/scenario.hpp"

namespace lockkeeper::testing_scenarios {

template <class Number>
Number drawn(Number min, Number max) {
    return static_cast<Number>(*rc::gen::inRange<std::int64_t>(static_cast<std::int64_t>(min),
                                                               static_cast<std::int64_t>(max) + 1));
}

inline bool coin() { return *rc::gen::arbitrary<bool>(); }

inline std::vector<std::string> some_of(const std::vector<std::string>& names) {
    std::vector<std::string> chosen;
    std::copy_if(names.begin(), names.end(), std::back_inserter(chosen),
                 [](const std::string&) { return coin(); });
    return chosen;
}

// `follows`: by key, whether this script's buckets are "current".
inline Operation arbitrary_operation(const std::vector<bool>& follows) {
    Operation operation;
    operation.verb = coin() ? Verb::kAcquire : Verb::kRelease;
    operation.key = drawn<std::uint8_t>(0, static_cast<std::uint8_t>(follows.size() - 1));
    operation.place_capacity = drawn<std::uint16_t>(0, kMaxPerMax);
    operation.follows_resizes = follows[operation.key];
    if (!operation.follows_resizes) {
        operation.places = drawn<std::uint16_t>(0, kBucketsMax);
    }
    if (operation.verb == Verb::kAcquire) {
        operation.until_acquired = coin();
        operation.number = coin() ? drawn<std::uint16_t>(1, kOwnNumberMax) : std::uint16_t{0};
    } else {
        operation.unchecked = !operation.follows_resizes && coin();
    }
    return operation;
}

// Calls of a system's own, by one of three words, and sleeps.
inline Operation arbitrary_own_call(std::size_t keys_count) {
    Operation operation;
    operation.number = drawn<std::uint16_t>(1, kOwnNumberMax);
    if (coin()) {
        operation.verb = Verb::kSleep;
        return operation;
    }
    operation.verb = Verb::kCall;
    operation.key = drawn<std::uint8_t>(0, static_cast<std::uint8_t>(keys_count - 1));
    operation.word = drawn<std::uint8_t>(0, 2);
    operation.unchecked = coin();
    return operation;
}

// Signals are numbered at random; `name_signals` brings them into the order of their use.
inline Operation arbitrary_signal() {
    Operation operation;
    operation.verb = coin() ? Verb::kSignal : Verb::kWait;
    operation.signal = drawn<std::uint8_t>(0, kSignalsMax - 1);
    operation.amount = coin() ? 1 : drawn<std::uint8_t>(1, kSignalCountMax);
    operation.keep = operation.verb == Verb::kWait && coin();
    return operation;
}

// One operation, or conditions with what they govern.
inline void add_arbitrary(std::vector<Operation>& script, const std::vector<bool>& follows,
                          std::size_t conditions = 0) {
    const int kind = drawn(0, 8);
    if (kind == 8) {
        script.push_back(arbitrary_own_call(follows.size()));
        return;
    }
    if (kind > 1 || (kind == 1 && conditions == kConditionsMax)) {
        script.push_back(arbitrary_operation(follows));
        return;
    }
    if (kind == 0) {
        script.push_back(arbitrary_signal());
        return;
    }
    const std::size_t at = script.size();
    script.push_back({.verb = Verb::kIfHolding});
    script[at].key = drawn<std::uint8_t>(0, static_cast<std::uint8_t>(follows.size() - 1));
    for (int governed = drawn(1, 3); governed > 0; --governed) {
        add_arbitrary(script, follows, conditions + 1);
    }
    if (drawn(0, 5) == 0) {
        script.push_back({.verb = Verb::kExit});
    }
    script[at].governs = static_cast<std::uint32_t>(script.size() - at - 1);
}

// Parts that repeat, parts of parts, and single operations.
inline std::vector<Operation> arbitrary_script(std::size_t keys_count) {
    std::vector<bool> follows(keys_count);
    for (std::size_t key = 0; key < keys_count; ++key) {
        follows[key] = coin();
    }
    std::vector<Operation> script;
    const int parts = drawn(1, 4);
    for (int i = 0; i < parts; ++i) {
        std::vector<Operation> part;
        for (int operations = drawn(1, 4); operations > 0; --operations) {
            add_arbitrary(part, follows);
        }
        for (int times = drawn(1, 3); times > 0; --times) {
            script.insert(script.end(), part.begin(), part.end());
        }
    }
    if (coin()) {
        const std::vector<Operation> once = script;
        script.insert(script.end(), once.begin(), once.end());
    }
    if (coin()) {
        script.push_back({.verb = Verb::kExit});
    }
    return script;
}

// Names for the signals that are used, and one more caller that signals and waits for all of them.
inline void name_signals(WorldConfig& world) {
    constexpr std::uint8_t kUnknown = 0xFF;
    std::array<std::uint8_t, kSignalsMax> number{};
    number.fill(kUnknown);
    CallerConfig caller;
    caller.name = "caller_of_all";
    for (CallerConfig& other : world.callers) {
        for (Operation& operation : other.script) {
            if (!operation.uses_signal()) {
                continue;
            }
            std::uint8_t& known = number[operation.signal];
            if (known == kUnknown) {
                known = static_cast<std::uint8_t>(world.signals.size());
                world.signals.push_back("signal" + std::to_string(known));
                caller.script.push_back({.verb = Verb::kSignal, .signal = known});
                caller.script.push_back({.verb = Verb::kWait, .signal = known});
            }
            operation.signal = known;
        }
    }
    if (!caller.script.empty()) {
        caller.group = static_cast<std::uint8_t>(world.callers.back().group + 1);
        world.callers.push_back(caller);
    }
}

// The same for words of calls, with a caller that uses all of them first. It also acquires every
// key, because a condition on a key that nobody acquires is refused.
inline void name_words(WorldConfig& world) {
    world.words = {"renew", "write", "read.again"};
    CallerConfig caller;
    caller.name = "caller_of_words";
    for (std::uint8_t word = 0; word < world.words.size(); ++word) {
        caller.script.push_back({.verb = Verb::kCall, .word = word});
    }
    for (std::uint8_t key = 0; key < world.keys.size(); ++key) {
        caller.script.push_back({.verb = Verb::kAcquire, .key = key});
    }
    world.callers.insert(world.callers.begin(), caller);
    for (std::size_t i = 1; i < world.callers.size(); ++i) {
        ++world.callers[i].group;
    }
}

inline WorldConfig arbitrary_world() {
    WorldConfig world;
    world.keys.resize(drawn<std::size_t>(1, kKeysMax));
    for (std::size_t key = 0; key < world.keys.size(); ++key) {
        world.keys[key] = (coin() ? "key" : "warm") + std::to_string(key);
    }
    const auto entries = drawn<std::uint8_t>(1, 5);
    for (std::uint8_t entry = 0; entry < entries; ++entry) {
        CallerConfig caller;
        caller.group = entry;
        caller.may_crash = coin();
        caller.repeats_forever = coin();
        caller.script = arbitrary_script(world.keys.size());
        if (coin()) {
            caller.settings["clock"] = drawn(-kOwnNumberMax, kOwnNumberMax);
        }
        const int count = drawn(1, 3);
        for (int i = 1; i <= count; ++i) {
            caller.name = "caller" + std::string(1, static_cast<char>('a' + entry)) +
                          (count > 1 || entry % 2 == 0 ? std::to_string(i) : "");
            world.callers.push_back(caller);
        }
    }
    name_signals(world);
    name_words(world);
    world.views.resize(drawn<std::size_t>(1, 4));
    std::generate(world.views.begin(), world.views.end(),
                  [] { return drawn<std::uint16_t>(0, kBucketsMax); });
    return world;
}

inline ScenarioParameters arbitrary_parameters(const std::vector<std::string>& keys) {
    ScenarioParameters parameters;
    for (const std::string& key : some_of(keys)) {
        ScenarioTable& table = parameters.tables[key];
        table.buckets.resize(drawn<std::size_t>(1, 5));
        std::generate(table.buckets.begin(), table.buckets.end(),
                      [] { return drawn(kCounterMin, kCounterMax); });
        if (coin()) {
            table.highest = drawn<std::int32_t>(1, kBucketsMax);
        }
    }
    for (const std::string& name : some_of({"locktimeout", "grace"})) {
        parameters.own[name] = drawn(-kOwnNumberMax, kOwnNumberMax);
    }
    if (coin()) {
        parameters.own["crash_takes"] = drawn(0, 2);
    }
    for (const std::string& name : some_of({"lost_replies", "clock_jumps"})) {
        parameters.faults[name] = drawn(-kOwnNumberMax, kOwnNumberMax);
    }
    for (const std::string& key : some_of(keys)) {
        parameters.relations[key]["assertive"] = some_of(keys);
    }
    if (coin()) {
        parameters.repairs = {coin(), some_of({"whole_row_take", "owners_in_row"})};
    }
    return parameters;
}

// Turns that the scripts have operations for.
inline std::vector<std::string> arbitrary_order(const WorldConfig& world) {
    std::vector<std::string> order{world.callers.front().name};
    for (const CallerConfig& caller : world.callers) {
        const auto operations = static_cast<std::size_t>(std::count_if(
            caller.script.begin(), caller.script.end(),
            [](const Operation& operation) { return operation.verb != Verb::kIfHolding; }));
        const auto turns = drawn<std::size_t>(0, std::min<std::size_t>(operations - 1, 6));
        order.insert(order.end(), turns, caller.name);
    }
    return *rc::gen::map(rc::gen::just(order), [](std::vector<std::string> turns) {
        if (turns.size() > 2) {
            std::rotate(turns.begin(), turns.begin() + 1, turns.end());
        }
        return turns;
    });
}

inline Schedule arbitrary_schedule() {
    Schedule schedule{*rc::gen::arbitrary<std::uint64_t>(), {}};
    for (int i = drawn(0, 20); i > 0; --i) {
        Action action;
        action.kind = static_cast<ActionKind>(drawn(0, 6));
        if (action.kind != ActionKind::kResize) {
            action.actor = drawn<std::uint8_t>(0, 15);
        }
        if (action.kind != ActionKind::kResize && action.kind != ActionKind::kStep &&
            action.kind != ActionKind::kCrash) {
            action.argument = drawn<std::uint16_t>(0, 40);
        }
        schedule.actions.push_back(action);
    }
    return schedule;
}

inline std::vector<ExpectedResult> arbitrary_results(bool with_counts) {
    using Kind = ExpectedResult::Kind;
    std::vector<ExpectedResult> results;
    for (int i = drawn(0, 5); i > 0; --i) {
        ExpectedResult result;
        result.kind = *rc::gen::element(Kind::kAcquired, Kind::kFull, Kind::kReleased, Kind::kDied,
                                        Kind::kError, with_counts ? Kind::kCount : Kind::kFull);
        if (result.kind == Kind::kCount) {
            result.count = drawn<std::uint32_t>(0, 300);
        }
        if (result.kind == Kind::kError) {
            result.error = coin() ? "LockAlreadyTaken" : "DbError";
        }
        results.insert(results.end(), drawn<std::size_t>(1, 8), result);
    }
    return results;
}

inline Expectation arbitrary_expectation(const Scenario& scenario) {
    Expectation expect;
    expect.verdict =
        *rc::gen::elementOf(std::vector<Verdict>{Passed{}, Violated{}, Stuck{}, Inconclusive{}});
    if (is<Violated>(expect.verdict)) {
        expect.properties = some_of({"leak", "over-allocation", "livelock"});
    }
    if (scenario.method == Method::kExplore) {
        if (scenario.find && coin()) {
            expect.value = drawn(scenario.find->from, kOwnNumberMax);
        }
        expect.interleavings =
            coin() ? std::optional<std::string>("12345678901234567890123") : std::nullopt;
    }
    if (!scenario.find && scenario.method != Method::kOrder && scenario.method != Method::kReplay) {
        for (const std::string& property : some_of({"leak", "over-allocation"})) {
            expect.max_rate[property] = drawn(0, 1'000'000) / 1e6;
        }
    }
    if (scenario.method == Method::kOrder || scenario.method == Method::kReplay) {
        for (const std::string& key : some_of(scenario.world.keys)) {
            expect.counters[key].assign(drawn<std::size_t>(0, 4), drawn(-3, 251));
        }
        for (const CallerConfig& caller : scenario.world.callers) {
            if (coin()) {
                expect.results[caller.name] = arbitrary_results(scenario.parameters.returns_count);
            }
        }
    }
    return expect;
}

inline double arbitrary_weight() { return coin() ? drawn(0, 1'000'000) / 1000.0 : drawn(0, 3); }

inline Law arbitrary_law() {
    Law law;
    law.kind = static_cast<LawKind>(drawn(0, 2));
    if (law.kind != LawKind::kUniform) {
        std::generate(law.weights.begin(), law.weights.end(), arbitrary_weight);
        law.weights[static_cast<std::size_t>(ActionClass::kStep)] += 1;
    }
    return law;
}

inline nlohmann::json arbitrary_value(const Allowed& allowed) {
    switch (allowed.kind) {
        case Allowed::Kind::kTruth: return coin();
        case Allowed::Kind::kName: return "random";
        case Allowed::Kind::kWord: return allowed.words[coin() ? 1 : 0];
        case Allowed::Kind::kNumber:
            return std::max(allowed.or_zero ? 0 : allowed.least_number, drawn(0, 9'999) / 1000.0);
        case Allowed::Kind::kWhole:
            if (!allowed.or_word.empty() && coin()) {
                return allowed.or_word;
            }
            return allowed.most == std::numeric_limits<std::uint64_t>::max()
                       ? *rc::gen::arbitrary<std::uint64_t>()
                       : drawn<std::uint64_t>(allowed.least, allowed.most);
        case Allowed::Kind::kOwnCode: break;
    }
    return nullptr;
}

// Every field of the table is there, or not.
inline void draw_fields(const std::vector<std::string_view>& objects, Scenario& scenario) {
    for (const Field& field : all_fields()) {
        const bool is_wanted =
            std::find(objects.begin(), objects.end(), field.object) != objects.end();
        const bool goes = !field.only || field.only == scenario.method;
        if (field.set && is_wanted && goes && (field.required || coin())) {
            field.set(scenario, arbitrary_value(field.allowed));
        }
    }
}

inline Scenario arbitrary_scenario() {
    Scenario scenario;
    scenario.file = "x.json";
    scenario.about = *rc::gen::element<std::string>("", "one idea", "caf\u00e9 \"quoted\"\n");
    scenario.system = *rc::gen::element<std::string>("canal", "single_counter");
    scenario.variant = *rc::gen::element<std::string>("faithful", "repaired");
    scenario.world = arbitrary_world();
    scenario.parameters = arbitrary_parameters(scenario.world.keys);
    scenario.check = some_of({"leak", "deadlock", "all"});
    scenario.reach = some_of({"full", "forced"});
    scenario.method = static_cast<Method>(drawn(0, 3));
    if (scenario.method == Method::kExplore && coin()) {
        const auto from = drawn(-kOwnNumberMax, kOwnNumberMax);
        scenario.find = BoundarySearch{"grace", coin(), from, drawn(from, kOwnNumberMax)};
    }
    draw_fields({"", "parameters", "faults", "limits"}, scenario);
    if (scenario.method == Method::kOrder) {
        scenario.order = arbitrary_order(scenario.world);
    }
    if (scenario.method == Method::kReplay) {
        scenario.schedule = arbitrary_schedule();
    }
    if (coin()) {
        scenario.law = arbitrary_law();
    }
    if (coin()) {
        scenario.traffic.emplace();
        draw_fields({"traffic"}, scenario);
    }
    scenario.expect = arbitrary_expectation(scenario);
    draw_fields({"expect"}, scenario);
    return scenario;
}

}  // namespace lockkeeper::testing_scenarios
