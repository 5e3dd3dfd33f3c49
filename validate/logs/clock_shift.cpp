// SPDX-License-Identifier: Apache-2.0
#include "validate/logs/clock_shift.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <utility>

#include "model/printable.hpp"
#include "validate/logs/read_log.hpp"
#include "validate/logs/written_time.hpp"

namespace lockkeeper::logs {
namespace {

constexpr std::int64_t kShiftFinest = 1'000'000;

class ClockShifts {
  public:
    ClockShifts(const std::vector<Source>& sources, const IsExplained& is_explained,
                const std::function<bool()>& is_over)
        : sources_(sources),
          clocks_(clocks_of(sources)),
          is_explained_(is_explained),
          is_over_(is_over) {}

    // The source stands for its clock: no other piece of its log comes before it.
    [[nodiscard]] bool is_first(std::size_t source) const { return clocks_[source] == source; }

    [[nodiscard]] std::optional<ClockShift> of(std::size_t source) const {
        // A clock that is wrong by so much in both ways is at least as good as a shift by it.
        std::int64_t most = kShiftFinest;
        while (!is_explained_with_error(source, most)) {
            most *= 2;
            if (most > kClockShiftMax || is_over_()) {
                return std::nullopt;
            }
        }
        const std::int64_t error = least(most / 2, most, [&](std::int64_t some) {
            return is_explained_with_error(source, some);
        });
        // The first shift from there on that does: windows are often narrower than the error.
        for (std::int64_t by = error; by <= kClockShiftMax && !is_over_();
             by += std::max(kShiftFinest, by / 16)) {
            for (const std::int64_t sign : {1, -1}) {
                if (is_explained_with_shift(source, sign * by)) {
                    return range(source, error, by, sign);
                }
            }
        }
        return std::nullopt;
    }

  private:
    [[nodiscard]] ClockShift range(std::size_t source, std::int64_t too_few, std::int64_t by,
                                   std::int64_t sign) const {
        const auto is_enough = [&](std::int64_t some) {
            return is_explained_with_shift(source, sign * some);
        };
        ClockShift shift;
        shift.source = source;
        shift.least =
            sign * least(std::min(too_few - kShiftFinest, by - kShiftFinest), by, is_enough);
        std::int64_t most = by;
        std::int64_t step = kShiftFinest;
        while (most + step <= kClockShiftMax && is_enough(most + step)) {
            most += step;
            step *= 2;
        }
        if (most + step <= kClockShiftMax) {
            most =
                -least(-(most + step), -most, [&](std::int64_t some) { return is_enough(-some); });
            shift.most = sign * most;
        }
        return shift;
    }

    // `most` is enough, `too_few` is not.
    template <class IsEnough>
    [[nodiscard]] std::int64_t least(std::int64_t too_few, std::int64_t most,
                                     const IsEnough& is_enough) const {
        while (most - too_few > kShiftFinest && !is_over_()) {
            const std::int64_t middle = too_few + (most - too_few) / 2;
            (is_enough(middle) ? most : too_few) = middle;
        }
        return most;
    }

    [[nodiscard]] bool is_explained_with_error(std::size_t source, std::int64_t error) const {
        std::vector<std::int64_t> errors(sources_.size(), 0);
        for (std::size_t i = 0; i < sources_.size(); ++i) {
            errors[i] = clocks_[i] == source ? error : 0;
        }
        return is_explained_(sources_, errors);
    }

    // Written times are as much later than the true ones as the clock is ahead.
    [[nodiscard]] bool is_explained_with_shift(std::size_t source, std::int64_t ahead) const {
        std::vector<Source> moved = sources_;
        for (std::size_t i = 0; i < moved.size(); ++i) {
            if (clocks_[i] != source) {
                continue;
            }
            for (Observation& seen : moved[i].observations) {
                seen.earliest -= ahead;
                seen.latest -= ahead;
            }
        }
        return is_explained_(moved, {});
    }

    const std::vector<Source>& sources_;
    const std::vector<std::size_t> clocks_;
    const IsExplained& is_explained_;
    const std::function<bool()>& is_over_;
};

}  // namespace

std::vector<std::size_t> clocks_of(const std::vector<Source>& sources) {
    std::vector<std::string> files;
    for (const Source& source : sources) {
        files.push_back(source.file);
    }
    const Rotation rotation(files);
    std::map<std::pair<std::string, std::string>, std::size_t> first;
    std::vector<std::size_t> clocks;
    for (std::size_t i = 0; i < sources.size(); ++i) {
        const std::string log = rotation.piece_of(sources[i].file).first;
        const bool is_file = sources[i].name == sources[i].file || sources[i].has_clock_of_file;
        const std::pair key(log, is_file ? "" : sources[i].name);
        clocks.push_back(first.try_emplace(key, i).first->second);
    }
    return clocks;
}

std::size_t clocks_used(const std::vector<Source>& sources) {
    const std::vector<std::size_t> clocks = clocks_of(sources);
    std::set<std::size_t> used;
    for (std::size_t i = 0; i < sources.size(); ++i) {
        if (!sources[i].observations.empty()) {
            used.insert(clocks[i]);
        }
    }
    return used.size();
}

std::string clocks_text(const std::vector<ClockShift>& clocks, const std::vector<Source>& sources) {
    std::string out;
    for (const ClockShift& shift : clocks) {
        const std::string least = duration_words(std::abs(shift.least));
        out += "  explained if the clock of " + printable(sources[shift.source].name) + " was " +
               (shift.most ? least + " to " + duration_words(std::abs(*shift.most))
                           : "at least " + least) +
               (shift.least > 0 ? " ahead\n" : " behind\n");
    }
    return out;
}

std::vector<ClockShift> clocks_that_explain(const std::vector<Source>& sources,
                                            const IsExplained& is_explained,
                                            const std::function<bool()>& is_over) {
    const ClockShifts shifts(sources, is_explained, is_over);
    std::vector<ClockShift> found;
    for (std::size_t i = 0; i < sources.size() && !is_over(); ++i) {
        if (!shifts.is_first(i)) {
            continue;
        }
        // Moved away from all the others, a log contradicts nobody: that explains nothing.
        const auto shift = shifts.of(i);
        if (shift && shift->most && !is_over()) {
            found.push_back(*shift);
        }
    }
    return found;
}

}  // namespace lockkeeper::logs
