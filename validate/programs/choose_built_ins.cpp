// SPDX-License-Identifier: Apache-2.0
#include "validate/programs/choose_built_ins.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "scenarios/bad_input.hpp"
#include "scenarios/registry/unknown_names.hpp"
#include "validate/outside/misbehaviour.hpp"
#include "validate/processes/watched_child.hpp"
#include "validate/programs/black_box_run.hpp"
#include "validate/programs/built_in_scenarios.hpp"
#include "validate/programs/stepped_run.hpp"

namespace lockkeeper {
namespace {

// A short look at a program, before scenarios are chosen for it: one caller acquires, renews and
// releases, undisturbed; then two ask for one of two places each.
struct Scouted {
    std::int64_t lease_time = 0;  // 0: a grant has no end; ticks, or milliseconds
    bool renews = true;           // it knows the word "renew"
    bool has_one_place = false;   // the second is refused, or waits, or spins
};

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

// The end of the caller's first call while nobody else takes a step; nothing: the call waits, or
// asks without end.
std::optional<CallEnd> end_of_call(SteppedRun& run, std::uint8_t caller) {
    for (std::uint64_t step = 0; step < kScoutStepsMax; ++step) {
        const std::vector<Action> enabled = run.enabled();
        const auto own = std::find_if(enabled.begin(), enabled.end(), [&](Action action) {
            return action.kind == ActionKind::kStep && action.actor == caller;
        });
        if (own == enabled.end()) {
            break;
        }
        if (const auto end = run.take(*own).returned) {
            return end;
        }
    }
    return std::nullopt;
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
        const auto was_told = [](const std::optional<CallEnd>& end, Told::Kind kind) {
            return end && end->told && end->told->kind == kind;
        };
        if (!was_told(end_of_call(run, 0), Told::Kind::kOk)) {
            return false;
        }
        const auto other = end_of_call(run, 1);
        return !other || was_told(other, Told::Kind::kRefused) ||
               run.take_tally().answers.errors > 0;
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

// Ignores whatever else goes wrong: the search that follows will meet it.
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

// Takes a look at the program if the built-in scenarios need to know it.
Scouted scouted(const BuiltInChoice& choice) {
    const auto& files = choice.files;
    const bool asks_leases = std::any_of(files.begin(), files.end(), [](const std::string& name) {
        const BuiltInScenario* built_in = built_in_named(name);
        return built_in != nullptr && built_in->of_leases;
    });
    if ((!files.empty() && !asks_leases) || choice.program.is_tasks) {
        return {};
    }
    ProgramOptions program = choice.program;
    program.parameters.emplace("ttl", program.stepped ? kSteppedLease : kBlackBoxLease);
    return scout(program, {moment_after(choice.seconds_max)});
}

// Why a scenario of the right kind does not fit the program; nullptr: it does.
const char* why_left_out(const BuiltInScenario& built_in, const Scouted& program,
                         bool process_per_caller) {
    if (built_in.renews && !program.renews) {
        return "the program does not know the operation \"renew\"";
    }
    if (built_in.places == Places::kSeveral && program.has_one_place) {
        return "who asks while another holds does not get the second of two places; judged as a "
               "lock of one place (name this scenario to have it judged as one of several)";
    }
    if (built_in.kills_one && !process_per_caller) {
        return "without --process-per-caller a crash kills the whole program, all callers and "
               "their lock (name this scenario to have it judged so)";
    }
    return nullptr;
}

// Adds the named scenarios, or those that fit the program.
void add_built_ins(const BuiltInChoice& choice, const Scouted& program, ChosenBuiltIns& chosen) {
    const auto& given = choice.files;
    const bool is_lease = program.lease_time > 0;
    for (const BuiltInScenario& built_in : built_in_scenarios()) {
        const std::string name = built_in.name;
        if (built_in_named(name, built_in_level(choice.program.stepped)) != &built_in) {
            continue;  // its namesake is of this level, or none: refused where it is named
        }
        const bool is_of_tasks = built_in.level == BuiltInLevel::kTasks;
        if (!given.empty()) {
            if (std::find(given.begin(), given.end(), name) != given.end()) {
                chosen.names.push_back(name);
            }
        } else if (is_of_tasks || choice.program.is_tasks) {
            if (is_of_tasks && choice.program.is_tasks && !built_in.is_named_only) {
                chosen.names.push_back(name);
            }
        } else if (built_in.of_leases != is_lease ||
                   (built_in.places == Places::kOne && !program.has_one_place)) {
            continue;
        } else if (const char* why = why_left_out(built_in, program, choice.process_per_caller)) {
            chosen.left_out.push_back(name + ": left out: " + why);
        } else {
            chosen.names.push_back(name);
        }
    }
}

// The prefix "built-in:" names built-in scenarios only, even if such a file exists.
void check_built_in(const std::string& name, const ProgramOptions& program) {
    if (const BuiltInScenario* built_in = built_in_named(name)) {
        if (built_in->level == BuiltInLevel::kTasks && !program.is_tasks) {
            throw UsageError(name + ": goes with --tasks: its callers are tasks of one event loop");
        }
        if (built_in_named(name, built_in_level(program.stepped)) == nullptr) {
            throw UsageError(name + ": belongs to the " +
                             (program.stepped ? "black-box" : "stepped") + " level");
        }
        return;
    }
    if (!name.starts_with("built-in:")) {
        return;
    }
    std::vector<std::string> known;
    for (const BuiltInScenario& built_in : built_in_scenarios()) {
        known.emplace_back(built_in.name);
    }
    throw UsageError("validate: there is no built-in scenario " + quoted_piece(name, name.size()) +
                     nearest_or_known(name, known));
}

}  // namespace

ChosenBuiltIns choose_built_ins(const BuiltInChoice& choice) {
    for (const std::string& name : choice.files) {
        check_built_in(name, choice.program);
    }
    ChosenBuiltIns chosen;
    const Scouted program = scouted(choice);
    chosen.lease_time = program.lease_time;
    add_built_ins(choice, program, chosen);
    return chosen;
}

std::vector<InputFile> files_with(const std::vector<std::string>& built_ins,
                                  std::vector<std::string> named, const std::string& stands_for) {
    std::vector<InputFile> files;
    files.reserve(built_ins.size());
    for (const std::string& name : built_ins) {
        files.push_back({name, "", stands_for});
    }
    std::erase_if(named, [](const std::string& name) { return built_in_named(name) != nullptr; });
    const auto found = find_files(named, FileKind::kScenarios);
    files.insert(files.end(), found.begin(), found.end());
    return files;
}

std::variant<Scenario, RecordedTrace> load_for_program(const std::string& file, bool is_stepped,
                                                       std::int64_t lease_time) {
    const BuiltInScenario* built_in = built_in_named(file, built_in_level(is_stepped));
    auto loaded = value_or_throw(built_in != nullptr ? parse_replayable(built_in->text, file)
                                                     : load_replayable(file));
    auto* scenario = std::get_if<Scenario>(&loaded);
    if (scenario != nullptr && built_in != nullptr && built_in->of_leases) {
        fit_to_lease(*built_in, lease_time, *scenario);
    }
    return loaded;
}

}  // namespace lockkeeper
