// SPDX-License-Identifier: Apache-2.0

// Locks that know who holds them. An owner is the process, or the `client` (`owner`) that the value
// names.
//
//   owner-aware-mutex       acquire: held by nobody. release: held by the caller.
//   reentrant-mutex         acquire: held by nobody else, and fewer than :depth times by the
//                           caller.
//   fenced-mutex            acquire -> {token: t}: as owner-aware, and t above every token before.
//                           write {token: t}: an effect that the resource took; t was granted
//                           before, and no effect with a higher token came before.
//   reentrant-fenced-mutex  as re-entrant; the first acquire of a hold gets a new token, the others
//                           the same one. The first that is recorded says which it is.
//   read-write-lock         acquire/release {mode: read} or {mode: write}: readers share, a writer
//                           holds alone. The caller's own read excludes its write.
//   reentrant-read-write-lock  the same, but the caller's own holds exclude nothing: a reader may
//                           take the lock for writing too, or read again. It releases as often, in
//                           each mode (PostgreSQL's advisory locks of a session).
//   multi-lock              acquire/release {tag: t}: no tag is held that t must not meet.
//   write (others)          always; see the ladder's `fenced`.
//   write (writes=holder)   the caller holds; of read-write locks for writing; of multi-lock the
//                           tag that the write says, or any.
//   exit (all)              the process is gone, and gives back what it holds, then or later.
//
// `:slack` (the ladder's) allows this many excluding holds.
// Known limits: kHoldsMax holds at once; those of models/tokens.hpp.
#include <algorithm>
#include <vector>

#include "validate/histories/models/tokens.hpp"
#include "validate/histories/sequential_model.hpp"
#include "validate/histories/tag_names.hpp"

namespace lockkeeper {
namespace {

// A hold whose token nobody has said yet stores the least possible token as a number below zero;
// tokens are not below zero.
constexpr std::int64_t unknown_from(std::int64_t token) { return -1 - token; }
bool is_known(const Hold& hold) { return hold.number >= 0; }
std::int64_t token_least(const Hold& hold) { return -1 - hold.number; }

class OwnedModel final : public SequentialModel {
  public:
    explicit OwnedModel(const ModelChoice& choice) : SequentialModel(choice) {
        const TagNames names(choice);
        excluded_by_.resize(kTagsMax, 0);
        for (const TagExclusion& exclusion : choice.exclusions) {
            excluded_by_[*names.find(exclusion.wanted)] |= std::uint64_t{1}
                                                           << *names.find(exclusion.held);
        }
    }

    [[nodiscard]] ValueMeaning bare_value() const override {
        switch (choice().kind) {
            case ModelKind::kFencedMutex:
            case ModelKind::kReentrantFencedMutex: return ValueMeaning::kToken;
            case ModelKind::kReadWriteLock:
            case ModelKind::kReentrantReadWriteLock: return ValueMeaning::kMode;
            case ModelKind::kMultiLock: return ValueMeaning::kTag;
            default: return ValueMeaning::kNothing;
        }
    }
    [[nodiscard]] bool has_tokens() const override {
        return choice().kind == ModelKind::kFencedMutex ||
               choice().kind == ModelKind::kReentrantFencedMutex;
    }
    [[nodiscard]] StepResult step(LockState& state, const LockOperation& operation) const override {
        switch (operation.code) {
            case LockCode::kAcquire: return acquire(state, operation);
            case LockCode::kRelease: return release(state, operation);
            case LockCode::kExit:
                for (std::size_t i = state.count(); i-- > 0;) {
                    if (state.holds[i].owner == operation.owner) {
                        state.erase(i);
                    }
                }
                return StepResult::kDone;
            case LockCode::kWrite: {
                const bool is_right = (!choice().judges_effects || covers(state, operation)) &&
                                      (!has_tokens() || take_effect(state, operation));
                return is_right ? StepResult::kDone : StepResult::kImpossible;
            }
            default: break;
        }
        return StepResult::kImpossible;
    }
    [[nodiscard]] std::string refusal(const LockState& state,
                                      const LockOperation& operation) const override {
        if (operation.code == LockCode::kWrite) {
            return choice().judges_effects && !covers(state, operation)
                       ? uncovered_text(state, operation)
                       : effect_refusal(state, operation);
        }
        const std::size_t place = state.place_of(operation.owner, operation.mode);
        const Hold* own =
            state.has(place, operation.owner, operation.mode) ? &state.holds[place] : nullptr;
        if (operation.code == LockCode::kRelease) {
            return state.holds_count == 0 ? "nobody holds it" : "the caller does not hold it";
        }
        if (excluding(state, operation) > slack()) {
            return is_excluded_by_itself(state, operation)
                       ? choice().kind == ModelKind::kReadWriteLock
                             ? "the caller's own hold excludes it (reentrant-read-write-lock would "
                               "not)"
                             : "the caller's own hold excludes it"
                       : "it is held by another that excludes it";
        }
        if (!is_token_right(state, operation, own)) {
            return own != nullptr ? is_known(*own)
                                        ? "the token of this hold is " + std::to_string(own->number)
                                        : "the token of this hold is at least " +
                                              std::to_string(token_least(*own)) +
                                              " and below those granted since"
                                  : grant_refusal(state);
        }
        return "the caller holds it already";
    }
    [[nodiscard]] bool counts_against(const LockOperation& held,
                                      const LockOperation& wanted) const override {
        Hold hold;
        hold.owner = held.owner;
        hold.mode = held.mode;
        return excludes(hold, wanted);
    }

  private:
    [[nodiscard]] bool excludes(const Hold& held, const LockOperation& wanted) const {
        switch (choice().kind) {
            case ModelKind::kReadWriteLock: return held.mode == 1 || wanted.mode == 1;
            case ModelKind::kReentrantReadWriteLock:
                return held.owner != wanted.owner && (held.mode == 1 || wanted.mode == 1);
            case ModelKind::kMultiLock:
                return wanted.mode < kTagsMax && held.mode < kTagsMax &&
                       (excluded_by_[wanted.mode] >> held.mode & 1U) != 0;
            default: return held.owner != wanted.owner;
        }
    }
    [[nodiscard]] std::int64_t excluding(const LockState& state,
                                         const LockOperation& wanted) const {
        return std::count_if(state.holds.begin(), state.holds.begin() + state.holds_count,
                             [&](const Hold& hold) { return excludes(hold, wanted); });
    }
    [[nodiscard]] bool is_excluded_by_itself(const LockState& state,
                                             const LockOperation& wanted) const {
        return std::all_of(state.holds.begin(), state.holds.begin() + state.holds_count,
                           [&](const Hold& hold) {
                               return hold.owner == wanted.owner || !excludes(hold, wanted);
                           });
    }
    // `own`: of a re-entrant acquire, the hold that is there.
    [[nodiscard]] bool is_token_right(const LockState& state, const LockOperation& operation,
                                      const Hold* own) const {
        if (!has_tokens() || !says_token(operation.number)) {
            return true;
        }
        if (own == nullptr) {
            return operation.number >= state.next_token;
        }
        if (is_known(*own)) {
            return operation.number == own->number;
        }
        // With slack others may have been granted since, with higher tokens.
        const std::int64_t least = token_least(*own);
        return operation.number >= least &&
               std::none_of(state.holds.begin(), state.holds.begin() + state.holds_count,
                            [&](const Hold& other) {
                                return other.number >= least && other.number <= operation.number;
                            });
    }
    // writes=holder
    [[nodiscard]] bool covers(const LockState& state, const LockOperation& effect) const {
        const auto is_holder = [&](const Hold& hold) {
            return hold.owner == effect.owner &&
                   (has_readers(choice().kind) ? hold.mode == 1
                    : choice().kind == ModelKind::kMultiLock
                        ? effect.mode == kAnyTag || hold.mode == effect.mode
                        : true);
        };
        return std::any_of(state.holds.begin(), state.holds.begin() + state.holds_count, is_holder);
    }
    [[nodiscard]] std::string uncovered_text(const LockState& state,
                                             const LockOperation& effect) const {
        const bool holds =
            std::any_of(state.holds.begin(), state.holds.begin() + state.holds_count,
                        [&](const Hold& hold) { return hold.owner == effect.owner; });
        return !holds                       ? "an effect of a caller that does not hold it"
               : has_readers(choice().kind) ? "an effect of a caller that holds it for reading only"
                                            : "an effect of a caller that holds another tag";
    }
    [[nodiscard]] StepResult acquire(LockState& state, const LockOperation& operation) const {
        const std::size_t place = state.place_of(operation.owner, operation.mode);
        Hold* own =
            state.has(place, operation.owner, operation.mode) ? &state.holds[place] : nullptr;
        if (excluding(state, operation) > slack() || !is_token_right(state, operation, own)) {
            return StepResult::kImpossible;
        }
        if (own != nullptr) {
            if (own->count >= depth_max()) {
                return StepResult::kImpossible;
            }
            if (has_tokens() && says_token(operation.number)) {
                own->number = operation.number;
                say_token(state, operation.number);
            }
            ++own->count;
            return StepResult::kDone;
        }
        Hold hold;
        if (has_tokens()) {
            const bool is_unknown = !says_token(operation.number);
            hold.number = is_unknown ? unknown_from(state.next_token) : operation.number;
            if (!take_token(state, operation.number)) {
                return StepResult::kImpossible;
            }
        }
        hold.owner = operation.owner;
        hold.mode = operation.mode;
        hold.count = 1;
        return state.insert(place, hold) ? StepResult::kDone : StepResult::kNoRoom;
    }
    [[nodiscard]] StepResult release(LockState& state, const LockOperation& operation) const {
        const std::size_t place = state.place_of(operation.owner, operation.mode);
        if (!state.has(place, operation.owner, operation.mode)) {
            return StepResult::kImpossible;
        }
        if (--state.holds[place].count == 0) {
            state.erase(place);
        }
        return StepResult::kDone;
    }
    // How often one owner may hold in one mode.
    [[nodiscard]] std::uint32_t depth_max() const {
        switch (choice().kind) {
            case ModelKind::kReentrantMutex:
            case ModelKind::kReentrantReadWriteLock:
            case ModelKind::kReentrantFencedMutex:
                return choice().depth_max > 0 ? choice().depth_max : UINT16_MAX;
            case ModelKind::kMultiLock: return UINT16_MAX;
            default: return 1;
        }
    }

    std::vector<std::uint64_t> excluded_by_;  // by wanted tag: the tags that it must not meet
};

}  // namespace

// For make_model.
std::unique_ptr<SequentialModel> make_owned_model(const ModelChoice& choice) {
    return std::make_unique<OwnedModel>(choice);
}

}  // namespace lockkeeper
