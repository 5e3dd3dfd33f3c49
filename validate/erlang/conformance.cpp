#include "validate/erlang/conformance.hpp"

#include <algorithm>

#include "scheduler/runs/random.hpp"
#include "validate/erlang/canal_walk.hpp"

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

}  // namespace

Schedule random_schedule(const CanalSubject& subject, std::uint64_t seed, std::size_t steps_max) {
    Random random(seed);
    CanalWalk walk(subject);
    Schedule schedule{seed, {}};
    while (schedule.actions.size() < steps_max) {
        std::vector<Action> choices = walk.choices();
        const auto passed = [&](Action action) { return is_fault(action) && random.below(4) != 0; };
        choices.erase(std::remove_if(choices.begin(), choices.end(), passed), choices.end());
        if (choices.empty()) {
            break;
        }
        const Action action = choices[random.below(static_cast<std::uint32_t>(choices.size()))];
        if (!walk.advance(action).possible) {
            break;
        }
        schedule.actions.push_back(action);
    }
    return schedule;
}

databases::Comparison compare(const CanalSubject& subject, Node& node,
                              const std::vector<Schedule>& given, const CompareOptions& options) {
    std::uint64_t drawn = 0;
    const auto drive = [&](const Schedule& schedule) -> DrivenRun {
        try {
            return Drive(subject, node).run(schedule);
        } catch (const Stopped&) {  // nothing was found until the interrupt
            return {};
        }
    };
    return databases::compare_schedules(
        drive, given,
        [&] { return random_schedule(subject, options.seed + drawn++, options.steps_max); },
        options);
}

}  // namespace lockkeeper::erlang
