// SPDX-License-Identifier: Apache-2.0

// Hints that only make searches of the single counter faster (Traits in model/implementation.hpp):
// nothing happens in the background, and searches learn steps without looking for it. Without the
// hints every result is the same.
#pragma once

#include "model/implementation.hpp"

namespace lockkeeper::single_counter {

struct SingleCounterHints {
    template <class Shared, class Record>
    void background_of(const Shared&, const Record&, std::size_t, ActionList&) const {}
    template <class Shared>
    void background_elsewhere(const Shared&, ActionList&) const {}
    template <class Shared>
    [[nodiscard]] bool acts_elsewhere(const Shared&) const {
        return false;
    }
    template <class Shared, class Record, class CallOrAction>
    bool is_private(const Shared&, const Record&, const CallOrAction&, std::uint32_t) const {
        return false;
    }
    template <class Shared>
    [[nodiscard]] std::uint8_t mode(const Shared&) const {
        return 0;
    }
};

}  // namespace lockkeeper::single_counter
