// SPDX-License-Identifier: Apache-2.0

// For locks whose background is local (Traits::local_background) and that promise nothing that
// would make a search faster.
#pragma once

#include <cstdint>

namespace lockkeeper {

// No step is private, and what is possible depends on more than a mode. `Base`: a lock, or what
// locks are made of.
template <class Base>
struct NothingPrivate : Base {
    template <class Shared, class Record, class CallOrAction>
    [[nodiscard]] bool is_private(const Shared&, const Record&, const CallOrAction&,
                                  std::uint32_t) const {
        return false;
    }
    template <class Shared>
    [[nodiscard]] std::uint8_t mode(const Shared&) const {
        return 0;
    }
};

}  // namespace lockkeeper
