// Does a document keep to a published schema? For the tests of what is written as JSON.
#pragma once

#include <fstream>
#include <string>

#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

namespace lockkeeper::testing_reports {

// Empty: it does. Else what is wrong. `schema`: a file of reports/schema/.
inline std::string schema_complaint(const std::string& document, const std::string& schema) {
    std::ifstream stream(std::string(LOCKKEEPER_SOURCE_DIR) + "/reports/schema/" + schema);
    const nlohmann::json schema_json = nlohmann::json::parse(stream);
    const nlohmann::json json = nlohmann::json::parse(document);
    valijson::Schema parsed;
    valijson::SchemaParser(valijson::SchemaParser::kDraft7)
        .populateSchema(valijson::adapters::NlohmannJsonAdapter(schema_json), parsed);
    valijson::ValidationResults results;
    valijson::Validator validator;
    if (validator.validate(parsed, valijson::adapters::NlohmannJsonAdapter(json), &results)) {
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

}  // namespace lockkeeper::testing_reports
