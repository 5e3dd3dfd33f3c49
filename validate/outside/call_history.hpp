// SPDX-License-Identifier: Apache-2.0

// The calls and returns of one run of outside code, recorded as they happen and judged by the model
// that fits what was recorded (validate/histories): P29 (unexplained-history). Filled in by the
// runs of programs at the stepped level and of unmodified clients; written by reports/.
//
// How each event is recorded:
//   the process is gone in the middle of a call   info, and an exit that stays open
//   an answer that leaves open what happened      info
//   a release that is told that the lock is lost  info: nobody knows since when
//   a renewal that is told so                     fail, and an exit that stays open: what the
//                                                 caller had is given back then or later
//   a lease that ends by a jump of the caller's   the same exit
//   clock
//   another call that renews                      "renew", with its own word in the value
//   any other call                                nothing: no model knows it
// A lease counts from the return on, so that a reply that took long makes no lease too long.
//
// Models: see model(). Tokens have to rise where every grant has one. Not judged: leases where a
// caller acquires again what it has not released, or where more than one may hold; refusals, which
// P3 (under-allocation) judges.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "model/history.hpp"
#include "model/world_config.hpp"
#include "validate/histories/recorded.hpp"

namespace lockkeeper {

// The recorded calls of a run, and how its model judges them.
struct JudgedCalls {
    RecordedHistory history;
    std::string model;   // "lease", as `validate --history --model` takes it; empty: none fits
    std::string reason;  // why no order explains it; empty: one does, or nobody knows
};

// `to` - `from`. Saturates instead of overflowing.
[[nodiscard]] std::int64_t time_between(std::int64_t from, std::int64_t to);

class CallHistory {
  public:
    struct Return {
        HistoryType type = HistoryType::kOk;
        std::string error = {};
        // How long a grant or a renewal lasts from now on; nothing: it has no end.
        std::optional<std::int64_t> lasts = {};
        std::optional<std::int64_t> lasts_in_time = {};  // the same from time_passes() on
        std::optional<std::int64_t> token = {};
        bool again = false;   // a grant: the caller has not released an earlier one
        bool renews = false;  // a call: the caller holds as long as `lasts` says
        bool loses = false;   // a call: the caller is told that it holds no longer
    };

    // `judges_tokens`: tokens have to rise.
    CallHistory(const WorldConfig& world, bool judges_tokens);

    void begin();
    // `holds`: the caller has acquired the key and not released it. A release without that is left
    // out: no model says what its answer means.
    void call(std::size_t caller, const Operation& operation, bool holds, std::int64_t time);
    void end(std::size_t caller, Return with, std::int64_t time);
    // Time passes for the first time in the run: from now on `lasts_in_time` counts.
    void time_passes();
    // The caller no longer believes that it holds the key of this operation.
    void no_longer(std::size_t caller, Operation operation, std::int64_t time);
    // The caller's process has ended; what the caller does later, another process does.
    void gone(std::size_t caller, std::int64_t time);

    // "resizable-semaphore" where more than one may hold; "lease" or "fenced-lease" where a grant
    // has an end; else "reentrant-mutex" or "reentrant-fenced-mutex". Empty: none fits.
    [[nodiscard]] std::string model() const;
    // False: no order explains the calls recorded until now. A long history is checked only now
    // and then; `all` checks it in any case.
    [[nodiscard]] bool is_explained(bool all);
    // The histories, since the last call of this, whose check a limit ended.
    [[nodiscard]] std::uint64_t take_undecided();
    [[nodiscard]] JudgedCalls recorded() const;

  private:
    struct Entry {
        HistoryType type = HistoryType::kInvoke;
        std::uint8_t caller = 0;
        bool is_exit = false;
        bool is_kept = true;
        std::uint32_t life = 1;
        Operation operation;
        Return with;
        std::int64_t time = 0;
    };
    void add(Entry entry);
    void add_exit(std::size_t caller, std::int64_t time);
    [[nodiscard]] RecordedHistory history() const;
    [[nodiscard]] Record record_of(const Entry& entry, bool knows_time) const;

    const WorldConfig& world_;
    bool judges_tokens_ = false;
    std::vector<Entry> entries_;
    std::vector<std::optional<std::size_t>> open_;  // by caller: the invocation
    std::vector<std::uint32_t> lives_;
    bool has_places_ = false;  // more than one may hold
    bool has_leases_ = false;
    bool has_tokens_ = false;
    bool lacks_tokens_ = false;  // a grant had none
    bool acquires_again_ = false;
    bool is_unexplained_ = false;
    std::size_t next_look_ = 0;  // the count of entries at which the next check is due
    std::string reason_;
    std::string text_;  // all that is recorded: equal for equal histories
    std::unordered_set<std::string> explained_;
    std::size_t explained_bytes_ = 0;
    std::uint64_t undecided_ = 0;
};

}  // namespace lockkeeper
