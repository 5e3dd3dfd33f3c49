// SPDX-License-Identifier: Apache-2.0
#include "serve/file_view.hpp"

#include "properties/catalogue.hpp"
#include "reports/page_run.hpp"
#include "scenarios/registry/settable_numbers.hpp"
#include "work/scope.hpp"

namespace lockkeeper {
namespace {

using Json = ServeJson;

Json properties_json(const std::vector<const Property*>& properties) {
    Json::array_t list;
    for (const Property* property : properties) {
        list.push_back(property_row(*property));
    }
    return list;
}

Json numbers_json(const OpenedFile& file, const Registry& registry) {
    Json::array_t list;
    for (const SettableNumber& number : settable_numbers(registry, file.job.scenario)) {
        Json json{{"name", number.name},
                  {"value", nullptr},
                  {"least", number.least},
                  {"most", number.most},
                  {"about", number.about}};
        if (number.value) {
            json["value"] = *number.value;
        }
        list.push_back(std::move(json));
    }
    return list;
}

// All properties that apply to what the system shows.
Json checks_json(const OpenedFile& file) {
    Json::array_t list;
    for (const Property& property : all_properties()) {
        if ((property.needs & ~file.job.system->features) == 0) {
            list.push_back(property.name);
        }
    }
    return list;
}

}  // namespace

ServeJson file_view(const OpenedFile& file, std::size_t number) {
    const Scenario& scenario = file.job.scenario;
    Json json{{"number", number},
              {"name", file.job.file},
              {"system", scenario.system + "/" + scenario.variant},
              {"about", scenario.about},
              {"scope", scope_of(file.job)},
              {"changed", file.job.set_flags},
              {"properties", properties_json(file.job.check)},
              {"schedule", to_line(file.schedule)}};
    if (file.cycle_start != kNoStep) {
        json["cycle_from"] = file.cycle_start + 1;
    }
    return json;
}

ServeJson scenario_view(const OpenedFile& file, const Registry& registry) {
    return {{"text", to_json_text(file.job.scenario)},
            {"numbers", numbers_json(file, registry)},
            {"checks", checks_json(file)}};
}

}  // namespace lockkeeper
