#include <algorithm>
#include <chrono>
#include <filesystem>
#include <ostream>

#include <fmt/format.h>

#include "app/verbs.hpp"
#include "model/read_text.hpp"
#include "reports/conclusion.hpp"
#include "reports/outputs.hpp"
#include "reports/progress.hpp"
#include "reports/sweep_report.hpp"
#include "scenarios/bad_input.hpp"
#include "scenarios/registry/unknown_names.hpp"
#include "scenarios/registry/vary.hpp"
#include "scheduler/process_memory.hpp"

namespace lockkeeper {
namespace {

SweepCondition condition_of(const Sweep& sweep, const SweepFlags& flags) {
    SweepCondition condition;
    for (const auto& [name, choice] : flags.where) {
        std::vector<std::string> axes;
        std::vector<std::string> choices;
        for (std::size_t i = 0; i < sweep.axes.size(); ++i) {
            axes.push_back(sweep.axes[i].name);
            if (axes.back() != name) {
                continue;
            }
            for (const SweepChoice& one : sweep.axes[i].choices) {
                choices.push_back(one.name);
            }
            condition[i].push_back({{choice}, 1});
        }
        if (choices.empty()) {
            throw UsageError("--where: unknown axis \"" + name + "\"" +
                             nearest_or_known(name, axes));
        }
        if (std::find(choices.begin(), choices.end(), choice) == choices.end()) {
            throw UsageError("--where: \"" + name + "\" has no choice \"" + choice + "\"" +
                             nearest_or_known(choice, choices));
        }
    }
    return condition;
}

VaryScenario vary_by(const Registry& registry) {
    return [&registry](const std::string& name, double value, Scenario& scenario) {
        Law law = scenario.law.value_or(Law());
        vary(registry, name, value, scenario, law, "the sweep");
        if (scenario.law) {
            scenario.law = law;
        }
    };
}

// The points as scenario files, "0001.json", for whoever wants to look into one of them.
void write_scenarios(const Session& session, const SweepReport& report) {
    for (std::size_t i = 0; i < report.points.size(); ++i) {
        const Scenario scenario =
            value_or_throw(scenario_of(report.sweep, report.points[i], vary_by(session.registry)));
        const std::string name = fmt::format("{:04}.json", i + 1);
        const auto path = std::filesystem::path(*session.options.out_directory) / name;
        TextOutput(session.out, path.string(), output_rule(session, "{\n"))
            .write(to_json_text(scenario));
    }
}

void compare(const Session& session, SweepReport& report, const std::string& table) {
    const std::string& file = *session.options.sweep.check;
    const auto stored = read_text(file, kScenarioBytesMax);
    if (const auto* none = std::get_if<NotRead>(&stored)) {
        throw BadInput({name_in_messages(file), "", none->message});
    }
    const std::string difference = first_table_difference(std::get<std::string>(stored), table);
    if (!difference.empty() && is<Passed>(report.verdict)) {
        report.verdict = Violated{name_in_messages(file) + ": " + difference};
    }
}

SweepReport swept(const Session& session, const std::string& file) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point began = Clock::now();
    const Options& options = session.options;
    SweepReport report;
    report.sweep = value_or_throw(load_sweep(file));
    report.points = value_or_throw(points_of(report.sweep));
    const SweepCondition where = condition_of(report.sweep, options.sweep);
    std::erase_if(report.points, [&](const SweepPoint& point) {
        return (point.is_long && !options.sweep.is_long) || !holds(where, point.chosen);
    });
    if (session.prints_text()) {
        session.out << sweep_head(report) << std::flush;
    }
    if (options.out_directory) {
        write_scenarios(session, report);
    }
    ProgressLine line(session.err, session.err_is_terminal, options.quiet, {report.points.size()});
    SweepLimits limits;
    limits.jobs = static_cast<unsigned>(jobs_of(options));
    limits.states_max = first_of(options.states_max, report.sweep.states_max, UINT64_MAX);
    limits.bytes_max = options.bytes_max.value_or(memory_default());
    limits.progress = [&](std::uint64_t done, double seconds) {
        line.show(MeasureProgress{done, seconds});
    };
    report.results = value_or_throw(explore_sweep(session.registry, report.sweep, report.points,
                                                  limits, vary_by(session.registry)));
    report.seconds = std::chrono::duration<double>(Clock::now() - began).count();
    report.verdict = sweep_verdict(report);
    report.is_interrupted = interrupt_requested();
    return report;
}

int sweep_file(const Session& session, const std::string& file) {
    const SweepFlags& flags = session.options.sweep;
    std::optional<TextOutput> table_file;
    if (flags.table_file) {
        table_file.emplace(session.out, *flags.table_file, output_rule(session, kSweepTableMark));
    }
    std::optional<TextOutput> csv_file;
    if (flags.csv_file) {
        csv_file.emplace(session.out, *flags.csv_file, output_rule(session, ""));
    }
    SweepReport report = swept(session, file);
    const std::string table = sweep_table_json(report);
    if (flags.check) {
        compare(session, report, table);
    }
    if (table_file) {
        table_file->write(table);
    }
    if (csv_file) {
        csv_file->write(sweep_table_csv(report));
    }
    session.out << (session.prints_text() ? sweep_text(report) : table) << std::flush;
    return exit_code_of(report);
}

}  // namespace

int verb_sweep(const Session& session) {
    const SweepFlags& flags = session.options.sweep;
    const bool has_one_answer = flags.check || flags.table_file || flags.csv_file ||
                                session.options.out_directory || !session.prints_text();
    if (has_one_answer && session.options.files.size() != 1) {
        throw UsageError("--check, --table, --csv, --out and --format json go with one sweep");
    }
    int exit_code = kExitPassed;
    for (const std::string& file : session.options.files) {
        int of_file = kExitPassed;
        if (const auto failure =
                failure_of(session, {file, ""}, [&] { of_file = sweep_file(session, file); })) {
            of_file = exit_code_of(*failure);
        }
        exit_code = worse_exit_code(exit_code, of_file);
        if (interrupt_requested()) {
            break;
        }
    }
    return exit_code;
}

}  // namespace lockkeeper
