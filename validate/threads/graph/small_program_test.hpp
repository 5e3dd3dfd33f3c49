// SPDX-License-Identifier: Apache-2.0

// Programs as data, for tests of the search: straight lines of accesses, one line for each thread,
// and the executions that the search finds for them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "validate/threads/graph/search.hpp"

namespace lockkeeper::threads {

struct SmallStep {
    enum class What : std::uint8_t {
        kLoad,
        kStore,
        kAdd,
        kExchange,
        kCompareExchange,  // from 0 to the value
        kFence,
        kLock,       // waits for 0 and makes it 1
        kUnlock,     // stores 0
        kEndUnless,  // ends the thread, if what it read last is not the value
        kStoreSum,   // of the two values that it read last
        kSpin,       // loads three times, or until it reads the value
    };
    What what = What::kLoad;
    Location location = 0;
    Order order = Order::kRelaxed;
    std::uint64_t value = 0;
    bool waits_in_loop = false;  // kSpin: as a loop that only waits
};
using SmallProgram = std::vector<std::vector<SmallStep>>;

namespace small {
using W = SmallStep::What;
inline SmallStep load(Location location, Order order) { return {W::kLoad, location, order, 0}; }
inline SmallStep store(Location location, std::uint64_t value, Order order) {
    return {W::kStore, location, order, value};
}
inline SmallStep add(Location location, std::uint64_t value, Order order) {
    return {W::kAdd, location, order, value};
}
inline SmallStep exchange(Location location, std::uint64_t value, Order order) {
    return {W::kExchange, location, order, value};
}
inline SmallStep compare_exchange(Location location, std::uint64_t value, Order order) {
    return {W::kCompareExchange, location, order, value};
}
inline SmallStep fence(Order order) { return {W::kFence, 0, order, 0}; }
inline SmallStep lock(Location location) { return {W::kLock, location, Order::kAcquire, 1}; }
inline SmallStep unlock(Location location) { return {W::kUnlock, location, Order::kRelease, 0}; }
inline SmallStep end_unless(std::uint64_t value) {
    return {W::kEndUnless, 0, Order::kRelaxed, value};
}
inline SmallStep store_sum(Location location, Order order) {
    return {W::kStoreSum, location, order, 0};
}
}  // namespace small

// The order of the read of a compare-exchange that fails.
constexpr Order without_release(Order order) {
    return order == Order::kAcquireRelease ? Order::kAcquire
           : order == Order::kRelease      ? Order::kRelaxed
                                           : order;
}
inline Change changed_by(const SmallStep& step, std::uint64_t value) {
    using W = SmallStep::What;
    switch (step.what) {
        case W::kAdd: return {Change::Way::kWrite, value + step.value};
        case W::kExchange: return {Change::Way::kWrite, step.value};
        case W::kCompareExchange:
            return value == 0 ? Change{Change::Way::kWrite, step.value} : Change{};
        case W::kLock:
            return value == 0 ? Change{Change::Way::kWrite, 1} : Change{Change::Way::kBlock, 0};
        default: return {};
    }
}
inline Change changed_by(std::uint64_t value, const void* step) {
    return changed_by(*static_cast<const SmallStep*>(step), value);
}

// Names an execution, whoever found it: who reads from whom, and the orders of modification.
class GraphKey {
  public:
    void read(int thread, int step, int from_thread, int from_step) {
        reads_ += name(thread, step) + "<" + name(from_thread, from_step) + " ";
    }
    void write(Location location, int thread, int step) {
        writes_[location] += name(thread, step) + " ";
    }
    [[nodiscard]] std::string text() const {
        std::string text = reads_;
        for (const auto& [location, order] : writes_) {
            text += "| " + std::to_string(location) + ": " + order;
        }
        return text;
    }
    static std::string name(int thread, int step) {
        return thread < 0 ? "init" : std::to_string(thread) + "." + std::to_string(step);
    }

  private:
    std::string reads_;
    std::map<Location, std::string> writes_;
};

struct SmallResult {
    std::map<std::string, int> graphs;  // how often each was met
    std::map<std::string, int>
        outcomes;  // values read, thread by thread, and the last of each location
    Counts counts;
    std::map<std::string, std::string> lines;  // of each graph, a run by which it was met
};

SmallResult explore_small(const SmallProgram& program, Model model, bool keeps_graphs = true);
// Only the runs that are chosen.
SmallResult run_small(const SmallProgram& program, Model model, Choices& choices);

// The same without cleverness: all interleavings (sc), all graphs that the axioms allow (c11).
SmallResult naive_sc(const SmallProgram& program);
SmallResult naive_c11(const SmallProgram& program);

}  // namespace lockkeeper::threads
