#include "app/compared_server.hpp"

#include "app/canal_subject.hpp"
#include "model/check.hpp"
#include "validate/erlang/conformance.hpp"
#include "validate/servers/conformance.hpp"

namespace lockkeeper {
namespace {

using Compared = std::variant<databases::Comparison, NotExpressible>;

void take_limits(databases::ComparisonLimits& limits, const Options& options) {
    limits.random_schedules = options.schedules_max.value_or(limits.random_schedules);
    limits.seconds_max = options.seconds_max.value_or(limits.seconds_max);
}

class DatabaseServer : public ComparedServer {
  public:
    explicit DatabaseServer(std::unique_ptr<databases::PrivateServer> server)
        : server_(std::move(server)) {}

    [[nodiscard]] const char* kind() const override { return "server"; }
    [[nodiscard]] const std::string& version() const override { return server_->version(); }
    [[nodiscard]] Compared compare(const Job& job, const Options& options) override {
        const auto made = database_subject(job, server_->engine());
        if (const auto* not_expressible = std::get_if<NotExpressible>(&made)) {
            return *not_expressible;
        }
        databases::CompareOptions limits;
        take_limits(limits, options);
        limits.random.seed = options.seed.value_or(1);
        limits.random.steps_max = options.steps_max.value_or(limits.random.steps_max);
        return databases::compare(std::get<databases::Subject>(made), *server_, own_schedules(job),
                                  limits);
    }

  private:
    std::unique_ptr<databases::PrivateServer> server_;
};

class ErlangNode : public ComparedServer {
  public:
    explicit ErlangNode(std::unique_ptr<erlang::Node> node) : node_(std::move(node)) {}

    [[nodiscard]] const char* kind() const override { return "node"; }
    [[nodiscard]] const std::string& version() const override { return node_->version(); }
    [[nodiscard]] Compared compare(const Job& job, const Options& options) override {
        const auto made = canal_subject(job);
        if (const auto* not_expressible = std::get_if<NotExpressible>(&made)) {
            return *not_expressible;
        }
        erlang::CompareOptions limits;
        take_limits(limits, options);
        limits.seed = options.seed.value_or(1);
        limits.steps_max = options.steps_max.value_or(limits.steps_max);
        return erlang::compare(std::get<erlang::CanalSubject>(made), *node_, own_schedules(job),
                               limits);
    }

  private:
    std::unique_ptr<erlang::Node> node_;
};

}  // namespace

std::variant<std::unique_ptr<ComparedServer>, NoComparedServer> start_compared_server(
    const std::string& name) {
    if (name == kErlangServer) {
        auto started = erlang::Node::start();
        if (auto* none = std::get_if<erlang::NoNode>(&started)) {
            return NoComparedServer{std::move(none->reason)};
        }
        return std::make_unique<ErlangNode>(
            std::get<std::unique_ptr<erlang::Node>>(std::move(started)));
    }
    const auto engine = databases::engine_of(name);
    LOCKKEEPER_CHECK(engine.has_value());  // the flag takes no other
    auto started = databases::PrivateServer::start(*engine);
    if (auto* none = std::get_if<databases::NoServer>(&started)) {
        return NoComparedServer{std::move(none->reason)};
    }
    return std::make_unique<DatabaseServer>(
        std::get<std::unique_ptr<databases::PrivateServer>>(std::move(started)));
}

std::vector<std::string> default_files(const std::string& server) {
    if (server == kErlangServer) {
        return {"scenarios/canal/findings", "scenarios/canal/seeds",
                "scenarios/canal/small_scopes"};
    }
    return {"scenarios/transactional", "scenarios/leases"};
}

bool is_of_server(const std::string& server, const RegisteredSystem& system) {
    const RealServer& own = system.server;
    return server == kErlangServer ? own.name == kErlangServer && own.why_not.empty()
                                   : databases::engine_of(own.name).has_value();
}

}  // namespace lockkeeper
