#include <ostream>

#include <nlohmann/json.hpp>

#include "app/exit_code.hpp"
#include "app/list_text.hpp"
#include "app/verbs.hpp"
#include "histories/model_choice.hpp"
#include "properties/catalogue.hpp"
#include "reports/run_text.hpp"
#include "scheduler/strategy.hpp"
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
    for (const HarnessLimit& limit : harness_limits()) {
        json["limits"][limit.name] = limit.value;
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
    const std::vector<ListSection> sections = list_sections(session.registry);
    std::string text = wanted.empty() ? list_text(sections) : "";
    for (const std::string& one : wanted) {
        text += list_text(sections, one);
    }
    session.out << build_text() << "\n" << text << std::flush;
    return kExitPassed;
}

}  // namespace lockkeeper
