// SPDX-License-Identifier: Apache-2.0

// Records at full speed what threads do to a native lock, and judges it afterwards. Each thread
// writes a buffer of its own; time is one counter that all threads draw tickets from, so that a
// smaller ticket means happened before, which clocks do not promise.
//
//   attempt    called < returned, and if granted < released (called) < released (returned)
//
// A holder holds for certain from `returned` to `release_called`, and at most from `called` to
// `release_returned`. The instant at which the lock decided lies somewhere in the call.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace lockkeeper::testing_native {

using Ticket = std::uint64_t;

struct Attempt {
    std::uint64_t capacity = 0;  // of the caller's view
    bool granted = false;
    Ticket called = 0;
    Ticket returned = 0;
    Ticket release_called = 0;
    Ticket release_returned = 0;
};

class Tickets {
  public:
    Ticket draw() { return next_.fetch_add(1, std::memory_order_seq_cst); }

  private:
    std::atomic<Ticket> next_{1};
};

struct Judgement {
    std::uint64_t granted = 0;
    std::uint64_t refused = 0;
    std::uint64_t most_at_once = 0;  // that held for certain
    std::vector<std::string> faults;
};

// Over all instants of each call: was there one at which the answer was right?
class Judge {
  public:
    // All attempts on one key; whoever was granted has released.
    static Judgement judge(const std::vector<Attempt>& attempts) {
        Judge judge(attempts);
        for (const Moment& moment : judge.moments_) {
            judge.pass(moment);
        }
        return judge.judgement_;
    }

  private:
    enum class What : std::uint8_t { kCall, kReturn, kReleaseCall, kReleaseReturn };
    struct Moment {
        Ticket ticket;
        What what;
        std::size_t attempt;
        bool operator<(const Moment& other) const { return ticket < other.ticket; }
    };

    explicit Judge(const std::vector<Attempt>& attempts)
        : attempts_(attempts),
          certain_least_(attempts.size(), 0),
          possible_most_(attempts.size(), 0) {
        for (std::size_t i = 0; i < attempts.size(); ++i) {
            const Attempt& attempt = attempts[i];
            moments_.push_back({attempt.called, What::kCall, i});
            moments_.push_back({attempt.returned, What::kReturn, i});
            if (attempt.granted) {
                moments_.push_back({attempt.release_called, What::kReleaseCall, i});
                moments_.push_back({attempt.release_returned, What::kReleaseReturn, i});
            }
        }
        std::sort(moments_.begin(), moments_.end());
    }

    void pass(const Moment& moment) {
        const Attempt& attempt = attempts_[moment.attempt];
        switch (moment.what) {
            case What::kCall:
                certain_least_[moment.attempt] = certain_;
                possible_most_[moment.attempt] = possible_;
                possible_ += attempt.granted ? 1U : 0U;
                open_.push_back(moment.attempt);
                break;
            case What::kReturn:
                open_.erase(std::find(open_.begin(), open_.end(), moment.attempt));
                decide(moment.attempt);
                certain_ += attempt.granted ? 1U : 0U;
                judgement_.most_at_once = std::max(judgement_.most_at_once, certain_);
                break;
            case What::kReleaseCall: --certain_; break;
            case What::kReleaseReturn: --possible_; break;
        }
        for (const std::size_t open : open_) {
            const std::uint64_t own = attempts_[open].granted ? 1 : 0;
            certain_least_[open] = std::min(certain_least_[open], certain_);
            possible_most_[open] = std::max(possible_most_[open], possible_ - own);
        }
    }

    void decide(std::size_t index) {
        const Attempt& attempt = attempts_[index];
        const bool too_many = attempt.granted && certain_least_[index] >= attempt.capacity;
        const bool had_room = !attempt.granted && possible_most_[index] < attempt.capacity;
        ++(attempt.granted ? judgement_.granted : judgement_.refused);
        if (too_many || had_room) {
            judgement_.faults.push_back(
                std::string(too_many ? "over-allocation" : "under-allocation") +
                ": the call of ticket " + std::to_string(attempt.called) + " with capacity " +
                std::to_string(attempt.capacity));
        }
    }

    const std::vector<Attempt>& attempts_;
    std::vector<Moment> moments_;
    std::vector<std::size_t> open_;
    std::vector<std::uint64_t> certain_least_;
    std::vector<std::uint64_t> possible_most_;
    std::uint64_t certain_ = 0;
    std::uint64_t possible_ = 0;
    Judgement judgement_;
};

}  // namespace lockkeeper::testing_native
