// SPDX-License-Identifier: Apache-2.0
#include "model/relative_time.hpp"

namespace lockkeeper {

void RelativeTime::rename() {
    if (goes_beyond_) {
        // How far ahead it lies is not known, so that nothing can be moved.
    } else if (bounds_.goes_by_key) {
        rename_by_key();
    } else {
        rename_names();
        rename_instants();
    }
    for (const auto& last : last_) {
        rename_numbers(last);
    }
}

// Names the tokens and stamps that are earlier than every reading. All that will ever equal them is
// known: a later token or stamp stands in the state now, or is no earlier than the readings. Names
// do not depend on which instant is earlier, because one that has a name already has lost that.
void RelativeTime::rename_names() {
    constexpr std::size_t kAlone = 1;  // no token is equal to it
    Different tokens;
    for (const Instant* const token : tokens_) {
        tokens.add(*token);
    }
    Few<std::int32_t> common;  // in the order in which they are told
    for (const Instant* const stamp : stamps_) {
        if (*stamp < earliest_reading_ && tokens.has(*stamp) && !different_.has(*stamp) &&
            common.place_of(*stamp) == common.size()) {
            common.add(*stamp);
        }
    }
    const auto give_name = [&](Instant& name, bool may_equal_instants, std::size_t alone) {
        if (name >= earliest_reading_ || (may_equal_instants && different_.has(name))) {
            add(name, false);
            return;
        }
        const std::size_t place = common.place_of(name);
        name = static_cast<Instant>(place == common.size() ? alone : kAlone + 1 + place);
    };
    for (Instant* const stamp : stamps_) {
        give_name(*stamp, tokens.has(*stamp), kAlone);
    }
    for (Instant* const token : tokens_) {
        give_name(*token, true, kNoStamp);
    }
}

// Clocks will only show instants from recent_ on, so that these stay as they are. Earlier instants
// are renamed gap by gap, backwards, and the old ones last.
void RelativeTime::rename_instants() {
    const std::size_t recent = different_.place_of(recent_);
    const std::size_t reading = different_.place_of(earliest_reading_);
    std::array<std::int32_t, kMost + 1> renamed;
    for (std::size_t i = recent; i < different_.size(); ++i) {
        renamed[i] = different_[i];
    }
    std::size_t at = recent;
    for (; at > 0 && different_[at - 1] >= earliest_reading_ - bounds_.period; --at) {
        renamed[at - 1] =
            renamed[at] - std::min(different_[at] - different_[at - 1], bounds_.period + 1);
    }
    for (std::int32_t old = renamed[reading] - bounds_.period - 1; at > 0; --at) {
        renamed[at - 1] = old;
        old -= bounds_.orders_old ? 1 : 0;
    }
    const std::int32_t by = kBeginning - renamed[0];
    if (!have_numbers(now_ + by, renamed[different_.size() - 1] + by)) {
        return;
    }
    const auto is_same = [by](std::int32_t before, std::int32_t after) {
        return after + by == before;
    };
    if (std::equal(different_.begin(), different_.end(), renamed.begin(), is_same)) {
        return;  // most steps let no time pass
    }
    for (Instant* const instant : places_) {
        *instant = lockkeeper::instant(renamed[different_.place_of(*instant)] + by);
    }
}

void RelativeTime::rename_numbers(const Number<std::uint8_t>& last) {
    Different numbers;
    const auto note = [&](const auto& number) {
        if (number.kind == last.kind) {
            numbers.add(*number.number);
        }
    };
    std::for_each(narrow_.begin(), narrow_.end(), note);
    std::for_each(wide_.begin(), wide_.end(), note);
    *last.number = static_cast<std::uint8_t>(numbers.size());
    if (numbers.size() == 0 || numbers[numbers.size() - 1] == *last.number) {
        return;  // they are 1, 2, 3 ...
    }
    const auto rename = [&](const auto& number) {
        if (number.kind == last.kind) {
            *number.number = static_cast<std::uint8_t>(numbers.place_of(*number.number) + 1);
        }
    };
    std::for_each(narrow_.begin(), narrow_.end(), rename);
    std::for_each(wide_.begin(), wide_.end(), rename);
}

}  // namespace lockkeeper
