// SPDX-License-Identifier: Apache-2.0
#include "scenarios/registry/time_units.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "model/json_position.hpp"
#include "model/virtual_time.hpp"
#include "scenarios/registry/coarse_time.hpp"

namespace lockkeeper {
namespace {

// The times of a run may add up to so much: all of the numbers, or, once they are divided, half of
// them, because scripts may go round and round.
constexpr std::int64_t kSumMost = kInstantMax - kBeginning;
constexpr std::int64_t kDividedSumMost = kSumMost / 2;

// Divided times that differ do so by at least so much, where that is possible: the instants beside
// a deadline are never another's. The larger the unit, the more time there is.
constexpr std::int64_t kApart = 60;

// With less than this no search is complete (coarse_time.hpp). Time stops one unit beside a
// deadline, what is due a period later is beside another by two: nine such steps meet no other
// deadline.
constexpr std::int64_t kApartLeast = 20;

struct Bounds {
    std::int64_t least;
    std::int64_t most;
};

// Whether the value is a time, and not a word like never, or for ever.
bool is_time(const OwnNumber& number, std::int32_t value) {
    const bool is_word = value == number.no_time || (number.least == -1 && value < 0);
    return number.is_time && !is_word && value != 0;
}

// How far clocks jump decides nothing where none does.
bool decides_nothing(const OwnNumber& number, const Scenario& scenario) {
    const NamedNumbers& faults = scenario.parameters.faults;
    return number.name == "jump" && faults.value_or("clock_jumps", 0) == 0 &&
           faults.value_or("client_clock_jumps", 0) == 0;
}

class Times {
  public:
    Times(const Vocabulary& words, Scenario scenario)
        : words_(words), scenario_(std::move(scenario)) {}

    // How far a clock of clients can come back: it begins kBeginning numbers after the first, and
    // would be cut off there. Leases count how far a clock has jumped.
    std::int64_t most_back() {
        if (!words_.limits_of_time) {
            return 0;
        }
        const std::int64_t jumps = scenario_.parameters.faults.value_or("clock_jumps", 0);
        std::int64_t back = 0;    // by all jumps
        std::int64_t behind = 0;  // from the first
        visit([&](std::int64_t time, Bounds, const std::string& pointer) {
            back = pointer.ends_with("/jump") ? jumps * time : back;
            behind = pointer.ends_with("/clock") ? std::max(behind, -time) : behind;
            return time;
        });
        return back + behind;
    }

    // A scenario whose times fit is counted as it is written, but for clocks that would be cut off.
    // Where they would be all the same, or a unit would round a pace, it is refused.
    std::variant<Scenario, InputError> that_fit() {
        find_divisor();
        const std::int64_t back = most_back();
        const bool fits = fits_in(1) && sum_of_all() <= kSumMost;
        if (fits && back < kBeginning) {
            return std::move(scenario_);
        }
        const std::int64_t unit = unit_of(divisor_);
        if (unit == 0) {
            return too_long();
        }
        if (back / unit >= kBeginning || (fits && drifts())) {
            return too_far_back(back);
        }
        visit([&](std::int64_t time, Bounds, const std::string&) { return time / unit; });
        scenario_.parameters.time_unit = static_cast<std::int32_t>(unit);
        return std::move(scenario_);
    }

    // Takes one that fits.
    std::string instants_left_out(const Scenario& fitting) {
        const std::int64_t unit = fitting.parameters.time_unit;
        find_divisor();
        if (drifts()) {
            return fmt::format("compiled size: clocks that drift are rounded to multiples of {}",
                               unit);
        }
        return divisor_ / unit >= kApartLeast
                   ? ""
                   : fmt::format("compiled size: no instants between multiples of {}{}", unit,
                                 advice(unit));
    }

  private:
    // 0: none fits. Of times that `divisor` divides, the unit that they are divided by.
    std::int64_t unit_of(std::int64_t divisor) {
        const std::int64_t sum = sum_of_all();
        const std::int64_t back = most_back();
        std::int64_t unit = 0;
        for (const std::int64_t one : divisors_of(divisor)) {
            const bool is_coarse = !drifts() && divisor / one >= kApart;
            if (fits_in(one) && (unit == 0 || sum / unit > kDividedSumMost || is_coarse ||
                                 back / unit >= kBeginning)) {
                unit = one;
            }
        }
        return unit;
    }

    // Larger times may need a larger unit. A unit that is enough for multiples of 20 of itself is
    // enough for all of their multiples.
    std::string advice(std::int64_t unit) {
        std::int64_t apart = unit * kApartLeast;
        for (;;) {
            Times larger(words_, scenario_);
            bool is_possible = true;
            larger.visit([&](std::int64_t time, Bounds, const std::string&) {
                const std::int64_t up = (std::abs(time) + apart - 1) / apart * apart;
                is_possible = is_possible && up <= std::numeric_limits<std::int32_t>::max();
                return !is_possible ? time : time < 0 ? -up : up;
            });
            const std::int64_t needed = is_possible ? larger.unit_of(apart) : 0;
            if (needed == 0) {
                return "";
            }
            if (apart / needed >= kApartLeast) {
                break;
            }
            apart = needed * kApartLeast;
        }
        return fmt::format(
            ", which is enough where all times, defaults too, are multiples of {}: {}", apart,
            smallest_beside(apart));
    }

    // The time to change first.
    std::string smallest_beside(std::int64_t apart) {
        auto least = std::pair(apart, std::int64_t{0});
        std::string text;
        const auto look_at = [&](std::int64_t time, const std::string& place) {
            const auto here = std::pair(std::gcd(time, apart), std::abs(time));
            if (here < least && here.first != apart) {
                least = here;
                text = fmt::format("{} is {}", place, time);
            }
        };
        visit([&](std::int64_t time, Bounds, const std::string& pointer) {
            look_at(time, pointer);
            return time;
        });
        if (uses_own_times()) {
            for (const std::int32_t time : words_.own_times) {
                look_at(time, "a time that no scenario gives");
            }
        }
        return text;
    }

    // By monglock's write locks that are not given a locktimeout.
    bool uses_own_times() const {
        const NamedNumbers& own = scenario_.parameters.own;
        const auto of_key = [&](const std::string& name, const std::string& key) {
            return own.value_or(name + ":" + key, own.value_or(name, 0));
        };
        const auto& keys = scenario_.world.keys;
        return std::any_of(keys.begin(), keys.end(), [&](const std::string& key) {
            return of_key("write_lock", key) != 0 && of_key("locktimeout", key) == 0;
        });
    }

  private:
    void find_divisor() {
        divisor_ = 0;
        visit([&](std::int64_t time, Bounds, const std::string&) {
            divisor_ = std::gcd(divisor_, time);
            return time;
        });
        if (uses_own_times()) {
            for (const std::int32_t time : words_.own_times) {
                divisor_ = std::gcd(divisor_, std::int64_t{time});
            }
        }
    }

    // `look_at(time, bounds, pointer)` returns what the time becomes.
    template <class LookAt>
    void visit(LookAt look_at) {
        visit(words_.parameters, scenario_.parameters.own, "/parameters", look_at);
        for (CallerConfig& caller : scenario_.world.callers) {
            const std::string pointer = fmt::format("/callers/{}/", caller.group);
            visit(words_.settings, caller.settings, pointer + "settings", look_at);
            for (Operation& operation : caller.script) {
                if (operation.number != 0 &&
                    (operation.verb == Verb::kSleep || operation.verb == Verb::kAcquire)) {
                    operation.number = static_cast<std::uint32_t>(
                        look_at(operation.time(), Bounds{1, kSleepMax}, pointer + "script"));
                }
            }
        }
    }
    template <class LookAt>
    void visit(const std::vector<OwnNumber>& known, NamedNumbers& numbers,
               const std::string& pointer, LookAt look_at) {
        for (const OwnNumber& number : known) {
            const auto visit_one = [&](const std::string& name) {
                // 0 is often the default in other words.
                const std::int32_t given = numbers.at(name);
                const std::int32_t time = given == 0 ? number.otherwise : given;
                if (is_time(number, time)) {
                    const auto becomes =
                        static_cast<std::int32_t>(look_at(time, Bounds{number.least, number.most},
                                                          pointer + "/" + pointer_step(name)));
                    if (given != 0 && becomes != given) {
                        numbers[name] = becomes;
                    }
                }
            };
            if (!number.is_time || decides_nothing(number, scenario_)) {
                continue;
            }
            visit_one(number.name);
            for (const std::string& name : names_by_key(number, numbers)) {
                visit_one(name);
            }
        }
    }
    static std::vector<std::string> names_by_key(const OwnNumber& number,
                                                 const NamedNumbers& numbers) {
        std::vector<std::string> names;
        for (const auto& [name, value] : numbers) {
            if (number.per_key && name.starts_with(number.name + ":")) {
                names.push_back(name);
            }
        }
        return names;
    }

    // A deadline may be set until `until`; else whatever can be slept, and waited for.
    std::int64_t sum_of_all() {
        std::int64_t longest = 0;
        visit([&](std::int64_t time, Bounds, const std::string& pointer) {
            longest = pointer == "/parameters/until" || pointer.ends_with("/script")
                          ? longest
                          : std::max(longest, std::abs(time));
            return time;
        });
        const auto& own = scenario_.parameters.own;
        if (own.contains("until")) {
            return own.at("until") + longest;
        }
        if (!words_.limits_of_time) {
            return 0;  // it counts what is left, and no instants
        }
        std::int64_t sum = 0;
        for (const CallerConfig& caller : scenario_.world.callers) {
            for (const Operation& operation : caller.script) {
                sum += operation.verb == Verb::kSleep || operation.verb == Verb::kAcquire
                           ? operation.time()
                           : 0;
                sum += operation.verb == Verb::kAcquire && operation.number == 0 ? longest : 0;
            }
        }
        return sum;
    }

    bool fits_in(std::int64_t unit) {
        bool fits = true;
        visit([&](std::int64_t time, Bounds bounds, const std::string&) {
            const std::int64_t divided = time / unit;
            fits = fits && divided >= bounds.least && divided <= bounds.most;
            return time;
        });
        return fits;
    }
    // A clock that runs at a pace of its own is rounded to whole units.
    bool drifts() const {
        const auto& callers = scenario_.world.callers;
        return std::any_of(callers.begin(), callers.end(), [](const CallerConfig& caller) {
            return caller.settings.value_or("drift", 0) != 0;
        });
    }
    // In ascending order.
    static std::vector<std::int64_t> divisors_of(std::int64_t number) {
        std::vector<std::int64_t> small;
        std::vector<std::int64_t> large;
        for (std::int64_t one = 1; one * one <= number; ++one) {
            if (number % one == 0) {
                small.push_back(one);
                large.push_back(number / one);
            }
        }
        small.insert(small.end(), large.rbegin(), large.rend());
        return small;
    }
    InputError too_long() {
        InputError error{scenario_.file, "", ""};
        visit([&](std::int64_t time, Bounds bounds, const std::string& pointer) {
            const std::int64_t divided = time / divisor_;
            if (error.pointer.empty() && (divided < bounds.least || divided > bounds.most)) {
                error.pointer = pointer;
                error.message = fmt::format(
                    "expected {} to {}, found {}: larger times need a unit that divides all times "
                    "of the scenario, defaults too, which is {} here",
                    bounds.least, bounds.most, time, divisor_);
            }
            return time;
        });
        return error;
    }

    InputError too_far_back(std::int64_t back) const {
        return {scenario_.file, "/parameters/jump",
                fmt::format("expected clocks that jump back by less than {} in all, found {}: "
                            "further ones need a unit that divides all times of the scenario, "
                            "defaults too, which is {} here, and no clock with a drift",
                            kBeginning, back, divisor_)};
    }

    const Vocabulary& words_;
    Scenario scenario_;
    std::int64_t divisor_ = 0;
};

}  // namespace

std::variant<Scenario, InputError> with_times_that_fit(const Vocabulary& words,
                                                       const Scenario& scenario) {
    if (!words.knows_its_times) {
        return scenario;
    }
    return Times(words, scenario).that_fit();
}

std::string instants_left_out(const Vocabulary& words, const Scenario& scenario) {
    const auto fitting = with_times_that_fit(words, scenario);
    const auto* fits = std::get_if<Scenario>(&fitting);
    return fits == nullptr || fits->parameters.time_unit == 1
               ? ""
               : Times(words, scenario).instants_left_out(*fits);
}

bool may_fit_in_a_unit(const Vocabulary& words, const OwnNumber& number, std::int32_t value) {
    return words.knows_its_times && is_time(number, value) && (value > 0 || number.least < -1);
}

}  // namespace lockkeeper
