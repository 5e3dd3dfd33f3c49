// SPDX-License-Identifier: Apache-2.0
#include "manual/man_page.hpp"

#include <algorithm>
#include <cctype>
#include <set>

#include <fmt/format.h>

#include "app/flags.hpp"
#include "version.hpp"
#include "work/results/conclusion.hpp"

namespace lockkeeper {
namespace {

std::string begin(std::string name, const std::string& date, std::string_view about) {
    const std::string title = name;
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::toupper(letter)); });
    return fmt::format(
        ".\\\" Made from the tables of verbs and flags.\n"
        ".TH {} 1 {} \"lockkeeper {}\" \"User Commands\"\n.SH NAME\n{}",
        name, date, version(), roff::text(fmt::format("{} - {}", title, about)));
}

// "Ends after so many schedules": with its full stop.
std::string sentence(std::string text) {
    text += text.ends_with('?') || text.ends_with('.') ? "" : ".";
    return text;
}

std::string flag_entry(const Flag& flag, Command command) {
    std::string names = flag.letter.empty() ? "" : roff::bold(flag.letter) + ", ";
    names += roff::bold(flag.name);
    if (!flag.value.form.empty()) {
        names += " " + roff::italic(flag.value.form);
    }
    std::string text = sentence(flag.help);
    if (flag.given == Given::kOften) {
        text += " May be given several times.";
    }
    if (const std::string otherwise = default_of(flag, command); !otherwise.empty()) {
        text += " Default: " + otherwise + ".";
    }
    if (const std::string variable = variable_of(flag); !variable.empty()) {
        text += " Variable: `" + variable + "`.";
    }
    return ".TP\n" + names + "\n" + roff::text(text);
}

std::string exit_codes() {
    std::string out = ".SH EXIT STATUS\n";
    for (const ExitCodeMeaning& one : kExitCodes) {
        out += fmt::format(".TP\n{}\n{}", roff::bold(std::to_string(one.code)),
                           roff::text(one.meaning));
    }
    return out;
}

std::string environment() {
    std::string out =
        ".SH ENVIRONMENT\n" + roff::text(
                                  "A flag on the command line comes before its variable. A switch "
                                  "is on or off.");
    std::set<std::string> known;
    for (const Flag& flag : flags()) {
        const std::string variable = variable_of(flag);
        if (!variable.empty() && known.insert(variable).second) {
            out += fmt::format(".TP\n{}\n{}", roff::bold(variable),
                               roff::text("`" + flag.name + "`: " + sentence(flag.help)));
        }
    }
    return out;
}

std::string examples(const VerbRow& verb) {
    std::string out = ".SH EXAMPLES\n.nf\n";
    for (const char* one : verb.examples) {
        out += roff::example(std::string("lockkeeper ") + one);
    }
    return out + ".fi\n";
}

}  // namespace

std::string man_page(const std::string& date) {
    std::string out = begin("lockkeeper", date,
                            "runs locks and leases in a world where every choice is the harness's "
                            "own");
    out += fmt::format(".SH SYNOPSIS\n{} {} [{}...] [{}...]\n.br\n{} {} {}\n",
                       roff::bold("lockkeeper"), roff::italic("VERB"), roff::italic("FILE|DIR"),
                       roff::italic("FLAG"), roff::bold("lockkeeper"), roff::bold("help"),
                       roff::italic("VERB"));
    out += ".SH DESCRIPTION\n" +
           roff::text(
               "Replays, explores, fuzzes and measures locks and leases that scenario files "
               "describe, and judges those that others wrote.") +
           roff::text("Results go to stdout, progress and errors to stderr.") +
           roff::text("The outcome is the exit status.") + ".SH VERBS\n";
    std::string others;
    for (const VerbRow& verb : verbs()) {
        const std::string name = name_of(verb.command);
        out += fmt::format(".TP\n{}\n{}", roff::bold(name), roff::text(sentence(verb.about)));
        others +=
            fmt::format(".BR lockkeeper\\-{} (1){}\n", name, &verb == &verbs().back() ? "" : ",");
    }
    return out + environment() + exit_codes() + ".SH SEE ALSO\n" + others;
}

std::string man_page_of(const VerbRow& verb, const std::string& date) {
    const std::string name = name_of(verb.command);
    std::string about = verb.about;
    std::string out = begin("lockkeeper-" + name, date, about);
    const std::string taken = roff::italic(verb.takes) + "...";
    out +=
        fmt::format(".SH SYNOPSIS\n{} {} {} [{}...]\n", roff::bold("lockkeeper"), roff::bold(name),
                    verb.needs_files ? taken : "[" + taken + "]", roff::italic("FLAG"));
    out += fmt::format(".SH DESCRIPTION\n{}.TP\n{}\n{}.SH OPTIONS\n", roff::text(sentence(about)),
                       roff::italic(verb.takes), roff::text(sentence(verb.takes_about)));
    for (const Flag& flag : flags()) {
        if (has(flag.commands, verb.command)) {
            out += flag_entry(flag, verb.command);
        }
    }
    return out + exit_codes() + examples(verb) + ".SH SEE ALSO\n.BR lockkeeper (1)\n";
}

}  // namespace lockkeeper
