#include "app/validate_options.hpp"

#include <CLI/CLI.hpp>

#include "app/exit_code.hpp"
#include "app/units.hpp"

namespace lockkeeper {
namespace {

// Of a program: docs/PROTOCOL.md explains them.
void add_program_flags(CLI::App& command, ValidateFlags& flags) {
    command.add_option("--program", flags.program, "A program that speaks docs/PROTOCOL.md")
        ->type_name("COMMAND");
    command
        .add_option("--level", flags.level,
                    "--program: stepped (each access asks; default) or black-box")
        ->check(CLI::IsMember({"stepped", "black-box"}))
        ->type_name("LEVEL");
    command.add_option("--search", flags.search, "--program: explore, random or both (default)")
        ->check(CLI::IsMember({"explore", "random", "both"}))
        ->type_name("METHOD");
    command
        .add_option("--preemptions", flags.preemptions_max,
                    "--program: operations are interrupted at most so often (default: any number)")
        ->type_name("N");
    command
        .add_option_function<std::string>(
            "--answer-time",
            [&flags](const std::string& text) {
                flags.answer_seconds = parse_duration(text);
                if (!flags.answer_seconds || *flags.answer_seconds > 86'400) {
                    throw UsageError(
                        "--answer-time: expected a time of at most a day (10s, "
                        "500ms), found \"" +
                        text + "\"");
                }
            },
            "--program: how long one line may take (default 10s)")
        ->type_name("TIME");
    command
        .add_option("--replay-choices", flags.replay_choices,
                    "--program: this one run, step by step (lk1:...)")
        ->type_name("LINE");
}

}  // namespace

void add_validate_flags(CLI::App& command, ValidateFlags& flags, std::vector<std::string>& files) {
    command.add_option("FILE|DIR", files, "Scenario files, or directories of them");
    command.add_option("--history", flags.history, "A recorded history: JSON Lines, or EDN")
        ->type_name("FILE");
    command.add_option("--model", flags.model, "What the history is judged by")->type_name("NAME");
    add_program_flags(command, flags);
    command.add_option("--server", flags.server, "postgresql or mariadb, a private server")
        ->type_name("NAME");
    command.add_option("--against", flags.against, "The reference to compare with")
        ->type_name("SYSTEM/VARIANT");
}

}  // namespace lockkeeper
