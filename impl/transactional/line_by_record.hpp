// SPDX-License-Identifier: Apache-2.0

// The transactional lock of one key for every number of callers: the server's own steps, each with
// one record (Traits::by_record). `lockkeeper prove` takes it apart; nobody explores it but tests,
// which compare it with the server.
//
// The differences from the server in a World:
//
//   the line      has no end and no order. Its owner is at place 1, everybody who waits at 2. Who
//                 came first is forgotten: P23 (token-order) is not told.
//   a hand-over   follows the step by which an owner leaves: somebody who waits is granted, or
//                 nobody waits. Until then nobody goes on, and nothing is noticed; a crash may
//                 come, as before or after. Whoever waits may be the one, and that nobody waits is
//                 possible whoever does: more can happen than there, never less.
//   time          does not go on. A wait that may time out does so at any moment. A waiter that
//                 looks for a deadlock finds none, because nobody who waits has the only lock.
//   gaps          of InnoDB are not there: the row is, or is inserted and committed before. Where
//                 it can be absent an insert waits for gaps, of any number of sessions.
//   writes        are not there: what others read of them compares their numbers (P24 stale-read).
//
// Limits: see why_not().
#pragma once

#include <string>

#include "impl/callers_by_kind.hpp"
#include "impl/transactional/innodb_server.hpp"
#include "impl/transactional/pg_server.hpp"

namespace lockkeeper::transactional {

template <class Server>
class LineByRecord : public CallersByKind<Server> {
    using Base = CallersByKind<Server>;
    using Base::all_;
    using Base::kinds_;

  public:
    using Record = transactional::Record;
    using Call = transactional::Call;
    static constexpr Traits kTraits{.local_background = true, .by_record = true, .phantoms = true};
    static constexpr std::uint32_t kFeatures = Server::kFeatures & ~(kShowsTokens | kShowsData);

    struct Shared {
        transactional::Shared lock;
        std::uint8_t owners;  // sessions that the lock is granted to
        std::uint8_t is_handed_over;
    };

    // Why this lock, used like this, is not proved; empty: it is.
    [[nodiscard]] static std::string why_not(const ServerOptions& options,
                                             const WorldConfig& world);

    // Only what why_not() accepts. `options`: clients as in the world. `world`:
    // with_kinds_in_operations().
    LineByRecord(const ServerOptions& options, const WorldConfig& world);

    [[nodiscard]] Shared initial_shared() const { return {all_.initial_shared(), 0, 0}; }
    [[nodiscard]] bool blocked(const Shared& shared, const Record& record, const Call& call) const {
        return shared.is_handed_over != 0 || Base::blocked(shared, record, call);
    }
    Outcome step(Shared& shared, Record& record, Call& call, const Operation& operation,
                 Event& event) const;
    void on_death(Shared& shared, Record& record) const;

    void background_of(const Shared& shared, const Record& record, std::size_t caller,
                       ActionList& out) const;
    static void background_elsewhere(const Shared& shared, ActionList& out);
    [[nodiscard]] static bool is_elsewhere(Action action) {
        return action.kind == ActionKind::kBackground && action.argument == kNobodyWaits;
    }
    void apply_background(Shared& shared, Record& record, Action action, Event& event) const;
    static bool apply_background(Shared& shared, Action action, Event& event);

    [[nodiscard]] static bool idle(const Shared& shared) { return shared.is_handed_over == 0; }
    [[nodiscard]] bool idle(const Shared& shared, const Record& record) const {
        return all_.idle(shared.lock, one_record(record));
    }
    static void observe(const Shared& shared, Observation& out);
    [[nodiscard]] std::string describe_background(const Shared& shared,
                                                  Records<const Record> records,
                                                  Action action) const;

  private:
    static constexpr std::size_t kLine = 0;           // there is one
    static constexpr std::uint16_t kIsGranted = 100;  // arguments of the two ends of a hand-over
    static constexpr std::uint16_t kNobodyWaits = 101;

    [[nodiscard]] static bool owns(const Record& record) {
        return record.session.place[kLine] == 1;
    }
    [[nodiscard]] static bool waits(const Record& record) {
        return record.session.waits_for != 0 && record.session.place[kLine] > 1;
    }
    void settle(bool owned_before, Shared& shared, Record& record) const;
};

using PgByRecord = LineByRecord<PgServer>;
using InnodbByRecord = LineByRecord<InnodbServer>;
static_assert(Implementation<PgByRecord> && Implementation<InnodbByRecord>);

}  // namespace lockkeeper::transactional
