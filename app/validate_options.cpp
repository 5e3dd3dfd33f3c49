#include "app/validate_options.hpp"

#include <charconv>

#include <CLI/CLI.hpp>

#include "app/flag_words.hpp"
#include "scenarios/bad_input.hpp"
#include "scenarios/units.hpp"

namespace lockkeeper {
namespace {

constexpr const char* kTimeUnits[] = {"ns", "us", "ms", "s"};
constexpr std::int64_t kUnitsPerSecond[] = {1'000'000'000, 1'000'000, 1'000, 1};
constexpr const char* kLevels[] = {"stepped", "black-box"};
constexpr const char* kSearches[] = {"explore", "random", "both"};
constexpr const char* kServers[] = {"postgresql", "mariadb", "erlang"};

// A flag that takes one of the words.
void add_words(CLI::App& command, const std::string& flag, Words words,
               std::optional<std::string>& target, const char* value, const char* about) {
    command
        .add_option_function<std::string>(
            flag,
            [&target, flag, words](const std::string& text) {
                target = words[word_of(flag, words, text)];
            },
            about)
        ->type_name(value);
}

void set_tolerance(ValidateFlags& flags, const std::string& text) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_number = error == std::errc{} && end == text.data() + text.size();
    if (is_number && number >= 0 && number <= kTimeMax) {
        flags.order.tolerance = number;
    } else if (const auto seconds = is_number ? std::nullopt : parse_duration(text)) {
        flags.order.tolerance_seconds = seconds;
    } else {
        throw UsageError(
            "--clock-tolerance: expected a time (5ms), or a whole number in the history's own unit "
            "of time, found \"" +
            text + "\"");
    }
    flags.order_flags += " --clock-tolerance " + text;
}

// Of a recorded history: docs/reference/history_format.md explains them.
void add_history_flags(CLI::App& command, ValidateFlags& flags) {
    command
        .add_option("--history", flags.history,
                    "A recorded history: JSON Lines, or EDN; - is stdin")
        ->type_name("FILE");
    command.add_option("--model", flags.model, "What the history is judged by")->type_name("NAME");
    command.add_flag_callback(
        "--sort-by-time",
        [&flags] {
            flags.order.sorts_by_time = true;
            flags.order_flags += " --sort-by-time";
        },
        "--history: records are in no order but that of their times, as in logs put together");
    command
        .add_option_function<std::string>(
            "--clock-tolerance", [&flags](const std::string& text) { set_tolerance(flags, text); },
            "--history: by how much times may fall from record to record (5ms, the default where "
            "their unit is known, or a number in that unit; else a thousandth of the history)")
        ->type_name("TIME");
    command
        .add_option_function<std::string>(
            "--time-unit",
            [&flags](const std::string& text) {
                flags.order.units_per_second =
                    kUnitsPerSecond[word_of("--time-unit", kTimeUnits, text)];
                flags.order_flags += " --time-unit " + text;
            },
            "--history: the unit of its times: ns (default of EDN), us, ms, s")
        ->type_name("UNIT");
}

void add_duration(CLI::App& command, const std::string& flag, std::optional<double>& seconds,
                  const char* about) {
    constexpr double kMost = 86'400;
    command
        .add_option_function<std::string>(
            flag,
            [&seconds, flag](const std::string& text) {
                seconds = parse_duration(text);
                if (!seconds || *seconds > kMost) {
                    throw UsageError(flag +
                                     ": expected a time of at most a day (10s, 500ms), found \"" +
                                     text + "\"");
                }
            },
            about)
        ->type_name("TIME");
}

// Of a program: docs/reference/protocol.md explains them.
void add_program_flags(CLI::App& command, ValidateFlags& flags) {
    command
        .add_option("--program", flags.program,
                    "A program that speaks the protocol (docs/reference/protocol.md)")
        ->type_name("COMMAND");
    add_words(command, "--level", kLevels, flags.level, "LEVEL",
              "--program: stepped (each access asks) or black-box");
    add_words(command, "--search", kSearches, flags.search, "METHOD",
              "--program: explore, random or both");
    command
        .add_option("--preemptions", flags.preemptions_max,
                    "--program: operations are interrupted at most so often (default: any number)")
        ->type_name("N");
    add_duration(command, "--answer-time", flags.answer_seconds,
                 "--program: how long one line may take");
    command.add_flag("--process-per-caller", flags.process_per_caller,
                     "--program, black box: each caller has a process, and dies alone");
    add_duration(command, "--recovery-time", flags.recovery_seconds,
                 "--program, black box: when a fresh caller has to get what nobody "
                 "holds");
    command
        .add_option("--replay-choices", flags.replay_choices,
                    "--program: this one run, step by step (lk1:...)")
        ->type_name("LINE");
}

}  // namespace

void add_validate_flags(CLI::App& command, ValidateFlags& flags, std::vector<std::string>& files) {
    command.add_option("FILE|DIR", files, "Scenario files, or directories of them; - is stdin");
    add_history_flags(command, flags);
    add_program_flags(command, flags);
    add_words(command, "--server", kServers, flags.server, "NAME",
              "postgresql, mariadb or erlang: a private server, or node");
    command.add_option("--against", flags.against, "The reference to compare with")
        ->type_name("SYSTEM/VARIANT");
}

}  // namespace lockkeeper
