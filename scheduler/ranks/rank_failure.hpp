// SPDX-License-Identifier: Apache-2.0

// Carries a failure of one rank to all, so that all end alike: a limit of a lock's compiled size,
// the end of memory. Anything else is a mistake, and ends the rank that made it.
#pragma once

#include <exception>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "model/check.hpp"
#include "scheduler/ranks/ranks.hpp"

namespace lockkeeper {

class RankFailure {
  public:
    // Runs it; what it throws is kept.
    template <class Task>
    void keep(Task task) {
        try {
            task();
        } catch (const LimitExceeded& limit) {
            kind_ = Kind::kLimit;
            text_ = limit.what();
        } catch (const std::bad_alloc&) {
            kind_ = Kind::kMemory;
        }
    }
    [[nodiscard]] bool is_there() const { return kind_ != Kind::kNone; }

    void write(MessageWriter& out) const {
        out.value(kind_);
        out.text(text_);
    }
    static void pass_over(MessageReader& in) { static_cast<void>(RankFailure(in)); }
    // `all`: messages that begin with a failure. Throws the failure of the first rank that has one.
    void throw_first(const std::vector<RankMessage>& all) {
        *this = RankFailure();
        for (const RankMessage& message : all) {
            MessageReader in(message);
            const RankFailure failure(in);
            if (failure.kind_ == Kind::kLimit) {
                throw LimitExceeded(failure.text_);
            }
            if (failure.kind_ == Kind::kMemory) {
                throw std::bad_alloc();
            }
        }
    }

    RankFailure() = default;

  private:
    enum class Kind : std::uint8_t { kNone, kLimit, kMemory };

    explicit RankFailure(MessageReader& in) : kind_(in.value<Kind>()), text_(in.text()) {}

    Kind kind_ = Kind::kNone;
    std::string text_;
};

}  // namespace lockkeeper
