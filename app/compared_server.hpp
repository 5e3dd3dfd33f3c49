// What `validate --server NAME` drives beside a model: a private database server
// (validate/servers/conformance.hpp), or a private Erlang node with the original's table
// (validate/erlang/conformance.hpp). Used by validate_database.cpp only.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "app/database_subject.hpp"
#include "app/job.hpp"
#include "validate/servers/comparison.hpp"

namespace lockkeeper {

class ComparedServer {
  public:
    ComparedServer() = default;
    ComparedServer(const ComparedServer&) = delete;
    ComparedServer& operator=(const ComparedServer&) = delete;
    virtual ~ComparedServer() = default;

    [[nodiscard]] virtual const char* kind() const = 0;  // "server", "node"
    [[nodiscard]] virtual const std::string& version() const = 0;
    // The schedules of the scenario, then random ones as the flags say.
    [[nodiscard]] virtual std::variant<databases::Comparison, NotExpressible> compare(
        const Job& job, const Options& options) = 0;
};

// Why there is none: one sentence.
struct NoComparedServer {
    std::string reason;
};

// `name`: as the flag takes it.
[[nodiscard]] std::variant<std::unique_ptr<ComparedServer>, NoComparedServer> start_compared_server(
    const std::string& name);

// The directories that are compared where none is named, and whether scenarios in them of this
// system are meant: with a database those of the other one, too, which are not expressible.
[[nodiscard]] std::vector<std::string> default_files(const std::string& server);
[[nodiscard]] bool is_of_server(const std::string& server, const RegisteredSystem& system);

}  // namespace lockkeeper
