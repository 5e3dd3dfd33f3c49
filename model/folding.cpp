// SPDX-License-Identifier: Apache-2.0
#include "model/folding.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace lockkeeper {
namespace {

constexpr std::size_t kGroupMax = 1024;
constexpr std::size_t kWork = 20'000'000;  // comparisons that a pass may take
constexpr int kPassesMax = 4;

// Folds stand in a table, so that equal ones have equal numbers and are compared as such.
class Folding {
  public:
    explicit Folding(FoldingLimits limits) : limits_(limits) {}

    std::vector<Fold> fold(std::span<const std::uint32_t> values) {
        std::vector<Number> items;
        items.reserve(values.size());
        for (const std::uint32_t value : values) {
            items.push_back(number_of({false, value, {}, 1}));
        }
        items = pass(items, 1);
        for (int i = 0; i < kPassesMax; ++i) {
            const std::size_t before = items.size();
            items = pass(items, std::clamp<std::size_t>(kWork / (before + 1), 2, kGroupMax));
            if (items.size() == before) {
                break;
            }
        }
        return written(items);
    }

  private:
    using Number = std::uint32_t;
    struct Entry {
        bool is_group = false;
        std::uint32_t value = 0;
        std::vector<Number> group;
        std::size_t times = 1;

        // NOLINTNEXTLINE(modernize-use-nullptr)
        friend auto operator<=>(const Entry&, const Entry&) = default;
    };

    Number number_of(Entry entry) {
        const auto [at, is_new] = numbers_.try_emplace(std::move(entry), entries_.size());
        if (is_new) {
            entries_.push_back(&at->first);
        }
        return at->second;
    }

    // Groups of up to `longest` items; 1: runs of one item.
    std::vector<Number> pass(const std::vector<Number>& items, std::size_t longest) {
        std::vector<Number> out;
        for (std::size_t i = 0; i < items.size();) {
            const auto [length, times] = repetition_at(items, i, longest);
            if (times > 1) {
                const auto first = items.begin() + static_cast<std::ptrdiff_t>(i);
                std::vector<Number> group(first, first + static_cast<std::ptrdiff_t>(length));
                out.push_back(number_of({true, 0, std::move(group), times}));
            } else {
                out.push_back(items[i]);
            }
            i += length * times;
        }
        return out;
    }

    // The shortest group that is repeated often enough there; else 1, 1.
    [[nodiscard]] std::pair<std::size_t, std::size_t> repetition_at(
        const std::vector<Number>& items, std::size_t at, std::size_t longest) const {
        const std::size_t least = longest == 1 ? limits_.of_value : limits_.of_group;
        for (std::size_t length = longest == 1 ? 1 : 2;
             length <= longest && at + length * least <= items.size(); ++length) {
            std::size_t end = at + length;
            while (end < items.size() && items[end] == items[end - length]) {
                ++end;
            }
            const std::size_t times = (end - at) / length;
            if (times >= least) {
                return {length, times};
            }
        }
        return {1, 1};
    }

    [[nodiscard]] std::vector<Fold> written(const std::vector<Number>& items) const {
        std::vector<Fold> out;
        for (const Number item : items) {
            const Entry& entry = *entries_[item];
            Fold fold{entry.value, {}, entry.times};
            if (entry.is_group && entry.group.size() == 1 &&
                !entries_[entry.group.front()]->is_group) {
                fold.value = entries_[entry.group.front()]->value;
            } else if (entry.is_group) {
                fold.group = written(entry.group);
            }
            out.push_back(std::move(fold));
        }
        return out;
    }

    FoldingLimits limits_;
    std::map<Entry, Number> numbers_;
    std::vector<const Entry*> entries_;
};

}  // namespace

std::vector<Fold> folded(std::span<const std::uint32_t> values, FoldingLimits limits) {
    return Folding(limits).fold(values);
}

}  // namespace lockkeeper
