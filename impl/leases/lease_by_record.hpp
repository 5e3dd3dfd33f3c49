// SPDX-License-Identifier: Apache-2.0

// The lease systems for every number of callers: a system's own steps, each with one record
// (Traits::by_record). `lockkeeper prove` takes them apart; nobody explores them but tests, which
// compare them with the system.
//
// The differences from the system in a World:
//
//   time       goes on by one unit, whatever comes next; there it goes to the next instant that
//              matters. It waits for the late in the same way. So it stops wherever it stops there,
//              and more often. It never ends.
//   instants   are relative (CappedAges): now is the same in all states. There, searches do that.
//   numbers    of acquisitions and tokens do not grow. A row has kRow, or there is none; a
//              caller has the row's number, or kOther: of a row that is gone. Only the inserter
//              of a row has its number, and nobody but it or a step that everybody hears of takes a
//              row away; every step checks that.
//   the service's entries   are rows. One that has expired is away at once: nothing tells it from
//              none, and whoever takes its place there takes away no row here.
//   the guarded resource   is not there, since it would compare these numbers: who has read too
//              little (P24) is not told. A fence refuses nobody whom a guarded write lets through,
//              but who has no token.
//   clients    of one kind have the same settings (callers_by_kind.hpp).
//
// Limits: see why_not().
#pragma once

#include <string>

#include "impl/callers_by_kind.hpp"
#include "impl/leases/lease_coordinator.hpp"
#include "impl/leases/lease_db.hpp"
#include "impl/leases/lease_service.hpp"

namespace lockkeeper::leases {

struct RowNumbers {
    std::uint8_t token;  // 0: there is no row
    std::uint8_t generation;
};

template <class Lease>
struct OptionsOf;
template <>
struct OptionsOf<LeaseCoordinator> {
    using Type = LeaseCoordinatorOptions;
};
template <>
struct OptionsOf<LeaseDb> {
    using Type = LeaseDbOptions;
};
template <>
struct OptionsOf<LeaseService> {
    using Type = LeaseServiceOptions;
};

// Opens the parts that are protected there.
template <class Lease>
struct OpenedLease : Lease {
    using Lease::Lease;
    using Agenda = typename LeaseSide<Lease>::Agenda;
    using Lease::collect;
};

// Defined in lease_by_record.cpp for the three systems.
template <class Lease>
class LeaseByRecord : public CallersByKind<OpenedLease<Lease>> {
    using Base = CallersByKind<OpenedLease<Lease>>;
    using Base::all_;
    using Base::kind_of;

  public:
    using Options = typename OptionsOf<Lease>::Type;
    using Call = typename Lease::Call;
    static constexpr Traits kTraits{.begins_unblocked = kTraitsOf<Lease>.begins_unblocked,
                                    .local_background = true,
                                    .by_record = true,
                                    .waits_for_the_late = true,
                                    .phantoms = true};
    static constexpr std::uint32_t kFeatures = Lease::kFeatures & ~kShowsData;

    struct Shared {
        typename Lease::Shared lock;
    };
    struct Record {
        typename Lease::Record lock;
        std::uint16_t kind;
    };

    // Why these leases, used like this, are not proved; empty: they are. `options`: clients as in
    // the world.
    [[nodiscard]] static std::string why_not(const Options& options, const WorldConfig& world);

    // Only what why_not() accepts. `options`: as there. `world`: with_kinds_in_operations().
    LeaseByRecord(const Options& options, const WorldConfig& world);

    [[nodiscard]] Shared initial_shared() const;
    Outcome step(Shared& shared, Record& record, Call& call, const Operation& operation,
                 Event& event) const;
    void on_death(Shared& shared, Record& record) const;

    void background_of(const Shared& shared, const Record& record, std::size_t caller,
                       ActionList& out) const;
    void background_elsewhere(const Shared& shared, ActionList& out) const;
    [[nodiscard]] static bool is_elsewhere(Action action);
    void apply_background(Shared& shared, Record& record, Action action, Event& event) const;
    bool apply_background(Shared& shared, Action action, Event& event) const;
    [[nodiscard]] Heard hear(const Shared& shared, Record& record, Call& call, Action action) const;
    [[nodiscard]] bool late(const Shared& shared, const Record& record) const;

    [[nodiscard]] bool idle(const Shared& shared) const;
    [[nodiscard]] bool idle(const Shared& shared, const Record& record) const;

  private:
    using Agenda = typename OpenedLease<Lease>::Agenda;
    using LeaseRecord = typename Lease::Record;

    void forget_the_past(Shared& shared) const;
    void forget_the_past(Record& record, Call* call, Instant now) const;
    void renumber(const Shared& shared, Record& record, Call* call) const;
    void settle(const Shared& before, const Record& record_before, const Call* call_before,
                Shared& shared, Record& record, Call* call) const;

    std::size_t keys_count_;
    CappedAges::Bounds bounds_;
};

using CoordinatorByRecord = LeaseByRecord<LeaseCoordinator>;
using LeaseDbByRecord = LeaseByRecord<LeaseDb>;
using LeaseServiceByRecord = LeaseByRecord<LeaseService>;

static_assert(Implementation<CoordinatorByRecord>);
static_assert(Implementation<LeaseDbByRecord>);
static_assert(Implementation<LeaseServiceByRecord>);

}  // namespace lockkeeper::leases
