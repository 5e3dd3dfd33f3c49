// SPDX-License-Identifier: Apache-2.0
#include "scenarios/outside_lock.hpp"

#include "model/printable.hpp"
#include "model/read_text.hpp"
#include "scenarios/bad_input.hpp"
#include "scenarios/parse_place.hpp"

namespace lockkeeper {
namespace {

constexpr std::size_t kOutsideWordsMax = 64;

// The flag --schedule of `replay` has another name with `validate`.
std::string as_validate_calls_it(std::string flags) {
    constexpr std::string_view kHere = " --schedule ";
    const std::size_t at = flags.find(kHere);
    return at == std::string::npos ? flags : flags.replace(at, kHere.size(), " --replay-choices ");
}

}  // namespace

bool is_outside_lock(const std::string& system) {
    return system == kProgramSystem || system == kWireSystem || system == kOutsideSystem;
}

std::string what_to_type(const std::string& system, const std::string& file,
                         const std::string& more) {
    const bool is_wire = system == kWireSystem;
    return "\"" + system + "\" is " +
           (is_wire ? "a server with unmodified clients" : "a lock of your own") +
           ", which only validate and measure run; type: lockkeeper validate " +
           (is_wire ? "--wire SERVER --client COMMAND " : "--program COMMAND ") +
           shell_quoted(file) + as_validate_calls_it(more);
}

std::vector<std::string> outside_words(const Place& trace) {
    const auto command = trace.find("command");
    if (!command) {
        return {};
    }
    std::vector<std::string> words;
    if (const auto written = trace.find("validate")) {
        for (const Place& word : written->elements(1, kOutsideWordsMax)) {
            words.push_back(word.text());
        }
        return words;
    }
    const auto scenario = trace.find("scenario");
    const auto system = scenario ? scenario->find("system") : std::nullopt;
    if (system && system->text() == kWireSystem) {
        return {"--wire", "SERVER", "--client", command->text()};
    }
    return {"--program", command->text()};
}

std::string what_to_type(const std::vector<std::string>& words, const std::string& file,
                         const std::string& more) {
    std::string line = "lockkeeper validate";
    for (const std::string& word : words) {
        line += " " + shell_quoted(word);
    }
    return "is the trace of a lock of your own, whose command no file starts; type: " + line + " " +
           shell_quoted(file) + as_validate_calls_it(more);
}

std::string what_to_type(const Place& document, const std::string& file) {
    if (const auto words = outside_words(document); !words.empty()) {
        return what_to_type(words, file);
    }
    const auto system = document.find("system");
    return system && system->is_text() && is_outside_lock(system->text())
               ? what_to_type(system->text(), file)
               : "";
}

void refuse_outside_lock(const std::variant<Scenario, RecordedTrace>& loaded,
                         const std::string& file, const std::string& more) {
    if (const auto* scenario = std::get_if<Scenario>(&loaded)) {
        if (is_outside_lock(scenario->system)) {
            refuse(*scenario, "/system", what_to_type(scenario->system, file, more));
        }
        return;
    }
    const auto& words = std::get<RecordedTrace>(loaded).outside;
    if (!words.empty()) {
        throw BadInput({name_in_messages(file), "", what_to_type(words, file, more)});
    }
}

}  // namespace lockkeeper
