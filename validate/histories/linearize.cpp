// SPDX-License-Identifier: Apache-2.0
#include "validate/histories/linearize.hpp"

#include <algorithm>
#include <cstring>

#include "validate/histories/configuration_table.hpp"
#include "validate/histories/models/pool.hpp"
#include "validate/histories/open_operations.hpp"
#include "validate/histories/waiters.hpp"

namespace lockkeeper {
namespace {

using Word = ConfigurationTable::Word;

constexpr std::size_t kWordBits = 64;

// Bytes of a state that can differ from zero: as many holds as there are owners and modes.
std::size_t state_words(const KeyOperations& list, const SequentialModel& model) {
    if (model.choice().kind == ModelKind::kPool) {
        const std::size_t marks = std::min(kHoldsMax, pool_marks_max(list));
        return (kStateNumbersBytes + marks * sizeof(Hold)) / sizeof(Word);
    }
    if (!model.knows_owners()) {
        return kStateNumbersBytes / sizeof(Word);
    }
    const std::size_t modes = has_readers(model.choice().kind)               ? 2
                              : model.choice().kind == ModelKind::kMultiLock ? kHoldsMax
                                                                             : 1;
    const std::size_t holds = std::min(kHoldsMax, list.owners.size() * modes);
    return (kStateNumbersBytes + holds * sizeof(Hold)) / sizeof(Word);
}

class Search {
  public:
    Search(const KeyOperations& list, const SequentialModel& model, const SearchBudget& budget,
           std::uint64_t configurations_max, bool places_all)
        : list_(list),
          model_(model),
          budget_(budget),
          work_(budget),
          configurations_max_(configurations_max),
          placements_(list, model, places_all) {}

    Linearization run() {
        // Many keys of a few operations each are much work, too.
        const char* limit = budget_.ended();
        limit = limit == nullptr ? open_.build(list_, placements_, budget_) : limit;
        if (limit != nullptr) {
            result_.verdict = Inconclusive{limit};
            return std::move(result_);
        }
        set_words_ = (open_.slots() + kWordBits - 1) / kWordBits;
        state_words_ = state_words(list_, model_);
        words_.resize(1 + set_words_ + state_words_);
        seen_.resize(open_.kinds(), 0);
        needed_.resize(placements_.groups(), 0);
        ConfigurationTable table(words_.size(), budget_.bytes_max());
        table_ = &table;
        add({ConfigurationTable::kNone, 0});
        search();
        result_.states = table.size();
        explain();
        return std::move(result_);
    }

  private:
    // A configuration to go on from: at first with what returns, then with what never does.
    struct Turn {
        std::uint32_t number;
        bool is_second;
    };

    void search() {
        while (!stack_.empty() && !is_explained_) {
            if (configurations_max_ > 0 && table_->size() > configurations_max_) {
                result_.verdict = Inconclusive{"configurations"};
                result_.needs_more = true;
                return;
            }
            const Turn turn = stack_.back();
            stack_.pop_back();
            expand(turn);
            if (limit_ != nullptr && !is_explained_) {
                result_.verdict = Inconclusive{limit_};
                return;
            }
        }
        if (is_explained_) {
            result_.verdict = Passed{};
        } else if (no_room_) {
            const bool is_pool = model_.choice().kind == ModelKind::kPool;
            result_.verdict = Inconclusive{"more than " + std::to_string(kHoldsMax) +
                                           (is_pool ? " connections at once" : " holders at once")};
        } else {
            result_.verdict = Violated{};
        }
    }

    // Adds the configurations that follow. The operation that returns next is tried first, or where
    // tokens rise the one with the least token: a higher token before it is a dead end seen late.
    // Operations that never return are placed only when all others have failed: most histories do
    // not need them, and there may be as many as the history has operations.
    void expand(Turn turn) {
        const Word* const row = table_->row(turn.number);
        const std::size_t place = row[0];
        const std::span<const std::uint32_t> unending = open_.unending(place);
        if (!turn.is_second && !unending.empty()) {
            stack_.push_back({turn.number, true});
        }
        const std::size_t first = stack_.size();
        ++epoch_;
        try_all(turn.number, open_.returning(place), !turn.is_second);
        if (turn.is_second) {
            note_needs(row, open_.returning(place));
            try_all(turn.number, unending, true);
        }
        const auto begin = stack_.begin() + static_cast<std::ptrdiff_t>(first);
        if (model_.has_tokens() && !turn.is_second) {
            const std::uint32_t returns = open_.returns()[place];
            std::stable_sort(begin, stack_.end(), [&](const Turn& left, const Turn& right) {
                return rank(left, returns) < rank(right, returns);
            });
        }
        std::reverse(begin, stack_.end());
    }
    // First the next return if it says no token, then tokens from the least on, then the others.
    std::int64_t rank(const Turn& turn, std::uint32_t returns) const {
        const std::uint32_t operation = table_->origin(turn.number).operation;
        const std::int64_t token = list_.operations[operation].operation.number;
        return says_token(token) ? token : operation == returns ? kUnknownNumber : kForever;
    }

    // One configuration may have as many successors as operations are open, and a row is the longer
    // the more there are: the limits are asked for each of them. `tries` false: only the kinds are
    // noted, which were tried before.
    void try_all(std::uint32_t number, std::span<const std::uint32_t> operations, bool tries) {
        const Word* const row = table_->row(number);
        for (const std::uint32_t operation : operations) {
            if (!has_room()) {
                return;
            }
            std::uint64_t& seen = seen_[open_.kind(operation)];
            if (!is_wanted(operation)) {
                continue;
            }
            if (!is_placed(row, operation) && seen != epoch_ && may_come(row, operation)) {
                seen = epoch_;
                if (tries) {
                    try_next(number, row, operation);
                }
            }
        }
    }

    // Which holds are needed by what is about to return.
    void note_needs(const Word* row, std::span<const std::uint32_t> operations) {
        for (const std::uint32_t operation : operations) {
            if (placements_.needs_hold(operation) && !is_placed(row, operation)) {
                needed_[placements_.group(operation)] = epoch_;
            }
        }
    }
    bool is_open(std::uint32_t operation) const {
        return list_.operations[operation].completed == kNeverCompleted;
    }
    bool is_wanted(std::uint32_t operation) const {
        return !is_open(operation) || placements_.of(operation) != OpenPlacement::kBeforeNeed ||
               needed_[placements_.group(operation)] == epoch_;
    }
    // For an operation without a known end that leads from the state at `state_at` to `state_`.
    bool may_help(std::uint32_t operation, const Word* state_at) {
        load(before_, state_at);
        const LockOperation& what = list_.operations[operation].operation;
        return placements_.places_all() ||
               (model_.is_felt(before_, state_, what) && placements_.is_needed(operation, before_));
    }

    bool is_placed(const Word* row, std::uint32_t operation) const {
        const std::uint32_t slot = open_.slot(operation);
        return (row[1 + slot / kWordBits] >> slot % kWordBits & 1U) != 0;
    }
    // The operation that its process did before is placed, or has even returned.
    bool may_come(const Word* row, std::uint32_t operation) const {
        const std::size_t after = list_.operations[operation].after;
        if (after == kNeverCompleted) {
            return true;
        }
        const auto before = static_cast<std::uint32_t>(after);
        return open_.place_of_return(before) < row[0] || is_placed(row, before);
    }

    bool has_room() {
        if (limit_ == nullptr) {
            limit_ = table_->full() ? "memory" : !work_.spend() ? work_.limit() : nullptr;
        }
        return limit_ == nullptr;
    }

    void try_next(std::uint32_t number, const Word* row, std::uint32_t operation) {
        const Word* const state_at = row + 1 + set_words_;
        load(state_, state_at);
        const LockOperation& what = list_.operations[operation].operation;
        const StepResult result =
            what.is_refused ? refuse(row, operation) : model_.step(state_, what);
        no_room_ = no_room_ || result == StepResult::kNoRoom;
        if (result != StepResult::kDone || (is_open(operation) && !may_help(operation, state_at))) {
            return;
        }
        std::memcpy(words_.data(), row, (1 + set_words_) * sizeof(Word));
        const std::uint32_t slot = open_.slot(operation);
        words_[1 + slot / kWordBits] |= Word{1} << slot % kWordBits;
        pass_returns();
        std::memcpy(words_.data() + 1 + set_words_, &state_, state_words_ * sizeof(Word));
        add({number, operation});
    }

    // The state, or another caller that waits, may be the reason.
    StepResult refuse(const Word* row, std::uint32_t operation) {
        const LockOperation& what = list_.operations[operation].operation;
        if (!model_.choice().is_fair || model_.knows_time() ||
            passes_waiters(model_, state_, what)) {
            return model_.refuse(state_, what);
        }
        LeastReason reason;
        LockState tried = state_;
        const StepResult result = model_.refuse(tried, what);
        if (result == StepResult::kDone) {
            reason.add(tried);
        }
        const std::size_t place = row[0];
        for (const auto open : {open_.returning(place), open_.unending(place)}) {
            for (const std::uint32_t other : open) {
                const LockOperation& waiter = list_.operations[other].operation;
                if (other == operation || is_placed(row, other) || !work_.spend() ||
                    !would_be_kept_out(model_, waiter, what)) {
                    continue;
                }
                tried = state_;
                if (has_no_room(model_, waiter, tried)) {
                    reason.add(tried);
                }
            }
        }
        state_ = reason.is_found ? reason.state : state_;
        return reason.is_found ? StepResult::kDone : result;
    }

    void load(LockState& state, const Word* words) const {
        std::memcpy(static_cast<void*>(&state), words, state_words_ * sizeof(Word));
    }

    // Lets the placed operations return.
    void pass_returns() {
        const std::vector<std::uint32_t>& returns = open_.returns();
        std::size_t place = words_[0];
        while (place < returns.size()) {
            const std::uint32_t slot = open_.slot(returns[place]);
            Word& word = words_[1 + slot / kWordBits];
            const Word bit = Word{1} << slot % kWordBits;
            if ((word & bit) == 0) {
                break;
            }
            word &= ~bit;
            ++place;
        }
        words_[0] = place;
    }

    void add(ConfigurationTable::Origin origin) {
        const std::uint32_t number = table_->insert(words_.data(), origin);
        if (number == ConfigurationTable::kNone) {
            return;
        }
        const std::size_t place = words_[0];
        if (place > best_place_ || number == 0) {
            best_place_ = place;
            best_ = number;
        }
        is_explained_ = is_explained_ || place == open_.returns().size();
        stack_.push_back({number, false});
    }

    void explain() {
        for (std::uint32_t at = best_; at != 0;) {
            const ConfigurationTable::Origin origin = table_->origin(at);
            result_.order.push_back(origin.operation);
            at = origin.parent;
        }
        std::reverse(result_.order.begin(), result_.order.end());
        load(result_.state, table_->row(best_) + 1 + set_words_);
        if (!is_explained_) {
            result_.stuck = open_.returns()[best_place_];
        }
    }

    const KeyOperations& list_;
    const SequentialModel& model_;
    const SearchBudget& budget_;
    BudgetedWork work_;
    const char* limit_ = nullptr;  // that ended the search
    std::uint64_t configurations_max_;
    OpenPlacements placements_;
    OpenOperations open_;
    ConfigurationTable* table_ = nullptr;
    std::size_t set_words_ = 0;
    std::size_t state_words_ = 0;
    std::vector<Word> words_;  // of the configuration that is being made
    LockState state_{};
    LockState before_{};                 // what has no known end has been placed
    std::vector<std::uint64_t> seen_;    // by kind: the expansion that tried it last
    std::vector<std::uint64_t> needed_;  // by group: the expansion in which a hold of it is needed
    std::uint64_t epoch_ = 0;
    std::vector<Turn> stack_;
    bool is_explained_ = false;
    bool no_room_ = false;
    std::uint32_t best_ = 0;
    std::size_t best_place_ = 0;
    Linearization result_;
};

}  // namespace

SearchBudget::SearchBudget(const CheckLimits& limits)
    : limits_(limits), start_(std::chrono::steady_clock::now()) {}

const char* SearchBudget::ended() const {
    if (limits_.stop && limits_.stop()) {
        return "interrupted";
    }
    return seconds() > limits_.seconds_max ? "time" : nullptr;
}

double SearchBudget::seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

Linearization linearize(const KeyOperations& list, const SequentialModel& model,
                        const SearchBudget& budget, std::uint64_t configurations_max,
                        bool places_all) {
    return Search(list, model, budget, configurations_max, places_all).run();
}

}  // namespace lockkeeper
