// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "manual/completion.hpp"

namespace lockkeeper {
namespace {

// Within single quotes.
std::string in_fish_quotes(const std::string& text) {
    std::string out;
    for (const char character : text) {
        out += (character == '\'' || character == '\\' ? "\\" : "") + std::string(1, character);
    }
    return out;
}

std::string value_of(const FlagValue& value, const CompletionNames& names) {
    switch (value.suggests) {
        case Suggests::kFiles: return " -r -F";
        case Suggests::kDirectories: return " -x -a '(__fish_complete_directories)'";
        default: break;
    }
    const std::vector<std::string> known = names.of(value);
    return known.empty() ? " -x" : fmt::format(" -x -a '{}'", fmt::join(known, " "));
}

// One line: with all verbs that have it.
std::string flag_line(const Flag& flag, const CompletionNames& names) {
    std::string seen;
    for (const VerbRow& verb : verbs()) {
        seen += has(flag.commands, verb.command) ? std::string(" ") + name_of(verb.command) : "";
    }
    return fmt::format(
        "complete -c lockkeeper -n '__fish_seen_subcommand_from{}'{} -l {}{} -d '{}'\n", seen,
        flag.letter.empty() ? "" : " -s " + flag.letter.substr(1), flag.name.substr(2),
        flag.value.form.empty() ? "" : value_of(flag.value, names), in_fish_quotes(flag.help));
}

}  // namespace

std::string fish_completion(const CompletionNames& names) {
    std::string out = "# fish completion for lockkeeper, made from its table of flags.\n\n";
    out += "complete -c lockkeeper -n __fish_use_subcommand -f\n";
    for (const VerbRow& verb : verbs()) {
        out += fmt::format("complete -c lockkeeper -n __fish_use_subcommand -a {} -d '{}'\n",
                           name_of(verb.command), in_fish_quotes(verb.about));
    }
    out +=
        "complete -c lockkeeper -n __fish_use_subcommand -a help -d 'Which flags does a verb "
        "have?'\n";
    out += "complete -c lockkeeper -l help -d 'Print this help message and exit'\n";
    out += "complete -c lockkeeper -n __fish_use_subcommand -l version -d 'Print the version'\n\n";
    for (const Flag& flag : flags()) {
        out += flag_line(flag, names);
    }
    return out + fmt::format(
                     "\ncomplete -c lockkeeper -n '__fish_seen_subcommand_from list' -f -a "
                     "'{}'\n",
                     fmt::join(names.listed(), " "));
}

}  // namespace lockkeeper
