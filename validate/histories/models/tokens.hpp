// SPDX-License-Identifier: Apache-2.0

// The rules of fencing tokens, which several models share: tokens rise from grant to grant, an
// effect (`write`) has the token of a grant that came before, and effects come in the order of
// tokens. Called by the models; they keep what they know of it in LockState.
//
// An effect whose grant is placed behind it makes that grant impossible, which the search sees
// later than it could.
//
// A grant whose token nobody has said had the least that is possible, until an effect or another
// acquire of the same hold says more. A grant that says that it has none (kInvalidToken) takes none
// from those after it. Known limit: where there is such a grant, any token that no
// grant is known to have, and that fits in between, counts as that grant's.
#pragma once

#include <algorithm>
#include <string>

#include "validate/histories/lock_operation.hpp"
#include "validate/histories/lock_state.hpp"

namespace lockkeeper {

// LockState::tokens_unsaid
inline constexpr std::int64_t kAllSaid = 0;
inline constexpr std::int64_t kUnsaidBefore = 1;  // before the last token that is known
inline constexpr std::int64_t kUnsaidSince = 2;   // and since then

// A grant takes a token that is higher than all before. False: it is not.
[[nodiscard]] inline bool take_token(LockState& state, std::int64_t token) {
    if (!says_token(token)) {
        state.next_token += token == kInvalidToken ? 0 : 1;
        state.tokens_unsaid = kUnsaidSince;
        return true;
    }
    if (token < state.next_token) {
        return false;
    }
    state.next_token = token + 1;
    state.tokens_unsaid = std::min(state.tokens_unsaid, kUnsaidBefore);
    return true;
}

// The newest grant says its token once more, or for the first time.
inline void say_token(LockState& state, std::int64_t token) {
    state.next_token = std::max(state.next_token, token + 1);
    state.tokens_unsaid = std::min(state.tokens_unsaid, kUnsaidBefore);
}

// An effect was taken. False: it must not have been.
[[nodiscard]] inline bool take_effect(LockState& state, const LockOperation& write) {
    const std::int64_t token = write.number;
    if (token == kUnknownNumber) {
        return true;
    }
    if (token < 0 || token + 1 < state.top_write) {
        return false;
    }
    if (token >= state.next_token) {
        if (state.tokens_unsaid != kUnsaidSince) {
            return false;
        }
        state.next_token = token + 1;
    } else if (!write.is_token_granted && token + 1 != state.top_write &&
               state.tokens_unsaid == kAllSaid) {
        return false;
    }
    state.top_write = token + 1;
    return true;
}

// Why the token of an acquire is too low. If earlier tokens are unknown, no record has the bound,
// so the text explains it.
[[nodiscard]] inline std::string grant_refusal(const LockState& state) {
    return state.tokens_unsaid == kUnsaidSince
               ? "the token is below " + std::to_string(state.next_token) +
                     ", the least that is possible after the grants before, some of whose tokens "
                     "are not known"
               : "the token " + std::to_string(state.next_token - 1) + " was granted before";
}

[[nodiscard]] inline std::string effect_refusal(const LockState& state,
                                                const LockOperation& write) {
    if (write.number == kInvalidToken) {
        return "the effect has the token that says that there is none";
    }
    const std::string token = std::to_string(write.number);
    if (write.number + 1 < state.top_write) {
        return "an effect with the higher token " + std::to_string(state.top_write - 1) +
               " was taken before";
    }
    return write.is_token_granted ? "the token " + token + " was not granted before"
                                  : "the token " + token + " was never granted";
}

}  // namespace lockkeeper
