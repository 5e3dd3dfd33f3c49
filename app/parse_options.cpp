// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/flags.hpp"
#include "app/verbs.hpp"
#include "reports/texts.hpp"
#include "scenarios/bad_input.hpp"
#include "scenarios/registry/unknown_names.hpp"

namespace lockkeeper {
namespace {

std::vector<const char*> verb_names() {
    std::vector<const char*> names;
    for (const VerbRow& verb : verbs()) {
        names.push_back(name_of(verb.command));
    }
    return names;
}

std::string examples_text(const VerbRow& verb) {
    std::string text = "Examples:\n";
    for (const char* example : verb.examples) {
        text += fmt::format("  lockkeeper {}\n", example);
    }
    return text;
}

void add_flag(CLI::App& app, const Flag& flag, Command command, Options& options) {
    const std::string names = (flag.letter.empty() ? "" : flag.letter + ",") + flag.name;
    const std::string help = help_of(flag, command);
    if (flag.value.form.empty()) {
        app.add_flag_callback(
            names, [&] { set_flag(flag, flag.name, "on", options); }, help);
        return;
    }
    // Takes values as they are given: CLI11's own conversion takes "{}" for nothing.
    const auto set = [&](const CLI::results_t& values) {
        for (const std::string& value : values) {
            set_flag(flag, flag.name, value, options);
        }
        return true;
    };
    const bool may_repeat = flag.given == Given::kOften;
    CLI::Option* option = app.add_option(names, CLI::callback_t(set), help)
                              ->type_name(flag.value.form + (may_repeat ? " ..." : ""));
    if (may_repeat) {
        option->take_all();
    }
}

void add_verb(CLI::App& app, const VerbRow& verb, Options& options) {
    CLI::App& command = *app.add_subcommand(name_of(verb.command), verb.about);
    command.callback([&options, &verb] {
        options.verb = verb.command;
        options.command = name_of(verb.command);
    });
    command.footer(examples_text(verb));
    command.add_option(verb.takes, options.files, verb.takes_about)->required(verb.needs_files);
    for (const Flag& flag : flags()) {
        if (has(flag.commands, verb.command)) {
            add_flag(command, flag, verb.command, options);
        }
    }
}

// Only variables whose flag the verb has and the command line does not use.
void read_environment(const Environment& environment, Options& options) {
    for (const Flag& flag : flags()) {
        const std::string variable = variable_of(flag);
        if (variable.empty() || !has(flag.commands, options.verb) || is_given(options, flag.name)) {
            continue;
        }
        const char* value = environment(variable.c_str());
        if (value != nullptr && *value != '\0') {
            set_flag(flag, variable, value, options);
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

// "it goes with run, fuzz"; empty: no verb has it.
std::string verbs_with(const std::string& name) {
    std::string text;
    for (const VerbRow& verb : verbs()) {
        if (find_flag(name, verb.command) != nullptr) {
            text += (text.empty() ? "; it goes with " : ", ") + std::string(name_of(verb.command));
        }
    }
    return text;
}

// A flag that the verb does not have: one of another verb, or a typing error.
void refuse_unknown_flag(const CLI::App& command, const std::vector<std::string>& arguments) {
    for (const std::string& argument : arguments) {
        const std::string name = argument.substr(0, argument.find('='));
        if (!name.starts_with("--") || name == "--" ||
            command.get_option_no_throw(name) != nullptr) {
            continue;
        }
        std::vector<std::string> known;
        for (const CLI::Option* option : command.get_options()) {
            known.push_back(option->get_name());
        }
        const std::string others = verbs_with(name);
        throw UsageError(fmt::format("{0}: unknown flag \"{1}\"{2} (lockkeeper {0} --help)",
                                     command.get_name(), printable(name),
                                     others.empty() ? nearest_or_known(name, known) : others));
    }
}

// A flag where the verb should be: unknown, or one of a verb.
void refuse_flag_before_verb(const std::string& argument) {
    std::vector<std::string> known{"--help", "--version", "-h", "-V"};
    const std::string name = printable(argument.substr(0, argument.find('=')));
    if (std::find(known.begin(), known.end(), name) != known.end()) {
        return;
    }
    for (const Flag& flag : flags()) {
        if (name == flag.name || name == flag.letter) {
            throw UsageError(
                fmt::format("the flag {} comes after a verb (lockkeeper --help)", name));
        }
        known.push_back(flag.name);
    }
    throw UsageError(fmt::format("unknown flag \"{}\"{}", name, nearest_or_known(name, known)));
}

void refuse_unknown_beginning(const std::vector<std::string>& arguments) {
    const std::vector<const char*> names = verb_names();
    if (arguments.empty()) {
        throw UsageError(fmt::format("a verb is missing: {} (lockkeeper --help)", either(names)));
    }
    const std::string name = printable(arguments.front());
    if (name.empty() || std::find(names.begin(), names.end(), name) != names.end()) {
        return;
    }
    if (name.front() == '-') {
        refuse_flag_before_verb(arguments.front());
        return;
    }
    std::vector<std::string> known(names.begin(), names.end());
    known.emplace_back("help");
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
    for (const VerbRow& verb : verbs()) {
        add_verb(app, verb, options);
    }
    refuse_unknown_beginning(arguments);
    try {
        app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
        read_environment(environment, options);
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
