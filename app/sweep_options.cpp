#include "app/sweep_options.hpp"

#include <CLI/CLI.hpp>

#include "app/flag_words.hpp"
#include "scenarios/bad_input.hpp"

namespace lockkeeper {

void add_sweep_flags(CLI::App& command, SweepFlags& flags) {
    CLI::Option* is_long =
        command.add_flag("--long", flags.is_long, "Also the points that the file calls long");
    command.add_flag("--hours", flags.is_hours, "Only the points that the file says take hours")
        ->excludes(is_long);
    command
        .add_option_function<std::vector<std::string>>(
            "--where",
            [&flags](const std::vector<std::string>& texts) {
                for (const std::string& text : texts) {
                    const std::size_t equals = text.find('=');
                    if (equals == std::string::npos || equals == 0) {
                        throw UsageError(bad_value("--where", "AXIS=CHOICE", text));
                    }
                    flags.where.emplace_back(text.substr(0, equals), text.substr(equals + 1));
                }
            },
            "Only the points with this choice; of several axes all, of one axis any")
        ->type_name("AXIS=CHOICE")
        ->allow_extra_args(false);
    command
        .add_option("--check", flags.check, "Compares with this table (exit code 1: it differs)")
        ->type_name("TABLE");
    command.add_option("--table", flags.table_file, "Writes the table as JSON")->type_name("FILE");
    command.add_option("--csv", flags.csv_file, "Writes the table as CSV")->type_name("FILE");
}

}  // namespace lockkeeper
