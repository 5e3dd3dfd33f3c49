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
#pragma once

#include <vector>

#include "validate/histories/sequential_model.hpp"

namespace lockkeeper {

class OwnedModel final : public SequentialModel {
  public:
    explicit OwnedModel(const ModelChoice& choice);

    [[nodiscard]] ValueMeaning bare_value() const override;
    [[nodiscard]] bool has_tokens() const override;
    [[nodiscard]] StepResult step(LockState& state, const LockOperation& operation) const override;
    [[nodiscard]] std::string refusal(const LockState& state,
                                      const LockOperation& operation) const override;
    [[nodiscard]] bool counts_against(const LockOperation& held,
                                      const LockOperation& wanted) const override;

  private:
    [[nodiscard]] bool excludes(const Hold& held, const LockOperation& wanted) const;
    [[nodiscard]] std::int64_t excluding(const LockState& state, const LockOperation& wanted) const;
    [[nodiscard]] bool is_excluded_by_itself(const LockState& state,
                                             const LockOperation& wanted) const;
    [[nodiscard]] bool is_token_right(const LockState& state, const LockOperation& operation,
                                      const Hold* own) const;
    // writes=holder
    [[nodiscard]] bool covers(const LockState& state, const LockOperation& effect) const;
    [[nodiscard]] std::string uncovered_text(const LockState& state,
                                             const LockOperation& effect) const;
    [[nodiscard]] StepResult acquire(LockState& state, const LockOperation& operation) const;
    [[nodiscard]] StepResult release(LockState& state, const LockOperation& operation) const;
    // How often one owner may hold in one mode.
    [[nodiscard]] std::uint32_t depth_max() const;

    std::vector<std::uint64_t> excluded_by_;  // by wanted tag: the tags that it must not meet
};

}  // namespace lockkeeper
