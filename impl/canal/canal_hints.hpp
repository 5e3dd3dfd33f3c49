// SPDX-License-Identifier: Apache-2.0

// Hints that only make searches of the canal lock faster (Traits in model/implementation.hpp).
// Without them every result is the same.
#pragma once

#include "impl/canal/canal_manager.hpp"

namespace lockkeeper::canal {

template <class SizeType>
class CanalHints : public CanalManager<SizeType> {
  public:
    using Base = CanalManager<SizeType>;
    using Base::Base;
    using Base::repaired;
    using typename Base::Call;
    using typename Base::Record;
    using typename Base::Row;
    using typename Base::Shared;
    using typename Base::Size;

    // --- the background by record: background_of() is the manager's; elsewhere it gives back
    // ------

    bool acts_elsewhere(const Shared& shared) const {
        return shared.manager.at != At::kNowhere && shared.manager.at != At::kManagerDead &&
               shared.manager.at != At::kReap;
    }
    void background_elsewhere(const Shared& shared, ActionList& out) const {
        if (acts_elsewhere(shared)) {
            out.add({0, ActionKind::kBackground, kContinue});
        }
    }

    // --- steps that nobody else sees
    // ---------------------------------------------------------------

    // See Hints::local_steps. Telling the manager and hearing from it touch nothing but the
    // caller's own channel; should the manager die, it makes no difference whether that was before
    // or after.
    bool is_private(const Shared&, const Record& record, const Call& call,
                    std::uint32_t visible) const {
        switch (call.at) {
            case At::kNotify: return (visible & kAcquired) == 0;
            case At::kSendUnlock:
            case At::kWithdraw: return true;
            case At::kAwaitReply: return record.is(Record::kReplied) && (visible & kReleased) == 0;
            case At::kAwaitWithdrawal:
                return record.is(Record::kReplied) && (visible & kRefused) == 0;
            default: return false;
        }
    }
    // Bookkeeping of a live caller. Its `lock` may be handled at once when no other message waits
    // behind it, or when the caller can do nothing before all are handled: should the caller die,
    // the reference is early or becomes so. Its `unlock` may not while the manager can still die of
    // its own error: then the reply would save a caller that dies of waiting otherwise.
    bool is_private(const Shared&, const Record& record, Action action,
                    std::uint32_t visible) const {
        if (record.is(Record::kDead)) {
            return false;
        }
        if (action.argument == kHandleLock) {
            return record.channel.has_one_lock() || record.is(Record::kUnlockSent);
        }
        return action.argument == kHandleUnlock && repaired(kWholeRowGiveBack) &&
               (visible & kForeignRelease) == 0;
    }

    // --- the rows that a step touches ------------------------------------------------------------

    // Returns the buckets that the next step touches. An update without effect only reads.
    Footprint footprint(const Shared& shared, const Record&, const Call& call,
                        const Operation& operation) const {
        const std::uint8_t bucket = bucket_bit(operation.key, call.bucket);
        const Row& row = shared.rows[operation.key];
        const bool exists = row.has(call.bucket);
        const std::int32_t counter = row.value(call.bucket);
        const auto touches = [&](bool has_effect) -> Footprint {
            return {bucket, has_effect ? bucket : std::uint8_t{0}};
        };
        switch (call.at) {
            case At::kUpdateCounter:
                return touches(exists && counter != operation.place_capacity + 1);
            case At::kInsertNew: return touches(!exists);
            case At::kSubtract:
            case At::kUndo: return touches(exists);
            case At::kSubtractMark:
            case At::kForce: return touches(counter != 0);
            case At::kRegister: return {kHighestBit, kHighestBit};
            case At::kReadHighest: return {kHighestBit, 0};
            case At::kTake:
            case At::kGiveBack: return {Footprint::kShared, Footprint::kShared};
            case At::kNotify:
            case At::kAnnounce:
            case At::kSendUnlock:
            case At::kWithdraw:
            case At::kAwaitReply:
            case At::kAwaitWithdrawal: return {};
            case At::kNowhere:
            case At::kReap:
            case At::kManagerDead: break;
        }
        return kTouchesEverything;
    }
    // The record is its slot's own. With a DOWN the manager begins to give back: until it is done
    // it handles nothing else.
    Footprint footprint(const Shared&, const Record&, Action action) const {
        switch (static_cast<Background>(action.argument % kKinds)) {
            case kHandleLock:
            case kHandleUnlock: return {};
            case kContinue:
            case kReapEntry:
            case kRestart:
            case kKill:
            case kHandleDown: break;
        }
        return kTouchesEverything;
    }

    // --- what of the manager decides what is possible
    // ----------------------------------------------

    std::uint8_t mode(const Shared& shared) const {
        return static_cast<std::uint8_t>(shared.manager.at == At::kNowhere ? 0
                                         : acts_elsewhere(shared)          ? 1
                                         : shared.manager.at == At::kReap  ? 2
                                                                           : 3);
    }

  private:
    using Base::kKinds;

    // Counters share five bits, the `highest` of all keys has one.
    static constexpr std::uint8_t kHighestBit = 1U << 5;
    [[nodiscard]] static std::uint8_t bucket_bit(std::size_t key, std::size_t bucket) {
        return static_cast<std::uint8_t>(1U << (key * Size::kBuckets + bucket) % 5);
    }
};

}  // namespace lockkeeper::canal
