#include <algorithm>
#include <ostream>

#include <nlohmann/json.hpp>

#include "app/exit_code.hpp"
#include "app/verbs.hpp"
#include "properties/catalogue.hpp"
#include "reports/list_text.hpp"
#include "reports/run_text.hpp"
#include "scheduler/runs/strategy.hpp"
#include "validate/histories/model_choice.hpp"
#include "validate/programs/stepped_run.hpp"
#include "version.hpp"

namespace lockkeeper {
namespace {

using Json = nlohmann::ordered_json;

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

// Repairs are listed with the repaired variant, not again with each bug that is planted in it.
Json vocabulary_json(const RegisteredSystem& system) {
    const Vocabulary& vocabulary = system.vocabulary;
    const bool is_planted = !system.must_fail.empty();
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
            {"repairs", is_planted ? std::vector<std::string>{} : vocabulary.repairs},
            {"acquire_number", vocabulary.acquire_number}};
}

Json list_json(const Registry& registry) {
    Json json;
    json["$schema"] = "list.schema.json";
    json["list_version"] = 1;
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
             {"vocabulary", vocabulary_json(system)}});
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
    for (const HarnessLimit& limit : harness_limits()) {
        json["limits"][limit.name] = limit.value;
    }
    for (const ExitCodeMeaning& code : kExitCodes) {
        json["exit_codes"][std::to_string(code.code)] = code.meaning;
    }
    return json;
}

// The names by which `list` finds an entry, as in list_text.cpp.
bool is_called(const Json& entry, const std::string& name, bool is_property) {
    if (entry.is_string()) {
        return entry == name;
    }
    if (entry.contains("system")) {
        const auto system = entry["system"].get<std::string>();
        return name == system || name == system + "/" + entry["variant"].get<std::string>();
    }
    return entry["name"] == name ||
           (is_property && name == "P" + std::to_string(entry["number"].get<int>()));
}

// The same document with what is wanted only; what a section has under names, by these.
Json only(const std::vector<std::string>& wanted, const Json& all) {
    Json json = all;
    const auto is_wanted = [&](const auto& matches) {
        return std::any_of(wanted.begin(), wanted.end(), matches);
    };
    for (const char* section :
         {"systems", "properties", "goals", "models", "strategies", "limits", "exit_codes"}) {
        const std::string name = std::string(section) == "exit_codes" ? "exit-codes" : section;
        if (is_wanted([&](const std::string& one) { return one == name; })) {
            continue;
        }
        const bool has_names = all[section].is_object();
        json[section] = has_names ? Json::object() : Json::array();
        for (const auto& [key, entry] : all[section].items()) {
            const std::string& own = key;
            const Json& value = entry;
            if (!is_wanted([&](const std::string& one) {
                    return has_names ? own == one : is_called(value, one, name == "properties");
                })) {
                continue;
            }
            if (has_names) {
                json[section][own] = value;
            } else {
                json[section].push_back(value);
            }
        }
    }
    return json;
}

}  // namespace

int verb_list(const Session& session) {
    const std::vector<std::string>& wanted = session.options.files;
    if (!session.prints_text()) {
        Json json = list_json(session.registry);
        if (!wanted.empty()) {
            const std::vector<ListSection> sections =
                list_sections(session.registry, outside_properties());
            for (const std::string& one : wanted) {
                static_cast<void>(list_text(sections, one));  // UsageError where there is none
            }
            json = only(wanted, json);
        }
        session.out << json.dump(2) << "\n" << std::flush;
        return kExitPassed;
    }
    const std::vector<ListSection> sections = list_sections(session.registry, outside_properties());
    std::string text = wanted.empty() ? list_text(sections) : "";
    for (const std::string& one : wanted) {
        text += list_text(sections, one);
    }
    session.out << build_text() << "\n" << text << std::flush;
    return kExitPassed;
}

}  // namespace lockkeeper
