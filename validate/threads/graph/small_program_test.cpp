// SPDX-License-Identifier: Apache-2.0
#include "validate/threads/graph/small_program_test.hpp"

#include <set>

namespace lockkeeper::threads {
namespace {

// A thread of a run: the thread 0 starts the others and joins them.
class SmallRun {
  public:
    SmallRun(Search& search, const SmallProgram& program) : search_(search), program_(program) {
        at_.resize(program.size() + 1);
        values_.resize(program.size() + 1);
    }

    // False: the run is dropped.
    bool run() {
        for (Thread thread = search_.pick(); thread != kNobody; thread = search_.pick()) {
            Outcome outcome = Outcome::kDone;
            while (outcome == Outcome::kDone && !search_.has_ended(thread)) {
                loads_in_loop_ = 0;
                outcome = thread == 0 ? first_thread() : step(thread);
                at_[thread] += outcome == Outcome::kDone && loads_in_loop_ == 0 ? 1 : 0;
            }
            if (outcome == Outcome::kDropped) {
                return false;
            }
            if (outcome == Outcome::kDiverged) {
                throw std::logic_error("a small program diverged");
            }
        }
        return true;
    }
    [[nodiscard]] const std::vector<std::vector<std::uint64_t>>& values() const { return values_; }

  private:
    Outcome first_thread() {
        const auto count = static_cast<int>(program_.size());
        if (at_[0] < count) {
            return search_.spawn(0, 0).outcome;
        }
        return at_[0] < 2 * count
                   ? search_.join(0, static_cast<Thread>(at_[0] - count + 1), 0).outcome
                   : search_.end(0).outcome;
    }
    Outcome step(Thread thread) {
        const std::vector<SmallStep>& steps = program_[thread - 1U];
        if (at_[thread] == 0) {
            return search_.start(thread).outcome;
        }
        const auto index = static_cast<std::size_t>(at_[thread] - 1);
        if (index >= steps.size()) {
            return search_.end(thread).outcome;
        }
        const SmallStep& step = steps[index];
        using W = SmallStep::What;
        const Access access{step.location, step.order, 0, index + 1, without_release(step.order)};
        switch (step.what) {
            case W::kFence: return search_.fence(thread, step.order, index + 1).outcome;
            case W::kStore:
            case W::kUnlock: return search_.store(thread, access, step.value).outcome;
            case W::kStoreSum: {
                const std::vector<std::uint64_t>& read = values_[thread];
                return search_.store(thread, access, read.back() + read[read.size() - 2]).outcome;
            }
            case W::kLoad: return keep(thread, search_.load(thread, access));
            case W::kSpin: return spin(thread, access, step);
            case W::kEndUnless:
                if (values_[thread].empty() || values_[thread].back() != step.value) {
                    return search_.end(thread).outcome;
                }
                return Outcome::kDone;
            default: return keep(thread, search_.modify(thread, access, changed_by, &step));
        }
    }
    // Stays at the step until the loop ends.
    Outcome spin(Thread thread, Access access, const SmallStep& step) {
        access.waits_in_loop = step.waits_in_loop;
        const Answer answer = search_.load(thread, access);
        const bool is_done = answer.outcome == Outcome::kDone;
        int& loads = loads_[thread];
        loads += is_done ? 1 : 0;
        const bool ends = is_done && (answer.value == step.value || loads == 3);
        if (ends) {
            loads = 0;
            values_[thread].push_back(answer.value);
        }
        loads_in_loop_ = loads;
        return answer.outcome;
    }
    Outcome keep(Thread thread, const Answer& answer) {
        if (answer.outcome == Outcome::kDone) {
            values_[thread].push_back(answer.value);
        }
        return answer.outcome;
    }

    Search& search_;
    const SmallProgram& program_;
    std::vector<int> at_;
    std::vector<int> loads_ = std::vector<int>(kThreadsMax);
    int loads_in_loop_ = 0;  // of the step that was done last
    std::vector<std::vector<std::uint64_t>> values_;
};

int step_of(const Graph& graph, EventId id) { return static_cast<int>(graph.at(id).site) - 1; }

std::string key_of(const Search& search, const SmallProgram& program) {
    const Graph& graph = search.graph();
    GraphKey key;
    std::set<Location> locations;
    const auto threads = static_cast<Thread>(program.size());
    for (Thread thread = 1; thread <= threads; ++thread) {
        for (std::uint16_t index = 0; index < graph.length(thread); ++index) {
            const EventId id{thread, index};
            const Event& event = graph.at(id);
            if (event.kind == Kind::kStore) {
                locations.insert(event.location);
            }
            if (event.kind != Kind::kLoad || id == search.waits_at(thread)) {
                continue;
            }
            const bool initial = event.from == kInitial;
            key.read(thread - 1, step_of(graph, id), initial ? -1 : event.from.thread - 1,
                     initial ? 0 : step_of(graph, event.from));
        }
    }
    for (const Location location : locations) {
        for (const EventId store : graph.stores(location)) {
            key.write(location, store.thread - 1, step_of(graph, store));
        }
    }
    return key.text();
}

std::string outcome_of(const Search& search, const SmallRun& run) {
    std::string text;
    for (std::size_t thread = 1; thread < run.values().size(); ++thread) {
        for (const std::uint64_t value : run.values()[thread]) {
            text += std::to_string(value);
        }
        text += ";";
    }
    for (Location location = 0; location < 8; ++location) {
        const auto order = search.graph().stores(location);
        if (!order.empty()) {
            text += " " + std::to_string(location) + "=" +
                    std::to_string(search.graph().at(order.back()).value);
        }
    }
    return text;
}

SmallResult run_all(Search& search, const SmallProgram& program, bool keeps_graphs) {
    SmallResult result;
    while (search.begin()) {
        SmallRun run(search, program);
        if (!run.run()) {
            continue;
        }
        const Ending ending = search.finish();
        if (keeps_graphs && (ending == Ending::kComplete || ending == Ending::kStuck)) {
            const std::string key = key_of(search, program);
            ++result.graphs[key];
            ++result.outcomes[outcome_of(search, run)];
            result.lines[key] = run_line(search, search.done(), kNobody);
        }
    }
    result.counts = search.counts();
    return result;
}

}  // namespace

SmallResult explore_small(const SmallProgram& program, Model model, bool keeps_graphs) {
    Search search(model);
    return run_all(search, program, keeps_graphs);
}

SmallResult run_small(const SmallProgram& program, Model model, Choices& choices) {
    Search search(model);
    search.follow(&choices);
    return run_all(search, program, true);
}

}  // namespace lockkeeper::threads
