#include <ostream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "app/did_you_mean.hpp"
#include "app/exit_code.hpp"
#include "app/verbs.hpp"
#include "histories/model_choice.hpp"
#include "properties/catalogue.hpp"
#include "reports/run_text.hpp"
#include "reports/words.hpp"
#include "scheduler/strategy.hpp"
#include "version.hpp"

namespace lockkeeper {
namespace {

using Json = nlohmann::ordered_json;

struct Bound {
    const char* name;
    std::uint64_t value;
};
// Of the harness as a whole; each system adds its own compiled sizes.
constexpr Bound kBounds[] = {
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
    return out;
}

// `only`: one system, or all.
std::string systems_text(const Registry& registry, const std::string& only) {
    std::string out = "systems\n";
    std::string last;
    for (const RegisteredSystem& system : registry.systems()) {
        if (!only.empty() && system.system != only) {
            continue;
        }
        out += fmt::format("  {}/{}\n      {}\n", system.system, system.variant, system.about);
        if (!system.must_fail.empty()) {
            out += "      planted bug: " + system.must_fail + " must reject it\n";
        }
        for (const std::string& size : system.sizes) {
            out += "      " + size + "\n";
        }
        if (!system.vocabulary.repairs.empty()) {
            out += fmt::format("      repairs: {}\n", fmt::join(system.vocabulary.repairs, ", "));
        }
        // The variants of a system speak the same language, and so do the bugs planted in it.
        if (system.system != last && system.must_fail.empty()) {
            out += vocabulary_text(system.vocabulary);
        }
        last = system.system;
    }
    return out;
}

std::string properties_text(const Registry&) {
    std::string out = "properties\n";
    for (const Property& property : all_properties()) {
        out += fmt::format("  P{:<3}{:<20}{:<11}{}\n      {}\n", property.number, property.name,
                           name_of(property.kind), name_of(property.severity), property.definition);
    }
    return out;
}

std::string goals_text(const Registry&) {
    std::string out = "goals\n";
    for (const Property& goal : all_goals()) {
        out += fmt::format("  {:<24}{}\n", goal.name, goal.definition);
    }
    return out;
}

std::string models_text(const Registry&) {
    std::string out = "models of recorded histories\n";
    for (const ModelDescription& model : all_models()) {
        out += fmt::format("  {}{}\n      {}\n      {}\n", model.name, model.parameters,
                           model.about, model.operations);
    }
    return out;
}

std::string strategies_text(const Registry&) {
    std::string out = "strategies\n";
    for (const std::string& name : strategy_names()) {
        out += "  " + name + "\n";
    }
    return out;
}

std::string limits_text(const Registry&) {
    std::string out = "limits\n";
    for (const Bound& bound : kBounds) {
        out += fmt::format("  {:<54}{}\n", bound.name, bound.value);
    }
    return out;
}

std::string exit_codes_text(const Registry&) {
    std::string out = "exit codes\n";
    for (const ExitCodeMeaning& code : kExitCodes) {
        out += fmt::format("  {:<5}{}\n", static_cast<int>(code.code), code.meaning);
    }
    return out;
}

struct Section {
    const char* name;
    std::string (*text)(const Registry&);
};
constexpr Section kSections[] = {
    {"systems", [](const Registry& registry) { return systems_text(registry, ""); }},
    {"properties", properties_text},
    {"goals", goals_text},
    {"models", models_text},
    {"strategies", strategies_text},
    {"limits", limits_text},
    {"exit-codes", exit_codes_text},
};

// What was asked for: a section, or a system.
std::string text_about(const Registry& registry, const std::string& wanted) {
    std::vector<std::string> known;
    for (const Section& section : kSections) {
        known.emplace_back(section.name);
        if (wanted == section.name) {
            return section.text(registry);
        }
    }
    for (const RegisteredSystem& system : registry.systems()) {
        known.push_back(system.system);
        if (wanted == system.system) {
            return systems_text(registry, wanted);
        }
    }
    throw UsageError("list: there is no \"" + printable(wanted) + "\"" +
                     did_you_mean(wanted, known));
}

Json property_json(const Property& property) {
    return {{"name", property.name},
            {"number", property.number},
            {"kind", name_of(property.kind)},
            {"severity", name_of(property.severity)},
            {"definition", property.definition}};
}

Json numbers_json(const std::vector<OwnNumber>& numbers) {
    Json list = Json::array();
    for (const OwnNumber& number : numbers) {
        list.push_back({{"name", number.name},
                        {"least", number.least},
                        {"most", number.most},
                        {"default", number.otherwise},
                        {"about", number.about}});
    }
    return list;
}

Json vocabulary_json(const Vocabulary& vocabulary) {
    Json calls = Json::array();
    for (const OwnCall& call : vocabulary.calls) {
        calls.push_back({{"name", call.name}, {"about", call.about}});
    }
    return {{"parameters", numbers_json(vocabulary.parameters)},
            {"faults", numbers_json(vocabulary.faults)},
            {"settings", numbers_json(vocabulary.settings)},
            {"calls", calls},
            {"relations", vocabulary.relations},
            {"time", vocabulary.has_time},
            {"repairs", vocabulary.repairs}};
}

Json list_json(const Registry& registry) {
    Json json;
    json["version"] = version();
    json["commit"] = commit();
    json["systems"] = Json::array();
    for (const RegisteredSystem& system : registry.systems()) {
        json["systems"].push_back(
            {{"system", system.system},
             {"variant", system.variant},
             {"about", system.about},
             {"must_fail", system.must_fail.empty() ? Json(nullptr) : Json(system.must_fail)},
             {"sizes", system.sizes},
             {"vocabulary", vocabulary_json(system.vocabulary)}});
    }
    json["properties"] = Json::array();
    for (const Property& property : all_properties()) {
        json["properties"].push_back(property_json(property));
    }
    json["goals"] = Json::array();
    for (const Property& goal : all_goals()) {
        json["goals"].push_back(property_json(goal));
    }
    json["models"] = Json::array();
    for (const ModelDescription& model : all_models()) {
        json["models"].push_back({{"name", model.name},
                                  {"parameters", model.parameters},
                                  {"operations", model.operations},
                                  {"about", model.about}});
    }
    json["strategies"] = strategy_names();
    for (const Bound& bound : kBounds) {
        json["limits"][bound.name] = bound.value;
    }
    for (const ExitCodeMeaning& code : kExitCodes) {
        json["exit_codes"][std::to_string(code.code)] = code.meaning;
    }
    return json;
}

}  // namespace

int verb_list(const Session& session) {
    const std::vector<std::string>& wanted = session.options.files;
    if (!session.prints_text()) {
        if (!wanted.empty()) {
            throw UsageError("list: --format json lists everything");
        }
        session.out << list_json(session.registry).dump(2) << "\n" << std::flush;
        return kExitPassed;
    }
    std::string text;
    for (const std::string& one : wanted) {
        text += text_about(session.registry, one);
    }
    for (const Section& section : kSections) {
        text += wanted.empty() ? section.text(session.registry) : "";
    }
    session.out << build_text() << "\n" << text << std::flush;
    return kExitPassed;
}

}  // namespace lockkeeper
