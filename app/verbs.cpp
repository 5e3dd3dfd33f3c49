// SPDX-License-Identifier: Apache-2.0
#include "app/verbs.hpp"

#include <sstream>

#include "scenarios/bad_input.hpp"
#include "scheduler/base/process_memory.hpp"
#include "serve/serve.hpp"
#include "validate/threads/command/results.hpp"
#include "version.hpp"
#include "work/jobs.hpp"
#include "work/program_job.hpp"

namespace lockkeeper {
namespace {

constexpr const char* kTaken = "FILE|DIR";
constexpr const char* kScenarios = "Scenario files, or directories of them; - is stdin";
constexpr const char* kReplayable =
    "Trace files, directories of them, or scenario files; - is stdin";

const VerbRow kVerbs[] = {
    {Command::kRun,
     verb_run,
     "Scenarios as tests: does each file meet its expectation?",
     kTaken,
     kScenarios,
     true,
     {"run scenarios/single_counter", "run scenarios --jobs 2 --out failures"}},
    {Command::kReplay,
     verb_replay,
     "One run, step by step: a schedule, a trace file, an order",
     kTaken,
     kReplayable,
     true,
     {"replay scenarios/single_counter/timeline_leak.json",
      "replay scenarios/canal/findings/leak_two_callers.json --schedule 'lk1:1:s0*3,s1*3'"}},
    {Command::kExplore,
     verb_explore,
     "All interleavings of a scenario, each state once",
     kTaken,
     kScenarios,
     true,
     {"explore scenarios/canal/findings/leak_two_callers.json",
      "explore scenarios/leases/synthesis/renewal_interval.json --set pause=2"}},
    {Command::kFuzz,
     verb_fuzz,
     "Many random interleavings of a scenario",
     kTaken,
     kScenarios,
     true,
     {"fuzz scenarios/canal/findings/leak_two_callers.json --schedules 100000 --out failures",
      "fuzz - --strategy pct:3 < scenarios/canal/findings/leak_two_callers.json"}},
    {Command::kMeasure,
     verb_measure,
     "How often a scenario violates what: exact rates, sampled rates, forecasts",
     kTaken,
     kScenarios,
     true,
     {"measure scenarios/measure/leak_two_callers.json",
      "measure scenarios/measure/leak_two_callers.json --sweep max_per=1..4 --csv rates.csv"}},
    {Command::kSweep,
     verb_sweep,
     "What many scenarios violate: every combination of choices, as a table",
     kTaken,
     "Sweep files",
     true,
     {"sweep docs/sweeps/try_retry.sweep.json",
      "sweep docs/sweeps/try_retry.sweep.json --check docs/sweeps/try_retry.table.json"}},
    {Command::kValidate,
     verb_validate,
     "Judge what others wrote: recorded histories, programs, databases",
     kTaken,
     kScenarios,
     false,
     {"validate --history examples/histories/mutex_bad.jsonl --model mutex",
      "validate --program 'python3 examples/outside/set_nx_px.py'",
      "validate --wire redis --client 'python3 examples/wire/redis_py_lock.py'",
      "validate --server postgresql --schedules 20",
      "validate --against canal/repaired scenarios/canal/findings/leak_two_callers.json"}},
    {Command::kReport,
     verb_report,
     "A report of what there is already: a trace, or results that --format json has written",
     kTaken,
     "A file of results, trace files, or directories of them",
     true,
     {"report results.json -o results.html", "report failures -o failures.html"}},
    {Command::kList,
     verb_list,
     "Systems, variants, properties, goals, strategies, limits, exit codes",
     "WHAT",
     "Only these: systems, properties, goals, models, strategies, limits, exit-codes, or one "
     "by its name: SYSTEM, SYSTEM/VARIANT, leak, P2",
     false,
     {"list properties", "list P2", "list canal/repaired"}},
    {Command::kServe,
     verb_serve,
     "The explorer: a page in the browser that walks the state space by hand",
     kTaken,
     kReplayable,
     true,
     {"serve scenarios/canal/findings/leak_two_callers.json",
      "serve failures/leak-3f2a9c01.trace.json --out found",
      "serve --program ./my_lock examples/outside/two_callers.json"}},
    {Command::kProve,
     verb_prove,
     "A verdict for every number of callers, with a certificate or the least number",
     kTaken,
     kScenarios,
     true,
     {"prove scenarios/every_number/repaired.json --certificate repaired.certificate.json",
      "prove scenarios/every_number/published.json --scenario-out least.json"}},
    {Command::kCheckCertificate,
     verb_check_certificate,
     "Checks a certificate of prove or explore by the implementation's own steps",
     "CERTIFICATE SCENARIO",
     "The certificate, and the scenario that it is a proof for",
     true,
     {"check-certificate repaired.certificate.json scenarios/every_number/repaired.json"}},
    {Command::kThreads,
     verb_threads,
     "All executions of a C or C++ program with threads, weak memory included",
     "PROGRAM",
     "The program and its arguments, behind --",
     false,
     {"threads --flags", "threads -- ./my_test", "threads --model sc -- ./my_test"}},
    {Command::kExplain,
     verb_explain,
     "Logs of an incident: the run of a correct lock that explains them, or that there is none",
     "LOG",
     "Log files, as with --log",
     false,
     {"explain --log examples/incidents/redis_lock.log --model lease:ttl=1s",
      "explain --log a.log --log b.log=klog --map map.json --model lease:ttl=15s"}},
    {Command::kClinic,
     verb_clinic,
     "Published lock libraries in pinned versions: does each scope come out as expected?",
     "NAME",
     "Folders of libraries; none: all",
     false,
     {"clinic tarn", "clinic --folder my_locks --accept my-lock"}},
    {Command::kPlayground,
     verb_playground,
     "The playground, a page that runs Lockkeeper in the browser, at an address of this machine",
     "DIR",
     "The folder that `make playground` has made; none: where it is beside this command",
     false,
     {"playground", "playground --port 8000"}},
};

}  // namespace

std::span<const VerbRow> verbs() { return kVerbs; }

int verb_list(const Session& session) {
    session.writer->list(make_listing(session.registry, session.options.files));
    return kExitPassed;
}

int verb_threads(const Session& session) {
    threads::Asked asked = session.options.threads;
    if (session.options.files.empty() && !asked.tells_flags) {
        throw UsageError("threads: a program is missing: lockkeeper threads -- ./my_test");
    }
    asked.seconds_max = session.options.seconds_max.value_or(asked.seconds_max);
    const bool is_text =
        session.options.format == Options().format && session.options.report_files.empty();
    if (is_text || asked.tells_flags || session.options.files.empty()) {
        return threads::run_command(asked, session.options.files, session.out);
    }
    Results results;
    results.command = session.options.command;
    results.files_count = results.cases_count = 1;
    results.files.push_back(threads_report(threads::run_for_results(asked, session.options.files),
                                           session.options.files.front()));
    results.exit_code = exit_code_of(results);
    return tell_results(session, std::move(results));
}

int verb_explain(const Session& session) {
    logs::Asked asked = session.options.explain;
    const auto& files = session.options.files;
    asked.logs.insert(asked.logs.end(), files.begin(), files.end());
    if (asked.logs.empty() || asked.model.empty()) {
        throw UsageError("explain: --log and --model are needed (see `lockkeeper list models`)");
    }
    asked.seconds_max = session.options.seconds_max.value_or(asked.seconds_max);
    asked.bytes_max = session.options.bytes_max.value_or(memory_default());
    const std::string& format = session.options.format;
    const bool is_text = format == Options().format;
    if (format == "json") {
        asked.document = {{"$schema", "explain.schema.json"},
                          {"explain_version", 1},
                          {"version", version()},
                          {"commit", commit()},
                          {"command", "explain"}};
    }
    std::ostringstream unused;
    const bool prints = is_text || asked.document;
    const bool wants_reports = !prints || !session.options.report_files.empty();
    ExplainedLogs explained =
        explain_logs(session, asked, wants_reports, prints ? session.out : unused);
    if (!wants_reports) {
        return explained.exit_code;
    }
    Results results;
    results.command = session.options.command;
    results.files_count = results.cases_count = explained.reports.size();
    results.files = std::move(explained.reports);
    results.exit_code = explained.exit_code;
    if (prints) {
        write_reports(session, results);
        return results.exit_code;
    }
    return tell_results(session, std::move(results));
}

int verb_serve(const Session& session) {
    const Options& options = session.options;
    const std::size_t jobs = jobs_of(options);  // a processor is left to the page
    const std::size_t exploring = options.jobs || jobs == 1 ? jobs : jobs - 1;
    const auto outside = [&](const std::string& file) { return outside_job(session, file); };
    return serve(session.registry,
                 {find_files(options.files, FileKind::kEachCase),
                  names_outside_code(options) ? OpensOutside(outside) : nullptr,
                  static_cast<const Overlay&>(options),
                  options.out_directory,
                  {exploring, options.bytes_max.value_or(memory_default())},
                  options.port},
                 session.out, [&](const std::string& line) { session.complain(line); });
}

}  // namespace lockkeeper
