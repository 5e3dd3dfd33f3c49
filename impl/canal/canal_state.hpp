// SPDX-License-Identifier: Apache-2.0

// The plain state of the canal lock and what the three layers of its code (caller, manager, words)
// have in common: the options.
#pragma once

#include <type_traits>

#include "impl/canal/canal_label.hpp"
#include "impl/canal/canal_record.hpp"
#include "impl/canal/canal_table.hpp"

namespace lockkeeper::canal {

template <class SizeType>
class CanalState {
  public:
    using Size = SizeType;
    using Record = CanalRecord<Size>;
    using Row = typename Table<Size>::Row;

    struct Manager {
        At at;
        std::uint8_t bucket;
        typename Size::Counter tries;
        typename Size::Counter key;
    };
    struct Alone {
        std::array<Row, Size::kKeys> rows;
        Manager manager;
    };
    struct Supervised {
        std::array<Row, Size::kKeys> rows;
        Manager manager;
        std::uint8_t crashes_left;   // of the manager
        std::uint8_t restarts_left;  // before its supervisor gives up
    };
    using Shared = std::conditional_t<Size::kSupervised, Supervised, Alone>;
    struct Call {
        At at;
        std::uint8_t bucket;
        // Acquire: the position granted (below 1 while somebody's undo is pending); release: tries.
        typename Size::Counter scratch;
    };

    explicit CanalState(CanalOptions options) : options_(std::move(options)) {}

    [[nodiscard]] const CanalOptions& options() const { return options_; }
    [[nodiscard]] bool repaired(Repair repair) const { return (options_.repairs & repair) != 0; }

    [[nodiscard]] Shared initial_shared() const {
        Shared shared{};
        for (std::size_t key = 0; key < Size::kKeys; ++key) {
            Row& row = shared.rows[key];
            row.clear();
            if (key < options_.tables.size()) {
                const InitialTable& table = options_.tables[key];
                for (std::size_t i = 0; i < table.buckets.size(); ++i) {
                    row.store(i + 1, table.buckets[i]);
                }
                if (table.highest) {
                    row.set_highest(*table.highest);
                }
            }
        }
        return shared;
    }

  private:
    CanalOptions options_;
};

}  // namespace lockkeeper::canal
