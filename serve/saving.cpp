// SPDX-License-Identifier: Apache-2.0
#include "serve/saving.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "model/check.hpp"
#include "scenarios/bad_input.hpp"
#include "work/expectation.hpp"
#include "work/make_report.hpp"
#include "work/trace_file.hpp"

namespace lockkeeper {
namespace {

constexpr std::string_view kScenarioEnding = ".json";

RunReport report_of(const OpenedFile& file, const Schedule& schedule, std::size_t cycle_start) {
    ReplayOptions options;
    options.check = file.job.check;
    options.cycle_start = cycle_start;
    RunReport report = begin_report(file.job, "serve", "replay");
    report.seed = schedule.seed;
    Trace trace = file.job.runner->replay(schedule, options);
    if (!trace.divergences.empty()) {
        throw DoesNotFit(fmt::format("step {}: {}", trace.divergences.front().step + 1,
                                     trace.divergences.front().reason));
    }
    add_run(file.job, std::move(trace), OnDivergence::kStop, report);
    return report;
}

// The whole run, also where it goes on behind its violation.
Finding finding_of(const OpenedFile& file, const RunReport& report) {
    const Trace& trace = *report.replayed;
    Finding finding;
    finding.is_violation = !trace.violated.empty() || trace.deadlocked;
    if (!trace.violated.empty()) {
        finding.property = trace.violated.front();
    } else if (!finding.is_violation && !file.job.check.empty()) {
        finding.property = file.job.check.front();  // which it keeps
    }
    finding.trace = trace;
    finding.schedule = trace.schedule(report.seed);
    finding.cycle_start = trace.cycle_start;
    return finding;
}

ExpectedResult expected_result(const std::string& text) {
    using Kind = ExpectedResult::Kind;
    struct Word {
        std::string_view text;
        Kind kind;
    };
    constexpr Word kWords[] = {{"acquired", Kind::kAcquired},
                               {"full", Kind::kFull},
                               {"ok", Kind::kReleased},
                               {"died", Kind::kDied}};
    for (const Word& word : kWords) {
        if (text == word.text) {
            return {word.kind, 0, {}};
        }
    }
    std::uint32_t count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    const bool is_count = error == std::errc{} && end == text.data() + text.size();
    return is_count ? ExpectedResult{Kind::kCount, count, {}}
                    : ExpectedResult{Kind::kError, 0, text};
}

void expect_results(const OpenedFile& file, const Trace& trace, Expectation& expect) {
    const WorldConfig& world = file.job.runner->world();
    for (std::size_t caller = 0; caller < world.callers.size(); ++caller) {
        std::vector<ExpectedResult>& expected = expect.results[world.callers[caller].name];
        for (const std::string& result :
             results_of(trace, caller, file.job.scenario.parameters.returns_count)) {
            expected.push_back(expected_result(result));
        }
    }
}

void expect_counters(const OpenedFile& file, const Trace& trace, Expectation& expect) {
    const std::vector<std::string>& keys = file.job.runner->world().keys;
    for (std::size_t key = 0; key < keys.size() && key < trace.counters.size(); ++key) {
        std::vector<std::int32_t> counters = trace.counters[key];
        while (!counters.empty() && counters.back() == kAbsentCounter) {
            counters.pop_back();
        }
        const bool has_gap =
            std::find(counters.begin(), counters.end(), kAbsentCounter) != counters.end();
        if (!has_gap && !counters.empty()) {
            expect.counters[keys[key]] = std::move(counters);
        }
    }
}

Scenario scenario_of(const OpenedFile& file, const Schedule& schedule, const RunReport& report) {
    Scenario scenario = file.job.scenario;
    scenario.method = Method::kReplay;
    scenario.schedule = schedule;
    scenario.seed = schedule.seed;
    scenario.reach.clear();
    scenario.find.reset();
    scenario.limits = {};
    scenario.expect = {};
    scenario.expect.verdict = is<Unreached>(report.verdict) ? Passed{} : report.verdict;
    for (const Finding& finding : report.findings) {
        const std::uint64_t steps = finding.schedule.actions.size();
        scenario.expect.steps = std::min(scenario.expect.steps.value_or(steps), steps);
    }
    for (const Property* property : report.replayed->violated) {
        scenario.expect.properties.emplace_back(property->name);
    }
    if ((file.job.system->features & kHasCapacity) != 0) {
        expect_counters(file, *report.replayed, scenario.expect);
    }
    expect_results(file, *report.replayed, scenario.expect);
    return scenario;
}

// Reads the written scenario back and runs it before anybody gets it: a scenario that fails its own
// expectation would be worse than none.
void check_scenario(const OpenedFile& file, const Registry& registry, const std::string& text) {
    Job job = value_or_throw(
        make_job(registry, value_or_throw(parse_scenario(text, "the saved scenario"))));
    const OpenedFile read{std::move(job), file.system, false, {}, kNoStep};
    const RunReport again = report_of(read, *read.job.scenario.schedule, kNoStep);
    const std::string difference =
        first_difference(read.job.scenario, read.job.runner->world(), again);
    if (!difference.empty()) {
        throw InternalError("the saved scenario does not meet its expectation: " + difference);
    }
}

bool is_file_name(std::string_view name) {
    constexpr std::size_t kNameMax = 100;
    const auto is_allowed = [](char letter) {
        return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
               (letter >= '0' && letter <= '9') || letter == '_' || letter == '-' || letter == '.';
    };
    return !name.empty() && name.size() <= kNameMax && name.front() != '.' &&
           std::all_of(name.begin(), name.end(), is_allowed);
}

}  // namespace

SavedFile saved_file(const OpenedFile& file, const Registry& registry, const Schedule& schedule,
                     std::size_t cycle_start, SavedAs as) {
    const RunReport report = report_of(file, schedule, cycle_start);
    const Finding finding = finding_of(file, report);
    const std::string signature = signature_of(file.job.scenario, finding);
    if (as == SavedAs::kTrace) {
        return {signature + std::string(kTraceEnding), trace_document(file.job.scenario, finding)};
    }
    if (cycle_start != kNoStep) {
        throw UsageError("a scenario cannot say where a cycle begins; a trace can");
    }
    std::string text = to_json_text(scenario_of(file, schedule, report));
    check_scenario(file, registry, text);
    return {signature + std::string(kScenarioEnding), std::move(text)};
}

std::string write_saved(const SavedFile& saved, const std::string& directory,
                        const std::string& name, SavedAs as) {
    const std::string_view ending = as == SavedAs::kTrace ? kTraceEnding : kScenarioEnding;
    std::string file = name.empty() ? saved.name : name;
    if (!std::string_view(file).ends_with(ending)) {
        file += ending;
    }
    if (!is_file_name(file)) {
        throw UsageError(
            "a file's name has letters, digits, '_', '-' and '.', at most 100, and begins with "
            "none of the last");
    }
    std::string path = (std::filesystem::path(directory) / file).string();
    OutputRule rule;
    // Somebody's own scenario is never replaced.
    rule.mark = as == SavedAs::kTrace ? std::string(kTraceMark) : std::string("\0", 1);
    OutputClaim(path, rule).write(saved.text);
    return path;
}

}  // namespace lockkeeper
