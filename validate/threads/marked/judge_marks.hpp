// SPDX-License-Identifier: Apache-2.0

// Judges the marks of an execution in every order that they can have, by the ledger and the rules
// of properties/: P1 over-allocation, P2 leak, P3 under-allocation, P4 double-release, P17
// belief-overlap, P21 false-ok, P29 unexplained-history. Each lock by itself.
//
// The runtime calls it at the end of each complete execution. Many executions have the same marks
// in the same orders: these are judged once.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "model/property.hpp"
#include "validate/outside/tally.hpp"
#include "validate/threads/graph/graph.hpp"
#include "validate/threads/marked/mark.hpp"

namespace lockkeeper::threads {

class MarkedRun;

struct BrokenPromise {
    const Property* property = nullptr;
    // The marks of the lock, as indices of what was given, in an order that breaks it, up to the
    // mark that does.
    std::vector<std::size_t> order;
    // An earlier one of these marks that shows it, too.
    std::optional<std::size_t> other;
};

class MarksJudge {
  public:
    // `only`: the number of the one property that is judged, for tests.
    explicit MarksJudge(std::optional<int> only = std::nullopt);
    MarksJudge(const MarksJudge&) = delete;
    MarksJudge& operator=(const MarksJudge&) = delete;
    ~MarksJudge();

    // Before the first execution: the runtime puts the program's variables back before each run,
    // and with them those of the judge's own functions.
    void warm_up();
    // Nothing: every order keeps every promise.
    [[nodiscard]] std::optional<BrokenPromise> judge(const std::vector<Mark>& marks,
                                                     const Graph& graph);
    // Some executions have more orders than are looked at.
    [[nodiscard]] bool was_cut() const { return was_cut_; }
    // Which properties were judged, and which had no case, for people; empty: there was no mark.
    [[nodiscard]] std::string text() const;
    [[nodiscard]] std::vector<int> judged() const;

  private:
    [[nodiscard]] bool has_judged(const Property& rule) const;
    [[nodiscard]] static BrokenPromise broken_by(const MarkedRun& run,
                                                 const std::vector<std::size_t>& order,
                                                 std::size_t taken);
    [[nodiscard]] std::optional<BrokenPromise> judge_lock(const std::vector<Mark>& marks,
                                                          const std::vector<std::size_t>& indices,
                                                          const Graph& graph);

    struct KeptRun;
    // The run of these marks, as each thread has them: what it has found to be right stays known.
    [[nodiscard]] MarkedRun& run_of(const std::vector<Mark>& marks);

    std::array<Property, 7> rules_;
    std::vector<const Property*> check_;
    std::unordered_map<std::string, std::unique_ptr<KeptRun>> runs_;
    OutsideTally tally_;
    std::unordered_set<std::string> known_;   // marks with the same orders
    std::unordered_set<std::string> judged_;  // marks in an order of this kind
    bool was_cut_ = false;
};

}  // namespace lockkeeper::threads
