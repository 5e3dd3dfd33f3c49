// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "manual/completion.hpp"

namespace lockkeeper {
namespace {

// Within single quotes.
std::string in_zsh_quotes(const std::string& text) {
    std::string out;
    for (const char character : text) {
        out += character == '\'' ? std::string("'\\''") : std::string(1, character);
    }
    return out;
}

// Where zsh would take brackets and colons for its own.
std::string described(const std::string& text) {
    std::string out;
    for (const char character : in_zsh_quotes(text)) {
        const bool is_own = character == '[' || character == ']' || character == ':';
        out += (is_own ? "\\" : "") + std::string(1, character);
    }
    return out;
}

std::string zsh_action(const FlagValue& value, const CompletionNames& names) {
    switch (value.suggests) {
        case Suggests::kFiles: return "_files";
        case Suggests::kDirectories: return "_files -/";
        default: break;
    }
    const std::vector<std::string> known = names.of(value);
    if (known.empty()) {
        return " ";
    }
    return value.form.ends_with(",...")
               ? fmt::format("_values -s , {} {}", value.form.substr(0, value.form.find(',')),
                             fmt::join(known, " "))
               : fmt::format("({})", fmt::join(known, " "));
}

std::string flag_specification(const Flag& flag, const CompletionNames& names) {
    const std::string help = "[" + described(flag.help) + "]";
    const std::string letter = flag.letter.empty() ? "" : fmt::format("'{}{}' ", flag.letter, help);
    if (flag.value.form.empty()) {
        return fmt::format("{}'{}{}'", letter, flag.name, help);
    }
    return fmt::format("{}'{}{}={}:{}:{}'", letter, flag.given == Given::kOften ? "*" : "",
                       flag.name, help, described(flag.value.form), zsh_action(flag.value, names));
}

std::string zsh_verb(const VerbRow& verb, const CompletionNames& names) {
    const char* indent = "                ";
    std::string out =
        fmt::format("            {})\n{}_arguments -S \\\n", name_of(verb.command), indent);
    for (const Flag& flag : flags()) {
        if (has(flag.commands, verb.command)) {
            out += fmt::format("{}    {} \\\n", indent, flag_specification(flag, names));
        }
    }
    std::string taken = "_files -g \"*.json\"";
    if (verb.command == Command::kList) {
        taken = fmt::format("({})", fmt::join(names.listed(), " "));
    } else if (verb.command == Command::kClinic || verb.command == Command::kPlayground) {
        taken = "_files -/";
    }
    return out + fmt::format(
                     "{}    '--help[Print this help message and exit]' \\\n"
                     "{}    '*:{}:{}' ;;\n",
                     indent, indent, verb.takes, taken);
}

}  // namespace

std::string zsh_completion(const CompletionNames& names) {
    std::string described_verbs;
    std::string cases;
    for (const VerbRow& verb : verbs()) {
        described_verbs +=
            fmt::format("        '{}:{}'\n", name_of(verb.command), in_zsh_quotes(verb.about));
        cases += zsh_verb(verb, names);
    }
    return fmt::format(R"(#compdef lockkeeper
# zsh completion for lockkeeper, made from its table of flags.

_lockkeeper() {{
    local -a verbs
    verbs=(
{}        'help:Which flags does a verb have?'
    )
    local context state state_descr line
    typeset -A opt_args
    _arguments -C '(- *)--help[Print the verbs]' '(- *)--version[Print the version]' \
        '1:verb:->verb' '*::argument:->arguments'
    case $state in
        verb) _describe verb verbs ;;
        arguments)
            case $words[1] in
            help) _describe verb verbs ;;
{}            esac ;;
    esac
}}

_lockkeeper "$@"
)",
                       described_verbs, cases);
}

}  // namespace lockkeeper
