// SPDX-License-Identifier: Apache-2.0

// Marks of the test (lockkeeper/marks.hpp): who holds what, judged at the end of an execution.
#pragma once

#include <cstdint>
#include <vector>

#include "validate/threads/graph/graph.hpp"

namespace lockkeeper::threads {

// A call of acquire, and what has come of it. Places are numbers of events of the thread.
struct Section {
    static constexpr std::uint16_t kNever = 0xffff;

    const void* lock = nullptr;
    std::uint32_t capacity = 1;
    std::uint32_t units = 1;
    Thread thread = kNobody;
    std::uint64_t site = 0;
    std::uint16_t called = 0;
    std::uint16_t returned = kNever;  // with the lock, or refused
    bool is_refused = false;
    std::uint16_t releasing = kNever;
    std::uint16_t released = kNever;
};

struct MarkFinding {
    const Section* one = nullptr;    // null: nothing was found
    const Section* other = nullptr;  // P1: who holds besides
};
// Sections of one lock that may be held at once, and are more than it has.
[[nodiscard]] MarkFinding over_allocated(const std::vector<Section>& sections, const Graph& graph);
// A refusal, although at no moment of the call enough was taken.
[[nodiscard]] MarkFinding under_allocated(const std::vector<Section>& sections, const Graph& graph);

}  // namespace lockkeeper::threads
