// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "properties/catalogue.hpp"
#include "scenarios/bad_input.hpp"
#include "scenarios/registry/unknown_names.hpp"
#include "scheduler/runner.hpp"
#include "scheduler/runs/strategy.hpp"
#include "validate/histories/model_choice.hpp"
#include "validate/programs/stepped_run.hpp"
#include "work/jobs.hpp"
#include "work/results/conclusion.hpp"

namespace lockkeeper {
namespace {

using Json = nlohmann::ordered_json;

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

Json numbers_json(const std::vector<OwnNumber>& numbers) {
    Json::array_t list;
    for (const OwnNumber& number : numbers) {
        list.push_back({{"name", number.name},
                        {"least", number.least},
                        {"most", number.most},
                        {"default", number.otherwise},
                        {"about", number.about}});
    }
    return list;
}

// Repairs are listed with the repaired variant, not again with each bug that is planted in it.
Json vocabulary_json(const RegisteredSystem& system) {
    const Vocabulary& vocabulary = system.vocabulary;
    const bool is_planted = !system.must_fail.empty();
    Json::array_t calls;
    for (const OwnCall& call : vocabulary.calls) {
        calls.push_back({{"name", call.name}, {"about", call.about}});
    }
    return {{"parameters", numbers_json(vocabulary.parameters)},
            {"faults", numbers_json(vocabulary.faults)},
            {"settings", numbers_json(vocabulary.settings)},
            {"calls", calls},
            {"relations", vocabulary.relations},
            {"time", vocabulary.has_time},
            {"repairs", is_planted ? std::vector<std::string>{} : vocabulary.repairs},
            {"acquire_number", vocabulary.acquire_number}};
}

Json system_json(const RegisteredSystem& system) {
    return {{"system", system.system},
            {"variant", system.variant},
            {"about", system.about},
            {"must_fail", system.must_fail.empty() ? Json(nullptr) : Json(system.must_fail)},
            {"sizes", system.sizes},
            {"vocabulary", vocabulary_json(system)}};
}

// All variants of a system, with planted bugs too, have the same vocabulary. Only the first variant
// shows it in the list; the others have it in their details.
std::vector<ListEntry> system_entries(const Registry& registry) {
    std::vector<ListEntry> entries;
    std::string last;
    for (const RegisteredSystem& system : registry.systems()) {
        ListEntry entry{
            {full_name(system), system.system}, system_text(system), "", system_json(system)};
        const bool is_first = system.system != last && system.must_fail.empty();
        (is_first ? entry.text : entry.details) += vocabulary_text(system.vocabulary);
        entries.push_back(std::move(entry));
        last = system.system;
    }
    return entries;
}

Json property_json(const Property& property) {
    return {{"name", property.name},
            {"number", property.number},
            {"kind", name_of(property.kind)},
            {"severity", name_of(property.severity)},
            {"definition", property.definition}};
}

// The systems and programs that are judged by it, and the planted bugs that it must reject.
std::string property_details(const Registry& registry, const Property& property) {
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
    if (is_judged_outside(property)) {
        judged.emplace_back("programs (validate --program)");
    }
    std::string out = fmt::format("      judged of: {}\n", fmt::join(judged, ", "));
    if (!bugs.empty()) {
        out += fmt::format("      must reject the planted bugs: {}\n", fmt::join(bugs, ", "));
    }
    return out;
}

std::vector<ListEntry> property_entries(const Registry& registry) {
    std::vector<ListEntry> entries;
    for (const Property& property : all_properties()) {
        entries.push_back(
            {{std::string(property.name), fmt::format("P{}", property.number)},
             fmt::format("  P{:<3}{:<20}{:<11}{}\n      {}\n", property.number, property.name,
                         name_of(property.kind), name_of(property.severity), property.definition),
             property_details(registry, property),
             property_json(property)});
    }
    return entries;
}

std::vector<ListEntry> goal_entries() {
    std::vector<ListEntry> entries;
    for (const Property& goal : all_goals()) {
        entries.push_back({{std::string(goal.name)},
                           fmt::format("  {:<24}{}\n", goal.name, goal.definition),
                           "",
                           property_json(goal)});
    }
    return entries;
}

std::vector<ListEntry> model_entries() {
    std::vector<ListEntry> entries;
    for (const ModelDescription& model : all_models()) {
        entries.push_back({{std::string(model.name)},
                           fmt::format("  {}{}\n      {}\n      {}\n", model.name, model.parameters,
                                       model.about, model.operations),
                           "",
                           {{"name", model.name},
                            {"parameters", model.parameters},
                            {"operations", model.operations},
                            {"about", model.about}}});
    }
    return entries;
}

std::vector<ListEntry> strategy_entries() {
    std::vector<ListEntry> entries;
    for (const std::string& name : strategy_names()) {
        entries.push_back({{name}, "  " + name + "\n", "", name});
    }
    return entries;
}

// The limits of the whole harness; each system adds its own compiled sizes.
std::vector<ListEntry> limit_entries() {
    const std::pair<const char*, std::uint64_t> limits[] = {
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
    std::vector<ListEntry> entries;
    for (const auto& [name, value] : limits) {
        entries.push_back({{name}, fmt::format("  {:<54}{}\n", name, value), "", value});
    }
    return entries;
}

std::vector<ListEntry> exit_code_entries() {
    std::vector<ListEntry> entries;
    for (const ExitCodeMeaning& code : kExitCodes) {
        const int number = static_cast<int>(code.code);
        entries.push_back({{std::to_string(number)},
                           fmt::format("  {:<5}{}\n", number, code.meaning),
                           "",
                           code.meaning});
    }
    return entries;
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

void refuse_unknown_names(const Listing& listing) {
    for (const std::string& wanted : listing.wanted) {
        const std::vector<std::string> known = all_names(listing.sections);
        if (std::find(known.begin(), known.end(), wanted) == known.end()) {
            throw UsageError(fmt::format("list: there is no \"{}\"{}", printable(wanted),
                                         nearest_or_known(wanted, known)));
        }
    }
}

}  // namespace

Listing make_listing(const Registry& registry, std::vector<std::string> wanted) {
    Listing listing{{
                        {"systems", "systems", false, system_entries(registry)},
                        {"properties", "properties", false, property_entries(registry)},
                        {"goals", "goals", false, goal_entries()},
                        {"models", "models of recorded histories", false, model_entries()},
                        {"strategies", "strategies", false, strategy_entries()},
                        {"limits", "limits", true, limit_entries()},
                        {"exit-codes", "exit codes", true, exit_code_entries()},
                    },
                    std::move(wanted)};
    refuse_unknown_names(listing);
    return listing;
}

}  // namespace lockkeeper
