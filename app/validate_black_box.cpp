// `validate --program ... --level black-box`: runs, the judgement of their histories, the report.
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "app/built_in_scenarios.hpp"
#include "app/execute.hpp"
#include "app/exit_code.hpp"
#include "app/validate_program.hpp"
#include "reports/progress.hpp"
#include "reports/run_text.hpp"
#include "reports/words.hpp"
#include "validate/programs/black_box.hpp"
#include "validate/programs/properties_of_time.hpp"

namespace lockkeeper {
namespace {

// What the scenario itself says: a lease where there is a ttl, else by the capacity of the
// acquires.
std::string default_model(const ProgramJob& job) {
    const auto ttl = job.world.parameters.find("ttl");
    if (ttl != job.world.parameters.end()) {
        if (ttl->second * kNanosecondsPerMillisecond <= kUntilError) {
            refuse(job.scenario, "/parameters/ttl",
                   fmt::format("at the black-box level a ttl is so many milliseconds of a real "
                               "clock that is {} ms uncertain: give more, such as --set ttl=100",
                               kUntilError / kNanosecondsPerMillisecond));
        }
        return fmt::format("lease:ttl={},error={}", ttl->second * kNanosecondsPerMillisecond,
                           kUntilError);
    }
    std::optional<std::uint32_t> capacity;
    for (const CallerConfig& caller : job.world.world.callers) {
        for (const Operation& operation : caller.script) {
            if (operation.verb != Verb::kAcquire) {
                continue;
            }
            if (operation.follows_resizes || (capacity && *capacity != operation.capacity())) {
                return "resizable-semaphore";
            }
            capacity = operation.capacity();
        }
    }
    return capacity.value_or(1) == 1 ? "mutex" : "semaphore:" + std::to_string(*capacity);
}

ModelChoice model_of(const std::string& name) {
    const auto parsed = parse_model(name);
    if (const auto* error = std::get_if<ModelError>(&parsed)) {
        throw UsageError("--model: " + error->message);
    }
    return std::get<ModelChoice>(parsed);
}

std::string describe_record(const Record& record) {
    return record.process + " " + record.f + (record.key.empty() ? "" : " " + record.key) + " " +
           std::string(name_of(record.type)) +
           (record.error.empty() ? "" : " (" + printable(record.error) + ")");
}

constexpr std::size_t kShownRecords = 20;

// The records up to the last one that shows it, those that show it marked. Of what is far before
// the end only these.
std::string records_text(const RecordedHistory& history, const std::vector<std::size_t>& marked) {
    const std::size_t end = std::min(marked.back() + 1, history.records.size());
    std::string out;
    bool skipped = false;
    for (std::size_t i = 0; i < end; ++i) {
        const bool is_it = std::find(marked.begin(), marked.end(), i) != marked.end();
        if (!is_it && i + kShownRecords < end) {
            out += skipped ? "" : "         ...\n";
            skipped = true;
            continue;
        }
        skipped = false;
        out += fmt::format("{} {:>5}  {}\n", is_it ? "!" : " ", i + 1,
                           describe_record(history.records[i]));
    }
    return out;
}

std::string explanation_text(const BlackBoxResult& result) {
    if (is<Violated>(result.verdict) && !result.check->explanations.empty()) {
        const Explanation& explanation = result.check->explanations.front();
        if (!explanation.invocation) {
            return "";
        }
        const std::size_t call = *explanation.invocation;
        return "the history, up to the operation that cannot be placed:\n" +
               records_text(result.history, {call, explanation.completion.value_or(call)});
    }
    if (result.finding) {
        return "the history, up to what shows it:\n" +
               records_text(result.history, result.finding->records);
    }
    return "";
}

// A lock with a time limit can break only when the limit is over.
std::string time_not_judged(const ProgramJob& job, const BlackBoxResult& result) {
    const std::string of_time = properties_of_time(job.world);
    if (!result.has_until || result.sees_lease_end || of_time.empty()) {
        return "";
    }
    std::string out = "no grant came to its end while another caller asked for the lock";
    if (result.lease_milliseconds > 0) {
        out += fmt::format(" (the longest takes {} ms",
                           with_commas(static_cast<std::uint64_t>(result.lease_milliseconds)));
        out += result.lease_milliseconds > kBlackBoxLeaseMost &&
                       built_in_named(job.report.file) != nullptr
                   ? fmt::format("; the built-in scenarios wait for leases of up to {} ms)",
                                 with_commas(static_cast<std::uint64_t>(kBlackBoxLeaseMost)))
                   : ")";
    }
    return out + "; not judged: " + of_time;
}

// Why what was seen is no reason to say "passed"; empty: it is.
std::string what_was_not_judged(const ProgramJob& job, const BlackBoxResult& result) {
    if (!result.limit.empty()) {
        return "ended by limit: " + result.limit;
    }
    if (std::string missing = result.answers.what_is_missing(); !missing.empty()) {
        return missing;
    }
    if (is<Inconclusive>(result.verdict)) {
        return "a history could not be judged: " + result.check->limit;
    }
    if (!result.judged_by_model && !result.has_until) {
        return "no history could be judged: " + result.check->limit;
    }
    if (std::string contention =
            contention_not_judged(result.met_all_taken, result.met_holder, result.answers);
        !contention.empty()) {
        return contention;
    }
    return time_not_judged(job, result);
}

Verdict verdict_of(const ProgramJob& job, const BlackBoxResult& result, const std::string& model) {
    if (result.misbehaviour) {
        return Violated{"misbehaved: " + std::string(name_of(*result.misbehaviour)) + ": " +
                        result.detail};
    }
    if (is<Violated>(result.verdict)) {
        std::string detail = "the history is none of " + model;
        if (!result.check->explanations.empty()) {
            const Explanation& explanation = result.check->explanations.front();
            detail += ": key " + printable(explanation.key) + ": " + printable(explanation.reason);
        }
        return Violated{detail};
    }
    if (result.finding) {
        return Violated{result.finding->name + ": " + printable(result.finding->reason)};
    }
    const std::string doubt = what_was_not_judged(job, result);
    return doubt.empty() ? Verdict(Passed{}) : Inconclusive{"", doubt};
}

void write_history_file(const Session& session, const ProgramJob& job, const BlackBoxResult& result,
                        RunReport& report) {
    if (!session.options.out_directory) {
        return;
    }
    const std::string stem = std::filesystem::path(job.report.file).stem().string();
    std::string path = *session.options.out_directory + "/" + stem + "-" +
                       std::to_string(job.seed + result.schedules - 1) + ".history.jsonl";
    std::replace(path.begin() + static_cast<std::ptrdiff_t>(session.options.out_directory->size()),
                 path.end(), ':', '-');
    report.has_failed_output |= !write_or_complain(session, [&] {
        OutputClaim(path, output_rule(session, kHistoryMark))
            .write(marked_history(write_history(result.history)));
        report.files_written.push_back(path);
    });
}

// Where nobody has chosen a model, a history whose grants say "until" is judged by that.
std::string judged_as(const std::string& model, const BlackBoxResult& result) {
    std::string judged = result.judged_by_model || !result.has_until
                             ? "judged as " + model + (result.has_until ? " and by \"until\"" : "")
                             : "judged by \"until\"";
    if (result.judged_by_tokens) {
        judged += " and by the order of tokens";
    }
    return judged;
}

void print(const Session& session, const ProgramJob& job, const BlackBoxResult& result,
           const std::string& judged) {
    const RunReport& report = job.report;
    if (!session.prints_text()) {
        return;
    }
    session.out << explanation_text(result) << goals_text(report);
    if (result.misbehaviour) {
        session.out << last_words_text(result.last_words);
    }
    session.out << fmt::format("{:<24}{}\n{:<24}{}\n{:<24}{}\n", "operations",
                               with_commas(result.operations), "answers", result.answers.to_text(),
                               "runs cut at --max-steps", with_commas(result.answers.cut_runs));
    if (result.unprobed_keys > 0) {
        session.out << fmt::format("{:<24}{}: an \"until\" is further ahead than --recovery-time\n",
                                   "leaks not judged", counted(result.unprobed_keys, "time"));
    }
    session.out << fmt::format("{:<24}{}\n{:<24}{}\n", "crashes", with_commas(result.crashes),
                               "time", seconds_text(result.seconds))
                << passed_over_text(report);
    session.out << "verdict: " << verdict_text(report)
                << "\nscope: bounded: " << counted(result.schedules, "recorded run") << ", "
                << report.short_scope << ", " << judged << "\nseed: " << job.seed << "\n";
    for (const std::string& file : report.files_written) {
        session.out << "written: " << printable(file) << "\n";
    }
    session.out << std::flush;
}

}  // namespace

void validate_black_box(const Session& session, ProgramJob& job) {
    const Options& flags = session.options;
    RunReport& report = job.report;
    const std::string model = flags.validate.model.value_or(default_model(job));
    BlackBoxOptions options;
    options.model = model_of(model);
    options.model_is_chosen = flags.validate.model.has_value();
    options.process_per_caller = flags.validate.process_per_caller;
    options.recovery_seconds = flags.validate.recovery_seconds.value_or(options.recovery_seconds);
    options.seed = job.seed;
    options.schedules_max =
        flags.schedules_max.value_or(job.limits.schedules_max.value_or(options.schedules_max));
    options.operations_max =
        flags.steps_max.value_or(job.limits.steps_max.value_or(options.operations_max));
    options.seconds_max = flags.seconds_max.value_or(job.limits.seconds_max.value_or(1e18));
    options.check.stop = interrupt_requested;
    options.check.ladder = false;
    options.check.seconds_max = std::min(options.check.seconds_max, options.seconds_max);
    report.strategy = "recorded";
    report.checked.clear();
    if (session.prints_text()) {
        session.out << head_text(report) << std::flush;
    }
    ProgressLine line(session.err, session.err_is_terminal, flags.quiet);
    options.progress = [&](const FuzzProgress& progress) { line.show(progress); };
    const BlackBoxResult result = run_black_box(job.program, job.world, options);
    line.wipe();
    if (!result.refused.empty()) {
        throw BadInput({"--model " + model, "", result.refused});
    }
    report.seconds = result.seconds;
    report.answers = result.answers;
    note_what_happened(job, result.passed_over, result.events);
    conclude(report, verdict_of(job, result, model));
    write_history_file(session, job, result, report);
    print(session, job, result, judged_as(model, result));
    report.fuzzed = FuzzResult{};
    report.fuzzed->schedules = result.schedules;
    report.fuzzed->steps = result.operations;
}

}  // namespace lockkeeper
