// SPDX-License-Identifier: Apache-2.0
#include "validate/programs/scout.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "validate/processes/watched_child.hpp"
#include "validate/programs/black_box_run.hpp"
#include "validate/programs/stepped_run.hpp"

namespace lockkeeper {
namespace {

constexpr std::uint64_t kScoutStepsMax = 1'000;

CallerConfig caller_of(const std::string& name, const std::vector<Verb>& verbs,
                       std::uint16_t buckets) {
    CallerConfig caller;
    caller.name = name;
    for (const Verb verb : verbs) {
        Operation operation;
        operation.verb = verb;
        operation.places = buckets;
        caller.script.push_back(operation);
    }
    return caller;
}

OutsideWorld world_of(const ProgramOptions& options, std::vector<CallerConfig> callers) {
    OutsideWorld world;
    world.world.keys = options.keys;
    world.world.words = {"renew"};
    world.parameters = options.parameters;
    world.world.callers = std::move(callers);
    return world;
}

// The answer to the caller's first call while nobody else takes a step; empty: the call waits, or
// asks without end.
std::string answer_to(SteppedRun& run, std::uint8_t caller) {
    for (std::uint64_t step = 0; step < kScoutStepsMax; ++step) {
        const std::vector<Action> enabled = run.enabled();
        const auto own = std::find_if(enabled.begin(), enabled.end(), [&](Action action) {
            return action.kind == ActionKind::kStep && action.actor == caller;
        });
        if (own == enabled.end()) {
            break;
        }
        std::string answer = run.take(*own).answer;
        if (!answer.empty()) {
            return answer;
        }
    }
    return "";
}

// A world of two callers that ask for one of two places each, and keep it.
OutsideWorld two_ask_for_two(ProgramOptions& options) {
    options.callers = {"A", "B"};
    return world_of(options,
                    {caller_of("A", {Verb::kAcquire}, 2), caller_of("B", {Verb::kAcquire}, 2)});
}

bool has_one_place(ProgramOptions options, const StopRule& stop) {
    const OutsideWorld world = two_ask_for_two(options);
    Program program(options);
    program.stop_by(stop);
    SteppedRun run(program, world);
    try {
        run.begin();
        const auto is_granted = [](const std::string& answer) {
            return answer.rfind("acquired", 0) == 0;
        };
        if (!is_granted(answer_to(run, 0))) {
            return false;
        }
        const std::string other = answer_to(run, 1);
        return other.empty() || other.ends_with("full") || run.take_tally().answers.errors > 0;
    } catch (const Misbehaved&) {
        program.kill();
    } catch (const Stopped&) {
        program.kill();
    }
    return false;
}

// Runs at the black-box level, with its own data directory. Nothing: it was stopped, or went well.
template <class Look>
std::optional<Misbehaviour> look_at_black_box(ProgramOptions options, const OutsideWorld& world,
                                              const StopRule& stop, Look look) {
    const WatchedDirectory directory(
        (std::filesystem::temp_directory_path() / "lockkeeper_data_").string());
    options.data_dir = directory.path();
    ProgramGroup programs(options, false);
    programs.stop_by(stop);
    BlackBoxRun run(programs, world, 1, {});
    std::optional<Misbehaviour> misbehaviour;
    try {
        run.run();
    } catch (const Misbehaved& error) {
        misbehaviour = error.kind();
    } catch (const Stopped&) {
    }
    programs.kill();
    look(run);
    return misbehaviour;
}

// The longest wait for an answer.
constexpr double kPatienceSeconds = 1;

Scouted scout_black_box(ProgramOptions options, const OutsideWorld& world, const StopRule& stop) {
    Scouted scouted;
    const auto misbehaviour = look_at_black_box(options, world, stop, [&](const BlackBoxRun& run) {
        scouted.lease_time =
            run.tally().has_leases ? std::max<std::int64_t>(run.tally().lease_time, 1) : 0;
    });
    scouted.renews = misbehaviour != Misbehaviour::kNotSupported;
    options.answer_seconds = std::min(options.answer_seconds, kPatienceSeconds);
    const OutsideWorld two = two_ask_for_two(options);
    look_at_black_box(options, two, stop, [&](const BlackBoxRun& run) {
        scouted.has_one_place = run.tally().answers.grants == 1;
    });
    return scouted;
}

}  // namespace

Scouted scout(ProgramOptions options, const StopRule& stop) {
    options.callers = {"A"};
    options.keys = {"db"};
    const OutsideWorld world =
        world_of(options, {caller_of("A", {Verb::kAcquire, Verb::kCall, Verb::kRelease}, 1)});
    if (!options.stepped) {
        return scout_black_box(options, world, stop);
    }
    Program program(options);
    program.stop_by(stop);
    SteppedRun run(program, world);
    Scouted scouted;
    try {
        run.begin();
        for (std::uint64_t step = 0; step < kScoutStepsMax; ++step) {
            const std::vector<Action> enabled = run.enabled();
            if (enabled.empty()) {
                break;
            }
            run.take(enabled.front());
        }
    } catch (const Misbehaved& error) {
        scouted.renews = error.kind() != Misbehaviour::kNotSupported;
        program.kill();
    } catch (const Stopped&) {
        program.kill();
    }
    const OutsideTally tally = run.take_tally();
    scouted.lease_time = tally.has_leases ? std::max<std::int64_t>(tally.lease_time, 1) : 0;
    scouted.has_one_place = has_one_place(options, stop);
    return scouted;
}

}  // namespace lockkeeper
