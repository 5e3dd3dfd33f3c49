#include "reports/list_text.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "properties/catalogue.hpp"
#include "reports/conclusion.hpp"
#include "reports/words.hpp"
#include "scenarios/bad_input.hpp"
#include "scenarios/registry/unknown_names.hpp"
#include "scheduler/runner.hpp"
#include "scheduler/runs/strategy.hpp"
#include "validate/histories/model_choice.hpp"

namespace lockkeeper {
namespace {

std::string full_name(const RegisteredSystem& system) {
    return system.system + "/" + system.variant;
}

std::string numbers_text(const char* what, const std::vector<OwnNumber>& numbers) {
    std::string out;
    for (const OwnNumber& number : numbers) {
        out += fmt::format("      {} {}: {} to {}, default {}: {}\n", what, number.name,
                           number.least, number.most, number.otherwise, number.about);
    }
    return out;
}

std::string vocabulary_text(const Vocabulary& vocabulary) {
    std::string out = numbers_text("parameter", vocabulary.parameters) +
                      numbers_text("fault", vocabulary.faults) +
                      numbers_text("setting", vocabulary.settings);
    for (const OwnCall& call : vocabulary.calls) {
        out += fmt::format("      call {}: {}\n", call.name, call.about);
    }
    if (!vocabulary.acquire_number.empty()) {
        out += fmt::format("      number of an acquire: {}\n", vocabulary.acquire_number);
    }
    return out;
}

std::string system_text(const RegisteredSystem& system) {
    std::string out = fmt::format("  {}\n      {}\n", full_name(system), system.about);
    if (!system.must_fail.empty()) {
        out += "      planted bug: " + system.must_fail + " must reject it\n";
    }
    for (const std::string& size : system.sizes) {
        out += "      " + size + "\n";
    }
    if (system.must_fail.empty() && !system.vocabulary.repairs.empty()) {
        out += fmt::format("      repairs: {}\n", fmt::join(system.vocabulary.repairs, ", "));
    }
    return out;
}

// The variants of a system speak the same language, and so do the bugs planted in it: among the
// others it is shown once.
std::vector<ListEntry> system_entries(const Registry& registry) {
    std::vector<ListEntry> entries;
    std::string last;
    for (const RegisteredSystem& system : registry.systems()) {
        ListEntry entry{{full_name(system), system.system}, system_text(system), ""};
        const bool is_first = system.system != last && system.must_fail.empty();
        (is_first ? entry.text : entry.details) += vocabulary_text(system.vocabulary);
        entries.push_back(std::move(entry));
        last = system.system;
    }
    return entries;
}

// Where it is judged, and what shows that it can fail.
std::string property_details(const Registry& registry, const Property& property,
                             const std::vector<std::string>& outside) {
    std::vector<std::string> judged;
    std::vector<std::string> bugs;
    for (const RegisteredSystem& system : registry.systems()) {
        const bool applies = (property.needs & ~system.features) == 0;
        const bool is_new = judged.empty() || judged.back() != system.system;
        if (applies && system.must_fail.empty() && is_new) {
            judged.push_back(system.system);
        }
        if (system.must_fail == property.name) {
            bugs.push_back(full_name(system));
        }
    }
    if (std::find(outside.begin(), outside.end(), property.name) != outside.end()) {
        judged.emplace_back("programs (validate --program)");
    }
    std::string out = fmt::format("      judged of: {}\n", fmt::join(judged, ", "));
    if (!bugs.empty()) {
        out += fmt::format("      must reject the planted bugs: {}\n", fmt::join(bugs, ", "));
    }
    return out;
}

std::vector<ListEntry> property_entries(const Registry& registry,
                                        const std::vector<std::string>& outside) {
    std::vector<ListEntry> entries;
    for (const Property& property : all_properties()) {
        entries.push_back(
            {{std::string(property.name), fmt::format("P{}", property.number)},
             fmt::format("  P{:<3}{:<20}{:<11}{}\n      {}\n", property.number, property.name,
                         name_of(property.kind), name_of(property.severity), property.definition),
             property_details(registry, property, outside)});
    }
    return entries;
}

std::vector<ListEntry> goal_entries() {
    std::vector<ListEntry> entries;
    for (const Property& goal : all_goals()) {
        entries.push_back({{std::string(goal.name)},
                           fmt::format("  {:<24}{}\n", goal.name, goal.definition),
                           ""});
    }
    return entries;
}

std::vector<ListEntry> model_entries() {
    std::vector<ListEntry> entries;
    for (const ModelDescription& model : all_models()) {
        entries.push_back({{std::string(model.name)},
                           fmt::format("  {}{}\n      {}\n      {}\n", model.name, model.parameters,
                                       model.about, model.operations),
                           ""});
    }
    return entries;
}

std::vector<ListEntry> strategy_entries() {
    std::vector<ListEntry> entries;
    for (const std::string& name : strategy_names()) {
        entries.push_back({{name}, "  " + name + "\n", ""});
    }
    return entries;
}

std::vector<ListEntry> limit_entries() {
    std::vector<ListEntry> entries;
    for (const HarnessLimit& limit : harness_limits()) {
        entries.push_back({{limit.name}, fmt::format("  {:<54}{}\n", limit.name, limit.value), ""});
    }
    return entries;
}

std::vector<ListEntry> exit_code_entries() {
    std::vector<ListEntry> entries;
    for (const ExitCodeMeaning& code : kExitCodes) {
        const int number = static_cast<int>(code.code);
        entries.push_back(
            {{std::to_string(number)}, fmt::format("  {:<5}{}\n", number, code.meaning), ""});
    }
    return entries;
}

std::string text_of(const ListSection& section) {
    std::string text = section.title + "\n";
    for (const ListEntry& entry : section.entries) {
        text += entry.text;
    }
    return text;
}

// The entries of that name, or nothing.
std::string text_of(const ListSection& section, const std::string& wanted) {
    std::string text;
    for (const ListEntry& entry : section.entries) {
        const auto name = std::find(entry.names.begin(), entry.names.end(), wanted);
        if (name == entry.names.end()) {
            continue;
        }
        const bool is_shared = wanted + "/" == entry.names.front().substr(0, wanted.size() + 1);
        text += entry.text + (is_shared ? "" : entry.details);
    }
    return text.empty() ? "" : section.title + "\n" + text;
}

std::vector<std::string> all_names(const std::vector<ListSection>& sections) {
    std::vector<std::string> names;
    for (const ListSection& section : sections) {
        names.push_back(section.name);
        for (const ListEntry& entry : section.entries) {
            names.insert(names.end(), entry.names.begin(), entry.names.end());
        }
    }
    return names;
}

}  // namespace

std::vector<HarnessLimit> harness_limits() {
    return {
        {"callers", kCallersMax},
        {"keys", kKeysMax},
        {"buckets", kBucketsMax},
        {"max_per", kMaxPerMax},
        {"operations of a script", kOperationsMax},
        {"signals", kSignalsMax},
        {"resizes", kResizesMax},
        {"crashes", kCrashesMax},
        {"bytes of a scenario or trace file", kScenarioBytesMax},
        {"states up to which interleavings are counted unasked", kCountedStatesMax},
    };
}

std::vector<ListSection> list_sections(const Registry& registry,
                                       const std::vector<std::string>& outside) {
    return {
        {"systems", "systems", system_entries(registry)},
        {"properties", "properties", property_entries(registry, outside)},
        {"goals", "goals", goal_entries()},
        {"models", "models of recorded histories", model_entries()},
        {"strategies", "strategies", strategy_entries()},
        {"limits", "limits", limit_entries()},
        {"exit-codes", "exit codes", exit_code_entries()},
    };
}

std::string list_text(const std::vector<ListSection>& sections, const std::string& wanted) {
    std::string text;
    for (const ListSection& section : sections) {
        text += section.name == wanted ? text_of(section) : text_of(section, wanted);
    }
    if (text.empty()) {
        throw UsageError(fmt::format("list: there is no \"{}\"{}", printable(wanted),
                                     nearest_or_known(wanted, all_names(sections))));
    }
    return text;
}

std::string list_text(const std::vector<ListSection>& sections) {
    std::string text;
    for (const ListSection& section : sections) {
        text += text_of(section);
    }
    return text;
}

}  // namespace lockkeeper
