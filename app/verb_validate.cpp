// SPDX-License-Identifier: Apache-2.0

// The ways in of `validate`, and which of them it is.
#include <cmath>

#include "app/verbs.hpp"
#include "model/check.hpp"
#include "scenarios/bad_input.hpp"
#include "scenarios/registry/vary.hpp"
#include "validate/erlang/conformance.hpp"
#include "work/failure.hpp"
#include "work/jobs.hpp"
#include "work/program_job.hpp"

namespace lockkeeper {
namespace {

enum Way : std::uint32_t {
    kHistory = 1U << 0,
    kServer = 1U << 1,
    kAgainst = 1U << 2,
    kStepped = 1U << 3,  // a program alone, by its level
    kBlackBox = 1U << 4,
    kProgramAgainst = 1U << 5,
    kWire = 1U << 6,
    kTasks = 1U << 7,
};

Way way_of(const ValidateFlags& flags) {
    return flags.tasks                      ? kTasks
           : flags.program && flags.against ? kProgramAgainst
           : flags.history                  ? kHistory
           : flags.wire                     ? kWire
           : flags.server                   ? kServer
           : flags.against                  ? kAgainst
           : flags.level == "stepped"       ? kStepped
                                            : kBlackBox;
}

// A flag that would be passed over is refused.
void refuse_flags_of_other_ways(const Options& options) {
    struct Row {
        std::vector<const char*> flags;
        std::uint32_t goes_with;
        const char* where;
    };
    const Row rows[] = {
        {{"--model"}, kHistory | kBlackBox, "--history and --level black-box"},
        {{"--sort-by-time", "--clock-tolerance", "--time-unit"}, kHistory, "--history"},
        {{"--level"}, kStepped | kBlackBox, "--program without --against"},
        {{"--search", "--preemptions", "--replay-choices"},
         kStepped | kWire | kTasks,
         "--program at the stepped level, --tasks and --wire"},
        {{"--answer-time"},
         kStepped | kBlackBox | kProgramAgainst | kWire | kTasks,
         "--program, --tasks and --wire"},
        {{"--promises"}, kTasks, "--tasks"},
        {{"--client", "--server-command", "--framing", "--callers", "--script", "--crashes",
          "--restarts", "--drops", "--expiries", "--failovers", "--server-restarts", "--late",
          "--jumps", "--wakes", "--processes", "--server-crashes", "--cuts", "--server-jumps",
          "--no-sleep-sets"},
         kWire,
         "--wire"},
        {{"--process-per-caller", "--recovery-time"}, kBlackBox, "--program --level black-box"},
    };
    for (const Row& row : rows) {
        for (const char* flag : row.flags) {
            if (is_given(options, flag) && (row.goes_with & way_of(options.validate)) == 0) {
                throw UsageError(std::string("validate: ") + flag + " goes with " + row.where +
                                 ", and does not go with what is asked here");
            }
        }
    }
}

// Recorded histories.
int validate_history(const Session& session) {
    const ValidateFlags& flags = session.options.validate;
    if (!flags.model) {
        throw UsageError("validate: --history needs --model (see `lockkeeper list`)");
    }
    const ModelChoice model = model_named(*flags.model);
    if (!session.options.files.empty()) {
        throw UsageError("validate: --history takes no scenario files");
    }
    return run_files(
        session, ResultsKind::kHistories, {{*flags.history, ""}},
        [&](const std::string& file) { return judge_history_file(session, file, model); });
}

// A child that speaks docs/reference/protocol.md, step by step or as recorded runs.
int validate_program(const Session& session) {
    const Options& options = session.options;
    const ChosenBuiltIns chosen = built_ins_for(session);
    for (const std::string& why : chosen.left_out) {
        session.complain(why);
    }
    const std::vector<InputFile> files =
        files_with(chosen.names, options.files,
                   file_of_command(options.validate.tasks ? *options.validate.tasks
                                                          : *options.validate.program));
    if (options.validate.replay_choices && files.size() != 1) {
        throw UsageError("--replay-choices: goes with one scenario");
    }
    return run_files(session, ResultsKind::kRuns, files, [&](const std::string& file) {
        return validate_outside(session, file, chosen.lease_time);
    });
}

// Unmodified clients of a real server.
int validate_wire(const Session& session) {
    const Options& options = session.options;
    const bool is_built_in = options.files.empty();
    static_cast<void>(names_outside_code(options));
    if (!is_built_in && (is_given(options, "--callers") || is_given(options, "--script"))) {
        throw UsageError("validate: --callers and --script make a scenario where no FILE is given");
    }
    if (options.validate.replay_choices && options.files.size() > 1) {
        throw UsageError("--replay-choices: goes with one scenario");
    }
    const std::vector<InputFile> files =
        is_built_in ? std::vector<InputFile>{{wire::kBuiltInWire, "",
                                              file_of_command(*options.validate.client)}}
                    : find_files(options.files, FileKind::kScenarios);
    return run_files(session, ResultsKind::kRuns, files,
                     [&](const std::string& file) { return validate_outside(session, file); });
}

// Model and private server, driven by the same schedules (validate/servers/compared_server.hpp).
int validate_server(const Session& session) {
    Results results;
    results.kind = ResultsKind::kServerComparisons;
    results.beside = *session.options.validate.server;
    const std::vector<InputFile> files =
        session.options.files.empty() ? erlang::shipped_scenarios(session.registry, results.beside)
                                      : find_files(session.options.files, FileKind::kScenarios);
    constexpr double kStartsWithin = 60;
    auto started = erlang::start_server(
        results.beside, static_cast<int>(std::ceil(session.deadline.left(kStartsWithin))));
    if (const auto* none = std::get_if<databases::NoServer>(&started)) {
        session.complain(none->reason);
        results.exit_code = interrupt_requested()        ? kExitInterrupted
                            : session.deadline.is_past() ? kExitInconclusive
                                                         : kExitInternal;
        session.writer->end(results);
        return results.exit_code;
    }
    databases::ComparedServer& server =
        *std::get<std::unique_ptr<databases::ComparedServer>>(started);
    results.beside_version = server.version();
    results.beside_kind = server.kind();
    return run_files(session, std::move(results), files, [&](const std::string& file) {
        return compare_to_server(session, file, server);
    });
}

// The scenario's system, or a program, beside a reference (validate/compare/).
int validate_against(const Session& session) {
    const RegisteredSystem& reference =
        system_named(session.registry, "--against", *session.options.validate.against);
    if (session.options.files.empty()) {
        throw UsageError("validate: --against needs scenario files");
    }
    Results results;
    results.kind = ResultsKind::kReferenceComparisons;
    results.beside = reference.system + "/" + reference.variant;
    return run_files(
        session, std::move(results), find_files(session.options.files, FileKind::kScenarios),
        [&](const std::string& file) { return compare_to_reference(session, file, reference); });
}

}  // namespace

int verb_validate(const Session& session) {
    const ValidateFlags& flags = session.options.validate;  // a program may be compared
    const int ways = (flags.history ? 1 : 0) + (flags.server ? 1 : 0) + (flags.wire ? 1 : 0) +
                     (flags.tasks ? 1 : 0) + (flags.program || flags.against ? 1 : 0);
    if (ways > 1) {
        throw UsageError(
            "validate: --history, --server, --program, --tasks, --wire and --against are different "
            "ways; "
            "only --program and --against go together");
    }
    if (ways == 0) {
        throw UsageError(
            "validate: --history, --program, --tasks, --server, --wire or --against is "
            "needed");
    }
    refuse_flags_of_other_ways(session.options);
    switch (way_of(flags)) {
        case kHistory: return validate_history(session);
        case kServer: return validate_server(session);
        case kStepped:
        case kBlackBox:
        case kTasks: return validate_program(session);
        case kWire: return validate_wire(session);
        case kAgainst:
        case kProgramAgainst: return validate_against(session);
    }
    unreachable("a way in");
}

}  // namespace lockkeeper
