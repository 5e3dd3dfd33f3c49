// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "scenarios/bad_input.hpp"
#include "scheduler/base/output_file.hpp"
#include "validate/programs/built_in_scenarios.hpp"
#include "work/jobs.hpp"
#include "work/program_job.hpp"
#include "work/results/words.hpp"
#include "work/searches.hpp"
#include "work/trace_file.hpp"

namespace lockkeeper {
namespace {

ProgramOptions program_of(const Asked& options) {
    const ValidateFlags& flags = options.validate;
    ProgramOptions program;
    program.command = flags.tasks ? *flags.tasks : *flags.program;
    program.is_tasks = flags.tasks.has_value();
    program.keeps_promises = flags.promises == "strict";
    program.stepped = flags.level == "stepped";
    program.answer_seconds = flags.answer_seconds.value_or(program.answer_seconds);
    program.parameters = options.numbers;
    return program;
}

}  // namespace

void prepare_job(const Desk& desk, const std::string& command, ProgramJob& job) {
    if (!job.unseen.empty()) {
        desk.complain(
            located(job.scenario, {job.scenario.file, "/reach",
                                   "cannot be seen from outside: " + names_text(job.unseen)})
                .text());
    }
    job.replay_command = [&options = desk.asked, command](const std::string& schedule) {
        return options.program + " validate " + command + " --replay-choices " +
               shell_quoted(schedule) + set_flags_of(options);
    };
}

std::string wire_flags_again(const Asked& options) {
    std::string text = given_again(options, {"--server-command", "--framing", "--processes"});
    for (const wire::FaultRow& row : wire::kFaultRows) {
        text += given_again(options, {wire::flag_of(row.name)});
    }
    return text;
}

ProgramJob wire_job(const Desk& desk, Scenario scenario) {
    const Asked& options = desk.asked;
    const ValidateFlags& flags = options.validate;
    const wire::WirePlan plan{*flags.wire,
                              *flags.client,
                              flags.freshness,
                              flags.answer_seconds.value_or(wire::WirePlan().answer_seconds),
                              !options.no_sleep_sets,
                              wire::outside_server(flags.outside_command, flags.framing),
                              {}};
    ProgramJob job = make_wire_job(for_wire(laid_over(options, std::move(scenario)), plan,
                                            flags.scope, !options.check.empty()),
                                   options.command);
    const std::string& file = job.report.file;
    prepare_job(
        desk,
        "--wire " + std::string(name_of(*flags.wire)) + " --client " + shell_quoted(*flags.client) +
            (file == wire::kBuiltInWire ? "" : " " + shell_quoted(file)) +
            given_again(options, {"--callers", "--script", "--check"}) + wire_flags_again(options),
        job);
    return job;
}

ProgramJob program_job(const Desk& desk, Scenario scenario) {
    const Asked& options = desk.asked;
    ProgramJob job = make_program_job(for_program(laid_over(options, std::move(scenario)),
                                                  program_of(options), !options.check.empty()),
                                      options.command);
    prepare_job(desk,
                (job.program.is_tasks ? "--tasks " : "--program ") +
                    shell_quoted(job.program.command) + " " + shell_quoted(job.report.file) +
                    given_again(options, {"--check", "--promises"}),
                job);
    return job;
}

bool names_outside_code(const Asked& options) {
    const ValidateFlags& flags = options.validate;
    if (flags.tasks && (flags.program || flags.client)) {
        throw UsageError("--tasks goes alone, without --program, --wire and --client");
    }
    const bool has_program = flags.program || flags.tasks;
    if (flags.wire && !flags.client) {
        throw UsageError("--wire needs --client, which starts the driver of one caller");
    }
    if ((flags.wire && has_program) || (flags.client && !flags.wire)) {
        throw UsageError("--wire and --client go together, and not with --program");
    }
    return flags.wire || has_program;
}

ProgramJob outside_job(const Desk& desk, const std::string& file, std::int64_t lease_time) {
    const ValidateFlags& flags = desk.asked.validate;
    const auto loaded = flags.wire ? wire::load_for_wire(file, flags.callers, flags.script)
                                   : load_for_program(file, flags.level == "stepped", lease_time);
    const auto* trace = std::get_if<RecordedTrace>(&loaded);
    ProgramJob job = (flags.wire ? wire_job : program_job)(
        desk, trace != nullptr ? trace->scenario : std::get<Scenario>(loaded));
    take_replayed(job, trace, flags.replay_choices);
    return job;
}

namespace {

// A search that ends for want of memory is told from one that a person has interrupted.
void name_limit(const MemoryWatch& memory, RunReport& report) {
    auto* answer = std::get_if<SteppedAnswer>(&report.details);
    if (answer != nullptr && answer->searched) {
        answer->searched->limit = memory.named(answer->searched->limit);
    }
    if (const auto* undecided = std::get_if<Inconclusive>(&report.verdict)) {
        const std::string limit = memory.named(undecided->limit);
        report.verdict = limit == undecided->limit ? report.verdict : Inconclusive{limit};
    }
}

void validate_stepped(const Desk& desk, ProgramJob& job) {
    const Asked& flags = desk.asked;
    OutsideOptions options = stepped_options_of(job);
    options.seconds_max = desk.deadline.left(options.seconds_max);
    MemoryWatch memory(flags);
    options.stop = [&] { return memory.is_exceeded(); };
    options.method = flags.validate.search;
    options.preemptions_max = flags.validate.preemptions_max;
    job.report.strategy = job.replayed ? "replay" : name_of(options.method);
    options.corpus = corpus_of(desk, job.scenario);
    desk.head(job.report);
    run_stepped(job, options, *desk.watch());
    name_limit(memory, job.report);
    std::vector<Finding>& findings = job.report.findings;
    if (!job.replayed && !findings.empty() && flags.out_directory) {
        Finding written = without_the_look_at_the_end(findings.front());
        write_finding(desk, job.scenario, written, job.report);
        findings.front().trace_file = written.trace_file;
    }
}

void keep_history(const Desk& desk, ProgramJob& job) {
    if (const auto& directory = desk.asked.out_directory) {
        write_beside(desk, job.report,
                     [&] { write_history(job, *directory, output_rule(desk, kHistoryMark)); });
    }
}

ProgramJob load_job(const Desk& desk, const std::string& file, std::int64_t lease_time) {
    ProgramJob job = outside_job(desk, file, lease_time);
    if (desk.asked.verbose && job.replayed) {
        job.program.on_line = desk.on_line;
    }
    return job;
}

void validate_black_box(const Desk& desk, ProgramJob& job) {
    const Asked& flags = desk.asked;
    const std::string model = flags.validate.model.value_or(model_of(job));
    BlackBoxOptions options = black_box_options_of(job);
    options.seconds_max = desk.deadline.left(options.seconds_max);
    options.check.seconds_max = std::min(options.check.seconds_max, options.seconds_max);
    options.check.bytes_max = flags.bytes_max.value_or(options.check.bytes_max);
    MemoryWatch memory(flags);
    options.is_full = [&memory] { return memory.is_exceeded(); };
    options.model = model_named(model);
    options.model_is_chosen = flags.validate.model.has_value();
    options.process_per_caller = flags.validate.process_per_caller;
    options.recovery_seconds = flags.validate.recovery_seconds.value_or(options.recovery_seconds);
    job.report.strategy = "recorded";
    desk.head(job.report);
    run_recorded(job, options, model, *desk.watch());
}

}  // namespace

RunReport validate_outside(const Desk& desk, const std::string& file, std::int64_t lease_time) {
    ProgramJob job = load_job(desk, file, lease_time);
    (job.wire || job.program.stepped ? validate_stepped : validate_black_box)(desk, job);
    keep_history(desk, job);
    return std::move(job.report);
}

ChosenBuiltIns built_ins_for(const Desk& desk) {
    const Asked& asked = desk.asked;
    return choose_built_ins(
        {program_of(asked), asked.files, asked.validate.process_per_caller, desk.deadline.left()});
}

namespace {

// A lock with a time limit can break only when the limit is over.
std::string time_not_judged(const RunReport& report, const OutsideWorld& world,
                            const BlackBoxResult& result) {
    const std::string of_time = properties_of_time(world);
    if (!result.has_until || result.tally.sees_lease_end || of_time.empty()) {
        return "";
    }
    std::string out = "no grant came to its end while another caller asked for the lock";
    if (result.tally.lease_time > 0) {
        out += fmt::format(" (the longest takes {} ms",
                           with_commas(static_cast<std::uint64_t>(result.tally.lease_time)));
        out +=
            result.tally.lease_time > kBlackBoxLeaseMost && built_in_named(report.file) != nullptr
                ? fmt::format("; the built-in scenarios wait for leases of up to {} ms)",
                              with_commas(static_cast<std::uint64_t>(kBlackBoxLeaseMost)))
                : ")";
    }
    return out + "; not judged: " + of_time;
}

// Why these runs do not justify "passed"; empty: they do.
std::string what_was_not_judged(const RunReport& report, const OutsideWorld& world,
                                const BlackBoxResult& result) {
    if (!result.limit.empty()) {
        return "ended by limit: " + result.limit;
    }
    if (std::string missing = result.tally.answers.what_is_missing(); !missing.empty()) {
        return missing;
    }
    if (is<Inconclusive>(result.verdict)) {
        return "a history could not be judged: " + result.check->limit;
    }
    if (std::string missing = result.tally.never_decided(world); !missing.empty()) {
        return missing;
    }
    if (!result.judged_by_model && !result.has_until) {
        return "no history could be judged: " + result.check->limit;
    }
    if (std::string contention = result.tally.contention_not_judged(); !contention.empty()) {
        return contention;
    }
    return time_not_judged(report, world, result);
}

}  // namespace

Verdict black_box_verdict(const RunReport& report, const OutsideWorld& world,
                          const BlackBoxResult& result, const std::string& model) {
    if (result.misbehaviour) {
        return Violated{"misbehaved: " + std::string(name_of(*result.misbehaviour)) + ": " +
                        result.detail};
    }
    if (result.finding) {
        return Violated{result.finding->name + ": " + printable(result.finding->reason)};
    }
    if (is<Violated>(result.verdict)) {
        std::string detail = "the history is none of " + model;
        if (!result.check->explanations.empty()) {
            const Explanation& explanation = result.check->explanations.front();
            detail += ": key " + printable(explanation.key) + ": " + printable(explanation.reason);
        }
        return Violated{detail};
    }
    const std::string doubt = what_was_not_judged(report, world, result);
    return doubt.empty() ? Verdict(Passed{}) : Inconclusive{"", doubt};
}

}  // namespace lockkeeper
