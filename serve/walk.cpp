// SPDX-License-Identifier: Apache-2.0
#include "serve/walk.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "scheduler/erased_runner.hpp"
#include "scheduler/graph/draw_graph.hpp"

namespace lockkeeper {
namespace {

std::string list_of(const ActionList& actions) {
    std::string text;
    for (const Action action : actions) {
        text += (text.empty() ? "" : " ") + to_text(action);
    }
    return text.empty() ? "nothing" : text;
}

}  // namespace

Walked walk(const OpenedFile& file, const std::vector<Action>& actions) {
    Walked walked{file.system.initial(), 0};
    ActionList possible;
    for (std::size_t i = 0; i < actions.size(); ++i) {
        file.system.enabled(walked.state, possible);
        if (!possible.contains(actions[i])) {
            throw DoesNotFit(fmt::format("step {}: action {} is not possible; possible: {}", i + 1,
                                         to_text(actions[i]), list_of(possible)));
        }
        walked = after(file, walked, actions[i]);
    }
    return walked;
}

Walked after(const OpenedFile& file, const Walked& from, Action action) {
    Walked next = from;
    const Event event = file.system.apply(next.state, action);
    next.resizes += event.is(kResized) ? 1U : 0U;
    return next;
}

std::unique_ptr<Runner> runner_from(const OpenedFile& file, const Walked& from) {
    const Runner& whole = *file.job.runner;
    WorldConfig world = whole.world();
    // The remaining run begins with the view that the callers see now.
    const std::size_t seen = std::min(from.resizes, world.views.size() - 1);
    world.views.erase(world.views.begin(), world.views.begin() + static_cast<std::ptrdiff_t>(seen));
    return make_erased_runner(file.system.beginning_in(from.state), whole.walkers(), world,
                              whole.features());
}

std::string id_text(std::uint64_t fingerprint) { return fmt::format("{:016x}", fingerprint); }

StateNames names_of(const OpenedFile& file, const ErasedSystem::State& state) {
    ErasedSystem::State representative = state;
    file.system.canonicalize(representative);
    return {id_text(fingerprint_of(file.system, state)),
            id_text(fingerprint_of(file.system, representative))};
}

}  // namespace lockkeeper
