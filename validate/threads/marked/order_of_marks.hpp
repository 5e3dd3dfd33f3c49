// SPDX-License-Identifier: Apache-2.0

// In which orders the marks of one lock can come in an execution. A graph has many orders: all that
// keep program order, reads-from, modification order and from-reads. In weak memory these may form
// cycles; of two marks in one cycle only what the one causes by program order and reads-from comes
// first.
//
// Two orders are alike if the same calls have returned before each call: no judge tells them apart.
// A return moved forward only adds such pairs, so that each order is no stricter than one in which
// every return comes as early as it can. Only those are visited, one of each kind.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "validate/threads/graph/graph.hpp"
#include "validate/threads/marked/mark.hpp"

namespace lockkeeper::threads {

class OrderOfMarks {
  public:
    // Along each thread the marks are in program order.
    OrderOfMarks(std::span<const Mark> marks, const Graph& graph);

    // Equal texts: the same marks with the same orders, wherever they stand in the program, and
    // whichever threads they are of.
    [[nodiscard]] std::string text() const { return text_of_marks_ + text_of_needs_; }
    // Without the orders.
    [[nodiscard]] const std::string& text_of_marks() const { return text_of_marks_; }

    // Gets the indices of all marks in an order, and the text of its kind. False: stop.
    using Visit = std::function<bool(const std::vector<std::size_t>& order, const std::string&)>;
    // False: there are more than `most` steps to all orders, and some were not visited.
    [[nodiscard]] bool visit(std::size_t most, const Visit& visit) const;

  private:
    using Counts = std::array<std::uint16_t, kThreadsMax>;
    struct Place {
        Counts taken{};
        Counts returned{};
    };
    struct Walk;
    void walk(Walk& walk) const;
    void take_returns(Walk& walk) const;
    [[nodiscard]] bool can_come(Thread thread, const Counts& taken) const;
    void take(Thread thread, Walk& walk) const;
    // Threads in the order in which a text names them.
    using Names = std::vector<Thread>;
    void find_names();
    [[nodiscard]] std::string text_of_thread(Thread thread) const;
    [[nodiscard]] std::string text_of_needs(const Names& names) const;
    [[nodiscard]] std::string text_of(const Walk& walk, const Names& names) const;

    std::span<const Mark> marks_;
    std::array<std::vector<std::size_t>, kThreadsMax> of_thread_;
    // By mark: how many marks of each thread come before it in every order.
    std::vector<Counts> needs_;
    // All ways to name the threads that have equal marks in equal orders; the first is used.
    std::vector<Names> names_;
    std::string text_of_marks_;
    std::string text_of_needs_;
};

}  // namespace lockkeeper::threads
