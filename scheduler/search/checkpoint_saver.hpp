// SPDX-License-Identifier: Apache-2.0

// When a search writes its checkpoint, and how much of its time it must leave for that. Used by
// Explorer only.
//
// How long a write takes is estimated: the bytes in memory by the speed of the last write, or by a
// first guess, and half of it again. Where a time limit makes the estimate matter, one early write
// replaces the guess: as soon as it is thought to take a fiftieth of the limit.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>

#include "scheduler/base/checkpoint.hpp"
#include "scheduler/search/explore.hpp"

namespace lockkeeper {

class CheckpointSaver {
  public:
    // Seconds since the search began.
    using Clock = std::function<double()>;

    CheckpointSaver(const CheckpointOptions& options, double seconds_max, Clock clock)
        : options_(options), seconds_max_(seconds_max), clock_(std::move(clock)) {}

    // Where the options say so. `bytes`: what the search has in memory. A CheckpointError of
    // `write` is told at the end: what has been found counts more. `is_last`: the search has ended,
    // and somebody may wait for the command to end, too.
    void save(std::size_t bytes, bool is_last,
              const std::function<void(const std::string& path)>& write) {
        if (options_.save_to.empty()) {
            return;
        }
        tell(bytes, is_last);
        began_ = clock_();
        was_late_ = false;
        try {
            write(options_.save_to);
            written_ = options_.save_to;
            error_.clear();
            if (bytes != kTellsNoSpeed) {
                bytes_a_second_ =
                    static_cast<double>(bytes) / std::max(kShortest, clock_() - began_);
            }
        } catch (const NoTimeToWrite&) {
            was_late_ = true;
            tell_late();
        } catch (const CheckpointError& error) {
            error_ = error.what();
        }
        saved_at_ = clock_();
        saved_bytes_ = bytes != kTellsNoSpeed ? bytes : saved_bytes_;
    }
    // Called by `write`: what it did before tells nothing of the speed.
    void begins_now() { began_ = clock_(); }
    // Called by `write` between two pieces. A limit that it would pass by too much ends it: the
    // time was estimated, and a disk can become slow. The rest of the tenth that may be more is for
    // what follows.
    void look_at_clock() const {
        constexpr double kLateShare = 0.08;
        constexpr double kLateAnyway = 0.5;
        if (clock_() > seconds_max_ + std::max(kLateAnyway, kLateShare * seconds_max_)) {
            throw NoTimeToWrite(options_.save_to + ": no time to write it");
        }
    }
    // The last write was ended so. What was written before it stays.
    [[nodiscard]] bool was_late() const { return was_late_; }
    // Nothing can be written.
    void give_up(const std::string& why) {
        if (!options_.save_to.empty()) {
            error_ = "no checkpoint was written: " + why;
        }
    }

    // The written checkpoint is gone, because nothing is left to go on with.
    void forget() { written_.clear(); }

    // The time that must be left for a write. 0 where nothing is written.
    [[nodiscard]] double seconds_for(std::size_t bytes) const {
        return options_.save_to.empty() ? 0
                                        : kMargin * static_cast<double>(bytes) / bytes_a_second_;
    }
    // While the search goes on: the last write is old, or the next one would tell the speed.
    [[nodiscard]] bool is_due(std::size_t bytes) const {
        if (options_.save_to.empty()) {
            return false;
        }
        const double share = seconds_for(bytes) / seconds_max_;
        const bool tells_speed = share >= kTrialShare && share < kTrialShareMax &&
                                 bytes >= kGrownSinceTrial * saved_bytes_;
        return tells_speed || clock_() - saved_at_ > options_.every;
    }

    [[nodiscard]] const std::string& written() const { return written_; }
    [[nodiscard]] const std::string& error() const { return error_; }

    static constexpr std::size_t kTellsNoSpeed = static_cast<std::size_t>(-1);
    static constexpr double kGuessedBytesASecond = 100e6;
    static constexpr double kMargin = 1.5;

  private:
    void tell(std::size_t bytes, bool is_last) const {
        const double seconds =
            bytes == kTellsNoSpeed ? 0 : static_cast<double>(bytes) / bytes_a_second_;
        constexpr double kLong = 1;
        if (options_.tell && (is_last || seconds > kLong)) {
            options_.tell("the checkpoint " + options_.save_to + " is being written (about " +
                          std::to_string(static_cast<int>(seconds) + 1) + " s)");
        }
    }

    void tell_late() {
        const std::string why = "there was no time to write the checkpoint";
        if (written_.empty()) {
            give_up(why);
        } else if (options_.tell) {
            options_.tell(why + " anew: " + written_ + " is older");
        }
    }

    static constexpr double kShortest = 1e-4;  // a clock may not have gone on
    static constexpr double kTrialShare = 0.02;
    static constexpr double kTrialShareMax = 0.1;
    static constexpr std::size_t kGrownSinceTrial = 8;

    const CheckpointOptions& options_;
    double seconds_max_;
    Clock clock_;
    double bytes_a_second_ = kGuessedBytesASecond;
    double began_ = 0;  // the last write
    bool was_late_ = false;
    double saved_at_ = 0;
    std::size_t saved_bytes_ = 0;
    std::string written_;
    std::string error_;
};

}  // namespace lockkeeper
