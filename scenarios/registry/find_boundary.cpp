// SPDX-License-Identifier: Apache-2.0
#include "scenarios/registry/find_boundary.hpp"

#include <cstdlib>
#include <map>

#include "scenarios/units.hpp"

namespace lockkeeper {
namespace {

class BoundaryFinder {
  public:
    BoundaryFinder(const BoundarySearch& range,
                   const std::function<std::string(std::int32_t)>& why_refused,
                   const std::function<Probed(std::int32_t)>& probe)
        : range_(range), why_refused_(why_refused), probe_(probe) {}

    Boundary find() {
        Boundary found;
        const auto passing = search();
        if (!undecided_) {
            found.value = passing;
        }
        found.violated = found.value ? violated_ : std::nullopt;
        found.undecided = undecided_;
        found.refused = refused_ranges();
        return found;
    }

  private:
    // From the end of the range that passes if any value does, to the other one.
    std::optional<std::int32_t> search() {
        const std::int32_t to = range_.smallest ? range_.from : range_.to;
        const auto first = nearest_taken(range_.smallest ? range_.to : range_.from, to);
        if (!first || !passes(*first)) {
            return std::nullopt;
        }
        std::int32_t passing = *first;
        std::int32_t beyond = range_.smallest ? to - 1 : to + 1;
        while (std::abs(passing - beyond) > 1 && !undecided_) {
            const auto middle = taken_between(passing, beyond);
            if (!middle) {
                break;
            }
            if (passes(*middle)) {
                passing = *middle;
            } else {
                beyond = *middle;
                violated_ = *middle;
            }
        }
        return passing;
    }

    bool passes(std::int32_t value) {
        const Probed probed = probe_(value);
        if (probed == Probed::kUndecided) {
            undecided_ = value;
        }
        return probed == Probed::kPassed;
    }

    // From `value` on, towards `end`, which is one of them.
    std::optional<std::int32_t> nearest_taken(std::int32_t value, std::int32_t end) {
        const std::int32_t step = value < end ? 1 : -1;
        for (; value != end + step; value += step) {
            if (takes(value)) {
                return value;
            }
        }
        return std::nullopt;
    }

    // The nearest to the middle on the passing side, else on the other.
    std::optional<std::int32_t> taken_between(std::int32_t passing, std::int32_t beyond) {
        const std::int32_t middle = beyond + (passing - beyond) / 2;
        const std::int32_t step = passing < beyond ? 1 : -1;
        if (const auto taken = nearest_taken(middle, passing); taken && *taken != passing) {
            return taken;
        }
        return middle + step == beyond ? std::nullopt : nearest_taken(middle + step, beyond - step);
    }

    bool takes(std::int32_t value) {
        if (refused_.contains(value)) {
            return false;
        }
        const std::string why = why_refused_(value);
        if (!why.empty()) {
            refused_.emplace(value, why);
        }
        return why.empty();
    }

    [[nodiscard]] std::vector<RefusedValues> refused_ranges() const {
        std::vector<RefusedValues> ranges;
        for (const auto& [value, why] : refused_) {
            if (!ranges.empty() && ranges.back().to + 1 == value && ranges.back().why == why) {
                ranges.back().to = value;
            } else {
                ranges.push_back({value, value, why});
            }
        }
        return ranges;
    }

    const BoundarySearch& range_;
    const std::function<std::string(std::int32_t)>& why_refused_;
    const std::function<Probed(std::int32_t)>& probe_;
    std::map<std::int32_t, std::string> refused_;  // and why
    std::optional<std::int32_t> violated_;         // the nearest to what passes
    std::optional<std::int32_t> undecided_;
};

}  // namespace

Boundary find_boundary(const BoundarySearch& range,
                       const std::function<std::string(std::int32_t)>& why_refused,
                       const std::function<Probed(std::int32_t)>& probe) {
    return BoundaryFinder(range, why_refused, probe).find();
}

std::optional<BoundarySearch> parse_boundary_search(std::string_view text, bool smallest) {
    const auto named = parse_assignment(text);
    const std::string_view range = named ? std::string_view(named->second) : "";
    const std::size_t dots = range.find("..");
    if (dots == std::string_view::npos) {
        return std::nullopt;
    }
    const auto from = parse_whole(range.substr(0, dots), kOwnNumberMax);
    const auto to = parse_whole(range.substr(dots + 2), kOwnNumberMax);
    if (!from || !to || *to < *from) {
        return std::nullopt;
    }
    return BoundarySearch{named->first, smallest, static_cast<std::int32_t>(*from),
                          static_cast<std::int32_t>(*to)};
}

}  // namespace lockkeeper
