// SPDX-License-Identifier: Apache-2.0

// What has come out, in the words of the other verbs, and the exit code.
#include <algorithm>
#include <cstdio>

#include "model/printable.hpp"
#include "validate/threads/marked/judge_marks.hpp"
#include "validate/threads/runtime/shown.hpp"
#include "validate/threads/runtime/system.hpp"

namespace lockkeeper::threads {
namespace {

constexpr int kPassed = 0;
constexpr int kViolated = 1;
constexpr int kInconclusive = 2;
constexpr int kNotDeterministic = 3;
constexpr int kRefused = 65;

std::string number(std::uint64_t value) { return std::to_string(value); }

// What the run depends on besides.
std::string flags_of(const Settings& settings) {
    const Settings usual;
    std::string text;
    if (settings.spurious_max != usual.spurious_max) {
        text += " --spurious " + number(settings.spurious_max);
    }
    if (settings.timeouts_max != usual.timeouts_max) {
        text += " --time-outs " + number(settings.timeouts_max);
    }
    if (settings.allocation_failures_max != usual.allocation_failures_max) {
        text += " --failing-allocations " + number(settings.allocation_failures_max);
    }
    if (settings.weak_failures_max != usual.weak_failures_max) {
        text += " --weak-failures " + number(settings.weak_failures_max);
    }
    text += settings.finds_leaks ? " --leaks" : "";
    return text + (settings.trusts_headers ? " --seq-cst-headers" : "");
}

// To be pasted.
std::string replay_of(const Hosted& host) {
    const Thread last = host.found.is_of_whole_run ? kNobody : host.found.thread;
    const std::string line =
        run_line(host.search, host.told_events, last, host.barriers.way == Barriers::Way::kMerge);
    if (host.test != nullptr) {
        return "LOCKKEEPER_THREADS=replay=" + line + " and the same test";
    }
    std::string text = "lockkeeper threads --replay " + line + flags_of(host.settings) + " --";
    for (int index = 0; index < host.argument_count; ++index) {
        text += " " + shell_quoted(host.arguments[index]);
    }
    return text;
}

// A round that was left out holds a lock that another thread tries: that try could fail once more.
bool could_fail_again(const Word& lock) {
    const std::uint64_t both = lock.tried_by | lock.left_out_by;
    return lock.tried_by != 0 && lock.left_out_by != 0 && (both & (both - 1)) != 0;
}

// What was looked at.
std::string extent_of(const Hosted& host) {
    const Settings& settings = host.settings;
    return settings.replayed ? "one run: the line that was replayed"
           : host.choices == nullptr
               ? std::any_of(host.words.begin(), host.words.end(), could_fail_again)
                     ? "bounded: every execution, but for tries of a lock that fail because of a "
                       "later round"
                     : "complete: every execution"
           : settings.strategy == "random"
               ? "bounded: " + number(settings.schedules_max) + " random schedules, seed " +
                     number(settings.seed)
               : "bounded: " + number(settings.schedules_max) + " schedules by priorities (" +
                     settings.strategy + "), seed " + number(settings.seed);
}

std::string bounds_of(const Hosted& host) {
    const std::string headers =
        std::string(host.settings.finds_leaks ? ", leaks of memory" : "") +
        (host.settings.allocation_failures_max > 0
             ? ", at most " + number(host.settings.allocation_failures_max) +
                   " failing allocations a thread"
             : "") +
        (host.settings.weak_failures_max > 0
             ? ", at most " + number(host.settings.weak_failures_max) +
                   " weak exchanges a thread that fail for nothing"
             : "") +
        (host.settings.trusts_headers ? ", the library's headers as seq_cst" : "") +
        (host.was_round_left_out ? ", one round of loops that take locks and give them back" : "");
    return host.was_bounded ? headers + ", at most " + number(host.settings.spurious_max) +
                                  " spurious wake-ups and " + number(host.settings.timeouts_max) +
                                  " time-outs a thread"
                            : headers;
}

std::string counts_of(const Hosted& host, double seconds) {
    const Counts& counts = host.search.counts();
    char time[64] = {};
    std::snprintf(time, sizeof(time), "%.3f s", seconds);
    return "executions  " + number(counts.complete) + " complete, " +
           number(counts.unfinished + counts.stuck) + " in which a thread waits, " +
           number(counts.dropped) + " dropped, " + number(counts.inconsistent) +
           " without an order of seq_cst accesses\nevents      " + number(counts.events) +
           "\ntime        " + time + "\n";
}

// Empty: the search has come to its end.
std::string limit_of(const Hosted& host, bool is_complete) {
    return !is_complete && host.is_interrupted  ? "interrupted"
           : !is_complete                       ? "the limit of executions or of time"
           : host.search.has_too_many()         ? "a run has too many threads or events"
           : host.shadow.has_lost_accesses      ? "a place has too many accesses"
           : host.judge->was_cut()              ? "marks have too many orders"
           : host.search.counts().complete == 0 ? "no execution has come to its end"
                                                : "";
}

ShownResult result_of(const Hosted& host, bool is_complete) {
    const std::string model =
        std::string("model ") + (host.settings.model == Model::kSc ? "sc" : "c11");
    ShownResult result;
    if (!host.refused.empty()) {
        result.verdict = host.is_not_deterministic ? "not deterministic" : "refused";
        result.exit_code = host.is_not_deterministic ? kNotDeterministic : kRefused;
        result.detail = host.refused;
        result.detail += host.found.site == 0 ? "" : " at " + place_of(host, host.found.site);
    } else if (!host.found.kind.empty()) {
        result.verdict = "violated";
        result.exit_code = kViolated;
        result.detail = host.found.kind;
        result.finding = shown_finding(host);
        result.scope = "stopped at the first violation, " + model;
        result.replay = replay_of(host);
    } else if (const std::string limit = limit_of(host, is_complete); !limit.empty()) {
        result.verdict = "inconclusive";
        result.exit_code = kInconclusive;
        result.detail = limit;
        result.scope = "bounded: " + model + bounds_of(host);
    } else {
        result.verdict = "passed";
        result.exit_code = kPassed;
        result.judged = host.judge->text();
        result.judged_numbers = host.judge->judged();
        result.scope = extent_of(host) + ", " + model + bounds_of(host);
    }
    return result;
}

std::string step_line(std::size_t number_of_step, const ShownStep& step) {
    const std::string digits = number(number_of_step);
    std::string text =
        std::string(digits.size() < 5 ? 5 - digits.size() : 0, ' ') + digits + "  " + step.thread;
    text.resize(std::max<std::size_t>(text.size() + 1, 13), ' ');
    text += step.where;
    text.resize(std::max<std::size_t>(text.size() + 2, 50), ' ');
    return text + step.what + (step.result.empty() ? "" : ": " + step.result) + "\n";
}

}  // namespace

std::string text_of(const Hosted& host, const ShownResult& result) {
    if (result.exit_code == kRefused || result.exit_code == kNotDeterministic) {
        return "verdict: refused: " + result.detail + "\n";
    }
    std::string text;
    if (result.exit_code == kViolated) {
        text += "violation: " + host.found.kind + ": " + host.found.text + "\n";
        for (const std::string& line : result.finding.lines) {
            text += "    " + line + "\n";
        }
        text += "\n step  thread where                                what\n";
        for (std::size_t index = 0; index < result.finding.steps.size(); ++index) {
            text += step_line(index + 1, result.finding.steps[index]);
        }
        text += "\n";
    }
    text += counts_of(host, result.seconds) + result.judged + "verdict: " + result.verdict +
            (result.detail.empty() ? "" : ": " + result.detail) + "\nscope: " + result.scope + "\n";
    return text + (result.replay.empty() ? "" : "replay: " + result.replay + "\n");
}

int report(Hosted& host, bool is_complete, double seconds) {
    ShownResult result = result_of(host, is_complete);
    result.seconds = seconds;
    std::string text = host.settings.writes_json ? json_of(host, result) : text_of(host, result);
    if (host.settings.adds_json && !host.settings.writes_json) {
        text.push_back('\0');
        text += json_of(host, result);
    }
    write_all(host.settings.out, text.data(), text.size());
    // explore_threads() has the verdict.
    return host.is_interrupted && host.test == nullptr ? kInterrupted : result.exit_code;
}

}  // namespace lockkeeper::threads
