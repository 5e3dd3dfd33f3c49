#include "app/error_document.hpp"

#include <ostream>

#include <nlohmann/json.hpp>

#include "version.hpp"

namespace lockkeeper {

std::string error_document(int exit_code, const std::string& message) {
    const nlohmann::ordered_json json{{"$schema", "error.schema.json"}, {"error_version", 1},
                                      {"version", version()},           {"commit", commit()},
                                      {"exit_code", exit_code},         {"error", message}};
    return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

bool asks_for_json(const std::vector<std::string>& arguments, const Environment& environment) {
    constexpr std::string_view kFlag = "--format";
    const char* variable = environment("LOCKKEEPER_FORMAT");
    std::string format = variable == nullptr ? "" : variable;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i] == kFlag && i + 1 < arguments.size()) {
            format = arguments[i + 1];
        } else if (arguments[i].starts_with(std::string(kFlag) + "=")) {
            format = arguments[i].substr(kFlag.size() + 1);
        }
    }
    return format == "json";
}

int end_without_result(const Session& session, int exit_code, const std::string& message) {
    session.complain(message);
    if (!session.prints_text()) {
        session.out << error_document(exit_code, message) << std::flush;
    }
    return exit_code;
}

}  // namespace lockkeeper
