#include <algorithm>
#include <limits>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/defaults.hpp"
#include "app/options.hpp"
#include "app/settings.hpp"
#include "reports/run_text.hpp"
#include "reports/words.hpp"
#include "scenarios/bad_input.hpp"
#include "scenarios/registry/unknown_names.hpp"
#include "scenarios/scenario.hpp"

namespace lockkeeper {
namespace {

struct CommandRow {
    Command command;
    const char* about;
    std::initializer_list<const char*> examples;  // what stands behind the program's name
};
const CommandRow kCommands[] = {
    {Command::kRun,
     "Scenarios as tests: does each file meet its expectation?",
     {"run scenarios/single_counter", "run scenarios --jobs 2 --out failures"}},
    {Command::kReplay,
     "One run, step by step: a schedule, a trace file, an order",
     {"replay scenarios/single_counter/timeline_leak.json",
      "replay scenarios/canal/findings/leak_two_callers.json --schedule 'lk1:1:s0*3,s1*3'"}},
    {Command::kExplore,
     "All interleavings of a scenario, each state once",
     {"explore scenarios/canal/findings/leak_two_callers.json",
      "explore scenarios/leases/synthesis/renewal_interval.json --set pause=2"}},
    {Command::kFuzz,
     "Many random interleavings of a scenario",
     {"fuzz scenarios/canal/findings/leak_two_callers.json --schedules 100000 --out failures",
      "fuzz - --strategy pct:3 < scenarios/canal/findings/leak_two_callers.json"}},
    {Command::kMeasure,
     "How often a scenario violates what: exact rates, sampled rates, forecasts",
     {"measure scenarios/measure/leak_two_callers.json",
      "measure scenarios/measure/leak_two_callers.json --sweep max_per=1..4 --csv rates.csv"}},
    {Command::kSweep,
     "What many scenarios violate: every combination of choices, as a table",
     {"sweep docs/sweeps/try_retry.sweep.json",
      "sweep docs/sweeps/try_retry.sweep.json --check docs/sweeps/try_retry.table.json"}},
    {Command::kValidate,
     "Judge what others wrote: recorded histories, programs, databases",
     {"validate --history examples/histories/mutex_bad.jsonl --model mutex",
      "validate --program 'python3 examples/outside/set_nx_px.py'",
      "validate --server postgresql --schedules 20",
      "validate --against canal/repaired scenarios/canal/findings/leak_two_callers.json"}},
    {Command::kReport,
     "A report of what there is already: a trace, or results that --format json has written",
     {"report results.json -o results.html", "report failures -o failures.html"}},
    {Command::kList,
     "Systems, variants, properties, goals, strategies, limits, exit codes",
     {"list properties", "list P2", "list canal/repaired"}},
};

std::string examples_text(const CommandRow& row) {
    std::string text = "Examples:\n";
    for (const char* example : row.examples) {
        text += fmt::format("  lockkeeper {}\n", example);
    }
    return text;
}

constexpr unsigned set_of(Command command) { return 1U << static_cast<unsigned>(command); }

// Of a value that is a number, but larger than any that fits; empty: it is something else.
std::string too_large_text(const Setting& setting, const std::string& name,
                           const std::string& value) {
    const std::string form = setting.value == nullptr ? "" : setting.value;
    const bool is_own = form == "NAME=N";
    const std::size_t equals = value.find('=');
    if (is_own && (equals == std::string::npos || equals == 0)) {
        return "";
    }
    std::string digits = is_own ? value.substr(equals + 1) : value;
    if (is_own && !digits.empty() && digits[0] == '-') {
        digits.erase(0, 1);
    }
    constexpr std::size_t kDigitsMost = 20;  // of 64 bits
    const bool is_number =
        !digits.empty() && digits.find_first_not_of("0123456789") == std::string::npos;
    if (!is_number || (!is_own && (form != "N" || digits.size() < kDigitsMost))) {
        return "";
    }
    return is_own ? fmt::format("{}: the number in \"{}\" is too large: from -{} to {}", name,
                                printable(value), kOwnNumberMax, kOwnNumberMax)
                  : fmt::format("{}: {} is too large: at most {}", name, value,
                                std::numeric_limits<std::uint64_t>::max());
}

void set_or_throw(const Setting& setting, const std::string& name, Options& options,
                  const std::string& value) {
    if (!setting.set(options, value)) {
        if (const std::string text = too_large_text(setting, name, value); !text.empty()) {
            throw UsageError(text);
        }
        throw UsageError(
            bad_value(name, setting.expected != nullptr ? setting.expected : either(setting.words),
                      value, setting.words));
    }
}

void add_setting(CLI::App& app, const Setting& setting, Options& options) {
    CLI::Option* option = nullptr;
    if (setting.value == nullptr) {
        option = app.add_flag_callback(setting.flag,
                                       [&] { set_or_throw(setting, setting.flag, options, "on"); });
    } else {
        using Values = std::vector<std::string>;
        const std::string flag = setting.flag;
        const std::string names = flag == "--report" ? "-o," + flag : flag;
        option = app.add_option_function<Values>(names, [&](const Values& values) {
            for (const std::string& value : values) {
                set_or_throw(setting, setting.flag, options, value);
            }
        });
        option->type_name(setting.value)->allow_extra_args(false);
        if (!setting.may_repeat) {
            option->expected(1);
        }
    }
    std::string help = setting.help;
    if (setting.variable != nullptr) {
        help += fmt::format(" [{}]", setting.variable);
    }
    option->description(help);
}

void add_command(CLI::App& app, const CommandRow& row, Options& options) {
    CLI::App& command = *app.add_subcommand(name_of(row.command), row.about);
    command.callback([&options, &row] { options.command = row.command; });
    command.footer(examples_text(row));
    if (row.command == Command::kValidate) {
        add_validate_flags(command, options.validate, options.files);
    } else if (row.command == Command::kList) {
        command.add_option("WHAT", options.files,
                           "Only these: systems, properties, goals, models, strategies, limits, "
                           "exit-codes, or one by its name: SYSTEM, SYSTEM/VARIANT, leak, P2");
    } else {
        const char* about = row.command == Command::kSweep ? "Sweep files"
                            : row.command == Command::kReport
                                ? "A file of results, trace files, or directories of them"
                            : row.command == Command::kReplay
                                ? "Trace files, directories of them, or scenario files; - is stdin"
                                : "Scenario files, or directories of them; - is stdin";
        command.add_option("FILE|DIR", options.files, about)->required();
    }
    if (row.command == Command::kMeasure) {
        add_measure_flags(command, options.measure);
    } else if (row.command == Command::kSweep) {
        add_sweep_flags(command, options.sweep);
    }
    for (const Setting& setting : settings()) {
        if ((setting.commands & set_of(row.command)) != 0) {
            add_setting(command, setting, options);
        }
    }
    command.add_flag("-q,--quiet", options.quiet, "No progress on stderr");
    command.add_flag("-v,--verbose", options.verbose, "Says more: the scenario's own words");
    for (CLI::Option* option : command.get_options()) {
        const std::string otherwise = default_of(option->get_name(), row.command);
        if (!otherwise.empty()) {
            option->description(
                fmt::format("{} (default: {})", option->get_description(), otherwise));
        }
    }
}

// Only variables whose flag the verb has and the command line does not use.
void read_environment(const CLI::App& command, const Environment& environment, Options& options) {
    for (const Setting& setting : settings()) {
        if (setting.variable == nullptr || (setting.commands & set_of(options.command)) == 0 ||
            command.get_option(setting.flag)->count() > 0) {
            continue;
        }
        const char* value = environment(setting.variable);
        if (value != nullptr && *value != '\0') {
            set_or_throw(setting, setting.variable, options, value);
        }
    }
}

// CLI11's messages may have several lines.
std::string one_line(std::string text) {
    while (!text.empty() && text.back() == '\n') {
        text.pop_back();
    }
    return printable(text);
}

std::string verbs_with(const Setting& setting) {
    std::string verbs;
    for (const CommandRow& row : kCommands) {
        if ((setting.commands & set_of(row.command)) != 0) {
            verbs += (verbs.empty() ? "" : ", ") + std::string(name_of(row.command));
        }
    }
    return verbs;
}

// A flag that the verb does not have: one of another verb, or a typing error.
void refuse_unknown_flag(const CLI::App& command, const std::vector<std::string>& arguments) {
    for (const std::string& argument : arguments) {
        const std::string flag = argument.substr(0, argument.find('='));
        if (!flag.starts_with("--") || flag == "--" ||
            command.get_option_no_throw(flag) != nullptr) {
            continue;
        }
        std::vector<std::string> known;
        for (const CLI::Option* option : command.get_options()) {
            known.push_back(option->get_name());
        }
        std::string hint = nearest_or_known(flag, known);
        for (const Setting& setting : settings()) {
            if (flag == setting.flag) {
                hint = "; it goes with " + verbs_with(setting);
            }
        }
        throw UsageError(fmt::format("{}: unknown flag \"{}\"{} (lockkeeper {} --help)",
                                     command.get_name(), printable(flag), hint,
                                     command.get_name()));
    }
}

// A flag where the verb should be: unknown, or one of a verb.
void refuse_flag_before_verb(const std::string& argument) {
    std::vector<std::string> known{"--help", "--version", "-h", "-V"};
    const std::string flag = argument.substr(0, argument.find('='));
    if (std::find(known.begin(), known.end(), flag) != known.end()) {
        return;
    }
    std::vector<std::string> of_verbs{"--quiet", "--verbose", "-q", "-v"};
    for (const Setting& setting : settings()) {
        of_verbs.emplace_back(setting.flag);
    }
    const std::string name = printable(flag);
    if (std::find(of_verbs.begin(), of_verbs.end(), flag) != of_verbs.end()) {
        throw UsageError(fmt::format("the flag {} comes after a verb (lockkeeper --help)", name));
    }
    known.insert(known.end(), of_verbs.begin(), of_verbs.end());
    throw UsageError(fmt::format("unknown flag \"{}\"{}", name, nearest_or_known(name, known)));
}

void refuse_unknown_beginning(const std::vector<std::string>& arguments) {
    if (arguments.empty()) {
        throw UsageError(
            "a verb is missing: run, replay, explore, fuzz, measure, sweep, validate or list "
            "(lockkeeper --help)");
    }
    if (arguments.front().empty()) {
        return;
    }
    if (arguments.front().front() == '-') {
        refuse_flag_before_verb(arguments.front());
        return;
    }
    std::vector<std::string> known{"help"};
    for (const CommandRow& row : kCommands) {
        known.emplace_back(name_of(row.command));
        if (known.back() == arguments.front()) {
            return;
        }
    }
    const std::string name = printable(arguments.front());
    throw UsageError(fmt::format("unknown verb \"{}\"{}", name, nearest_or_known(name, known)));
}

// `help VERB` is `VERB --help`, `help` is `--help`.
std::vector<std::string> with_help_as_a_flag(const std::vector<std::string>& arguments) {
    if (arguments.empty() || arguments.front() != "help") {
        return arguments;
    }
    if (arguments.size() > 2) {
        throw UsageError("help: expected one verb (lockkeeper help)");
    }
    std::vector<std::string> flag(arguments.begin() + 1, arguments.end());
    flag.emplace_back("--help");
    return flag;
}

std::variant<Options, PrintAndEnd> parse_as_given(const std::vector<std::string>& arguments,
                                                  const Environment& environment) {
    Options options;
    CLI::App app("Runs locks and leases in a world where every choice is the harness's own.",
                 "lockkeeper");
    app.set_version_flag("-V,--version", build_text());
    app.require_subcommand(1);
    for (const CommandRow& row : kCommands) {
        add_command(app, row, options);
    }
    refuse_unknown_beginning(arguments);
    try {
        app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
        read_environment(*app.get_subcommands().front(), environment, options);
    } catch (const CLI::CallForHelp&) {
        return PrintAndEnd{app.help()};
    } catch (const CLI::CallForVersion&) {
        return PrintAndEnd{build_text() + "\n"};
    } catch (const CLI::ExtrasError& error) {
        refuse_unknown_flag(*app.get_subcommand(arguments.front()), arguments);
        throw UsageError(one_line(error.what()) + " (lockkeeper --help)");
    } catch (const CLI::ParseError& error) {
        throw UsageError(one_line(error.what()) + " (lockkeeper --help)");
    }
    return options;
}

}  // namespace

std::variant<Options, PrintAndEnd> parse_options(const std::vector<std::string>& arguments,
                                                 const Environment& environment) {
    return parse_as_given(with_help_as_a_flag(arguments), environment);
}

}  // namespace lockkeeper
