// SPDX-License-Identifier: Apache-2.0
#include "scenarios/schema_check_test.hpp"

#include <fstream>
#include <map>

#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "model/json.hpp"

namespace lockkeeper::testing_scenarios {
namespace {

// Read once each: property tests ask some thousand times.
const valijson::Schema& schema_of(const std::string& file) {
    static std::map<std::string, valijson::Schema> schemas;
    const auto [place, is_new] = schemas.try_emplace(file);
    if (is_new) {
        std::ifstream stream(std::string(LOCKKEEPER_SOURCE_DIR) + "/" + file);
        const nlohmann::json document = nlohmann::json::parse(stream);
        valijson::SchemaParser(valijson::SchemaParser::kDraft7)
            .populateSchema(valijson::adapters::NlohmannJsonAdapter(document), place->second);
    }
    return place->second;
}

}  // namespace

std::string schema_complaint(const nlohmann::json& document, const std::string& schema) {
    valijson::ValidationResults results;
    valijson::Validator validator;
    const valijson::adapters::NlohmannJsonAdapter adapter(document);
    if (validator.validate(schema_of(schema), adapter, &results)) {
        return {};
    }
    std::string text = "refused\n";
    valijson::ValidationResults::Error error;
    while (results.popError(error)) {
        for (const std::string& step : error.context) {
            text += step;
        }
        text += ": " + error.description + "\n";
    }
    return text;
}

std::string report_complaint(const std::string& document, const std::string& schema) {
    return schema_complaint(nlohmann::json::parse(document), "reports/schema/" + schema);
}

std::string scenario_complaint(const nlohmann::json& document) {
    return schema_complaint(document, "scenarios/schema/scenario.schema.json");
}

}  // namespace lockkeeper::testing_scenarios
