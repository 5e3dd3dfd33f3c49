// SPDX-License-Identifier: Apache-2.0
#include "validate/servers/schedules.hpp"

#include <algorithm>

#include "validate/servers/judgement.hpp"

namespace lockkeeper::databases {
namespace {

constexpr std::size_t kTimersMax = 2;  // that run out in one schedule: each takes real time
constexpr unsigned kDraws = 60;        // runs of the model to choose one schedule from

// The bits that monitors add to an event are no part of what happened.
constexpr std::uint32_t kShown = ~(std::uint32_t{kWentWrong} | kTimePassed | kInvoked);

std::string words_of(const LeaseView& row, std::int64_t now) {
    if (row.changing) {
        return row.there ? "being deleted" : "being inserted";
    }
    if (!row.there) {
        return "none";
    }
    const std::string locked = row.locked ? ", locked" : "";
    return (row.expired ? "expired" : row.expires == now ? "last instant" : "live") + locked;
}

// A renewal that had waited has gone on with the step.
std::string gone_on(const std::vector<LeaseView>& before, const std::vector<LeaseView>& after) {
    std::string text;
    for (std::size_t key = 0; key < before.size(); ++key) {
        const bool same = before[key].acquisition == after[key].acquisition;
        text += same && before[key].locked && before[key].expires != after[key].expires
                    ? ", and a renewal goes on"
                    : "";
    }
    return text;
}

// The owner of each key's row: the actor of the step that acquired it.
class Owners {
  public:
    explicit Owners(std::size_t keys) : owner_(keys, SIZE_MAX), acquisition_(keys, 0) {}
    void follow(const std::vector<LeaseView>& rows, std::size_t actor) {
        for (std::size_t key = 0; key < rows.size(); ++key) {
            if (rows[key].acquisition != acquisition_[key]) {
                acquisition_[key] = rows[key].acquisition;
                owner_[key] = actor;
            }
        }
    }
    [[nodiscard]] bool is(std::size_t key, std::size_t actor) const { return owner_[key] == actor; }

  private:
    std::vector<std::size_t> owner_;
    std::vector<std::size_t> acquisition_;
};

struct Before {
    std::vector<LeaseView> rows;
    Observation seen;
};

Before look(const Subject& subject, const ModelWalk& walk) {
    Before before;
    const Candidate& first = walk.candidates().front();
    before.rows = leases_of_model(subject, first);
    subject.system.observe(first.state, before.seen);
    return before;
}

std::string situation(const Subject& subject, const Before& before, const Owners& owners,
                      const Advance& done) {
    const bool is_step =
        done.action.kind == ActionKind::kStep || done.action.kind == ActionKind::kFault;
    const std::size_t key = is_step ? done.event.key : done.step.key;
    const std::size_t actor = done.action.actor;
    const LeaseView& row = before.rows[key];
    std::string text = std::to_string(static_cast<unsigned>(done.action.kind)) + " " +
                       std::to_string(static_cast<unsigned>(done.step.step)) + " " +
                       std::to_string(static_cast<unsigned>(done.step.fault)) + " " +
                       std::to_string(done.event.what & kShown) + " " +
                       std::to_string(done.event.breaches) + " " +
                       std::to_string(done.event.error) + " " + words_of(row, before.seen.now);
    text += owners.is(key, actor) ? ", own" : "";
    text += before.seen.callers[actor].believed[key] != 0 ? ", believed" : "";
    for (const std::string& state : row.calls) {
        text += " " + state;
    }
    for (std::size_t other = 0; done.step.step == Step::kReap && other < subject.keys.size();
         ++other) {
        text += "; " + words_of(before.rows[other], before.seen.now);
    }
    return text;
}

}  // namespace

Schedule RandomSchedules::plain(std::uint64_t seed) const {
    ModelWalk walk(subject_);
    std::size_t timers = 0;
    const auto may_take = [&](Action action) {
        return timers < kTimersMax || !is_timer(walk.step(action).step);
    };
    // A step taken ahead is no longer enabled, so the walk passes over no choice except a step that
    // the schedule owes. The schedule then has that step twice.
    return draw_schedule(
        seed, limits_.steps_max, [&] { return walk.choices(); }, may_take,
        [&](Action action, std::vector<Action>& actions) {
            Advance done = walk.advance(action);
            for (; done.owed; done = walk.advance(action)) {
                actions.push_back(action);
            }
            timers += is_timer(done.step.step) ? 1 : 0;
            return !done.passed_over;
        });
}

RandomSchedules::Drawn RandomSchedules::judged(Schedule schedule) const {
    Drawn drawn;
    ModelWalk walk(subject_);
    Owners owners(subject_.keys.size());
    for (std::size_t at = 0; at < schedule.actions.size(); ++at) {
        const Before before = look(subject_, walk);
        const Advance done = walk.advance(schedule.actions[at]);
        if (done.passed_over) {
            continue;
        }
        const std::vector<LeaseView> after = leases_of_model(subject_, walk.candidates().front());
        std::string text = situation(subject_, before, owners, done) + gone_on(before.rows, after);
        owners.follow(after, done.action.actor);
        if (seen_.count(text) == 0 && drawn.fresh.insert(std::move(text)).second) {
            drawn.useful = at + 1;
        }
    }
    drawn.schedule = std::move(schedule);
    return drawn;
}

void RandomSchedules::note(const Schedule& schedule) {
    if (subject_.leases) {
        seen_.merge(judged(schedule).fresh);
    }
}

Schedule RandomSchedules::next() {
    if (!subject_.leases) {
        return plain(limits_.seed + drawn_++);
    }
    Drawn best;
    for (unsigned draw = 0; draw < kDraws; ++draw) {
        Drawn drawn = judged(plain(limits_.seed + drawn_++));
        if (draw == 0 || drawn.fresh.size() > best.fresh.size()) {
            best = std::move(drawn);
        }
    }
    if (!best.fresh.empty()) {
        best.schedule.actions.resize(best.useful);
    }
    seen_.merge(best.fresh);
    return best.schedule;
}

}  // namespace lockkeeper::databases
