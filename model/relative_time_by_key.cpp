// SPDX-License-Identifier: Apache-2.0

// Relative time for systems that compare instants only with clocks, and a key's lock only with the
// readings that are to take it (Bounds::goes_by_key). An instant is its age there:
//
//   instants that are younger than any period keep their age
//   older instants have passed: no clock tells them from older ones still. A lock that is not
//     active has passed as soon as no reading can be as early. Each passed instant gets the least
//     age with which the readings of its key still tell the same
//
// The least ages exist, because the present ages satisfy the same bounds. They depend only on the
// bounds. Why nothing is lost: docs/decisions/methods/relative_time_by_key.md.
#include <algorithm>

#include "model/relative_time.hpp"

namespace lockkeeper {
namespace {

constexpr std::int32_t kAnyAge = 1'000'000;  // more than there are instants

// Keeps on which side of `begin`, and of each of the `late` units after it, the distance lies.
void narrow(std::int32_t begin, std::int32_t late, std::int32_t distance, std::int32_t& least,
            std::int32_t& most) {
    if (distance < begin) {
        most = std::min(most, begin - 1);
    } else if (distance >= begin + late) {
        least = std::max(least, begin + late);
    } else {
        least = distance;
        most = distance;
    }
}

}  // namespace

// A younger reading takes the older lock, or the lock that an older reading has taken: the distance
// matters. An older reading only finds a younger lock no older than itself.
RelativeTime::Distances RelativeTime::distances(const OfKey& older, const OfKey& younger) const {
    if (younger.kind != OfKey::kReading) {
        return {0, kAnyAge};
    }
    const std::int32_t distance = age_of(older) - age_of(younger);
    Distances kept{0, kAnyAge};
    narrow(1, bounds_.late, distance, kept.least, kept.most);
    for (const std::int32_t period : bounds_.periods) {
        if (period != 0 && !older.is_over) {
            narrow(period, bounds_.late, distance, kept.least, kept.most);
        }
    }
    return kept;
}

// True: the lock is inactive, and earlier than all readings that are to take it: its age is unused.
bool RelativeTime::is_over(const OfKey& one) const {
    return one.kind == OfKey::kInactive &&
           std::all_of(of_keys_.begin(), of_keys_.end(), [&](const OfKey& other) {
               return other.key != one.key || other.kind != OfKey::kReading ||
                      age_of(one) - age_of(other) > bounds_.late;
           });
}

// True: an age has grown.
bool RelativeTime::keep_apart(OfKey& one, OfKey& other) const {
    const bool is_older = age_of(one) >= age_of(other);
    OfKey& older = is_older ? one : other;
    OfKey& younger = is_older ? other : one;
    const Distances kept = distances(older, younger);
    if (older.has_passed && older.age < younger.age + kept.least) {
        older.age = younger.age + kept.least;
        return true;
    }
    if (younger.has_passed && younger.age < older.age - kept.most) {
        younger.age = older.age - kept.most;
        return true;
    }
    return false;
}

void RelativeTime::rename_by_key() {
    std::int32_t oldest = bounds_.behind;
    for (OfKey& one : of_keys_) {
        one.is_over = is_over(one);
        // The age from which it has passed, and the least one that it can get then.
        const std::int32_t passed =
            (one.is_over ? bounds_.behind + bounds_.late : bounds_.period) + 1;
        one.has_passed = age_of(one) >= passed;
        one.age = one.has_passed ? passed : age_of(one);
    }
    for (bool has_grown = true; has_grown;) {
        has_grown = false;
        for (OfKey& one : of_keys_) {
            for (OfKey& other : of_keys_) {
                has_grown |= one.key == other.key && &one < &other && keep_apart(one, other);
            }
        }
    }
    const auto age = [&](const Instant* instant) {
        return std::min(now_ - *instant, bounds_.period + 1);
    };
    std::int32_t youngest = 0;  // below 0: ahead of now
    const auto look_at = [&](std::int32_t one) {
        oldest = std::max(oldest, one);
        youngest = std::min(youngest, one);
    };
    for (const OfKey& one : of_keys_) {
        look_at(one.age);
    }
    for (const Instant* const instant : places_) {
        look_at(age(instant));
    }
    const std::int32_t now = kBeginning + oldest;
    if (!have_numbers(now, now - youngest)) {
        return;
    }
    for (const OfKey& one : of_keys_) {
        *one.instant = lockkeeper::instant(now - one.age);
    }
    for (Instant* const instant : places_) {
        *instant = lockkeeper::instant(now - age(instant));
    }
    for (Instant* const token : tokens_) {
        *token = kNoStamp;
    }
}

}  // namespace lockkeeper
