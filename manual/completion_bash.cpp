// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "manual/completion.hpp"

namespace lockkeeper {
namespace {

// The part that does not depend on the tables. Bash takes --flag=value apart at the equals sign.
constexpr const char* kBegin = R"(# bash completion for lockkeeper, made from its table of flags.

_lockkeeper_words() {
    mapfile -t COMPREPLY < <(compgen -W "$1" -- "$current")
}

# Of a list "a,b": the word behind the last comma.
_lockkeeper_list() {
    local before=""
    [[ $current == *,* ]] && before="${current%,*},"
    mapfile -t COMPREPLY < <(compgen -P "$before" -W "$1" -- "${current##*,}")
    compopt -o nospace 2>/dev/null
}

_lockkeeper_files() {
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
}

_lockkeeper_directories() {
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -d -- "$current")
}

_lockkeeper_scenarios() {
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -d -- "$current"; compgen -f -X '!*.json' -- "$current")
}

)";

std::string bash_action(const FlagValue& value, const CompletionNames& names) {
    if (value.suggests == Suggests::kFiles) {
        return "_lockkeeper_files";
    }
    if (value.suggests == Suggests::kDirectories) {
        return "_lockkeeper_directories";
    }
    const bool is_list = value.form.ends_with(",...");
    return fmt::format("_lockkeeper_{} '{}'", is_list ? "list" : "words",
                       fmt::join(names.of(value), " "));
}

// By verb and flag, as one word of `case`.
std::string value_cases(const CompletionNames& names) {
    std::string out;
    for (const Flag& flag : flags()) {
        if (flag.value.form.empty()) {
            continue;
        }
        std::string verbs_with;
        for (const VerbRow& verb : verbs()) {
            if (has(flag.commands, verb.command)) {
                verbs_with += fmt::format("{}{}:{}", verbs_with.empty() ? "" : "|",
                                          name_of(verb.command), flag.name);
            }
        }
        out += fmt::format("        {})\n            {}\n            return ;;\n", verbs_with,
                           bash_action(flag.value, names));
    }
    return out;
}

std::string flag_cases() {
    std::string out;
    for (const VerbRow& verb : verbs()) {
        std::string known = "--help";
        for (const Flag& flag : flags()) {
            known += has(flag.commands, verb.command) ? " " + flag.name : "";
        }
        out += fmt::format("        {}) _lockkeeper_words '{}' ;;\n", name_of(verb.command), known);
    }
    return out;
}

std::string verb_names() {
    std::string out;
    for (const VerbRow& verb : verbs()) {
        out += std::string(out.empty() ? "" : " ") + name_of(verb.command);
    }
    return out;
}

}  // namespace

std::string bash_completion(const CompletionNames& names) {
    return kBegin + fmt::format(R"(_lockkeeper() {{
    local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD - 1]}}"
    local verb="${{COMP_WORDS[1]}}"
    COMPREPLY=()
    if [[ $current == "=" ]]; then
        current=""
    elif [[ $previous == "=" ]]; then
        previous="${{COMP_WORDS[COMP_CWORD - 2]}}"
    fi
    if ((COMP_CWORD == 1)); then
        _lockkeeper_words '{0} help --help --version'
        return
    fi
    case "$verb:$previous" in
        help:help)
            _lockkeeper_words '{0}'
            return ;;
{1}    esac
    if [[ $current == -* ]]; then
        case "$verb" in
{2}        esac
        return
    fi
    case "$verb" in
        list) _lockkeeper_words '{3}' ;;
        *) _lockkeeper_scenarios ;;
    esac
}}

complete -F _lockkeeper lockkeeper
)",
                                verb_names(), value_cases(names), flag_cases(),
                                fmt::join(names.listed(), " "));
}

}  // namespace lockkeeper
