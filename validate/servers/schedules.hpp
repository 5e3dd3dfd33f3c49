// Which random schedules are driven. Of transactional locks: plain random ones, because each costs
// real time. Of leases: of many random runs of the model alone those that show most of what none
// before has shown, up to the last step that shows something new. What a step shows (a situation):
// which statement, its fault and its result, and how the row that it is about stands: whose it is,
// live, in its last instant, expired, or being inserted or deleted by somebody.
//
// So each situation that the runs of the model have met is driven once, where the number of
// schedules is enough.
#pragma once

#include <set>
#include <string>

#include "model/schedule.hpp"
#include "validate/servers/model_walk.hpp"

namespace lockkeeper::databases {

struct RandomOptions {
    std::uint64_t seed = 1;
    std::size_t steps_max = 60;
    std::size_t timers_max = 2;  // timers that run out in one schedule: each takes real time
    unsigned draws = 60;         // runs of the model to choose one schedule from
};

// A timer of the server, which takes real time. Those of leases are virtual.
[[nodiscard]] bool is_timer(const Subject& subject, Action action);

class RandomSchedules {
  public:
    RandomSchedules(const Subject& subject, const RandomOptions& options)
        : subject_(subject), options_(options) {}

    [[nodiscard]] Schedule next();
    // A given schedule has been driven.
    void note(const Schedule& schedule);

  private:
    using Situations = std::set<std::string>;
    struct Drawn {
        Schedule schedule;
        Situations fresh;
        std::size_t useful = 0;  // steps up to the last that shows something new
    };

    [[nodiscard]] Schedule plain(std::uint64_t seed) const;
    [[nodiscard]] Drawn judged(Schedule schedule) const;

    const Subject& subject_;
    RandomOptions options_;
    std::uint64_t drawn_ = 0;
    Situations seen_;
};

}  // namespace lockkeeper::databases
