// SPDX-License-Identifier: Apache-2.0

// The native lock's own code (impl/native/native_core.hpp) as an implementation, one access of an
// atomic a step. There is no second model: to take a step, the code runs from the beginning of the
// call; accesses of before return what they returned then, the next one happens, and the one behind
// it ends the run. What a call has come to is what its accesses returned.
//
// An exchange that fails tells the code what is there, as a load does; each loop of the code goes
// on from there as it does from its load (checked: the load is of the same word, and the last
// access before). So it is noted as if the load had returned that, and a loop is no longer path.
//
// A crash is a report (native_core.hpp): the servers give back what the holder has, one access a
// step, and its thread goes on. Memory orders are searched elsewhere (impl/native/threads): here
// everybody sees the same.
#pragma once

#include <algorithm>
#include <array>
#include <string>

#include "impl/native/native_core.hpp"
#include "impl/native/total_row.hpp"
#include "model/implementation.hpp"
#include "model/nothing_private.hpp"

namespace lockkeeper::testing_proofs {

using Log = std::array<std::uint8_t, 6>;

// One run of native code; there is one at a time.
class NativeRun {
  public:
    struct Stop {};

    // A word as a byte: the number, modulo 128, and the bit of a holder that is gone. Numbers are
    // small: what is larger has gone below zero.
    [[nodiscard]] static std::uint8_t packed(std::uint64_t word) {
        const std::uint64_t number = word & ~std::uint64_t{kGone};
        LOCKKEEPER_CHECK(number < kNumberMost || ~number < kNumberMost + kGone);
        return static_cast<std::uint8_t>(
            (number & ~std::uint64_t{kGoneByte} & 0xFFU) |
            ((word & kGone) != 0 && word <= UINT32_MAX ? kGoneByte : 0U));
    }
    [[nodiscard]] static std::uint64_t unpacked(std::uint8_t byte) {
        const auto number = static_cast<std::uint64_t>(byte & ~kGoneByte);
        return (number < kNumberMost ? number : number - kGoneByte) |
               ((byte & kGoneByte) != 0 ? std::uint64_t{kGone} : 0U);
    }

    NativeRun(std::uint8_t& total, std::uint8_t& tally, Log& log, std::uint8_t& size)
        : total_(total), tally_(tally), log_(log), size_(size) {
        current_ = this;
    }
    NativeRun(const NativeRun&) = delete;
    NativeRun& operator=(const NativeRun&) = delete;
    NativeRun(NativeRun&&) = delete;
    NativeRun& operator=(NativeRun&&) = delete;
    ~NativeRun() { current_ = nullptr; }
    [[nodiscard]] static NativeRun& current() { return *current_; }

    // `is_total`: the row's word, else the tally's. Each returns what was there before.
    std::uint64_t load(bool is_total) {
        const std::uint64_t there = access(word(is_total));
        last_load_ = is_total ? 1 : 2;
        return there;
    }
    std::uint64_t update(bool is_total, std::uint64_t to) {
        const bool happens = next_ == size_;
        const std::uint64_t before = access(word(is_total));
        if (happens) {
            word(is_total) = packed(to);
        }
        return before;
    }
    std::uint64_t subtract(bool is_total, std::uint64_t less) {
        return update(is_total, unpacked(word(is_total)) - less);
    }
    bool exchange(bool is_total, std::uint64_t& expected, std::uint64_t to) {
        const bool happens = next_ == size_ && !has_happened_;
        if (happens && unpacked(word(is_total)) != expected) {
            LOCKKEEPER_CHECK(last_load_ == (is_total ? 1 : 2) && next_ > 0);
            log_[next_ - 1U] = word(is_total);
            expected = unpacked(word(is_total));
            has_happened_ = true;
            return false;
        }
        static_cast<void>(update(is_total, to));
        return true;
    }

  private:
    static constexpr std::uint32_t kGone = 1U << 31U;
    static constexpr std::uint8_t kGoneByte = 0x80;
    static constexpr std::uint64_t kNumberMost = 64;

    [[nodiscard]] std::uint8_t& word(bool is_total) { return is_total ? total_ : tally_; }
    std::uint64_t access(std::uint8_t there) {
        if (next_ == size_) {
            if (has_happened_) {
                throw Stop{};
            }
            has_happened_ = true;
            log_.at(size_++) = there;
        }
        last_load_ = 0;
        return unpacked(log_.at(next_++));
    }

    static inline thread_local NativeRun* current_ = nullptr;
    std::uint8_t& total_;
    std::uint8_t& tally_;
    Log& log_;
    std::uint8_t& size_;
    std::uint8_t next_ = 0;
    std::uint8_t last_load_ = 0;  // the access before: 1 of the total, 2 of the tally
    bool has_happened_ = false;
};

// The total of a row is a word of 64 bits, a tally one of 32.
struct ReplayedAtomics {
    template <class T>
    class Atomic {
      public:
        explicit constexpr Atomic(T) {}
        T load(std::memory_order) const {
            return static_cast<T>(NativeRun::current().load(kIsTotal));
        }
        bool compare_exchange_weak(T& expected, T desired, std::memory_order, std::memory_order) {
            std::uint64_t there = expected;
            const bool done = NativeRun::current().exchange(kIsTotal, there, desired);
            expected = static_cast<T>(there);
            return done;
        }
        T fetch_sub(T less, std::memory_order) {
            return static_cast<T>(NativeRun::current().subtract(kIsTotal, less));
        }
        T exchange(T to, std::memory_order) {
            return static_cast<T>(NativeRun::current().update(kIsTotal, to));
        }

      private:
        static constexpr bool kIsTotal = sizeof(T) == sizeof(std::uint64_t);
    };
    static constexpr void step(canal::At, std::uint32_t, std::int64_t) {}
};

// The published order: it gives back first, and claims then.
struct GivesBackFirst : native::TotalRow<ReplayedAtomics> {
    static constexpr bool kClaimsFirst = false;
};

template <class Row>
struct NativeSteps : NothingPrivate<Defaults> {
    using Size = WorldSize<8, 1, std::uint8_t, std::uint8_t, 1>;
    static constexpr std::uint32_t kFeatures = kShowsCounters | kHasCapacity | kShowsGrants;
    static constexpr Traits kTraits{.local_background = true, .by_record = true};
    bool may_be_reported = true;  // as crashed

    struct Shared {
        std::uint8_t total;
    };
    struct Record {
        std::uint8_t tally;
        std::uint8_t has_called;
        std::uint8_t is_reported;  // 1: what it has is being given back; 2: is given back
        std::uint8_t size;
        Log log;
    };
    struct Call {
        std::uint8_t at;  // accesses so far, and 1
        std::uint8_t acquires;
        Log log;
    };

    [[nodiscard]] Shared initial_shared() const { return {}; }
    void begin(const Operation& operation, Call& call) const {
        call = {1, operation.verb == Verb::kAcquire ? std::uint8_t{1} : std::uint8_t{0}, {}};
    }
    // The unit is taken from the row by the second access.
    [[nodiscard]] bool granted(const Call& call) const { return call.acquires != 0 && call.at > 2; }

    Outcome step(Shared& shared, Record& record, Call& call, const Operation& operation,
                 Event& event) const {
        auto size = static_cast<std::uint8_t>(call.at - 1);
        record.has_called = 1;
        NativeRun run(shared.total, record.tally, call.log, size);
        Row row;
        native::Tally<ReplayedAtomics> tally;
        try {
            if (operation.verb == Verb::kAcquire) {
                const native::View view{operation.place_capacity, operation.places};
                const native::Acquired taken = native::acquire_unit(row, tally, view);
                event.count = static_cast<std::int32_t>(taken.count);
                LOCKKEEPER_CHECK(taken.status != native::AcquireStatus::kHolderGone ||
                                 record.is_reported != 0);
                return taken.status == native::AcquireStatus::kAcquired ? Outcome::kAcquired
                                                                        : Outcome::kRefused;
            }
            const bool is_released = native::release_unit(row, tally, operation.place_capacity) ==
                                     native::ReleaseStatus::kReleased;
            return is_released || record.is_reported != 0 ? Outcome::kReleased : Outcome::kDied;
        } catch (const NativeRun::Stop&) {
            call.at = static_cast<std::uint8_t>(size + 1);
            return Outcome::kContinues;
        }
    }

    void background_of(const Shared&, const Record& record, std::size_t caller,
                       ActionList& out) const {
        if (may_be_reported && record.has_called != 0 && record.is_reported != 2) {
            out.add({static_cast<std::uint8_t>(caller), ActionKind::kBackground, 0});
        }
    }
    void background_elsewhere(const Shared&, ActionList&) const {}
    [[nodiscard]] bool acts_elsewhere(const Shared&) const { return false; }
    using Defaults::apply_background;
    void apply_background(Shared& shared, Record& record, Action, Event& event) const {
        if (record.is_reported == 0 && record.tally > 0) {
            lose(event, 0, 0);
        }
        record.is_reported = 1;
        NativeRun run(shared.total, record.tally, record.log, record.size);
        Row row;
        native::Tally<ReplayedAtomics> tally;
        try {
            static_cast<void>(native::give_back_for_the_dead(row, tally));
            record.is_reported = 2;
            record.size = 0;
            record.log = {};
        } catch (const NativeRun::Stop&) {  // the next access is another step
        }
    }
    [[nodiscard]] bool idle(const Shared&) const { return true; }
    [[nodiscard]] bool idle(const Shared&, const Record& record) const {
        return record.is_reported != 1;
    }
    [[nodiscard]] bool holds(const Shared&, const Record& record, std::size_t) const {
        return record.is_reported == 0 && record.tally > 0;
    }
    void observe(const Shared& shared, Observation& out) const {
        const std::int32_t total = shared.total < 64 ? shared.total : shared.total - 128;
        out.keys[0].counters = {total};
        out.keys[0].counted_least = out.keys[0].counted_most =
            static_cast<std::uint32_t>(std::max(total, 0));
    }

    [[nodiscard]] std::string describe_step(const Shared&, const Record&, const Call& call,
                                            const Operation&) const {
        return "access " + std::to_string(call.at);
    }
    [[nodiscard]] std::string describe_background(const Shared&, Records<const Record>,
                                                  Action) const {
        return "@ is reported as crashed";
    }
    [[nodiscard]] std::string show(const Shared& shared) const {
        return "total " + std::to_string(shared.total);
    }
};
using RepairedNative = NativeSteps<native::TotalRow<ReplayedAtomics>>;
static_assert(Implementation<RepairedNative>);

}  // namespace lockkeeper::testing_proofs
