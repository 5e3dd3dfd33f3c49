// `validate --program`: scenarios against a child that speaks docs/PROTOCOL.md. This file makes the
// job of a scenario; validate_stepped.cpp and validate_black_box.cpp run it.
#include "app/validate_program.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "app/built_in_scenarios.hpp"
#include "app/choose_built_ins.hpp"
#include "app/exit_code.hpp"
#include "app/validate.hpp"
#include "app/verbs.hpp"
#include "model/json_position.hpp"
#include "reports/scope.hpp"
#include "reports/words.hpp"
#include "scenarios/recorded_trace.hpp"
#include "scenarios/registry/unknown_names.hpp"

namespace lockkeeper {
namespace {

// All, without those that take more than one can see from outside.
std::vector<const Property*> properties_of(const Scenario& scenario, bool is_of_flag) {
    const auto asked = value_or_throw(scenario, properties_to_check(scenario, UINT32_MAX));
    std::vector<const Property*> judged;
    for (const Property* property : asked) {
        const auto& known = outside_properties();
        if (std::find(known.begin(), known.end(), property->name) != known.end()) {
            judged.push_back(property);
        }
    }
    if (judged.empty()) {
        std::string names;
        for (const std::string& name : outside_properties()) {
            names += (names.empty() ? "" : ", ") + name;
        }
        const std::string message =
            "none of these can be judged from outside, where there are " + names;
        if (is_of_flag) {
            throw UsageError("--check: " + message);
        }
        refuse(scenario, "/check", message);
    }
    return judged;
}

std::int64_t ticks_of(const Scenario& scenario) {
    std::int64_t ticks = 0;
    for (const auto& [name, number] : scenario.parameters.faults) {
        if (name != "ticks") {
            refuse(scenario, "/faults/" + pointer_step(name),
                   "a program can meet \"crashes\" and \"ticks\"");
        }
        ticks = number;
    }
    return ticks;
}

// The harness's own affair: programs do not hear of it.
std::optional<CrashTakes> take_crash_takes(std::map<std::string, std::int32_t>& parameters) {
    const auto found = parameters.find(std::string(kCrashTakesName));
    if (found == parameters.end()) {
        return std::nullopt;
    }
    const std::int32_t number = found->second;
    if (number < 0 || number >= static_cast<std::int32_t>(kCrashTakesWords.size())) {
        throw UsageError(
            fmt::format("--set: crash_takes: expected 0 (locks), 1 (callers) or 2 (nothing), found "
                        "{}",
                        number));
    }
    parameters.erase(found);
    return static_cast<CrashTakes>(number);
}

// The same: how long a tick of the scenario is, in the program's unit of time.
std::int64_t take_tick_width(std::map<std::string, std::int32_t>& parameters,
                             const Scenario& scenario) {
    const std::string name(kTickName);
    const auto found = parameters.find(name);
    if (found == parameters.end()) {
        return 1;
    }
    const std::int32_t width = found->second;
    if (width < 1) {
        const std::string message = fmt::format("expected a number from 1 on, found {}", width);
        const auto written = scenario.parameters.own.find(name);
        if (written != scenario.parameters.own.end() && written->second == width) {
            refuse(scenario, "/parameters/tick", message);
        }
        throw UsageError("--set: tick: " + message);
    }
    parameters.erase(found);
    return width;
}

// Goals that show in what callers are answered, and in what the harness does.
std::vector<const Property*> goals_of(const Session& session, const Scenario& scenario) {
    constexpr std::uint32_t kSeen =
        kAcquired | kRefused | kReleased | kCrashed | kResized | kFailed | kLost | kTimePassed;
    std::vector<const Property*> goals = value_or_throw(scenario, goals_to_reach(scenario));
    std::string unseen;
    std::erase_if(goals, [&](const Property* goal) {
        const bool is_unseen = (goal->triggers & kSeen) == 0;
        unseen += is_unseen ? (unseen.empty() ? "" : ", ") + std::string(goal->name) : "";
        return is_unseen;
    });
    if (!unseen.empty()) {
        session.complain(
            located(scenario, {scenario.file, "/reach", "cannot be seen from outside: " + unseen})
                .text());
    }
    return goals;
}

// Words of the protocol itself are no operations.
void refuse_reserved_words(const Scenario& scenario) {
    constexpr const char* kReserved[] = {"init",  "reset",   "crash",  "background",
                                         "error", "acquire", "release"};
    for (const std::string& word : scenario.world.words) {
        if (std::find(std::begin(kReserved), std::end(kReserved), word) != std::end(kReserved) ||
            word.ends_with("_ok")) {
            refuse(scenario, "/callers",
                   "the protocol has its own meaning for the call \"" + word + "\"");
        }
    }
}

}  // namespace

ProgramJob make_program_job(const Session& session, Scenario scenario) {
    const Options& options = session.options;
    const ValidateFlags& flags = options.validate;
    take_checks(options, scenario);
    refuse_reserved_words(scenario);
    ProgramJob job;
    job.command = *flags.program;
    job.world = {scenario.world, scenario.parameters.own, ticks_of(scenario),
                 properties_of(scenario, !options.check.empty()), std::nullopt};
    job.reach = goals_of(session, scenario);
    for (const auto& [name, number] : options.numbers) {
        job.world.parameters[name] = number;
    }
    job.world.crash_takes = take_crash_takes(job.world.parameters);
    job.world.tick_width = take_tick_width(job.world.parameters, scenario);
    job.seed = options.seed.value_or(scenario.seed);
    job.limits = scenario.limits;
    job.program.command = job.command;
    job.program.stepped = flags.level.value_or(kLevelDefault) == "stepped";
    job.program.answer_seconds = flags.answer_seconds.value_or(job.program.answer_seconds);
    job.program.keys = job.world.world.keys;
    job.program.parameters = job.world.parameters;
    for (const CallerConfig& caller : job.world.world.callers) {
        job.program.callers.push_back(caller.name);
    }
    RunReport& report = job.report;
    report.command = name_of(options.command);
    report.file = scenario.file;
    report.system = "program";
    report.variant = flags.level.value_or(kLevelDefault);
    report.scope = scope_text(job.world.world);
    report.short_scope = short_scope_text(job.world.world);
    report.seed = job.seed;
    report.checked = job.world.check;
    job.scenario = std::move(scenario);
    job.scenario.parameters.own = job.world.parameters;
    if (job.world.crash_takes) {
        job.scenario.parameters.own[std::string(kCrashTakesName)] =
            static_cast<std::int32_t>(*job.world.crash_takes);
    }
    if (job.world.tick_width != 1) {
        job.scenario.parameters.own[std::string(kTickName)] =
            static_cast<std::int32_t>(job.world.tick_width);
    }
    job.scenario.seed = job.seed;
    return job;
}

std::string replay_command(const Session& session, const ProgramJob& job,
                           const std::string& schedule) {
    std::string command = session.options.program + " validate --program " +
                          shell_quoted(job.command) + " " + shell_quoted(job.report.file) +
                          " --replay-choices " + shell_quoted(schedule);
    for (const auto& [name, number] : session.options.numbers) {
        command += " --set " + shell_quoted(name + "=" + std::to_string(number));
    }
    return command;
}

namespace {

Schedule choices_of(const std::string& line) {
    auto parsed = parse_schedule(line);
    if (const auto* error = std::get_if<ScheduleError>(&parsed)) {
        throw BadInput(
            {"--replay-choices", "character " + std::to_string(error->offset + 1), error->message});
    }
    return std::get<Schedule>(std::move(parsed));
}

void fit_to(Scenario& scenario, const BuiltInScenario& built_in, std::int64_t lease_time) {
    if (built_in.level == BuiltInLevel::kBlackBox) {
        fit_sleeps(scenario.world, lease_time);
    } else {
        scenario.parameters.own[std::string(kTickName)] =
            static_cast<std::int32_t>(tick_width_for(lease_time));
    }
}

// A scenario, or a trace that an earlier run has written: its run is repeated.
ProgramJob load_job(const Session& session, const std::string& file, std::int64_t lease_time) {
    const std::optional<std::string>& choices = session.options.validate.replay_choices;
    const BuiltInScenario* built_in = built_in_named(file, is_stepped(session));
    auto loaded =
        built_in != nullptr ? parse_replayable(built_in->text, file) : load_replayable(file);
    if (const auto* error = std::get_if<InputError>(&loaded)) {
        throw BadInput(*error);
    }
    if (built_in != nullptr && built_in->of_leases) {
        fit_to(std::get<Scenario>(loaded), *built_in, lease_time);
    }
    auto* trace = std::get_if<RecordedTrace>(&loaded);
    ProgramJob job =
        make_program_job(session, trace != nullptr ? trace->scenario : std::get<Scenario>(loaded));
    if (trace != nullptr && (choices || !job.program.stepped)) {
        throw BadInput({file, "", "a trace has its own choices, and is replayed step by step"});
    }
    if (trace != nullptr) {
        job.replayed = std::move(trace->schedule);
        job.labels = std::move(trace->labels);
    } else if (choices) {
        job.replayed = choices_of(*choices);
    }
    if (session.options.verbose && job.replayed) {
        job.program.on_line = [&session](const std::string& line) {
            session.err << printable(line) << "\n";
        };
    }
    return job;
}

RunReport run_job(const Session& session, const std::string& file, std::int64_t lease_time) {
    ProgramJob job = load_job(session, file, lease_time);
    try {
        if (job.program.stepped) {
            validate_stepped(session, job);
        } else {
            validate_black_box(session, job);
        }
    } catch (const Misbehaved& error) {
        // Not a verdict on the lock: the command, or the scenario, is not what was meant.
        const std::string said = last_line(error.last_words());
        throw BadInput({job.command, "",
                        std::string(name_of(error.kind())) + ": " + error.what() +
                            (said.empty() ? "" : "; it said " + said)});
    }
    return std::move(job.report);
}

}  // namespace

void note_what_happened(ProgramJob& job, const PassedOverCounts& passed_over,
                        std::uint32_t events) {
    RunReport& report = job.report;
    for (const auto& [why, operations] : passed_over) {
        report.passed_over.push_back({operations, why});
    }
    for (const Property* goal : job.reach) {
        const bool is_reached = (events & goal->triggers) != 0;
        (is_reached ? report.goals_reached : report.goals_missed).push_back(goal);
    }
}

std::string passed_over_text(const RunReport& report) {
    std::string out;
    for (const PassedOver& passed : report.passed_over) {
        out += counted(passed.operations, "operation") + " passed over: " + passed.why + "\n";
    }
    return out;
}

std::string last_line(const std::string& text) {
    const std::size_t end = text.find_last_not_of(" \n\r\t");
    if (end == std::string::npos) {
        return "";
    }
    const std::size_t before = text.rfind('\n', end);
    return quoted_piece(
        std::string_view(text).substr(before == std::string::npos ? 0 : before + 1,
                                      end - (before == std::string::npos ? 0 : before + 1) + 1),
        200);
}

std::string last_words_text(const std::string& text) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        out += "    " + printable(text.substr(at, end - at)) + "\n";
        at = end + 1;
    }
    return out.empty() ? "" : "its last lines on stderr:\n" + out;
}

int validate_program(const Session& session) {
    const ValidateFlags& flags = session.options.validate;
    const ChosenBuiltIns chosen = choose_built_ins(session);
    std::vector<std::string> named;
    std::vector<InputFile> files = chosen.files;
    for (const std::string& name : session.options.files) {
        if (built_in_named(name) == nullptr) {
            named.push_back(name);
        }
    }
    const auto found = find_files(named, FileKind::kScenarios);
    files.insert(files.end(), found.begin(), found.end());
    if (flags.replay_choices && files.size() != 1) {
        throw UsageError("--replay-choices: goes with one scenario");
    }
    return run_files(session, ResultsKind::kRuns, files, [&](const std::string& file) {
        return run_job(session, file, chosen.lease_time);
    });
}

}  // namespace lockkeeper
