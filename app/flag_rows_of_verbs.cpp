// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "app/flags.hpp"
#include "validate/programs/black_box.hpp"
#include "validate/programs/program.hpp"
#include "work/program_job.hpp"
#include "work/results/told.hpp"
#include "work/results/words.hpp"

namespace lockkeeper {
namespace {

constexpr const char* kFrontiers[] = {"queue", "stack"};
constexpr const char* kStorages[] = {"exact", "fingerprints"};
constexpr const char* kCountings[] = {"auto", "on", "off"};
constexpr const char* kOnDivergences[] = {"stop", "continue", "nearest"};
constexpr const char* kPromises[] = {"strict", "any"};
constexpr const char* kLevels[] = {"stepped", "black-box"};
constexpr const char* kModels[] = {"c11", "sc"};
constexpr const char* kThreadStrategies[] = {"all",   "random", "pct:2", "pct:3",
                                             "pct:4", "pct:5",  "pct:6"};
constexpr const char* kServers[] = {"postgresql", "mariadb", "erlang"};

template <class Word>
std::string word(Words words, Word value) {
    return words[static_cast<std::size_t>(value)];
}

// Code that is none of ours is judged, measured, or walked by hand.
constexpr unsigned kOutside = kForValidate | kForMeasure | kForServe;

}  // namespace

// docs/reference/history_format.md explains them.
std::vector<Flag> flags_of_histories() {
    constexpr auto kOf = &Options::validate;
    return {
        Flag("--history", kForValidate, takes::file(kOf, &ValidateFlags::history),
             "A recorded history: JSON Lines, or EDN; - is stdin"),
        Flag("--model", kForValidate,
             takes::text("NAME", "a model", Suggests::kModels, kOf, &ValidateFlags::model),
             "What the history is judged by"),
        Flag("--sort-by-time", kForValidate,
             takes::on_or_off(kOf, &ValidateFlags::order, &OrderChoice::sorts_by_time),
             "--history: records are in no order but that of their times, as in logs put together"),
        Flag("--clock-tolerance", kForValidate, takes::clock_tolerance(),
             "--history: by how much times may fall from record to record (5ms, the default where "
             "their unit is known, or a number in that unit; else a thousandth of the history)"),
        Flag("--time-unit", kForValidate, takes::time_unit(),
             "--history: the unit of its times and of every ttl: ns (default of EDN), us, ms, s"),
    };
}

// docs/decisions/methods/threads.md explains them.
std::vector<Flag> flags_of_threads() {
    constexpr auto kOf = &Options::threads;
    using threads::Asked;
    const Asked usual;
    const auto flag = [](const char* name, FlagValue value, const char* help,
                         const std::string& by_default = "") {
        Flag row(name, kForThreads, std::move(value), help);
        return by_default.empty() ? row : row.by_default(kForThreads, by_default);
    };
    return {
        flag("--model", takes::one_of(kModels, "MODEL", kOf, &Asked::model),
             "What atomic accesses may do: c11 (as their memory orders say) or sc", usual.model),
        flag("--max-executions", takes::limit(kOf, &Asked::executions_max),
             "Ends after so many executions", with_commas(usual.executions_max)),
        flag("--strategy", takes::one_of(kThreadStrategies, "NAME", kOf, &Asked::strategy),
             "Every execution (all), or schedules: by chance, or by priorities with D changes",
             usual.strategy),
        flag("--schedules", takes::limit(kOf, &Asked::schedules_max),
             "--strategy random and pct: how many", with_commas(usual.schedules_max)),
        flag("--seed", takes::count(kOf, &Asked::seed),
             "--strategy random and pct: the seed of all random choices",
             fmt::to_string(usual.seed)),
        flag("--spurious", takes::count<std::uint16_t>(kOf, &Asked::spurious_max),
             "Wake-ups of each thread that nobody sent", fmt::to_string(usual.spurious_max)),
        flag(
            "--time-outs", takes::count<std::uint16_t>(kOf, &Asked::timeouts_max),
            "Waits of each thread that end in time, and looks at a clock between which much passes",
            fmt::to_string(usual.timeouts_max)),
        flag("--failing-allocations",
             takes::count<std::uint16_t>(kOf, &Asked::allocation_failures_max),
             "Allocations of each thread but main that find no memory",
             fmt::to_string(usual.allocation_failures_max)),
        flag("--weak-failures", takes::count<std::uint16_t>(kOf, &Asked::weak_failures_max),
             "Weak compare-exchanges of each thread that fail for nothing",
             fmt::to_string(usual.weak_failures_max)),
        flag("--leaks", takes::on_or_off(kOf, &Asked::finds_leaks),
             "Memory that nobody can reach at the end of an execution is a violation"),
        flag("--seq-cst-headers", takes::on_or_off(kOf, &Asked::trusts_headers),
             "Atomic accesses in the C++ library's headers count as seq_cst"),
        flag(
            "--replay",
            takes::text("LINE", "a run (threads1:...)", Suggests::kItsWords, kOf, &Asked::replayed),
            "This run alone, as a violation printed it; a debugger may stand before the program"),
        flag("--flags", takes::on_or_off(kOf, &Asked::tells_flags),
             "Prints what a program is compiled and linked with"),
    };
}

// docs/decisions/methods/explain.md explains them.
std::vector<Flag> flags_of_explaining() {
    constexpr auto kOf = &Options::explain;
    return {
        Flag("--log", kForExplain,
             takes::each_text("FILE[=READER]", "a log file", kOf, &logs::Asked::logs),
             "A log; readers: plain, json, logfmt, klog, redis, csvlog, leases, spans, history "
             "(default: by the first line); - is stdin",
             Given::kOften),
        Flag("--model", kForExplain,
             takes::text("NAME", "a model", Suggests::kModels, kOf, &logs::Asked::model),
             "What the lock has promised: mutex, semaphore:3, lease:ttl=15s; or a system: "
             "lease_db:ttl=15s, canal/faithful:max_per=3"),
        Flag("--map", kForExplain, takes::file(kOf, &logs::Asked::mapping),
             "Says which field of a line is what, and what its words mean (JSON)"),
        Flag("--clock-error", kForExplain,
             takes::each_text("[SOURCE=]TIME", "a time (5ms), or SOURCE=TIME", kOf,
                              &logs::Asked::clock_errors),
             "By how much the clock of every source, or of one, may be wrong", Given::kOften),
        Flag("--lost", kForExplain, takes::count<std::uint32_t>(kOf, &logs::Asked::lost_max),
             "So many lines may be missing (default: none, and up to three leave it undecided)"),
        Flag("--around", kForExplain,
             takes::text("TIME", "a time as the logs write it", Suggests::kItsWords, kOf,
                         &logs::Asked::around),
             "Lines within a minute of this time, of long logs"),
        Flag("--save", kForExplain, takes::file(kOf, &logs::Asked::save),
             "Writes the run as a scenario of the lock's own steps, which `run` replays"),
        Flag("--program", kForExplain,
             takes::text("COMMAND", "a command", Suggests::kItsWords, kOf, &logs::Asked::program),
             "The lock itself, a program that speaks the protocol: has it such a run?"),
        Flag("--variant", kForExplain,
             takes::text("NAME", "a variant, or SYSTEM/VARIANT", Suggests::kItsWords, kOf,
                         &logs::Asked::variant),
             "Asks another lock whether the same can happen there: repaired"),
    };
}

// examples/clinic/README.md explains them.
std::vector<Flag> flags_of_clinic() {
    constexpr auto kOf = &Options::clinic;
    return {
        Flag("--folder", kForClinic, takes::directory(kOf, &ClinicFlags::folder),
             "Libraries of one's own: a folder each, with expectation.json"),
        Flag("--cache", kForClinic, takes::directory(kOf, &ClinicFlags::cache),
             "Where npm's packages go (default: build/clinic, or ~/.cache/lockkeeper/clinic)"),
        Flag("--accept", kForClinic, takes::on_or_off(kOf, &ClinicFlags::accepts),
             "Writes what came out into the expectation, for a new library"),
    };
}

// docs/reference/protocol.md explains them.
std::vector<Flag> flags_of_programs() {
    constexpr auto kOf = &Options::validate;
    return {
        Flag("--program", kOutside,
             takes::text("COMMAND", "a command", Suggests::kItsWords, kOf, &ValidateFlags::program),
             "A program that speaks the protocol (docs/reference/protocol.md)"),
        Flag("--tasks", kOutside,
             takes::text("COMMAND", "a command", Suggests::kItsWords, kOf, &ValidateFlags::tasks),
             "A driver whose callers are tasks of one event loop (lockkeeper_tasks.py, .js)"),
        Flag("--promises", kOutside,
             takes::one_of(kPromises, "WHICH", kOf, &ValidateFlags::promises),
             "--tasks: strict (callbacks run first in, first out) or any order")
            .by_default(kOutside, ValidateFlags().promises),
        Flag("--level", kForValidate, takes::one_of(kLevels, "LEVEL", kOf, &ValidateFlags::level),
             "--program: stepped (each access asks) or black-box")
            .by_default(kForValidate, ValidateFlags().level),
        Flag("--search", kForValidate,
             takes::one_of(kOutsideMethods, "METHOD", kOf, &ValidateFlags::search),
             "--program: explore, random or both")
            .by_default(kForValidate, name_of(ValidateFlags().search)),
        Flag("--preemptions", kForValidate,
             takes::count<std::uint32_t>(kOf, &ValidateFlags::preemptions_max),
             "--program: operations are interrupted at most so often (default: any number)"),
        Flag("--answer-time", kOutside,
             takes::duration_of_a_day(kOf, &ValidateFlags::answer_seconds),
             "--program: how long one line may take")
            .by_default(kOutside, duration_text(ProgramOptions().answer_seconds)),
        Flag("--process-per-caller", kForValidate,
             takes::on_or_off(kOf, &ValidateFlags::process_per_caller),
             "--program, black box: each caller has a process, and dies alone"),
        Flag("--recovery-time", kForValidate,
             takes::duration_of_a_day(kOf, &ValidateFlags::recovery_seconds),
             "--program, black box: when a fresh caller has to get what nobody holds")
            .by_default(kForValidate, duration_text(BlackBoxOptions().recovery_seconds)),
        Flag("--replay-choices", kForValidate,
             takes::text("LINE", "a schedule (lk1:...)", Suggests::kItsWords, kOf,
                         &ValidateFlags::replay_choices),
             "--program: this one run, step by step (lk1:...)"),
        Flag("--server", kForValidate, takes::one_of(kServers, "NAME", kOf, &ValidateFlags::server),
             "postgresql, mariadb or erlang: a private server, or node"),
        Flag("--against", kForValidate,
             takes::text("SYSTEM/VARIANT", "a system", Suggests::kSystems, kOf,
                         &ValidateFlags::against),
             "The reference to compare with"),
    };
}

// docs/howto/test_unmodified_clients.md explains them.
std::vector<Flag> flags_of_wire() {
    constexpr auto kOf = &Options::validate;
    std::vector<Flag> flags{
        Flag("--wire", kOutside,
             takes::one_of(wire::kServerKinds, "SERVER", kOf, &ValidateFlags::wire),
             "redis, postgresql, mariadb, tcp or files: unmodified clients of a private server, or "
             "of a folder, all messages or calls held"),
        Flag("--client", kOutside,
             takes::text("COMMAND", "a command", Suggests::kItsWords, kOf, &ValidateFlags::client),
             "--wire: starts the driver of one caller"),
        Flag("--server-command", kOutside,
             takes::text("COMMAND", "a command", Suggests::kItsWords, kOf,
                         &ValidateFlags::outside_command),
             "--wire tcp: starts the server at 127.0.0.1:{port}, in {dir}; --wire postgresql: a "
             "pooler "
             "before it"),
        Flag("--framing", kOutside,
             takes::one_of(wire::kFramings, "HOW", kOf, &ValidateFlags::framing),
             "--wire tcp: a message is a line, has its length before it, or is HTTP/1.1, "
             "ZooKeeper's or NATS's"),
        Flag("--callers", kForValidate, takes::limit(kOf, &ValidateFlags::callers),
             "--wire without a FILE: so many callers, at most " +
                 std::to_string(wire::kWireCallersMax))
            .by_default(kForValidate, std::to_string(ValidateFlags().callers)),
        Flag("--script", kForValidate,
             takes::text("WORDS", "operations (acquire,renew,release)", Suggests::kItsWords, kOf,
                         &ValidateFlags::script),
             "--wire without a FILE: what each of them does")
            .by_default(kForValidate, ValidateFlags().script),
        Flag("--processes", kOutside,
             takes::one_of(wire::kFreshnesses, "HOW", kOf, &ValidateFlags::freshness),
             "--wire: kept from run to run where the driver resets, forked, or started for each")
            .by_default(kOutside, word(wire::kFreshnesses, ValidateFlags().freshness))};
    for (const wire::FaultRow& row : wire::kFaultRows) {
        flags.emplace_back(wire::flag_of(row.name), kOutside,
                           takes::count<std::uint32_t>(kOf, &ValidateFlags::scope, row.flag),
                           "--wire: " + std::string(row.help));
    }
    return flags;
}

std::vector<Flag> flags_of_measuring() {
    constexpr auto kOf = &Options::measure;
    const MeasureFlags measure;
    return {
        Flag("--law", kForMeasure, takes::law(),
             "How probable each action is: uniform, weights:CLASS=W,... or rates:CLASS=R,..."),
        Flag("--method", kForMeasure,
             takes::one_of(kMeasureMethods, "METHOD", kOf, &MeasureFlags::method),
             "auto (exact where the graph is small, checked by sampling), exact, sampled, "
             "splitting")
            .by_default(kForMeasure, name_of(measure.method)),
        Flag("--confidence", kForMeasure, takes::confidence(),
             "Of each interval of a sampled figure")
            .by_default(kForMeasure, fmt::format("{:g}", measure.confidence)),
        Flag("--relative-width", kForMeasure,
             takes::share("SHARE", kOf, &MeasureFlags::relative_width),
             "Sampling ends when each interval is as narrow, compared with its figure"),
        Flag("--below", kForMeasure, takes::share("RATE", kOf, &MeasureFlags::below),
             "Samples until it is known whether each rate is below this (exit code 1: it is not)"),
        Flag("--runs", kForMeasure, takes::limit(kOf, &MeasureFlags::runs_max),
             "Sampling ends after so many runs")
            .by_default(kForMeasure, with_commas(measure.runs_max) + "; " +
                                         with_commas(kOutsideRuns) + " of --program and --wire"),
        Flag("--bounds", kForMeasure, takes::on_or_off(kOf, &MeasureFlags::bounds),
             "Also the least and the largest probability over all schedulers (exact)"),
        Flag("--ages", kForMeasure, takes::on_or_off(kOf, &MeasureFlags::ages),
             "Also who is served where several ask for one key: the longest wait, or the newest"),
        Flag("--keep-loss-under", kForMeasure,
             takes::share("SHARE", kOf, &MeasureFlags::keep_loss_under),
             "Forecast: the restart interval that keeps the lost capacity under this share")
            .by_default(kForMeasure, fmt::format("{:g}%", measure.keep_loss_under * 100)),
        Flag("--sweep", kForMeasure, takes::swept_parameter(),
             "Measures with each value of a parameter, 0..15 or 1,2,5; at most two parameters",
             Given::kOften),
        Flag("--compare", kForMeasure, takes::compared_variants(),
             "Measures these variants, or SYSTEM/VARIANT, side by side instead of the scenario's"),
        Flag("--prism", kForMeasure, takes::directory(kOf, &MeasureFlags::prism_directory),
             "Writes the chain in PRISM's explicit format: .sta, .tra, .lab"),
        Flag("--svg", kForMeasure, takes::file(kOf, &MeasureFlags::svg_file),
             "Draws the rates with their intervals"),
    };
}

std::vector<Flag> flags_of_sweeps() {
    constexpr auto kOf = &Options::sweep;
    return {
        Flag("--long", kForSweep, takes::on_or_off(kOf, &SweepFlags::is_long),
             "Also the points that the file calls long"),
        Flag("--hours", kForSweep, takes::on_or_off(kOf, &SweepFlags::is_hours),
             "Only the points that the file says take hours"),
        Flag("--where", kForSweep, takes::axis_and_choice(),
             "Only the points with this choice; of several axes all, of one axis any",
             Given::kOften),
        Flag("--check", kForSweep,
             takes::text("TABLE", "a file name", Suggests::kFiles, kOf, &SweepFlags::check),
             "Compares with this table (exit code 1: it differs)"),
        Flag("--check-up-to", kForSweep, takes::count<std::uint64_t>(kOf, &SweepFlags::check_up_to),
             "With --check: only its rows with at most so many states"),
        Flag("--table", kForSweep, takes::file(kOf, &SweepFlags::table_file),
             "Writes the table as JSON"),
    };
}

std::vector<Flag> flags_of_exploring() {
    const ExploreOptions explore;
    return {
        Flag("--keep-going", kForExplore | kForFuzz, takes::on_or_off(&Options::keep_going),
             "Goes on after a violation; finds the first of each property (explore, breadth first: "
             "and cause)",
             Given::kOrByVariable),
        Flag("--frontier", kForExplore, takes::one_of(kFrontiers, "ORDER", &Options::frontier),
             "queue (breadth first, shortest traces) or stack (depth first)", Given::kOrByVariable)
            .by_default(kForExplore, word(kFrontiers, explore.frontier)),
        Flag("--storage", kForExplore, takes::one_of(kStorages, "KIND", &Options::storage),
             "exact or fingerprints (64 bits a state, with the risk of an omission)",
             Given::kOrByVariable)
            .by_default(kForExplore, word(kStorages, explore.storage)),
        Flag("--interleavings", kForExplore, takes::one_of(kCountings, "WHEN", &Options::counting),
             "Counts maximal interleavings: auto (where there are few states), on, off",
             Given::kOrByVariable)
            .by_default(kForExplore, word(kCountings, explore.counting)),
        Flag("--no-symmetry", kForExplore, takes::on_or_off(&Options::no_symmetry),
             "Tells interchangeable callers apart", Given::kOrByVariable),
        Flag("--no-sleep-sets", kForExplore | kForValidate,
             takes::on_or_off(&Options::no_sleep_sets),
             "Looks up successors that independent steps lead to twice (validate: --wire)",
             Given::kOrByVariable),
        Flag("--reduction", kForExplore,
             takes::one_of(kAskedReductionWords, "KIND", &Options::reduction),
             "What the search leaves out: auto (what is sound), none, symmetry, private-steps, "
             "faults-left, relative-time, faults-left+relative-time",
             Given::kOrByVariable)
            .by_default(kForExplore, word(kAskedReductionWords, Scenario().reduction)),
        Flag("--checkpoint", kForExplore, takes::file(&Options::checkpoint),
             "Writes what is known to FILE now and then, and when a limit or Ctrl-C comes"),
        Flag("--checkpoint-every", kForExplore, takes::duration(&Options::checkpoint_every),
             "How often --checkpoint writes while it searches", Given::kOrByVariable)
            .by_default(kForExplore, duration_text(explore.checkpoint.every)),
        Flag("--resume", kForExplore, takes::file(&Options::resume),
             "Goes on from a file that --checkpoint wrote, with the same scenario and options"),
        Flag("--disk", kForExplore, takes::directory(&Options::disk),
             "Goes on with states in DIR when memory ends. DIR/checkpoint is for --resume"),
    };
}

std::vector<Flag> flags_of_runs() {
    return {
        Flag("--check-determinism", kForFuzz, takes::on_or_off(&Options::check_determinism),
             "Runs every schedule twice and compares", Given::kOrByVariable),
        Flag("--schedule", kForReplay,
             takes::text("LINE", "a schedule (lk1:...)", Suggests::kItsWords, &Options::schedule),
             "Replays this schedule (lk1:...) instead of the file's"),
        Flag("--cycle-from", kForReplay, takes::limit_of("STEP", &Options::cycle_from),
             "The schedule is a cycle from this step on (livelock)"),
        Flag("--history", kForReplay, takes::file(&Options::history_out),
             "Writes the calls and returns of the run there, for `validate --history`"),
        Flag("--on-divergence", kForReplay,
             takes::one_of(kOnDivergences, "WHAT", &Options::on_divergence),
             "When a step is not possible or does something else: stop, continue, nearest")
            .by_default(kForReplay, word(kOnDivergences, Options().on_divergence)),
        Flag("--certificate", kForProve | kForExplore, takes::file(&Options::certificate),
             "Writes why nothing is violated, for `check-certificate`"),
        Flag("--scenario-out", kForProve, takes::file(&Options::scenario_out),
             "Writes the scenario with the least number of callers that violates something"),
        Flag("--port", kForServe | kForPlayground,
             takes::parsed("N", "a whole number from 0 to 65535",
                           takes::parse_fitting<std::uint16_t>, &Options::port),
             "The port of 127.0.0.1 that it listens on (default: any that is free)"),
    };
}

}  // namespace lockkeeper
