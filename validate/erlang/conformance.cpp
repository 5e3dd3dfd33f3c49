// SPDX-License-Identifier: Apache-2.0
#include "validate/erlang/conformance.hpp"

#include <algorithm>

#include "model/check.hpp"
#include "validate/erlang/canal_walk.hpp"
#include "validate/servers/conformance.hpp"
#include "validate/servers/schedules.hpp"

namespace lockkeeper::erlang {
namespace {

using databases::Difference;
using databases::DrivenRun;

Shown parts_of(const std::string& answer) {
    Shown shown;
    std::size_t at = 0;
    for (std::string& part : shown.parts) {
        const std::size_t end = std::min(answer.find('\t', at), answer.size());
        part = answer.substr(at, end - at);
        at = std::min(end + 1, answer.size());
    }
    return shown;
}

// One run of both sides.
class Drive {
  public:
    Drive(const CanalSubject& subject, Node& node) : walk_(subject), node_(node) {}

    DrivenRun run(const Schedule& schedule) {
        trace_.schedule.seed = schedule.seed;
        compare(walk_.begin(), "begins", "the beginning");
        for (std::size_t at = 0; at < schedule.actions.size() && !run_.difference; ++at) {
            const Move move = walk_.advance(schedule.actions[at]);
            if (!move.possible) {
                continue;
            }
            trace_.schedule.actions.push_back(schedule.actions[at]);
            trace_.steps.push_back(move.text);
            ++run_.steps;
            if (!move.command.empty()) {
                compare(move.command, move.did, move.text);
            }
        }
        run_.statements = trace_.statements.size();
        return std::move(run_);
    }

  private:
    void compare(const std::string& command, const std::string& did, const std::string& text) {
        trace_.statements.push_back(command);
        const Shown seen = parts_of(node_.ask(command));
        const Shown expected = walk_.shown(did);
        for (std::size_t at = 0; at < Shown::kNames.size(); ++at) {
            if (seen.parts[at] != expected.parts[at]) {
                const std::string name = std::string(Shown::kNames[at]) + ": ";
                trace_.step = std::max<std::size_t>(trace_.steps.size(), 1);
                trace_.text = text;
                trace_.model = name + walk_.with_names(expected.parts[at]);
                trace_.server = name + walk_.with_names(seen.parts[at]);
                run_.difference = trace_;
                return;
            }
        }
    }

    CanalWalk walk_;
    Node& node_;
    Difference trace_;
    DrivenRun run_;
};

class CanalSides final : public databases::BothSides {
  public:
    CanalSides(CanalSubject subject, Node& node, const databases::ComparisonLimits& limits)
        : subject_(std::move(subject)), node_(node), limits_(limits), seed_(limits.seed) {}

    [[nodiscard]] DrivenRun drive(const Schedule& schedule) override {
        try {
            return Drive(subject_, node_).run(schedule);
        } catch (const Stopped&) {  // nothing was found until the interrupt
            DrivenRun cut;
            cut.is_cut = true;
            return cut;
        }
    }
    [[nodiscard]] Schedule next_random() override {
        CanalWalk walk(subject_);
        return databases::draw_schedule(
            seed_++, limits_.steps_max, [&] { return walk.choices(); }, [](Action) { return true; },
            [&](Action action, const auto&) { return walk.advance(action).possible; });
    }

  private:
    const CanalSubject subject_;
    Node& node_;
    databases::ComparisonLimits limits_;
    std::uint64_t seed_;
};

class ErlangNode final : public databases::ComparedServer {
  public:
    explicit ErlangNode(std::unique_ptr<Node> node) : node_(std::move(node)) {}

    [[nodiscard]] const char* kind() const override { return "node"; }
    [[nodiscard]] const std::string& version() const override { return node_->version(); }
    [[nodiscard]] databases::ComparisonLimits limits() const override {
        return comparison_limits();
    }
    [[nodiscard]] std::unique_ptr<databases::BothSides> both_sides(
        const Understood& understood, const Runner& runner,
        const databases::ComparisonLimits& limits) override {
        return std::make_unique<CanalSides>(canal_subject(understood, runner), *node_, limits);
    }

  private:
    std::unique_ptr<Node> node_;
};

}  // namespace

std::variant<std::unique_ptr<databases::ComparedServer>, NoNode> start_node(
    const std::vector<SourceFile>& files) {
    auto started = Node::start(files);
    if (auto* none = std::get_if<NoNode>(&started)) {
        return std::move(*none);
    }
    return std::make_unique<ErlangNode>(std::get<std::unique_ptr<Node>>(std::move(started)));
}

std::variant<std::unique_ptr<databases::ComparedServer>, databases::NoServer> start_server(
    const std::string& name, int seconds_max) {
    if (name == kErlangServer) {
        return start_node();
    }
    const auto engine = databases::engine_of(name);
    LOCKKEEPER_CHECK(engine.has_value());  // the flag takes no other
    return databases::start_database(*engine, seconds_max);
}

std::vector<InputFile> shipped_scenarios(const Registry& registry, const std::string& server) {
    const bool is_node = server == kErlangServer;
    const std::vector<std::string> all =
        is_node ? std::vector<std::string>{"scenarios/canal/findings", "scenarios/canal/seeds",
                                           "scenarios/canal/small_scopes"}
                : std::vector<std::string>{"scenarios/transactional", "scenarios/leases"};
    std::vector<InputFile> files = find_files(all, FileKind::kScenarios);
    std::erase_if(files, [&](const InputFile& file) {
        const auto scenario = load_scenario(file.path);
        const auto* loaded = std::get_if<Scenario>(&scenario);
        const RegisteredSystem* system =
            loaded == nullptr ? nullptr : registry.find(loaded->system, loaded->variant);
        if (system == nullptr) {
            return false;
        }
        const RealServer& own = system->server;
        return is_node ? own.name != kErlangServer || !own.why_not.empty()
                       : !databases::engine_of(own.name).has_value();
    });
    return files;
}

}  // namespace lockkeeper::erlang
