#include "app/settings.hpp"

#include <array>
#include <charconv>

#include "reports/writer.hpp"
#include "scenarios/units.hpp"
#include "scheduler/runs/strategy.hpp"

namespace lockkeeper {
namespace {

template <class Value>
bool set_if(std::optional<Value>& target, std::optional<Value> value) {
    target = value;
    return value.has_value();
}

bool set_if(bool& target, std::optional<bool> value) {
    target = value.value_or(target);
    return value.has_value();
}

constexpr const char* kFrontiers[] = {"queue", "stack"};
constexpr const char* kStorages[] = {"exact", "fingerprints"};
constexpr const char* kReductions[] = {"none", "private-steps"};
constexpr const char* kCountings[] = {"auto", "on", "off"};
constexpr const char* kOnDivergences[] = {"stop", "continue", "nearest"};

template <class Word>
bool set_word(Word& target, Words words, const std::string& text) {
    const std::size_t index = index_in(words, text);
    target = static_cast<Word>(index);
    return index < words.size();
}
template <class Word>
bool set_word(std::optional<Word>& target, Words words, const std::string& text) {
    return set_word(target.emplace(), words, text);
}

bool set_limit(std::optional<std::uint64_t>& limit, const std::string& text) {
    return set_if(limit, parse_count(text)) && *limit > 0;
}

bool set_jobs(Options& options, const std::string& text) {
    constexpr std::uint64_t kJobsMax = 64;
    return set_if(options.jobs, parse_count(text)) && *options.jobs >= 1 &&
           *options.jobs <= kJobsMax;
}
bool set_file(std::optional<std::string>& file, const std::string& text) {
    file = text;
    return !text.empty();
}
bool set_format(Options& options, const std::string& text) {
    options.format = text;
    const ReportFormat* format = find_format(text);
    return format != nullptr && format->is_whole;
}
bool set_report(Options& options, const std::string& text) {
    options.report_files.push_back(text);
    const ReportFormat* format = format_of_file(text);
    if (format != nullptr && format->why_missing != nullptr && !format->why_missing().empty()) {
        throw UsageError("--report " + printable(text) + ": " + std::string(format->why_missing()));
    }
    return format != nullptr;
}
// Those that stdout can have.
std::vector<const char*> format_words() {
    std::vector<const char*> words;
    for (const ReportFormat& format : report_formats()) {
        if (format.is_whole) {
            words.push_back(format.name.data());
        }
    }
    return words;
}
std::string report_words() {
    std::vector<const char*> endings;
    for (const ReportFormat& format : report_formats()) {
        endings.push_back(format.ending.data());
    }
    return "a file name that ends in " + either(endings);
}
bool set_strategy(Options& options, const std::string& text) {
    options.strategy = text;
    return !strategy_error(text);
}

bool set_check(Options& options, const std::string& text) {
    options.check.clear();
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        if (end == begin) {
            return false;
        }
        options.check.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return true;
}

bool set_out(Options& options, const std::string& text) {
    options.out_directory = text;
    return !text.empty();
}

// A number as scenarios have it.
std::optional<std::int32_t> parse_own_number(std::string_view text) {
    std::int32_t value = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool is_whole = error == std::errc{} && rest == text.data() + text.size();
    return is_whole && value >= -kOwnNumberMax && value <= kOwnNumberMax ? std::optional(value)
                                                                         : std::nullopt;
}

// "grace=3"
bool set_number(Options& options, std::string_view text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0) {
        return false;
    }
    const auto number = parse_own_number(text.substr(equals + 1));
    if (number) {
        options.numbers[std::string(text.substr(0, equals))] = *number;
    }
    return number.has_value();
}

// "grace=0..20"
bool set_find(Options& options, std::string_view text, bool smallest) {
    const std::size_t equals = text.find('=');
    const std::size_t dots = text.find("..");
    if (equals == std::string_view::npos || equals == 0 || dots == std::string_view::npos ||
        dots < equals || options.find) {
        return false;
    }
    const auto from = parse_own_number(text.substr(equals + 1, dots - equals - 1));
    const auto to = parse_own_number(text.substr(dots + 2));
    if (!from || !to || *to < *from) {
        return false;
    }
    options.find = BoundarySearch{std::string(text.substr(0, equals)), smallest, *from, *to};
    return true;
}

constexpr const char* kFindWords =
    "a parameter of the system and a range (grace=0..20), once in a command";
constexpr const char* kCountWords = "a whole number (1000000, 1_000_000, 1e6)";
constexpr const char* kLimitWords = "a whole number above 0 (1000000, 1_000_000, 1e6)";
constexpr const char* kTruthWords = "on or off";

const std::vector<const char*> kFormats = format_words();
const std::string kFormatHelp = either(kFormats);
const std::string kReportWords = report_words();

const std::array kSettings{
    Setting{"--seed", "LOCKKEEPER_SEED", "N", kForScenarios | kForMeasure | kForValidate,
            "Seed of all random choices", kCountWords,
            [](Options& o, const std::string& v) { return set_if(o.seed, parse_count(v)); }},
    Setting{"--strategy", "LOCKKEEPER_STRATEGY", "NAME", kForRun | kForFuzz,
            "Who chooses when fuzzing: portfolio, random, rare-faults, round-robin, pct:D",
            "portfolio, random, rare-faults, round-robin, or pct:D with D from 1 to 100",
            set_strategy, false, kPlainStrategies},
    Setting{"--schedules", "LOCKKEEPER_SCHEDULES", "N", kForRun | kForFuzz | kForValidate,
            "Ends after so many schedules", kLimitWords,
            [](Options& o, const std::string& v) { return set_limit(o.schedules_max, v); }},
    Setting{"--max-steps", "LOCKKEEPER_MAX_STEPS", "N", kForSearches | kForMeasure | kForValidate,
            "Longest run when fuzzing and sampling; greatest depth when exploring", kLimitWords,
            [](Options& o, const std::string& v) { return set_limit(o.steps_max, v); }},
    Setting{"--max-states", "LOCKKEEPER_MAX_STATES", "N",
            kForRun | kForExplore | kForMeasure | kForSweep,
            "Exploring ends after so many distinct states", kLimitWords,
            [](Options& o, const std::string& v) { return set_limit(o.states_max, v); }},
    Setting{
        "--time-limit", "LOCKKEEPER_TIME_LIMIT", "TIME", kForSearches | kForMeasure | kForValidate,
        "Each search ends after this time: 60s, 500ms, 2m, 1h, or seconds",
        "a time above 0 (60s, 500ms, 2m, 1h, or seconds)",
        [](Options& o, const std::string& v) { return set_if(o.seconds_max, parse_duration(v)); }},
    Setting{
        "--memory", "LOCKKEEPER_MEMORY", "SIZE",
        kForRun | kForExplore | kForMeasure | kForSweep | kForValidate,
        "Ends when the process takes this much: 20G, 512M (default: 3/4 of the machine or of its "
        "control group)",
        "a size above 0 (20G, 512M, or bytes)",
        [](Options& o, const std::string& v) { return set_if(o.bytes_max, parse_memory_size(v)); }},
    Setting{
        "--out", "LOCKKEEPER_OUT", "DIR", kForScenarios | kForMeasure | kForSweep | kForValidate,
        "Writes a trace file for each violation found; `fuzz` first tries those that are there; "
        "`measure --bounds`: one for each extreme schedule; `sweep`: each point as a scenario",
        "a directory", set_out},
    Setting{"--force", nullptr, nullptr,
            kForScenarios | kForMeasure | kForSweep | kForValidate | kForReport,
            "Files that are written may replace regular files that Lockkeeper has not written",
            kTruthWords,
            [](Options& o, const std::string& v) { return set_if(o.force, parse_truth(v)); }},
    Setting{"--format", "LOCKKEEPER_FORMAT", "FORMAT", kForAll, kFormatHelp.c_str(), nullptr,
            set_format, false, kFormats},
    Setting{"--report", nullptr, "FILE", kForScenarios | kForMeasure | kForValidate | kForReport,
            "Writes the report to FILE, too, in the format of its ending", kReportWords.c_str(),
            set_report, true},
    Setting{"--keep-going", "LOCKKEEPER_KEEP_GOING", nullptr, kForExplore | kForFuzz,
            "Does not end at the first violation; finds the first of each property (explore: and "
            "cause)",
            kTruthWords,
            [](Options& o, const std::string& v) { return set_if(o.keep_going, parse_truth(v)); }},
    Setting{"--frontier", "LOCKKEEPER_FRONTIER", "ORDER", kForExplore,
            "queue (breadth first, shortest traces) or stack (depth first)", nullptr,
            [](Options& o, const std::string& v) { return set_word(o.frontier, kFrontiers, v); },
            false, kFrontiers},
    Setting{"--storage", "LOCKKEEPER_STORAGE", "KIND", kForExplore,
            "exact or fingerprints (64 bits a state, with the risk of an omission)", nullptr,
            [](Options& o, const std::string& v) { return set_word(o.storage, kStorages, v); },
            false, kStorages},
    Setting{"--interleavings", "LOCKKEEPER_INTERLEAVINGS", "WHEN", kForExplore,
            "Counts maximal interleavings: auto (where there are few states), on, off", nullptr,
            [](Options& o, const std::string& v) { return set_word(o.counting, kCountings, v); },
            false, kCountings},
    Setting{"--no-symmetry", "LOCKKEEPER_NO_SYMMETRY", nullptr, kForExplore,
            "Tells interchangeable callers apart", kTruthWords,
            [](Options& o, const std::string& v) { return set_if(o.no_symmetry, parse_truth(v)); }},
    Setting{
        "--no-sleep-sets", "LOCKKEEPER_NO_SLEEP_SETS", nullptr, kForExplore,
        "Looks up every successor, also those that independent steps lead to twice", kTruthWords,
        [](Options& o, const std::string& v) { return set_if(o.no_sleep_sets, parse_truth(v)); }},
    Setting{"--reduction", "LOCKKEEPER_REDUCTION", "KIND", kForExplore,
            "none (default) or private-steps: steps that concern nobody else are taken at once",
            nullptr,
            [](Options& o, const std::string& v) { return set_word(o.reduction, kReductions, v); },
            false, kReductions},
    Setting{"--jobs", "LOCKKEEPER_JOBS", "N", kForSearches | kForMeasure | kForSweep,
            "Workers that search or sample together (default: one a processor); the result is the "
            "same",
            "a whole number from 1 to 64", set_jobs},
    Setting{"--checkpoint", nullptr, "FILE", kForExplore,
            "Writes what is known to FILE when a limit or Ctrl-C ends the search, and now and then",
            "a file name",
            [](Options& o, const std::string& v) { return set_file(o.checkpoint, v); }},
    Setting{"--checkpoint-every", "LOCKKEEPER_CHECKPOINT_EVERY", "TIME", kForExplore,
            "How often --checkpoint writes while it searches",
            "a time above 0 (60s, 500ms, 2m, 1h, or seconds)",
            [](Options& o, const std::string& v) {
                return set_if(o.checkpoint_every, parse_duration(v));
            }},
    Setting{"--resume", nullptr, "FILE", kForExplore,
            "Goes on from a file that --checkpoint wrote, with the same scenario and options",
            "a file name", [](Options& o, const std::string& v) { return set_file(o.resume, v); }},
    Setting{"--check", nullptr, "NAME,...", (kForScenarios & ~kForRun) | kForMeasure | kForValidate,
            "Judges these properties instead of the scenario's (all, safety, or names)",
            "names of properties, separated by commas", set_check},
    Setting{"--set", nullptr, "NAME=N", (kForScenarios & ~kForRun) | kForMeasure | kForValidate,
            "A number of the system instead of the scenario's", "a name and a number (grace=3)",
            [](Options& o, const std::string& v) { return set_number(o, v); }, true},
    Setting{"--find-smallest", nullptr, "NAME=A..B", kForExplore,
            "The smallest value of a parameter of the system with which nothing is violated",
            kFindWords, [](Options& o, const std::string& v) { return set_find(o, v, true); }},
    Setting{"--find-largest", nullptr, "NAME=A..B", kForExplore, "The largest such value",
            kFindWords, [](Options& o, const std::string& v) { return set_find(o, v, false); }},
    Setting{"--check-determinism", "LOCKKEEPER_CHECK_DETERMINISM", nullptr, kForFuzz,
            "Runs every schedule twice and compares", kTruthWords,
            [](Options& o, const std::string& v) {
                return set_if(o.check_determinism, parse_truth(v));
            }},
    Setting{"--schedule", nullptr, "LINE", kForReplay,
            "Replays this schedule (lk1:...) instead of the file's", "a schedule (lk1:...)",
            [](Options& o, const std::string& v) {
                o.schedule = v;
                return true;
            }},
    Setting{"--cycle-from", nullptr, "STEP", kForReplay,
            "The schedule is a cycle from this step on (livelock)", kLimitWords,
            [](Options& o, const std::string& v) { return set_limit(o.cycle_from, v); }},
    Setting{"--history", nullptr, "FILE", kForReplay,
            "Writes the calls and returns of the run there, for `validate --history`",
            "a file name",
            [](Options& o, const std::string& v) { return set_file(o.history_out, v); }},
    Setting{"--on-divergence", nullptr, "WHAT", kForReplay,
            "When a step is not possible or does something else: stop, continue, nearest", nullptr,
            [](Options& o, const std::string& v) {
                return set_word(o.on_divergence, kOnDivergences, v);
            },
            false, kOnDivergences},
};

}  // namespace

std::span<const Setting> settings() { return kSettings; }

}  // namespace lockkeeper
