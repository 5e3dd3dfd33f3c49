// SPDX-License-Identifier: Apache-2.0

// For each return in a list of operations: which others are open then; and where a search has to
// place operations without a known end. Used by linearize only.
//
// An operation without a known end may have happened at any time, or never, so a search that tries
// all of them everywhere tries every subset. Most of them help nothing: a hold that nobody uses
// only stands in the way of others. An acquire is placed only where its owner does something later
// that needs the hold, and then directly before that: an order that has the acquire earlier can
// move it there.
//
//   never        a write; an acquire whose owner neither releases, renews nor (where effects are
//                judged) writes afterwards
//   before need  an acquire, while such an operation of its owner is open and not placed, and the
//                owner does not hold yet; of models that do not know owners: a release of anybody.
//                Of several that differ only in their time, the first
//   anywhere     where the move would not be right:
//                  a refused acquire of the list may have been refused because of it
//                  its token may be that of an effect, and says between which grants it was
//                  it shortens a lease that its owner has
//                  of two holds only one excludes the other, as with a>b of multi-lock; with
//                  slack (the ladder's) also where not all holds exclude each other alike
//                  resizable-semaphore: it sees another capacity than those around it
//                  a release without a known end gives back several (semaphore)
//                  an exit may have given back what it took (models that do not know owners)
//                  pool: after a shutdown, or when its caller is cancelled, it cannot come
//                  a lease whose effects are judged: the acquire is what makes it longer
//   others       (releases, renewals, exits) where the model says that they are felt
//
// The tests compare verdicts and prefixes with those of a search that places all of them anywhere
// (linearize_property_test.cpp).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "validate/histories/linearize.hpp"
#include "validate/histories/read_operations.hpp"

namespace lockkeeper {

enum class OpenPlacement : std::uint8_t { kNever, kBeforeNeed, kAnywhere };

class OpenPlacements {
  public:
    // `places_all`: everything anywhere, for comparison.
    OpenPlacements(const KeyOperations& list, const SequentialModel& model, bool places_all);

    // Also true for a list with refusals: any open operation may be the reason of one.
    [[nodiscard]] bool places_all() const { return places_all_; }
    // The placement of an operation without a known end.
    [[nodiscard]] OpenPlacement of(std::uint32_t operation) const { return placements_[operation]; }
    // Whoever releases can use the hold of an acquire of the same group.
    [[nodiscard]] std::uint32_t group(std::uint32_t operation) const {
        return knows_owners_ ? list_.operations[operation].operation.owner : 0;
    }
    // False: the owner of an acquire that is placed before need has in `state` what it needs.
    [[nodiscard]] bool is_needed(std::uint32_t operation, const LockState& state) const;
    [[nodiscard]] std::size_t groups() const { return groups_; }
    // It is impossible where its owner holds nothing.
    [[nodiscard]] bool needs_hold(std::uint32_t operation) const {
        return needs_hold(list_.operations[operation].operation);
    }

  private:
    [[nodiscard]] bool needs_hold(const LockOperation& operation) const;
    // Every effect has the token of a grant that has returned, or that may have come before it.
    [[nodiscard]] bool tells_tokens() const;
    [[nodiscard]] bool may_move() const;
    [[nodiscard]] std::vector<std::size_t> last_needs() const;
    [[nodiscard]] std::vector<std::int64_t> longest_leases() const;
    void place_acquires();

    const KeyOperations& list_;
    const SequentialModel& model_;
    bool knows_owners_;
    bool places_all_;
    std::size_t groups_;
    std::vector<OpenPlacement> placements_;
};

class OpenOperations {
  public:
    // Returns the limit that ended it, or null. It leaves half of the budget's memory to the
    // search, and leaves out operations that must not be placed at all.
    [[nodiscard]] const char* build(const KeyOperations& list, const OpenPlacements& placements,
                                    const SearchBudget& budget);

    // Operations that return, in the order in which they do.
    [[nodiscard]] const std::vector<std::uint32_t>& returns() const { return returns_; }
    // Open just before the return, itself included: those that return, the first one first ...
    [[nodiscard]] std::span<const std::uint32_t> returning(std::size_t place) const {
        return {open_.data() + begins_[place], begins_[place + 1] - begins_[place]};
    }
    // ... and those that never do, and may be placed.
    [[nodiscard]] std::span<const std::uint32_t> unending(std::size_t place) const {
        return {unending_.data(), unending_counts_[place]};
    }
    // A place in the set of placed operations, which no other open operation has.
    [[nodiscard]] std::uint32_t slot(std::uint32_t operation) const { return slots_[operation]; }
    [[nodiscard]] std::size_t slots() const { return slots_count_; }
    // The operation's place among those that return.
    [[nodiscard]] std::size_t place_of_return(std::uint32_t operation) const {
        return places_[operation];
    }
    // Equal for operations that do the same, and that nothing orders but the records; and for the
    // openings of a pool whose callers gave up, or were refused when it was closed, and for the
    // ends of those (add_openings).
    [[nodiscard]] std::uint32_t kind(std::uint32_t operation) const { return kinds_[operation]; }
    [[nodiscard]] std::size_t kinds() const { return kinds_count_; }

  private:
    void number_kinds(const KeyOperations& list, const OpenPlacements& placements);

    std::vector<std::uint32_t> returns_;
    std::vector<std::uint32_t> open_;
    std::vector<std::size_t> begins_;
    std::vector<std::uint32_t> unending_;
    std::vector<std::uint32_t> unending_counts_;
    std::vector<std::uint32_t> slots_;
    std::vector<std::size_t> places_;
    std::vector<std::uint32_t> kinds_;
    std::size_t slots_count_ = 0;
    std::size_t kinds_count_ = 0;
};

}  // namespace lockkeeper
