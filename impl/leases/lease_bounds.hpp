// SPDX-License-Identifier: Apache-2.0

// A lease system with two monitors beside it: how long a holder goes on believing after its grant
// was lost (P25), and how long what a dead caller left keeps its key (P26).
//
//   lost_at   the holder believes, and the record does not grant it any more, since then
//   died_at   the record of this key is that of a caller who has died, and keeps the key, since
//             then: his death, or when what he had sent made the record after it
//
// Both make states larger, so a scenario that gives neither bound runs without them. Time stops
// right after a bound, too: there it is judged.
#pragma once

#include <utility>

#include "impl/leases/lease_side.hpp"

namespace lockkeeper::leases {

// In units of virtual time; kNotAsked: not judged.
struct LeaseBounds {
    static constexpr std::int32_t kNotAsked = -1;
    std::int32_t told_within = kNotAsked;
    std::int32_t free_within = kNotAsked;

    [[nodiscard]] bool any() const { return told_within >= 0 || free_within >= 0; }
};

template <class Lease>
class BoundedLease : public Lease {
  public:
    using Size = typename Lease::Size;
    using Held = std::array<typename Size::Count, Size::kKeys>;
    static constexpr std::uint32_t kFeatures = Lease::kFeatures | kBoundsTelling | kBoundsFreeing;
    static constexpr Traits kTraits = Lease::kTraits.with(&Traits::judges);

    using Call = typename Lease::Call;

    struct Shared {
        std::array<Instant, Size::kKeys> died_at;
        typename Lease::Shared lease;
    };
    struct Record {
        typename Lease::Record lease;
        std::array<Instant, Size::kKeys> lost_at;
        Instant is_dead;  // 1: where free_within is asked for
    };

    BoundedLease(Lease lease, LeaseBounds bounds) : Lease(std::move(lease)), bounds_(bounds) {}

    [[nodiscard]] std::uint32_t features() const {
        return Lease::kFeatures | (bounds_.told_within >= 0 ? kBoundsTelling : 0U) |
               (bounds_.free_within >= 0 ? kBoundsFreeing : 0U);
    }
    [[nodiscard]] Shared initial_shared() const { return {{}, Lease::initial_shared()}; }
    template <class AnyShared>
    [[nodiscard]] static auto& left(AnyShared& shared) {
        return shared.lease.left;
    }

    [[nodiscard]] static Instant& now_of(Shared& shared) { return shared.lease.now; }
    template <class AnyShared>
    [[nodiscard]] static auto& end_of(AnyShared& shared) {
        return shared.lease.end;
    }
    [[nodiscard]] CappedAges::Bounds time_bounds() const {
        return this->farther(Lease::time_bounds(),
                             std::max(bounds_.told_within, bounds_.free_within) + 1);
    }
    // Later than a bound is later than it for ever.
    void tell_times(Shared& shared, CappedAges& times) const {
        for (Instant& since : shared.died_at) {
            times.instant(since, bounds_.free_within + 1);
        }
        Lease::tell_times(shared.lease, times);
    }
    void tell_times(Record& record, bool is_over, CappedAges& times) const {
        for (Instant& since : record.lost_at) {
            times.instant(since, bounds_.told_within + 1);
        }
        Lease::tell_times(record.lease, is_over, times);
    }
    void tell_times(Call& call, std::size_t key, CappedAges& times) const {
        Lease::tell_times(call, key, times);
    }

    [[nodiscard]] bool blocked(const Shared& shared, const Record& record, const Call& call) const {
        return Lease::blocked(shared.lease, record.lease, call);
    }
    [[nodiscard]] std::uint32_t faults_of(const Shared& shared, const Record& record,
                                          const Call& call, const Operation& operation) const
        requires(Lease::kTraits.faults) {
        return Lease::faults_of(shared.lease, record.lease, call, operation);
    }
    Outcome step(Shared& shared, Record& record, Call& call, const Operation& operation,
                 Event& event) const {
        return Lease::step(shared.lease, record.lease, call, operation, event);
    }
    void background(const Shared& shared, Records<const Record> records, ActionList& out) const {
        typename Lease::Agenda agenda(shared.lease.now);
        for (std::size_t key = 0; key < this->keys_count(); ++key) {
            stop_after(agenda, shared.died_at[key], bounds_.free_within);
            for (std::size_t caller = 0; caller < records.size(); ++caller) {
                stop_after(agenda, records[caller].lost_at[key], bounds_.told_within);
            }
        }
        Lease::collect(shared.lease, of_lease(records), agenda, out);
        agenda.offer(out, this->end_of_time(shared.lease));
    }
    [[nodiscard]] Instant now(const Shared& shared) const { return shared.lease.now; }
    // Ignores the stops that only a bound adds: no caller goes on there.
    [[nodiscard]] bool time_is_over(const Shared& shared, Records<const Record> records) const {
        return Lease::time_is_over(shared.lease, of_lease(records));
    }
    void disturbances(const Shared& shared, Records<const Record> records, ActionList& out) const {
        Lease::disturbances(shared.lease, of_lease(records), out);
    }
    void apply_background(Shared& shared, Records<Record> records, Action action,
                          Event& event) const {
        Lease::apply_background(shared.lease, of_lease(records), action, event);
    }
    void on_death(Shared& shared, Record& record) const {
        for (std::size_t key = 0; bounds_.free_within >= 0 && key < this->keys_count(); ++key) {
            if (Lease::stands(shared.lease, record.lease, key)) {
                shared.died_at[key] = shared.lease.now;
            }
        }
        Lease::on_death(shared.lease, record.lease);
        record.lost_at = {};
        record.is_dead = bounds_.free_within >= 0 ? Instant{1} : Instant{0};
    }
    [[nodiscard]] bool can_restart(const Shared& shared, const Record& record) const {
        return Lease::can_restart(shared.lease, record.lease);
    }
    void on_restart(Shared& shared, Record& record) const {
        Lease::on_restart(shared.lease, record.lease);
        record.is_dead = 0;
    }
    void watch(Shared& shared, Records<Record> records) const {
        Lease::watch(shared.lease, of_lease(records));
    }
    [[nodiscard]] bool concerns_others(const Shared& before, const Record& record,
                                       const Shared& after, const Record& record_after) const
        requires(kTraitsOf<Lease>.tells_what_concerns_others) {
        return Lease::concerns_others(before.lease, record.lease, after.lease, record_after.lease);
    }
    // After each step; `held`: who believes to hold what.
    void judge(Shared& shared, Records<Record> records, Records<const Held> held,
               Event& event) const {
        for (std::size_t key = 0; key < this->keys_count(); ++key) {
            note_late_record(shared, records, key);
            event.note(Breach::kFreeLate,
                       is_late(shared.died_at[key], !Lease::is_free(shared.lease, key),
                               shared.lease.now, bounds_.free_within));
            for (std::size_t caller = 0; caller < records.size(); ++caller) {
                Record& record = records[caller];
                const bool lost =
                    held[caller][key] > 0 && !Lease::holds(shared.lease, record.lease, key);
                if (lost && bounds_.told_within >= 0 && record.lost_at[key] == 0) {
                    record.lost_at[key] = shared.lease.now;
                }
                event.note(Breach::kToldLate, is_late(record.lost_at[key], lost, shared.lease.now,
                                                      bounds_.told_within));
            }
        }
    }
    [[nodiscard]] bool idle(const Shared& shared, Records<const Record> records) const {
        return Lease::idle(shared.lease, of_lease(records));
    }
    [[nodiscard]] bool holds(const Shared& shared, const Record& record, std::size_t key) const {
        return Lease::holds(shared.lease, record.lease, key);
    }
    void observe(const Shared& shared, Records<const Record> records, Observation& out) const {
        Lease::observe(shared.lease, of_lease(records), out);
    }
    [[nodiscard]] ServerAct server_step(const Shared& shared, Records<const Record> records,
                                        std::size_t caller, const Call& call,
                                        const Operation& operation) const
        requires(kTraitsOf<Lease>.server) {
        return Lease::server_step(shared.lease, of_lease(records), caller, call, operation);
    }
    [[nodiscard]] ServerAct server_background(const Shared& shared, Records<const Record> records,
                                              Action action) const {
        return Lease::server_background(shared.lease, of_lease(records), action);
    }
    [[nodiscard]] ServerRow server_row(const Shared& shared, std::size_t key) const
        requires(kTraitsOf<Lease>.server_rows) {
        return Lease::server_row(shared.lease, key);
    }
    [[nodiscard]] static MessagesUnderWay messages_of(const Shared& shared, const Record& record,
                                                      const Call& call) {
        return Lease::messages_of(shared.lease, record.lease, call);
    }
    [[nodiscard]] std::string describe_step(const Shared& shared, const Record& record,
                                            const Call& call, const Operation& operation) const {
        return Lease::describe_step(shared.lease, record.lease, call, operation);
    }
    [[nodiscard]] std::string describe_background(const Shared& shared,
                                                  Records<const Record> records,
                                                  Action action) const {
        return Lease::describe_background(shared.lease, of_lease(records), action);
    }
    [[nodiscard]] std::string show(const Shared& shared) const { return Lease::show(shared.lease); }

  private:
    static Records<const typename Lease::Record> of_lease(Records<const Record> records) {
        return {&records[0].lease, records.stride_bytes(), records.size()};
    }
    static Records<typename Lease::Record> of_lease(Records<Record> records) {
        return {&records[0].lease, records.stride_bytes(), records.size()};
    }
    // A request that is handled after its sender's death leaves a record, too.
    void note_late_record(Shared& shared, Records<Record> records, std::size_t key) const {
        if (shared.died_at[key] != 0 || Lease::is_free(shared.lease, key)) {
            return;
        }
        for (std::size_t caller = 0; caller < records.size(); ++caller) {
            const Record& record = records[caller];
            if (record.is_dead != 0 && Lease::stands(shared.lease, record.lease, key)) {
                shared.died_at[key] = shared.lease.now;
            }
        }
    }
    static void stop_after(typename Lease::Agenda& agenda, Instant since, std::int32_t bound) {
        if (since != 0) {
            agenda.next.at(since + bound + 1);
        }
    }
    // `since` is forgotten when it is over.
    static bool is_late(Instant& since, bool goes_on, Instant now, std::int32_t bound) {
        since = goes_on ? since : Instant{0};
        return since != 0 && now - since > bound;
    }

    LeaseBounds bounds_;
};

}  // namespace lockkeeper::leases
