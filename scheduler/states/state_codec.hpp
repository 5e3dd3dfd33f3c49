// SPDX-License-Identifier: Apache-2.0

// States as records: what the explorer stores, compares and takes fingerprints of.
//
// A System whose state has parts (Hints::parts: a slot for each caller, what
// is shared, the rest) is stored as the numbers of its parts: a caller has a few dozen different
// situations, not 2^100. The numbers are packed into one word where they fit, and take two or four
// bytes each where they do not. Any other state is its bytes (byte_codec.hpp). Symmetry is part of
// the record: the numbers of interchangeable callers stand in ascending order.
//
// Parts get their numbers one after the other, in an order that does not depend on how many
// workers there are (Explorer sees to it): so the records are the same, too.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "model/system.hpp"
#include "scheduler/states/byte_codec.hpp"
#include "scheduler/states/packing.hpp"
#include "scheduler/states/part_tables.hpp"
#include "scheduler/states/tail_order.hpp"

namespace lockkeeper {

// The numbers of some kind of part do not suffice: make_room(), and the search begins again.
struct TooManyParts {};

// How the numbers of the parts are written.
enum class NumberForm : std::uint8_t { kPacked, kNarrow, kWide };

template <System S>
    requires kHasParts<S>
class StateCodec<S> : public PartTables<S> {
    using Base = PartTables<S>;

  public:
    using State = typename S::State;
    static constexpr std::size_t kNumbersMax = S::kSlotsMax + 2;

    // `orders_tails`: the number of the tail stands apart in a record, and tails() are known.
    StateCodec(const S& system, bool symmetry, bool orders_tails = false)
        : Base(system),
          symmetry_(symmetry),
          orders_tails_(orders_tails),
          first_form_(orders_tails && !has_local_steps(system) ? NumberForm::kWide
                                                               : NumberForm::kNarrow) {
        for (std::size_t i = 0; i < slots_count_; ++i) {
            group_[i] = system.group(i);
        }
        make_room();
    }

    [[nodiscard]] RecordShape shape() const {
        if (form_ == NumberForm::kPacked) {
            return {1, true};
        }
        const std::size_t bytes_of_number = is_wide() ? 4 : 2;
        const std::size_t bytes = numbers_count() * bytes_of_number;
        return {(bytes + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t), false,
                orders_tails_ ? bytes - bytes_of_number : 0, orders_tails_ && is_wide()};
    }
    // Numbers for more parts than are known; records made before are void. Parts keep their
    // numbers.
    void make_room() {
        packing_ = orders_tails_ ? std::nullopt : Packing::fitting(slots_count_, counts());
        form_ = packing_ ? NumberForm::kPacked : first_form_;
        set_most();
        if (!packing_ && has_too_many()) {
            form_ = NumberForm::kWide;
            set_most();
        }
    }
    [[nodiscard]] std::size_t bytes() const {
        return slots_.bytes() + shared_.bytes() + tails_.bytes() + tail_order_.bytes();
    }

    // `state` must have been zero or unpacked before: slots that no caller has are left alone.
    void unpack(const std::uint64_t* record, State& state) const {
        is_wide() ? unpack_as<std::uint32_t>(record, state)
                  : unpack_as<std::uint16_t>(record, state);
    }

    // The record of a state that a step has made of another, in three parts: start(),
    // look_ahead(changed), and finish() or add().
    struct Coming {
        std::array<std::uint64_t, (kNumbersMax + 32) / 2> before;
        typename Base::Changed changed;
    };
    void start(const State& before, const std::uint64_t* record_before, const State& after,
               Coming& coming) const {
        copy_words(coming.before.data(), record_before, shape().words);
        Base::start(before, after, coming.changed);
    }
    // The same of a state whose record is known.
    void start(const std::uint64_t* record, Coming& coming) const {
        copy_words(coming.before.data(), record, shape().words);
        coming.changed.count = 0;
    }
    void look_ahead(const Coming& coming) const { Base::look_ahead(coming.changed); }
    // False: some part was never seen.
    [[nodiscard]] bool finish(const Coming& coming, const State& after,
                              std::uint64_t* record) const {
        return finished(*this, coming, after, record,
                        [](const auto& table, const std::byte* part, std::uint64_t hash) {
                            return table.find(part, hash);
                        });
    }
    // The same; what was never seen gets a number.
    void add(const Coming& coming, const State& after, std::uint64_t* record) {
        finished(*this, coming, after, record,
                 [](auto& table, const std::byte* part, std::uint64_t hash) {
                     return table.find_or_add(part, hash);
                 });
        if (has_too_many()) {
            throw TooManyParts();
        }
    }
    // The record is unpacked soon.
    void prefetch_parts(const std::uint64_t* record) const {
        is_wide() ? prefetch_as<std::uint32_t>(record) : prefetch_as<std::uint16_t>(record);
    }

    // The record of any state. False: some part was never seen.
    [[nodiscard]] bool find(const State& state, std::uint64_t* record) const {
        return from_scratch(*this, state, record, symmetry_, kFindNumber);
    }
    // The same, of the state itself instead of its representative.
    [[nodiscard]] bool find_itself(const State& state, std::uint64_t* record) const {
        return from_scratch(*this, state, record, false, kFindNumber);
    }

    // The same; what was never seen gets a number.
    void add(const State& state, std::uint64_t* record) {
        from_scratch(*this, state, record, symmetry_,
                     [](auto& table, const std::byte* part) { return table.find_or_add(part); });
        if (has_too_many()) {
            throw TooManyParts();
        }
    }

    // --- for those who work with the numbers themselves (not wide ones): slots, shared, tail ----

    using Number = std::uint16_t;
    // Room for as many as whole words have.
    using Numbers = std::array<Number, kNumbersMax + 32>;
    [[nodiscard]] const Packing& packing() const { return *packing_; }
    void to_numbers(const std::uint64_t* record, Number* numbers) const {
        read_numbers(record, numbers);
    }
    void to_record(const Number* numbers, std::uint64_t* record) const {
        write_numbers(numbers, record);
    }

    // --- tails, where they are ordered ----------------------------------------------------------

    [[nodiscard]] const TailOrder& tails() const { return tail_order_; }
    // The order of all that have a number, before anybody asks for it.
    void order_tails([[maybe_unused]] const S& system) {
        if constexpr (kHintsOf<S>.faults_left) {
            add_to_order(system);
        }
    }

    void unpack_numbers(const Number* numbers, State& state) const {
        Base::unpack_parts(numbers, state);
    }
    Number add_slot(const State& state, std::size_t slot) {
        return number_in(slots_.find_or_add(bytes_of(state) + slot * parts_.slot().size()),
                         most_.slots);
    }
    Number add_shared(const State& state) {
        return number_in(shared_.find_or_add(bytes_of(state) + parts_.shared_at()), most_.shared);
    }
    Number add_tail(const State& state) {
        return number_in(tails_.find_or_add(bytes_of(state) + parts_.tail_at()), most_.tails);
    }
    // Whether some callers are interchangeable, and to be taken for such.
    [[nodiscard]] bool sorts() const {
        const auto end = group_.begin() + static_cast<std::ptrdiff_t>(slots_count_);
        return symmetry_ && std::adjacent_find(group_.begin(), end) != end;
    }
    void sort_all(Number* numbers) const { sort_callers(numbers); }
    // The caller at `slot` has a new number: puts it where it belongs among those of its group.
    void sort_caller(Number* numbers, std::size_t slot) const {
        if (!symmetry_) {
            return;
        }
        for (; slot > 0 && group_[slot] == group_[slot - 1] && numbers[slot] < numbers[slot - 1];
             --slot) {
            std::swap(numbers[slot], numbers[slot - 1]);
        }
        for (; slot + 1 < slots_count_ && group_[slot] == group_[slot + 1] &&
               numbers[slot] > numbers[slot + 1];
             ++slot) {
            std::swap(numbers[slot], numbers[slot + 1]);
        }
    }

    [[nodiscard]] bool is_wide() const { return form_ == NumberForm::kWide; }
    void save(CheckpointWriter& file) const {
        file.value(form_);
        file.value(packing_ ? packing_->bits() : Packing::Bits{});
        slots_.save(file);
        shared_.save(file);
        tails_.save(file);
    }
    // Before any state was added.
    void load(CheckpointReader& file) {
        Packing::Bits bits{};
        file.value(form_);
        file.value(bits);
        packing_ = form_ == NumberForm::kPacked ? Packing::of(slots_count_, bits) : std::nullopt;
        set_most();
        slots_.load(file, most_.slots);
        shared_.load(file, most_.shared);
        tails_.load(file, most_.tails);
        Base::add_parts_of_no_bytes();
        const bool is_form = packing_ || form_ == NumberForm::kNarrow || is_wide();
        if (!is_form || has_too_many()) {
            file.fail("is damaged");
        }
    }

  private:
    using Base::bytes_of;
    using Base::counts;
    using Base::numbers_count;
    using Base::parts_;
    using Base::shared_;
    using Base::slots_;
    using Base::slots_count_;
    using Base::tails_;

    void add_to_order(const S& system) {
        State state;
        while (orders_tails_ && tail_order_.size() < tails_.size()) {
            std::memset(static_cast<void*>(&state), 0, sizeof(state));
            const auto number = static_cast<std::uint32_t>(tail_order_.size());
            const std::size_t bytes = parts_.tail().size();
            std::byte* const tail = bytes_of(state) + parts_.tail_at();
            std::memcpy(tail, tails_.value(number), bytes);
            FaultsLeft left;
            system.faults_left(state, left);
            system.forget_faults_left(state);
            tail_order_.add(std::string(reinterpret_cast<const char*>(tail), bytes), left);
        }
    }

    void set_most() {
        most_ = packing_ ? packing_->most() : PartCounts{kPartsMost, kPartsMost, kPartsMost};
        if (is_wide()) {
            constexpr std::size_t kWideMost = 0xFFFFFFFEU;
            most_ = {kWideMost, kWideMost, kWideMost};
        }
    }
    [[nodiscard]] bool has_too_many() const {
        const PartCounts has = counts();
        return has.slots > most_.slots || has.shared > most_.shared || has.tails > most_.tails;
    }
    [[nodiscard]] static Number number_in(std::uint32_t number, std::size_t most) {
        if (number >= most) {
            throw TooManyParts();
        }
        return static_cast<Number>(number);
    }

    template <class Number>
    void read_numbers(const std::uint64_t* record, Number* numbers) const {
        if (packing_) {
            packing_->unpack(gathered(*record), numbers);
        } else {
            copy_words(numbers, record, shape().words);
        }
    }
    template <class Number>
    void write_numbers(const Number* numbers, std::uint64_t* record) const {
        if (packing_) {
            *record = scattered(packing_->pack(numbers));
        } else {
            copy_words(record, numbers, shape().words);
        }
    }

    template <class Number>
    void unpack_as(const std::uint64_t* record, State& state) const {
        std::array<Number, kNumbersMax + 32> numbers;  // room for whole words
        read_numbers(record, numbers.data());
        Base::unpack_parts(numbers.data(), state);
    }
    template <class Number>
    void prefetch_as(const std::uint64_t* record) const {
        std::array<Number, kNumbersMax + 32> numbers;
        read_numbers(record, numbers.data());
        Base::prefetch_each(numbers.data());
    }

    template <class Self, class NumberOf>
    static bool finished(Self& self, const Coming& coming, const State& after,
                         std::uint64_t* record, NumberOf number_of) {
        return self.is_wide() ? finished_as<std::uint32_t>(self, coming, after, record, number_of)
                              : finished_as<std::uint16_t>(self, coming, after, record, number_of);
    }
    template <class Number, class Self, class NumberOf>
    static bool finished_as(Self& self, const Coming& coming, const State& after,
                            std::uint64_t* record, NumberOf number_of) {
        std::array<Number, kNumbersMax + 32> numbers;  // room for whole words
        self.read_numbers(coming.before.data(), numbers.data());
        std::conditional_t<std::is_const_v<Self>, const Base, Base>& tables = self;
        bool is_known = true;
        for (std::size_t part = 0; part < coming.changed.count; ++part) {
            const auto [i, hash] = coming.changed.parts[part];
            Base::with_part(tables, i, [&, i = i, hash = hash](auto& table, std::size_t at) {
                const std::uint32_t number = number_of(table, bytes_of(after) + at, hash);
                is_known &= number < self.most_of(i);
                numbers[i] = static_cast<Number>(number);
            });
        }
        self.sort_callers(numbers.data());
        self.write_numbers(numbers.data(), record);
        return is_known;
    }
    [[nodiscard]] std::size_t most_of(std::size_t i) const {
        return i < slots_count_ ? most_.slots : i == slots_count_ ? most_.shared : most_.tails;
    }

    static constexpr auto kFindNumber = [](const auto& table, const std::byte* part) {
        return table.find(part);
    };

    template <class Self, class NumberOf>
    static bool from_scratch(Self& self, const State& state, std::uint64_t* record, bool sorts,
                             NumberOf number_of) {
        const std::byte* bytes = bytes_of(state);
        std::array<std::uint32_t, kNumbersMax + 32> numbers{};
        for (std::size_t i = 0; i < self.slots_count_; ++i) {
            numbers[i] = number_of(self.slots_, bytes + i * self.parts_.slot().size());
        }
        numbers[self.slots_count_] = number_of(self.shared_, bytes + self.parts_.shared_at());
        numbers[self.slots_count_ + 1] = number_of(self.tails_, bytes + self.parts_.tail_at());
        if (sorts) {
            self.sort_callers(numbers.data());
        }
        const auto end = numbers.begin() + static_cast<std::ptrdiff_t>(self.numbers_count());
        const bool is_known = std::find(numbers.begin(), end, 0xFFFFFFFFU) == end;
        if (self.form_ == NumberForm::kNarrow) {
            std::array<Number, kNumbersMax + 32> narrow{};
            std::transform(numbers.begin(), end, narrow.begin(),
                           [](std::uint32_t number) { return static_cast<Number>(number); });
            self.write_numbers(narrow.data(), record);
        } else {
            self.write_numbers(numbers.data(), record);
        }
        return is_known;
    }

    // Insertion sort: a step leaves all but one caller in order.
    template <class Number>
    void sort_callers(Number* numbers) const {
        if (!symmetry_) {
            return;
        }
        for (std::size_t i = 1; i < slots_count_; ++i) {
            for (std::size_t j = i;
                 j > 0 && group_[j] == group_[j - 1] && numbers[j] < numbers[j - 1]; --j) {
                std::swap(numbers[j], numbers[j - 1]);
            }
        }
    }

    bool symmetry_;
    bool orders_tails_;
    NumberForm first_form_;  // where no word has room; nothing is learned by wide numbers
    NumberForm form_ = NumberForm::kPacked;
    std::optional<Packing> packing_;
    PartCounts most_;
    std::array<std::uint8_t, S::kSlotsMax> group_{};
    TailOrder tail_order_;
};

}  // namespace lockkeeper
