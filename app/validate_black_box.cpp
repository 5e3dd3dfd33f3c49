// `validate --program ... --level black-box`: runs, the judgement of their histories, the report.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "app/exit_code.hpp"
#include "app/validate_program.hpp"
#include "outside/black_box.hpp"
#include "reports/progress.hpp"
#include "reports/run_text.hpp"
#include "reports/words.hpp"

namespace lockkeeper {
namespace {

constexpr double kNanosecondsPerMillisecond = 1e6;
// Program and recorder read one clock, the program in whole milliseconds.
constexpr std::int64_t kClockError = 2'000'000;

// What the scenario itself says: a lease where there is a ttl, else by the capacity of the
// acquires.
std::string default_model(const ProgramJob& job) {
    const auto ttl = job.world.parameters.find("ttl");
    if (ttl != job.world.parameters.end()) {
        if (ttl->second * kNanosecondsPerMillisecond <= kClockError) {
            throw BadInput({job.report.file, "/parameters/ttl",
                            fmt::format("at the black-box level a ttl is so many milliseconds of a "
                                        "real clock that is {:g} ms uncertain: give more, such as "
                                        "--set ttl=100",
                                        kClockError / kNanosecondsPerMillisecond)});
        }
        return fmt::format("lease:ttl={:.0f},error={}", ttl->second * kNanosecondsPerMillisecond,
                           kClockError);
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

// The end of the history up to the operation that cannot be placed.
std::string explanation_text(const BlackBoxResult& result) {
    constexpr std::size_t kShown = 20;
    if (!result.check || result.check->explanations.empty()) {
        return "";
    }
    const Explanation& explanation = result.check->explanations.front();
    const auto& records = result.history.records;
    const std::size_t end =
        std::min(std::max(explanation.completion.value_or(explanation.explained),
                          explanation.invocation.value_or(0)) +
                     1,
                 records.size());
    std::string out = "the history, up to the operation that cannot be placed:\n";
    for (std::size_t i = end > kShown ? end - kShown : 0; i < end; ++i) {
        const bool is_it = explanation.invocation == i || explanation.completion == i;
        out += fmt::format("{} {:>5}  {}\n", is_it ? "!" : " ", i, describe_record(records[i]));
    }
    return out;
}

void conclude(RunReport& report, const BlackBoxResult& result, const std::string& model) {
    if (result.misbehaviour) {
        report.verdict = RunVerdict::kViolated;
        report.exit_code = kExitViolated;
        report.detail =
            "misbehaved: " + std::string(name_of(*result.misbehaviour)) + ": " + result.detail;
    } else if (result.verdict == HistoryVerdict::kViolated) {
        report.verdict = RunVerdict::kViolated;
        report.exit_code = kExitViolated;
        report.detail = "the history is none of " + model;
        if (!result.check->explanations.empty()) {
            const Explanation& explanation = result.check->explanations.front();
            report.detail +=
                ": key " + printable(explanation.key) + ": " + printable(explanation.reason);
        }
    } else if (result.granted == 0 && result.refused_acquires > 0) {
        report.verdict = RunVerdict::kInconclusive;
        report.exit_code = kExitInconclusive;
        report.detail = "every acquire was refused: a lock that is never granted breaks no promise";
    } else if (result.cut_runs == result.schedules && result.schedules > 0) {
        report.verdict = RunVerdict::kInconclusive;
        report.exit_code = kExitInconclusive;
        report.detail = "every run was cut at --max-steps";
    } else if (result.verdict == HistoryVerdict::kInconclusive || result.limit != "schedules") {
        report.verdict = RunVerdict::kInconclusive;
        report.exit_code = kExitInconclusive;
        report.detail = result.verdict == HistoryVerdict::kInconclusive
                            ? "a history could not be judged: " + result.check->limit
                            : "ended by limit: " + result.limit;
    }
    if (interrupt_requested()) {
        report.exit_code = kExitInterrupted;
    }
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
    std::ofstream file(path, std::ios::binary);
    file << write_history(result.history);
    file.close();
    if (!file) {
        session.complain(path + ": cannot be written");
        report.exit_code = worse_exit_code(report.exit_code, kExitInput);
        return;
    }
    report.files_written.push_back(path);
}

void print(const Session& session, const ProgramJob& job, const BlackBoxResult& result,
           const std::string& model) {
    const RunReport& report = job.report;
    if (!session.prints_text()) {
        return;
    }
    if (result.verdict == HistoryVerdict::kViolated) {
        session.out << explanation_text(result);
    }
    if (result.misbehaviour) {
        session.out << last_words_text(result.last_words);
    }
    session.out << fmt::format("{:<24}{}\n{:<24}{} granted, {} refused\n", "operations",
                               with_commas(result.operations), "acquires",
                               with_commas(result.granted), with_commas(result.refused_acquires));
    if (result.cut_runs > 0) {
        session.out << fmt::format("{:<24}{}\n", "cut at --max-steps",
                                   with_commas(result.cut_runs));
    }
    session.out << fmt::format("{:<24}{}\n{:<24}{}\n", "crashes", with_commas(result.crashes),
                               "time", seconds_text(result.seconds));
    session.out << "verdict: " << verdict_text(report)
                << "\nscope: bounded: " << counted(result.schedules, "recorded run") << ", "
                << report.short_scope << ", judged as " << model << "\nseed: " << job.seed << "\n";
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
    conclude(report, result, model);
    write_history_file(session, job, result, report);
    print(session, job, result, model);
    report.fuzzed = FuzzResult{};
    report.fuzzed->schedules = result.schedules;
    report.fuzzed->steps = result.operations;
}

}  // namespace lockkeeper
