// SPDX-License-Identifier: Apache-2.0

// The actions that are possible in a walk's state, kept up to date slot by slot and drawn from by a
// law: a step costs the same among 4 and 128 callers. Used by SystemWalker.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "model/action_class.hpp"
#include "model/law.hpp"
#include "model/system.hpp"
#include "scheduler/base/random.hpp"

namespace lockkeeper {

// The possible actions, in dense arrays: one array for each class of actions with a weight of its
// own (one for all under the uniform law). Actions without weight are only counted.
class PossibleActions {
  public:
    static constexpr std::size_t kHomesMax = kCallersMax + 1;  // the last one: of no slot
    static constexpr std::size_t kOfHomeMax = 16;

    explicit PossibleActions(const Law& law) : is_uniform_(law.kind == LawKind::kUniform) {
        for (std::size_t i = 0; i < kActionClasses; ++i) {
            weights_[i] = law.weights[i];
        }
        if (is_uniform_) {
            weights_.fill(0);
            weights_[0] = 1;
        }
        clear();
    }

    struct Entry {
        Action action;
        std::uint8_t home = 0;
        std::uint8_t number = 0;  // among those of its home
    };

    void clear() {
        size_.fill(0);
        count_.fill(0);
        listed_ = 0;
        steps_ = 0;
    }
    // The actions of one slot from now on, so many; action_of(i) says which, class_of(i) what each
    // is to the law.
    template <class ActionOf, class ClassOf>
    void replace(std::size_t home, std::size_t count, ActionOf action_of, ClassOf class_of) {
        LOCKKEEPER_CHECK(count <= kOfHomeMax);
        const std::size_t before = count_[home];
        for (std::size_t i = 0; i < count; ++i) {
            const Action action = action_of(i);
            const std::size_t list = is_uniform_ ? 0 : static_cast<std::size_t>(class_of(i));
            Place& place = places_[home][i];
            if (i < before && place.list == list) {
                Entry& entry = lists_[list][place.at];
                steps_ += is_fault(action) ? 0U : 1U;
                steps_ -= is_fault(entry.action) ? 0U : 1U;
                entry.action = action;
            } else {
                if (i < before) {
                    remove(place);
                }
                LOCKKEEPER_CHECK(size_[list] < kListed);
                place = {static_cast<std::uint16_t>(list), static_cast<std::uint16_t>(size_[list])};
                lists_[list][size_[list]++] = {action, static_cast<std::uint8_t>(home),
                                               static_cast<std::uint8_t>(i)};
                steps_ += is_fault(action) ? 0U : 1U;
                ++listed_;
            }
        }
        for (std::size_t i = count; i < before; ++i) {
            remove(places_[home][i]);
        }
        count_[home] = static_cast<std::uint8_t>(count);
    }

    [[nodiscard]] std::size_t size() const { return listed_; }
    [[nodiscard]] bool only_faults() const { return steps_ == 0; }
    [[nodiscard]] double weights_sum() const {
        if (is_uniform_) {
            return static_cast<double>(size_[0]);
        }
        double sum = 0;
        for (std::size_t i = 0; i < kActionClasses; ++i) {
            sum += weights_[i] * static_cast<double>(size_[i]);
        }
        return sum;
    }
    // By the law; the sum of the weights is not 0.
    [[nodiscard]] const Entry& draw(Random& random, double sum) const {
        if (is_uniform_) {
            return lists_[0][random.below(static_cast<std::uint32_t>(size_[0]))];
        }
        double left = random.unit() * sum;
        std::size_t last = 0;
        for (std::size_t i = 0; i < kActionClasses; ++i) {
            const double share = weights_[i] * static_cast<double>(size_[i]);
            if (share > 0) {
                last = i;
                if (left < share) {
                    break;
                }
                left -= share;
            }
        }
        // All of a class are equally likely; rounding ends at the last class that has a weight.
        return lists_[last][random.below(static_cast<std::uint32_t>(size_[last]))];
    }

  private:
    static constexpr std::size_t kListed = ActionList::kCapacity;
    struct Place {
        std::uint16_t list = 0;
        std::uint16_t at = 0;
    };

    void remove(Place place) {
        auto& list = lists_[place.list];
        steps_ -= is_fault(list[place.at].action) ? 0U : 1U;
        --listed_;
        const Entry& last = list[--size_[place.list]];
        places_[last.home][last.number] = place;
        list[place.at] = last;
    }

    bool is_uniform_;
    std::array<double, kActionClasses> weights_{};
    std::size_t listed_ = 0;
    std::size_t steps_ = 0;  // of the listed ones, those that are no faults
    std::array<std::size_t, kActionClasses> size_{};
    std::array<std::array<Entry, kListed>, kActionClasses> lists_{};
    std::array<std::array<Place, kOfHomeMax>, kHomesMax> places_{};
    std::array<std::uint8_t, kHomesMax> count_{};
};

}  // namespace lockkeeper
