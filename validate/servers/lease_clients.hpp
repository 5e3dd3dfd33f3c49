// SPDX-License-Identifier: Apache-2.0

// The database leaser: callers whose acquires, renewals and releases are statements, a reaper, and
// a database whose time is the model's. Made by make_clients (server_clients.hpp).
//
// Time: `lockkeeper_time` maps a real instant of the server to the virtual one that began last
// before it. The leaser's statements have `lockkeeper_time(transaction_timestamp())` where they
// have `transaction_timestamp()` otherwise: it is the server that decides when a transaction began.
// Tokens are chosen by the harness, as the schedule says: larger than all before, or smaller. With
// the repair growing_tokens they are a sequence's of the server.
#pragma once

#include <array>

#include "validate/servers/leaser.hpp"
#include "validate/servers/server_clients.hpp"

namespace lockkeeper::databases {

class LeaseClients final : public ServerClients {
  public:
    LeaseClients(const Subject& subject, PrivateServer& server)
        : ServerClients(subject, server, others_of(subject)),
          sources_{"lockkeeper_time(" + LeaseSources{}.now + ")", "",
                   "lockkeeper_time(" + LeaseSources{}.clock + ")"},
          work_(subject.clients.size()) {}

    [[nodiscard]] ServerView look() override;
    [[nodiscard]] Observed observed(std::size_t caller) const override;
    [[nodiscard]] Observed told(const Advance& done) const override;

  private:
    // The token of a caller who has none.
    static constexpr const char* kNobody = "00000000-0000-0000-0000-000000000000";
    // A client's knowledge of one key.
    struct Holding {
        std::string token;        // of its lease
        std::string attempt;      // of the call under way, when its insert may be there
        std::string late;         // of an insert that was given up and may come
        std::string renewing;     // of the renewal that it has sent
        std::string writing;      // of the write that it has sent
        std::string picked;       // the attempt of the asynchronous call, until its lease is there
        std::string executing;    // since then
        bool late_comes = false;  // and has not come yet
        std::chrono::milliseconds started{0};  // its acquire
        bool ended = false;                    // its renewals, since then
    };
    struct Work {
        std::array<Holding, kKeysMax> keys;
        std::string error;    // that the client itself finds
        std::string cause;    // that it cleans up for
        bool commits = true;  // at once, when the insert or the completion is done
        std::string newest;   // newest_ when it drew the token of its insert
        bool token_repeated = false;
        bool rolls_back = false;  // its insert, whose answer is lost
        std::size_t key = 0;
    };

    void prepare() override;
    void step(std::size_t caller, const Advance& done, const std::string& error) override;
    void background(const Advance& done) override;
    void crash(std::size_t caller) override;
    void answered(std::size_t slot) override;
    [[nodiscard]] std::string label(std::size_t slot) const override;

    void acquire(std::size_t caller, std::size_t key, StepFault fault);
    void release(std::size_t caller, std::size_t key, StepFault fault);
    void commit(std::size_t caller, std::size_t key);
    void clean_up(std::size_t caller, std::size_t key, StepFault fault);
    void fail(std::size_t caller, LeaseResult result);
    void lose_answer(std::size_t caller);
    void roll_back(std::size_t caller, const std::string& error);
    void write(std::size_t caller, std::size_t key);
    void complete(std::size_t caller, std::size_t key, StepFault fault);
    void end_completion(std::size_t caller, std::size_t key);
    void pick(std::size_t caller, std::size_t key, StepFault fault);
    void mark(std::size_t caller, std::size_t key, StepFault fault);
    void commit_pick(std::size_t caller, std::size_t key, StepFault fault);
    void inserted(std::size_t caller);
    void acquired(std::size_t caller, std::size_t key);
    void insert_late(std::size_t caller, std::size_t key);
    void find_nothing();
    void crash_controller(std::size_t controller);
    void set_clock();

    // After the callers: each one's renewals, who does what nobody's call is, and who locks a row.
    static std::size_t others_of(const Subject& subject) {
        return subject.clients.size() * subject.keys.size() + 1 + subject.keys.size();
    }
    [[nodiscard]] std::size_t renewal_slot(std::size_t caller, std::size_t key) const {
        return work_.size() + caller * subject().keys.size() + key;
    }
    [[nodiscard]] std::size_t background_slot() const {
        return work_.size() * (1 + subject().keys.size());
    }
    [[nodiscard]] std::size_t locker_slot(std::size_t key) const {
        return background_slot() + 1 + key;
    }
    [[nodiscard]] const std::string& name(std::size_t key) const {
        return subject().keys[key].name;
    }
    [[nodiscard]] Lease lease(std::size_t caller, std::size_t key, const std::string& token) const {
        return {name(key), token.empty() ? kNobody : token, subject().leases->ttls[caller]};
    }
    [[nodiscard]] std::string draw(bool small);
    [[nodiscard]] LeaseSources with(const std::string& token) const {
        return {sources_.now, quoted(token), sources_.clock};
    }
    [[nodiscard]] Observed result_of(std::size_t slot) const;

    LeaseSources sources_;
    std::vector<Work> work_;
    std::map<std::string, std::size_t> acquisitions_;  // by token
    std::string newest_;                               // the largest token with a row so far
    unsigned largest_ = 0;                             // of the tokens drawn
    unsigned smallest_ = 0;
    std::chrono::milliseconds time_{0};   // since the beginning
    std::chrono::milliseconds ahead_{0};  // the database's clock
};

// In the words of the model; empty: none.
[[nodiscard]] const char* error_of(LeaseResult result);

}  // namespace lockkeeper::databases
