// SPDX-License-Identifier: Apache-2.0

// The lease coordinator for every number of callers: LeaseCoordinator's own steps, each with one
// record (Traits::by_record). `lockkeeper prove` takes it apart; nobody explores it but tests,
// which compare it with the LeaseCoordinator.
//
// The differences from the LeaseCoordinator in a World:
//
//   time       goes on by one unit, whatever comes next; there it goes to the next instant that
//              matters. It waits for the late in the same way. So it stops wherever it stops there,
//              and more often. It never ends.
//   instants   are relative (CappedAges): now is the same in all states. There, searches do that.
//   numbers    of acquisitions and lease keys do not grow. A row has kRow, or there is none; a
//              caller has the row's number, or kOther: of a row that is gone. Only the inserter
//              of a row has its number, and nobody but it or a step that everybody hears of takes a
//              row away; every step checks that.
//   the guarded resource   is not there, since it would compare these numbers: who has read too
//              little (P24) is not told. A fence refuses nobody whom a guarded write lets through.
//   clients    of one kind have the same settings. The kind of a caller stands in its operations
//              (`signal`, which such an operation does not use).
//
// Limits: see why_not().
#pragma once

#include <string>
#include <vector>

#include "impl/leases/lease_coordinator.hpp"
#include "model/world_config.hpp"

namespace lockkeeper::leases {

class CoordinatorByRecord : public Defaults {
  public:
    using Size = LeaseCoordinator::Size;
    using Call = LeaseCoordinator::Call;
    static constexpr Traits kTraits{.begins_unblocked = true,
                                    .local_background = true,
                                    .by_record = true,
                                    .waits_for_the_late = true,
                                    .phantoms = true};
    static constexpr std::uint32_t kFeatures = LeaseCoordinator::kFeatures & ~kShowsData;

    struct Shared {
        LeaseCoordinator::Shared lease;
    };
    struct Record {
        LeaseCoordinator::Record lease;
        std::uint16_t kind;
    };

    // Why these leases, used like this, are not proved; empty: they are. `options`: clients as in
    // the world.
    [[nodiscard]] static std::string why_not(const LeaseCoordinatorOptions& options,
                                             const WorldConfig& world);
    // The world with the kind of each caller, its group, in its operations.
    [[nodiscard]] static WorldConfig with_kinds(WorldConfig world);

    // Only what why_not() accepts. `options`: as there.
    CoordinatorByRecord(const LeaseCoordinatorOptions& options, const WorldConfig& world);

    [[nodiscard]] Shared initial_shared() const;
    void begin(const Operation& operation, Call& call) const { all_.begin(operation, call); }
    [[nodiscard]] bool blocked(const Shared& shared, const Record& record, const Call& call) const {
        return all_.blocked(shared.lease, record.lease, call);
    }
    Outcome step(Shared& shared, Record& record, Call& call, const Operation& operation,
                 Event& event) const;
    void on_death(Shared& shared, Record& record) const;

    void background_of(const Shared& shared, const Record& record, std::size_t caller,
                       ActionList& out) const;
    void background_elsewhere(const Shared& shared, ActionList& out) const;
    [[nodiscard]] bool acts_elsewhere(const Shared&) const { return true; }
    [[nodiscard]] static bool is_elsewhere(Action action);
    void apply_background(Shared& shared, Record& record, Action action, Event& event) const;
    bool apply_background(Shared& shared, Action action, Event& event) const;
    [[nodiscard]] Heard hear(const Shared& shared, Record& record, Call& call, Action action) const;
    [[nodiscard]] bool late(const Shared& shared, const Record& record) const;

    [[nodiscard]] bool idle(const Shared& shared) const;
    [[nodiscard]] bool idle(const Shared& shared, const Record& record) const;
    [[nodiscard]] bool holds(const Shared& shared, const Record& record, std::size_t key) const {
        return all_.holds(shared.lease, record.lease, key);
    }
    void observe(const Shared& shared, Observation& out) const;
    [[nodiscard]] bool is_phantom(const Shared& shared, const Record& record,
                                  const CallerObservation& caller, std::size_t key) const;

    [[nodiscard]] bool is_private(const Shared&, const Record&, const Call&, std::uint32_t) const {
        return false;
    }
    [[nodiscard]] bool is_private(const Shared&, const Record&, Action, std::uint32_t) const {
        return false;
    }
    [[nodiscard]] std::uint8_t mode(const Shared&) const { return 0; }

    [[nodiscard]] std::string describe_step(const Shared& shared, const Record& record,
                                            const Call& call, const Operation& operation) const {
        return all_.describe_step(shared.lease, record.lease, call, operation);
    }
    [[nodiscard]] std::string describe_background(const Shared& shared,
                                                  Records<const Record> records,
                                                  Action action) const;
    [[nodiscard]] std::string show(const Shared& shared) const { return all_.show(shared.lease); }

  private:
    // Opens the parts that are protected there.
    struct Opened : LeaseCoordinator {
        using LeaseCoordinator::LeaseCoordinator;
        using Side = LeaseSide<LeaseCoordinator>;
        using Agenda = Side::Agenda;
        using LeaseCoordinator::collect;
    };
    static constexpr std::uint8_t kRow = 1;  // the acquisition that has the row
    static constexpr std::uint8_t kRowToken = Tokens::kMiddle + 1;  // its lease key
    static constexpr std::uint8_t kOther = 2;  // of either, of a row that is gone

    [[nodiscard]] const Opened& kind_of(const Record& record) const { return kinds_[record.kind]; }
    void forget_the_past(Shared& shared) const;
    void forget_the_past(Record& record, Call* call, Instant now) const;
    void renumber(const Shared& shared, Record& record, Call* call) const;
    void settle(const Shared& before, const Record& record_before, const Call* call_before,
                Shared& shared, Record& record, Call* call) const;

    Opened all_;                 // with one client of each kind
    std::vector<Opened> kinds_;  // with one client
    std::size_t keys_count_;
    CappedAges::Bounds bounds_;
};

static_assert(Implementation<CoordinatorByRecord>);

}  // namespace lockkeeper::leases
