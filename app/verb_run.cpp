#include <algorithm>
#include <ostream>
#include <set>

#include <fmt/format.h>

#include "app/execute.hpp"
#include "app/exit_code.hpp"
#include "app/find_boundary.hpp"
#include "app/measure_job.hpp"
#include "app/verbs.hpp"
#include "model/check.hpp"
#include "reports/expectation.hpp"
#include "reports/measure_words.hpp"
#include "reports/run_text.hpp"
#include "reports/words.hpp"
#include "scenarios/cases.hpp"

namespace lockkeeper {
namespace {

std::string strategy_of(const Session& session, const Job& job) {
    switch (job.scenario.method) {
        case Method::kExplore: return explore_strategy(session.options);
        case Method::kFuzz: return fuzz_strategy(job);
        case Method::kOrder: return "order";
        case Method::kReplay: return "replay";
    }
    unreachable("a method without a strategy");
}

// As the scenario's author wants it to be run. Only what the expectation asks for is computed.
void execute(const Session& session, const Job& job, RunReport& report) {
    const Expectation& expect = job.scenario.expect;
    switch (job.scenario.method) {
        case Method::kExplore:
            if (job.scenario.find) {
                execute_find(session, job, *job.scenario.find, report);
                return;
            }
            execute_explore(session, job,
                            {job.scenario.stop_at_first,
                             false,
                             expect.interleavings ? Counting::kOn : Counting::kOff,
                             {false, false}},
                            report);
            return;
        case Method::kFuzz:
            execute_fuzz(session, job,
                         {job.scenario.stop_at_first || expect.properties.size() < 2,
                          false,
                          {expect.steps.has_value(), false}},
                         report);
            return;
        case Method::kOrder:
        case Method::kReplay: {
            ReplayOptions options;
            options.describes = false;  // one line a file; the whole trace is what replay shows
            options.check = job.check;
            execute_one_run(job, nullptr, options, report);
            return;
        }
    }
}

std::string outcome_text(const RunReport& report) {
    std::string text = verdict_text(report);
    if (report.explored) {
        text += ", " + counted(report.explored->states, "state");
    } else if (report.fuzzed) {
        text += ", " + counted(report.fuzzed->schedules, "schedule");
    } else if (report.replayed) {
        text += ", " + counted(report.replayed->steps.size(), "step");
    }
    for (const RateCheck& check : report.rates) {
        text += fmt::format(", {} {:.3g} per run ({})", check.property->name, check.rate.value,
                            name_of(check.method));
    }
    return text + ", " + seconds_text(report.seconds);
}

// No rate is above its bound, but of some it is not sure.
bool leave_open(const std::vector<RateCheck>& rates) {
    const auto is = [&](std::optional<bool> met) {
        return std::any_of(rates.begin(), rates.end(),
                           [&](const RateCheck& check) { return check.met == met; });
    };
    return is(std::nullopt) && !is(false);
}

bool is_undecided(const RunReport& report) {
    const int code = exit_code_of(report);
    return !is<Passed>(*report.met) && (code == kExitInconclusive || code == kExitInterrupted);
}

void print_line(const Session& session, const RunReport& report) {
    if (!session.prints_text()) {
        return;
    }
    const bool is_met = is<Passed>(*report.met);
    const char* word = is_met ? "ok" : is_undecided(report) ? "UNDECIDED" : "FAILED";
    session.out << fmt::format("{:<9}  {}  {}\n", word, printable(report.file),
                               is_met ? outcome_text(report) : detail_of(*report.met))
                << std::flush;
}

// Whoever has to look into a failure wants its trace, and only then is it worth the time.
void explain_failure(const Session& session, const Job& job, RunReport& report) {
    if (!session.options.out_directory || report.findings.empty() || report.replayed) {
        return;
    }
    RunReport explained = begin_report(session, job, report.strategy);
    if (report.explored) {
        execute_explore(session, job, {job.scenario.stop_at_first, false, Counting::kOff, {}},
                        explained);
    } else {
        execute_fuzz(session, job, {true, false, {}}, explained);
    }
    report.findings = std::move(explained.findings);
    report.files_written = std::move(explained.files_written);
    for (const std::string& file : report.files_written) {
        if (session.prints_text()) {
            session.out << "           written: " << printable(file) << "\n";
        }
    }
}

RunReport run_file(const Session& session, const std::string& file) {
    const Job job = prepare(session, value_or_throw(load_scenario(file)));
    RunReport report = begin_report(session, job, strategy_of(session, job));
    if (session.prints_text() && session.options.verbose) {
        session.out << head_text(report) << job.scenario.about << "\n" << std::flush;
    }
    execute(session, job, report);
    std::string difference = first_difference(job.scenario, job.runner->world(), report);
    bool undecided = is<Inconclusive>(report.verdict);
    if (difference.empty() && !interrupt_requested()) {
        report.rates = check_rates(session, job);
        difference = first_rate_difference(report.rates);
        undecided = leave_open(report.rates);
    }
    report.met = difference.empty() ? Verdict(Passed{})
                 : undecided        ? Verdict(Inconclusive{"", difference})
                                    : Violated{difference};
    report.is_interrupted = interrupt_requested();
    print_line(session, report);
    if (!difference.empty() && !report.is_interrupted) {
        explain_failure(session, job, report);
    }
    return report;
}

// "2 files", "2 files, 5 cases".
std::string counted_files(const std::vector<InputFile>& files) {
    std::set<std::string> names;
    for (const InputFile& file : files) {
        names.insert(named_case(file.path).file);
    }
    return counted(names.size(), "file") +
           (names.size() == files.size() ? "" : ", " + counted(files.size(), "case"));
}

void print_summary(const Session& session, const std::vector<RunReport>& reports) {
    const OutcomeCounts counts = count_outcomes(reports);
    std::string line = fmt::format("{} passed, {} failed", counts.passed, counts.failed);
    line += counts.undecided > 0 ? fmt::format(", {} undecided", counts.undecided) : "";
    line += counts.not_run > 0 ? fmt::format(", {} not run", counts.not_run) : "";
    session.out << line << "\n" << std::flush;
}

}  // namespace

int verb_run(const Session& session) {
    const auto files = find_files(session.options.files, FileKind::kEachCase);
    if (session.prints_text()) {
        const auto& seed = session.options.seed;
        session.out << fmt::format("{}  seed {}  strategy as each file says  scope: {}\n",
                                   build_text(), seed ? std::to_string(*seed) : "as each file says",
                                   counted_files(files))
                    << std::flush;
    }
    const auto reports = for_each_file(
        session, files, [&](const std::string& file) { return run_file(session, file); });
    if (session.prints_text()) {
        print_summary(session, reports);
    }
    return finish(session, reports);
}

}  // namespace lockkeeper
