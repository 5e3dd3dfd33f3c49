// The report of `validate --server`, as text and as JSON
// (reports/schema/validate_server.schema.json). No errors; text from files and servers is made
// printable.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "validate/servers/compared_server.hpp"

namespace lockkeeper {

// What one scenario came to.
struct ServerComparison {
    std::string file;
    std::string not_expressible;  // not empty: why there is no comparison
    databases::Comparison comparison;

    [[nodiscard]] const Verdict& verdict() const { return comparison.verdict; }
};

struct ServerReport {
    std::string server;   // as the flag takes it
    std::string version;  // as the server says it; empty: there was no server
    std::uint64_t seed = 1;
    std::vector<ServerComparison> compared;
    int exit_code = 0;
};

[[nodiscard]] std::string server_comparison_text(const ServerComparison& compared);
[[nodiscard]] std::string server_summary_text(const ServerReport& report);
[[nodiscard]] std::string server_report_json(const ServerReport& report);

}  // namespace lockkeeper
