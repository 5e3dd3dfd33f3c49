// SPDX-License-Identifier: Apache-2.0

// Steps 5 to 9: giving a unit back, bucket by bucket from the right. The caller runs them in its
// release, the manager runs the same ones for the dead.
#pragma once

#include "impl/canal/canal_label.hpp"
#include "impl/canal/canal_row.hpp"

namespace lockkeeper::canal {

enum class ReleaseOutcome : std::uint8_t {
    kContinues,
    kGivenBack,
    kNothingToGive,  // logged as out_of_buckets
    kFailed,         // a table operation failed, or no rule applies: whoever runs it dies
};

template <class Size>
struct Release {
    using Row = typename Table<Size>::Row;

    struct Place {
        At& at;
        std::uint8_t& bucket;
        typename Size::Counter& tries;
    };

    // nullopt as max_decr_tries: the mark is subtracted for ever.
    static ReleaseOutcome step(Row& row, Place place, std::int32_t max_per,
                               std::optional<std::uint8_t> max_decr_tries, Event& event) {
        event.place = place.bucket;
        switch (place.at) {
            case At::kReadHighest: return read_highest(row, place, event);
            case At::kSubtract: return subtract(row, place, max_per, max_decr_tries, event);
            case At::kUndo: return undo(row, place, event);
            case At::kSubtractMark:
                return subtract_mark(row, place, max_per, max_decr_tries.has_value(), event);
            case At::kForce: return force(row, place, event);
            default: break;
        }
        unreachable("a label of release");
    }

  private:
    static ReleaseOutcome read_highest(const Row& row, Place place, Event& event) {
        if (row.highest == Table<Size>::kAbsent) {
            return ReleaseOutcome::kFailed;
        }
        event.value = row.highest;
        place.bucket = static_cast<std::uint8_t>(row.highest);
        place.at = At::kSubtract;
        return ReleaseOutcome::kContinues;
    }

    static ReleaseOutcome subtract(Row& row, Place place, std::int32_t max_per,
                                   std::optional<std::uint8_t> max_decr_tries, Event& event) {
        const auto counter = row.subtract(place.bucket);
        if (!counter) {
            return ReleaseOutcome::kFailed;
        }
        event.value = *counter;
        if (*counter < 0) {
            place.at = At::kUndo;
            return ReleaseOutcome::kContinues;
        }
        if (*counter < max_per) {
            return given_back(event);
        }
        if (*counter > max_per) {
            return ReleaseOutcome::kFailed;
        }
        place.tries = static_cast<typename Size::Counter>(max_decr_tries.value_or(1));
        place.at = place.tries > 0 ? At::kSubtractMark : At::kForce;
        return ReleaseOutcome::kContinues;
    }

    static ReleaseOutcome undo(Row& row, Place place, Event& event) {
        const auto counter = row.add(place.bucket);
        if (!counter) {
            return ReleaseOutcome::kFailed;
        }
        event.value = *counter;
        if (place.bucket == 1) {
            event.what |= kNothingToRelease;
            return ReleaseOutcome::kNothingToGive;
        }
        --place.bucket;
        place.at = At::kSubtract;
        return ReleaseOutcome::kContinues;
    }

    static ReleaseOutcome subtract_mark(Row& row, Place place, std::int32_t max_per, bool bounded,
                                        Event& event) {
        const auto counter = row.subtract_floored(place.bucket, 1);
        if (!counter || *counter > max_per) {
            event.value = counter.value_or(Event::kNoValue);
            return ReleaseOutcome::kFailed;
        }
        event.value = *counter;
        if (*counter < max_per) {
            return given_back(event);
        }
        if (bounded && --place.tries == 0) {
            place.at = At::kForce;
        }
        return ReleaseOutcome::kContinues;
    }

    static ReleaseOutcome force(Row& row, Place place, Event& event) {
        const auto counter = row.subtract_floored(place.bucket, 2);
        if (!counter) {
            return ReleaseOutcome::kFailed;
        }
        event.value = *counter;
        event.what |= kForcedRelease;
        return given_back(event);
    }

    static ReleaseOutcome given_back(Event& event) {
        event.what |= kGaveUnitBack;
        return ReleaseOutcome::kGivenBack;
    }
};

}  // namespace lockkeeper::canal
