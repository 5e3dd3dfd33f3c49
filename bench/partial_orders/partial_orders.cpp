// SPDX-License-Identifier: Apache-2.0

// Measures what a partial-order reduction could leave out. For each scenario it builds the whole
// graph, and in each state an oracle, which sees that graph, takes the smallest persistent set of
// parties it can find. A real reduction has to guess what comes later. Run it to find out whether
// such a reduction is worth its code:
//
//     partial_orders 20000 $(find scenarios -name '*.json')
//
// Prints a row of CSV for each system: scopes, states, those left where nothing is checked but
// dead ends, those left where no step that shows something is in a smaller set (a strict form of
// what safety needs, whatever the scenario checks). Scenarios of fewer than 50 states, or more than
// the first argument, and files that are no scenario are left out; how many is told on stderr.
//
// The figures are no strict bound. The oracle chooses state by state; where a party is in the way
// that cannot act yet, it takes all. A party is a caller, or all that happens to one actor by
// itself. The oracle leaves out the proviso for cycles, which would add states.
// Source: Godefroid, Partial-Order Methods for the Verification of Concurrent Systems (1996).
#include <algorithm>
#include <cstdio>
#include <deque>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "scenarios/cases.hpp"
#include "scenarios/registry/registry.hpp"
#include "scenarios/registry/shipped_systems.hpp"

namespace lockkeeper::bench {
namespace {

using Number = std::size_t;
// A caller with the faults of its steps, or time, or all else that happens to one actor.
using Party = std::uint32_t;

constexpr std::size_t kLeast = 50;  // states; smaller scopes say nothing

struct Edge {
    Action action;
    Number target = 0;
    bool shows = false;
};
using Edges = std::vector<Edge>;  // by action
using Graph = std::vector<Edges>;

Party party_of(Action action) {
    switch (action.kind) {
        case ActionKind::kStep:
        case ActionKind::kFault: return action.actor;
        case ActionKind::kTime: return 1U << 16U;  // wherever it goes on to
        case ActionKind::kBackground:
        case ActionKind::kCrash:
        case ActionKind::kResize:
        case ActionKind::kDisturb: break;
    }
    return (static_cast<Party>(action.kind) << 8U) | action.actor;
}

// The facts that properties look at.
std::string facts_of(const ErasedSystem& system, const ErasedSystem::State& state) {
    Observation seen{};
    system.observe(state, seen);
    std::string facts =
        fmt::format("{} {} {};", seen.grants_overlap, seen.beliefs_overlap, seen.servers_gone);
    for (std::size_t i = 0; i < seen.keys_count; ++i) {
        const KeyObservation& key = seen.keys[i];
        facts += fmt::format("{} {} {};", key.believed, key.granted, key.phantoms);
    }
    for (std::size_t i = 0; i < seen.callers_count; ++i) {
        facts += fmt::format("{} {};", seen.callers[i].finished, seen.callers[i].dead);
    }
    return facts;
}

// Empty: more states than `most`.
Graph graph_of(const ErasedSystem& system, std::size_t most) {
    Graph graph;
    std::vector<ErasedSystem::State> states;
    std::unordered_map<std::string, Number> numbers;
    const auto number_of = [&](const ErasedSystem::State& state) {
        const std::string bytes(reinterpret_cast<const char*>(state.bytes.data()),
                                system.used_bytes());
        const auto [place, is_new] = numbers.try_emplace(bytes, states.size());
        if (is_new) {
            states.push_back(state);
        }
        return place->second;
    };
    number_of(system.initial());
    for (Number at = 0; at < states.size(); ++at) {
        if (states.size() > most) {
            return {};
        }
        const ErasedSystem::State from = states[at];
        const std::string facts = facts_of(system, from);
        ActionList possible;
        system.enabled(from, possible);
        Edges edges;
        for (const Action action : possible) {
            ErasedSystem::State after = from;
            const Event event = system.apply(after, action);
            const bool shows = event.what != 0 || facts_of(system, after) != facts;
            edges.push_back({action, number_of(after), shows});
        }
        std::sort(edges.begin(), edges.end(),
                  [](const Edge& left, const Edge& right) { return left.action < right.action; });
        graph.push_back(std::move(edges));
    }
    return graph;
}

class Oracle {
  public:
    // `keeps_shown`: a persistent set has no step that shows something.
    Oracle(const Graph& graph, bool keeps_shown) : graph_(graph), keeps_shown_(keeps_shown) {}

    [[nodiscard]] std::size_t states_left() const {
        std::vector<bool> met(graph_.size());
        std::deque<Number> waiting{0};
        met[0] = true;
        std::size_t left = 0;
        for (; !waiting.empty(); waiting.pop_front(), ++left) {
            const Number at = waiting.front();
            const std::vector<Party> taken = smallest(at);
            for (const Edge& edge : graph_[at]) {
                if (contains(taken, edge) && !met[edge.target]) {
                    met[edge.target] = true;
                    waiting.push_back(edge.target);
                }
            }
        }
        return left;
    }

  private:
    [[nodiscard]] static bool contains(const std::vector<Party>& parties, const Edge& edge) {
        return std::find(parties.begin(), parties.end(), party_of(edge.action)) != parties.end();
    }
    [[nodiscard]] std::size_t count(Number at, const std::vector<Party>& parties) const {
        return static_cast<std::size_t>(
            std::count_if(graph_[at].begin(), graph_[at].end(),
                          [&](const Edge& edge) { return contains(parties, edge); }));
    }
    [[nodiscard]] const Edge* find(Number at, Action action) const {
        const auto place = std::find_if(graph_[at].begin(), graph_[at].end(),
                                        [&](const Edge& edge) { return edge.action == action; });
        return place == graph_[at].end() ? nullptr : &*place;
    }

    // The parties whose steps are taken in this state.
    [[nodiscard]] std::vector<Party> smallest(Number at) const {
        std::vector<Party> best;
        for (const Edge& edge : graph_[at]) {
            best.push_back(party_of(edge.action));
        }
        std::size_t fewest = graph_[at].size();
        for (const Edge& edge : graph_[at]) {
            std::vector<Party> parties{party_of(edge.action)};
            if (make_persistent(at, parties) && count(at, parties) < fewest) {
                fewest = count(at, parties);
                best = parties;
            }
        }
        return best;
    }

    // Adds who is in the way. False: there is no such set but that of all.
    [[nodiscard]] bool make_persistent(Number from, std::vector<Party>& parties) const {
        for (;;) {
            for (const Edge& edge : graph_[from]) {
                if (keeps_shown_ && edge.shows && contains(parties, edge)) {
                    return false;
                }
            }
            const Edge* const other = in_the_way(from, parties);
            if (other == nullptr) {
                return true;
            }
            const Party added = party_of(other->action);
            const bool can_act = count(from, {added}) > 0;
            if (!can_act || contains(parties, *other)) {
                return false;
            }
            parties.push_back(added);
        }
    }

    // A step of others, now or later while the parties do nothing, that does not commute with all
    // of theirs, or changes what they can do.
    [[nodiscard]] const Edge* in_the_way(Number from, const std::vector<Party>& parties) const {
        const std::size_t own = count(from, parties);
        std::vector<bool> met(graph_.size());
        std::deque<Number> waiting{from};
        met[from] = true;
        for (; !waiting.empty(); waiting.pop_front()) {
            const Number at = waiting.front();
            for (const Edge& other : graph_[at]) {
                if (contains(parties, other)) {
                    continue;
                }
                if (count(other.target, parties) != own || !commutes(from, at, other, parties)) {
                    return &other;
                }
                if (!met[other.target]) {
                    met[other.target] = true;
                    waiting.push_back(other.target);
                }
            }
        }
        return nullptr;
    }
    [[nodiscard]] bool commutes(Number from, Number at, const Edge& other,
                                const std::vector<Party>& parties) const {
        return std::all_of(graph_[from].begin(), graph_[from].end(), [&](const Edge& edge) {
            if (!contains(parties, edge)) {
                return true;
            }
            const Edge* const first = find(at, edge.action);
            const Edge* const second = find(other.target, edge.action);
            const Edge* const then = first == nullptr ? nullptr : find(first->target, other.action);
            return second != nullptr && then != nullptr && second->target == then->target;
        });
    }

    const Graph& graph_;
    bool keeps_shown_;
};

struct Sums {
    std::size_t scopes = 0;
    std::size_t states = 0;
    std::size_t left = 0;
    std::size_t left_for_safety = 0;
};

// False: it is left out.
bool add(const Registry& registry, const std::string& file, std::size_t most,
         std::map<std::string, Sums>& systems) {
    const auto loaded = load_scenario(file);
    const auto* const scenario = std::get_if<Scenario>(&loaded);
    if (scenario == nullptr) {
        return false;
    }
    const auto made = registry.make(*scenario);
    const auto* const runner = std::get_if<std::unique_ptr<Runner>>(&made);
    if (runner == nullptr) {
        return false;
    }
    Graph graph;
    try {
        graph = graph_of((*runner)->erased(), most);
    } catch (const LimitExceeded&) {
        return false;
    }
    if (graph.size() < kLeast) {
        return false;
    }
    Sums& sums = systems[scenario->system];
    ++sums.scopes;
    sums.states += graph.size();
    sums.left += Oracle(graph, false).states_left();
    sums.left_for_safety += Oracle(graph, true).states_left();
    return true;
}

int run(const std::vector<std::string>& arguments) {
    if (arguments.size() < 2) {
        fmt::print(stderr, "usage: partial_orders STATES FILE ...\n");
        return 64;
    }
    const std::size_t most = std::stoul(arguments[0]);
    const Registry registry = shipped_systems();
    std::map<std::string, Sums> systems;
    std::size_t left_out = 0;
    for (std::size_t i = 1; i < arguments.size(); ++i) {
        for (const std::string& scenario : each_case(arguments[i])) {
            left_out += add(registry, scenario, most, systems) ? 0U : 1U;
        }
    }
    fmt::print(stderr, "left out: {} scenarios\n", left_out);
    fmt::print("system,scopes,states,left where dead ends are looked for,left for safety\n");
    for (const auto& [system, sums] : systems) {
        fmt::print("{},{},{},{},{}\n", system, sums.scopes, sums.states, sums.left,
                   sums.left_for_safety);
    }
    return 0;
}

}  // namespace
}  // namespace lockkeeper::bench

int main(int argc, char** argv) {
    try {
        return lockkeeper::bench::run({argv + 1, argv + argc});
    } catch (const std::exception& error) {
        fmt::print(stderr, "partial_orders: {}\n", error.what());
        return 70;
    }
}
