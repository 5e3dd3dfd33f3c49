// SPDX-License-Identifier: Apache-2.0
#include "reports/page_data.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "reports/page_run.hpp"
#include "version.hpp"
#include "work/results/words.hpp"

namespace lockkeeper {
namespace {

using Json = nlohmann::ordered_json;

// "P2 leak in 22 steps"
std::string run_title(const Finding& finding) {
    if (!finding.difference.empty()) {
        return finding.difference;
    }
    const std::string steps = counted(step_count(finding), "step");
    return finding.property == nullptr ? "stuck after " + steps
                                       : title_of(*finding.property) + " in " + steps;
}

std::string title_of_passing(const NearestPass& nearest, const Property& property) {
    const std::string steps = counted(nearest.trace.steps.size(), "step");
    return nearest.ends ? fmt::format("keeps {}, ends after {}", title_of(property), steps)
                        : fmt::format("keeps {}, shown for {}", title_of(property), steps);
}

// The steps of the two runs where they first differ.
std::string why_nearest(const Finding& finding) {
    const std::size_t at = finding.nearest->differs_at;
    const auto text = [&](const Trace& trace) {
        return at < trace.steps.size() ? trace.steps[at].text : std::string("nothing");
    };
    return fmt::format("Above: {}. Below: {}.", text(finding.trace), text(finding.nearest->trace));
}

// A run that was replayed without words shows nothing.
bool is_described(const Trace& trace) { return !trace.parties.empty(); }

class Runs {
  public:
    explicit Runs(const PageLimits& limits) : limits_(limits), steps_left_(limits.all_steps) {}

    // The runs of a file: what it replayed, or each violation. Their places in the page.
    std::vector<std::size_t> add(const RunReport& report) {
        std::vector<std::size_t> places;
        if (report.replayed && is_described(*report.replayed)) {
            add_replayed(report, places);
            return places;
        }
        for (const Finding& finding : report.findings) {
            if (is_described(finding.trace)) {
                add_finding(report, finding, finding.trace, run_title(finding), places);
            }
        }
        return places;
    }
    [[nodiscard]] Json::array_t& list() { return list_; }
    void add_warnings(std::vector<std::string>& warnings) const {
        if (left_out_ > 0) {
            warnings.push_back(fmt::format("{} left out: the page has no more than {}",
                                           counted(left_out_, "run"),
                                           counted(limits_.all_steps, "step")));
        }
    }

  private:
    void add_replayed(const RunReport& report, std::vector<std::size_t>& places) {
        const Trace& trace = *report.replayed;
        if (!report.findings.empty()) {
            add_finding(report, report.findings.front(), trace, run_title(report.findings.front()),
                        places);
            return;
        }
        const std::string steps = counted(trace.steps.size(), "step");
        Finding none;
        none.schedule = trace.schedule(report.seed);
        none.replay_command = report.repeat_command;
        none.cycle_start = trace.cycle_start;
        add_finding(report, none, trace, fmt::format("{} after {}", name_of(report.verdict), steps),
                    places);
    }

    void add_finding(const RunReport& report, const Finding& finding, const Trace& trace,
                     const std::string& title, std::vector<std::size_t>& places) {
        const bool is_kept = add_run({.trace = trace,
                                      .title = title,
                                      .file = report.file,
                                      .replay = finding.replay_command,
                                      .schedule = to_line(finding.schedule),
                                      .property = finding.property,
                                      .cycle_start = finding.cycle_start,
                                      .sources = &finding.sources});
        if (!is_kept) {
            return;
        }
        const std::size_t own = list_.size() - 1;
        places.push_back(own);
        if (finding.nearest && finding.property != nullptr &&
            is_described(finding.nearest->trace)) {
            const NearestPass& nearest = *finding.nearest;
            if (add_run({.trace = nearest.trace,
                         .title = title_of_passing(nearest, *finding.property),
                         .file = report.file,
                         .replay = nearest.replay_command,
                         .schedule = to_line(nearest.schedule)})) {
                list_[own]["nearest"] = {{"run", list_.size() - 1},
                                         {"differs_at", nearest.differs_at + 1},
                                         {"why", why_nearest(finding)}};
            }
        }
    }

    bool add_run(PageRun run) {
        const std::size_t steps = std::min(run.trace.steps.size(), limits_.run_steps);
        if (steps > steps_left_) {
            ++left_out_;
            return false;
        }
        steps_left_ -= steps;
        run.steps_max = steps;
        list_.push_back(page_run(run));
        return true;
    }

    PageLimits limits_;
    std::size_t steps_left_;
    std::size_t left_out_ = 0;
    Json::array_t list_;
};

Json file_row(const RunReport& report, const std::vector<std::size_t>& runs) {
    const bool is_measured = std::holds_alternative<Measurement>(report.details);
    Json row{{"file", report.file},
             {"system", report.system},
             {"variant", report.variant},
             {"verdict", name_of(report.verdict, is_measured ? kMeasureWords : report.words)}};
    if (report.met) {
        const bool is_met = is<Passed>(*report.met);
        row["met"] = is_met;
        if (!is_met) {
            row["difference"] = detail_of(*report.met);
        }
    }
    row["detail"] = detail_of(told_verdict(report));
    row["scope"] = report.scope;
    if (report.explored) {
        row["states"] = report.explored->states;
        row["transitions"] = report.explored->transitions;
    }
    if (report.fuzzed) {
        row["schedules"] = report.fuzzed->schedules;
    }
    row["seconds"] = report.seconds;
    if (!report.findings.empty()) {
        row["replay"] = report.findings.front().replay_command;
    }
    if (!runs.empty()) {
        row["runs"] = runs;
    }
    return row;
}

// A table where there are several, and where each is a test.
bool has_table(const Results& results) {
    const bool is_history = results.kind == ResultsKind::kHistories;
    return !is_history && (results.files.size() != 1 || results.kind == ResultsKind::kTests);
}

std::string cut_text(const std::string& text, std::size_t bytes_max) {
    if (text.size() <= bytes_max) {
        return text;
    }
    const std::size_t end = std::min(text.rfind('\n', bytes_max), bytes_max);
    return text.substr(0, end) + fmt::format("\n... {} left out\n", bytes_text(text.size() - end));
}

}  // namespace

PageContent page_content(const Results& results, const std::string& text,
                         const PageLimits& limits) {
    PageContent page{page_summary(results), Json::object()};
    Runs runs(limits);
    Json::array_t files;
    Json::array_t measured;
    Json history;
    for (const RunReport& report : results.files) {
        files.push_back(file_row(report, runs.add(report)));
        if (std::holds_alternative<Measurement>(report.details)) {
            measured.push_back(measured_file(report));
        }
        if (const auto* judged = std::get_if<JudgedHistory>(&report.details)) {
            history = page_history(*judged, page.summary.warnings);
        }
    }
    runs.add_warnings(page.summary.warnings);
    Json& json = page.data;
    json = {{"page_version", kPageVersion},
            {"version", version()},
            {"commit", commit()},
            {"command", results.command},
            {"summary", summary_json(page.summary)}};
    const auto add = [&](const char* name, auto& part) {
        if (!part.empty()) {
            json[name] = std::move(part);
        }
    };
    if (has_table(results)) {
        add("files", files);
    }
    add("runs", runs.list());
    add("measure", measured);
    add("history", history);
    json["text"] = cut_text(text, limits.text_bytes);
    return page;
}

}  // namespace lockkeeper
