// SPDX-License-Identifier: Apache-2.0

// Values of monglock's lock that a fail-over, the application or a lagging replica may bring back.
#pragma once

#include <array>

#include "impl/monglock/monglock_words.hpp"

namespace lockkeeper::monglock {

// The lock before its newest write, and before the write before that.
template <class Value>
using Older = std::array<Value, 2>;

// Whether the newest write may still be undone, and whether one before it, too.
[[nodiscard]] inline bool undoes_a_write(const Budgets& left) {
    return left.failovers + left.save_backs > 0;
}
[[nodiscard]] inline bool undoes_two_writes(const Budgets& left) {
    return left.failovers + left.save_backs > 1;
}

// Called before a write to `lock`. `keeps_two`: the write before may be undone as well.
template <class Value>
void keep_value(Older<Value>& older, const Value& lock, bool keeps_two) {
    older[1] = keeps_two ? older[0] : Value{};
    older[0] = lock;
}

}  // namespace lockkeeper::monglock
