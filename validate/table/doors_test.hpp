// SPDX-License-Identifier: Apache-2.0

// Judges a row of the table at each door: models, programs, clients at the wire.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/erased_runner.hpp"
#include "validate/histories/check_history.hpp"
#include "validate/histories/history_of_run.hpp"
#include "validate/programs/outside_test.hpp"
#include "validate/table/model_lock_test.hpp"
#include "validate/table/recorded_runs_test.hpp"
#include "validate/wire/wire_test.hpp"

namespace lockkeeper::table {

// At the wire, a request that the server executes. A request that waits there is not done yet.
inline bool is_request(const TraceStep& step) {
    return step.action.argument % 2 == 1 &&
           step.result.find("waits at the server") == std::string::npos;
}
inline bool is_any(const TraceStep&) { return true; }

inline Says counted(const Property& property, std::span<const TraceStep> steps,
                    bool is_access(const TraceStep&)) {
    Says says{std::string(property.name)};
    for (const TraceStep& step : steps) {
        says.primitives += step.action.kind == ActionKind::kStep && is_access(step) ? 1 : 0;
        says.time += step.action.kind == ActionKind::kTime ? 1 : 0;
        says.faults += step.action.kind == ActionKind::kCrash ? 1 : 0;
    }
    return says;
}

// Judges by the model that fits the calls, or by the one that the row names.
inline std::string judged(const Row& row, const RecordedHistory& history, std::string model) {
    model = row.written.value("judged_as", model);
    if (model.empty() || history.records.empty()) {
        return kNotJudged;
    }
    const auto checked = check_history(history, std::get<ModelChoice>(parse_model(model)));
    if (!std::holds_alternative<HistoryCheck>(checked)) {
        return kNotJudged;
    }
    const Verdict& verdict = std::get<HistoryCheck>(checked).verdict;
    return is<Passed>(verdict) ? "kept" : is<Violated>(verdict) ? "violated" : kNotJudged;
}

// --- models -------------------------------------------------------------------------------------

// The properties that the row's lock promises, as a system's descriptor would say by its kind.
inline std::vector<const Property*> promised(const Row& row) {
    const bool is_lease = row.ttl > 0;
    std::vector<const Property*> check;
    for (const char* name :
         {"leak", "double-release", "caller-death", "deadlock", "false-ok", "token-order"}) {
        check.push_back(find_property(name));
    }
    check.push_back(
        find_property(is_lease && row.places == 1 ? "belief-overlap" : "over-allocation"));
    if (!is_lease) {
        check.push_back(find_property("under-allocation"));
    }
    // A new property that reads no more than calls and answers is judged here, too.
    for (const Property& property : all_properties()) {
        const bool goes_by_row = property.is(PropertyNumber::kOverAllocation) ||
                                 property.is(PropertyNumber::kUnderAllocation);
        if (is_told(property) && !goes_by_row) {
            check.push_back(&property);
        }
    }
    std::erase_if(check, [&](const Property* property) { return !row.checks(*property); });
    return check;
}

// Runs of models do not show ends and tokens.
inline std::string history_of_model(const Row& row, const WorldConfig& world,
                                    const std::vector<Event>& events) {
    return row.ttl > 0 ? kNotJudged
                       : judged(row, history_of_run(world, events),
                                row.places == 1 ? "reentrant-mutex" : "resizable-semaphore");
}

// Drawn runs of a lock that is right, each as a history.
inline std::string history_of_walks(const Row& row, const World<ModelLock>& lock) {
    std::mt19937 draw(1);
    for (int run = 0; run < 50; ++run) {
        auto state = lock.initial();
        std::vector<Event> events;
        ActionList enabled;
        for (lock.enabled(state, enabled); !enabled.empty(); lock.enabled(state, enabled)) {
            events.push_back(lock.apply(state, enabled[draw() % enabled.size()]));
        }
        std::string says = history_of_model(row, lock.config(), events);
        if (says != "kept") {
            return says;
        }
    }
    return "kept";
}

inline bool renews(const Row& row) { return row.steps.contains("renew"); }

struct ExploredModel {
    explicit ExploredModel(const Row& row) : world(model_world_of(row)) {
        world.watches_others = true;
        lock = std::make_unique<World<ModelLock>>(ModelLock(row), world);
        runner = make_erased_runner(ErasedSystem(*lock), MakeWalker(), world, ModelLock::kFeatures);
        ExploreOptions options;
        options.check = promised(row);
        result = runner->explore(options);
        EXPECT_TRUE(result.complete) << row.lock << result.limit;
    }
    WorldConfig world;
    std::unique_ptr<World<ModelLock>> lock;
    std::unique_ptr<Runner> runner;
    ExploreResult result;
};

// In the models' contract, a call cannot renew a belief that has ended, and events have no tokens.
inline Says of_model(const Row& row) {
    if (renews(row)) {
        return {kNotJudged, 0, 0, 0, kNotJudged};
    }
    const ExploredModel model(row);
    const ExploreResult& result = model.result;
    // P4 (double-release) follows from acts of callers, so it comes last, as at the other doors.
    const auto rank = [](const FoundViolation& found) {
        return std::pair(found.property->is(PropertyNumber::kDoubleRelease),
                         found.schedule.actions.size());
    };
    const auto shortest =
        std::min_element(result.violations.begin(), result.violations.end(),
                         [&](const FoundViolation& left, const FoundViolation& right) {
                             return rank(left) < rank(right);
                         });
    if (shortest == result.violations.end()) {
        return {kPass, 0, 0, 0, history_of_walks(row, *model.lock)};
    }
    ReplayOptions replayed;
    replayed.check = promised(row);
    const Trace trace = model.runner->replay(shortest->schedule, replayed);
    std::vector<Event> events;
    for (const TraceStep& step : trace.steps) {
        events.push_back(step.event);
    }
    Says says = counted(*shortest->property, trace.steps, is_any);
    says.history = history_of_model(row, model.world, events);
    return says;
}

// --- programs and clients -----------------------------------------------------------------------

inline Says of_search(const Row& row, const OutsideWorld& world, OutsideSearch& search,
                      bool is_access(const TraceStep&)) {
    const OutsideResult result = search.search();
    EXPECT_EQ("", result.diverged) << row.lock;
    if (!result.finding) {
        EXPECT_TRUE(result.complete) << row.lock << ": " << result.limit;
        Says says{kPass};
        says.missing = result.tally.what_is_missing(world);
        says.is = says.missing.empty() ? kPass : kNotJudged;
        // The history of the last run; P29 (unexplained-history) was judged in each run.
        says.history = judged(row, result.calls.history, result.calls.model);
        return says;
    }
    const OutsideFinding found = search.shrink(*result.finding);
    const OutsideTrace trace = search.show(found);
    if (found.property == nullptr) {
        return {"misbehaved: " + found.detail, 0, 0, 0, ""};
    }
    const std::size_t steps = trace.steps.size() - trace.look_steps;
    Says says = counted(*found.property, std::span(trace.steps).first(steps), is_access);
    says.history = judged(row, trace.calls.history, trace.calls.model);
    return says;
}

template <class IsJudged>
OutsideWorld checked_world(const Row& row, IsJudged is_judged) {
    OutsideWorld world = world_of(row);
    for (const Property& property : all_properties()) {
        if (is_judged(property) && row.checks(property)) {
            world.check.push_back(&property);
        }
    }
    for (const Property* property : world.asked) {
        if (!is_judged(*property)) {
            world.asked_elsewhere +=
                "P" + std::to_string(property->number) + " " + std::string(property->name);
        }
    }
    return world;
}

class Programs {
  public:
    // `rows`: all rows that of() is called for.
    explicit Programs(const std::vector<Row>& rows = all_rows())
        : program_(program_options(rows)) {}
    Says of(const Row& row) {
        const OutsideWorld world = checked_world(row, is_judged_outside);
        if (world.check.empty()) {
            return {kNotJudged, 0, 0, 0, kNotJudged};
        }
        OutsideOptions options = wire::exploring();
        options.schedules_max = 100'000;
        SteppedSearch search(program_, world, options);
        return of_search(row, world, search, is_any);
    }

  private:
    Program program_;
};

// A server and its clients serve all rows with as many clients.
class Wires {
  public:
    Says of(const Row& row) {
        const OutsideWorld world = checked_world(row, wire::is_judged_at_wire);
        if (world.check.empty()) {
            return {kNotJudged, 0, 0, 0, kNotJudged};
        }
        std::unique_ptr<wire::Wire>& wire = wires_[wire::clients_of(world.world)];
        if (!wire) {
            wire::WireSettings settings;
            settings.command = wire::raw_client("wire", "", "../../table/small_lock.py");
            settings.callers = wire::clients_of(world.world);
            wire = std::make_unique<wire::Wire>(settings);
        }
        wire::WireScope scope;
        scope.expiries_max = row.time;
        scope.splits = row.time > 0;  // as the command does
        wire::WireSearch search(*wire, world, scope, wire::exploring());
        Says says = of_search(row, world, search, is_request);
        for (std::size_t caller = 0; caller < wire->callers(); ++caller) {
            wire->kill(caller);
        }
        return says;
    }

  private:
    std::map<std::size_t, std::unique_ptr<wire::Wire>> wires_;
};

}  // namespace lockkeeper::table
