#include "app/validate_options.hpp"

#include <CLI/CLI.hpp>

namespace lockkeeper {

void add_validate_flags(CLI::App& command, ValidateFlags& flags, std::vector<std::string>& files) {
    command.add_option("FILE|DIR", files, "Scenario files, or directories of them");
    command.add_option("--history", flags.history, "A recorded history: JSON Lines, or EDN")
        ->type_name("FILE");
    command.add_option("--model", flags.model, "What the history is judged by")->type_name("NAME");
    command.add_option("--program", flags.program, "A program that speaks docs/PROTOCOL.md")
        ->type_name("COMMAND");
    command.add_option("--server", flags.server, "postgresql or mariadb, a private server")
        ->type_name("NAME");
    command.add_option("--against", flags.against, "The reference to compare with")
        ->type_name("SYSTEM/VARIANT");
}

}  // namespace lockkeeper
