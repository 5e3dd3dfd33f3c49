// SPDX-License-Identifier: Apache-2.0

// All interleavings of a small program on one memory, one after the other.
#include <map>
#include <utility>

#include "validate/threads/graph/small_program_test.hpp"

namespace lockkeeper::threads {
namespace {

using Name = std::pair<int, int>;  // thread and step of a store; (-1, 0): the initial value

struct NaiveState {
    std::vector<std::size_t> at;
    std::vector<std::vector<std::uint64_t>> values;
    std::map<Location, std::uint64_t> memory;
    std::map<Location, std::vector<Name>> stores;
    std::map<Name, Name> reads;
};

class Interleavings {
  public:
    Interleavings(const SmallProgram& program, SmallResult& result)
        : program_(program), result_(result) {}

    void go_on(const NaiveState& state) {
        bool any = false;
        for (std::size_t thread = 0; thread < program_.size(); ++thread) {
            if (state.at[thread] < program_[thread].size()) {
                NaiveState next = state;
                if (take(next, thread)) {
                    any = true;
                    go_on(next);
                }
            }
        }
        if (!any) {
            keep(state);
        }
    }

  private:
    bool take(NaiveState& state, std::size_t thread) {
        const std::size_t at = state.at[thread]++;
        const SmallStep& step = program_[thread][at];
        using W = SmallStep::What;
        if (step.what == W::kEndUnless) {
            if (state.values[thread].empty() || state.values[thread].back() != step.value) {
                state.at[thread] = program_[thread].size();
            }
            return true;
        }
        if (step.what == W::kFence) {
            return true;
        }
        const Name name{static_cast<int>(thread), static_cast<int>(at)};
        std::uint64_t& memory = state.memory[step.location];
        std::vector<Name>& stores = state.stores[step.location];
        Change change{Change::Way::kWrite, step.value};
        if (step.what != W::kStore && step.what != W::kUnlock) {
            change = changed_by(step, memory);
            if (change.way == Change::Way::kBlock) {
                return false;
            }
            state.values[thread].push_back(memory);
            state.reads[name] = stores.empty() ? Name{-1, 0} : stores.back();
        }
        if (change.way == Change::Way::kWrite) {
            memory = change.value;
            stores.push_back(name);
        }
        return true;
    }
    void keep(const NaiveState& state) {
        GraphKey key;
        for (const auto& [name, from] : state.reads) {
            key.read(name.first, name.second, from.first, from.second);
        }
        for (const auto& [location, stores] : state.stores) {
            for (const Name& store : stores) {
                key.write(location, store.first, store.second);
            }
        }
        ++result_.graphs[key.text()];
    }

    const SmallProgram& program_;
    SmallResult& result_;
};

}  // namespace

SmallResult naive_sc(const SmallProgram& program) {
    SmallResult result;
    NaiveState state;
    state.at.resize(program.size());
    state.values.resize(program.size());
    Interleavings(program, result).go_on(state);
    return result;
}

}  // namespace lockkeeper::threads
