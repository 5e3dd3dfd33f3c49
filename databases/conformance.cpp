#include "databases/conformance.hpp"

#include <algorithm>

#include "model/random.hpp"
#include "scheduler/explore.hpp"

namespace lockkeeper::databases {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kUnits[] = {std::chrono::milliseconds(150),
                                                std::chrono::milliseconds(600),
                                                std::chrono::milliseconds(2400)};
// MariaDB counts its time-out in seconds.
constexpr std::chrono::milliseconds kUnitsOfSeconds[] = {std::chrono::milliseconds(1000),
                                                         std::chrono::milliseconds(2000),
                                                         std::chrono::milliseconds(4000)};

struct Run {
    std::optional<Difference> difference;
    std::uint64_t steps = 0;
    std::uint64_t statements = 0;
};

struct Mismatch {
    std::string model;
    std::string server;
};

std::string words_of(const Expected& expected) {
    switch (expected.status) {
        case Status::kNone: return "sends nothing";
        case Status::kOk: return expected.refused ? "is refused" : "is done";
        case Status::kError:
            return expected.error.empty() ? "fails" : "fails with " + expected.error;
        case Status::kWaits: return "waits for a lock";
    }
    return "?";
}

std::string words_of(const Observed& seen) {
    switch (seen.status) {
        case Status::kNone: return "sends nothing";
        case Status::kOk: return "is done" + (seen.tag.empty() ? "" : " (" + seen.tag + ")");
        case Status::kError: return "fails with " + seen.error + " (" + seen.said + ")";
        case Status::kWaits: return "waits for a lock";
    }
    return "?";
}

// Whether the statement of one caller stands as the model says.
bool agrees(const Expected& expected, const Observed& seen, bool is_commit, bool is_pg) {
    if (seen.status == Status::kNone) {
        return expected.status != Status::kWaits;  // nothing was sent
    }
    if (expected.status == Status::kNone) {
        return true;  // it has not sent anything since
    }
    if (expected.status != seen.status) {
        // A client that ends by an error has been told so before.
        return is_commit && seen.status == Status::kOk && expected.status == Status::kError &&
               (!is_pg || seen.tag == "ROLLBACK");
    }
    if (expected.status == Status::kError && !expected.error.empty()) {
        return expected.error == seen.error;
    }
    if (is_commit && is_pg && expected.status == Status::kOk && !seen.tag.empty()) {
        return expected.rolled_back == (seen.tag == "ROLLBACK");
    }
    return expected.refused == (seen.value == "f") || !expected.refused;
}

class Conformance {
  public:
    Conformance(const Subject& subject, PrivateServer& server)
        : subject_(subject), clients_(make_clients(subject, server)) {}

    [[nodiscard]] Run run(const Schedule& schedule);

  private:
    Run run_once(const Schedule& schedule, std::chrono::milliseconds unit);
    [[nodiscard]] std::vector<Timers> timers_of(const Schedule& schedule) const;
    std::optional<Mismatch> compare_all(ModelWalk& walk, const Advance& done);
    std::optional<Mismatch> judge(const Candidate& candidate, const Advance& done,
                                  const ServerView& view) const;
    std::optional<Mismatch> judge_keys(const Candidate& candidate, const ServerView& view) const;
    std::optional<Mismatch> judge_read(const Candidate& candidate, const Advance& done) const;
    [[nodiscard]] bool is_dead(const Candidate& candidate, std::size_t caller) const;

    const Subject& subject_;
    std::unique_ptr<ServerClients> clients_;
};

// The model alone, once through: after how many of the timers that run out in the schedule each
// waiting statement's own comes. So the real timers are set to run out in the same order.
std::vector<Timers> Conformance::timers_of(const Schedule& schedule) const {
    constexpr std::uint16_t kNoticed = 2;
    struct Wait {
        std::size_t caller;
        std::size_t at;
        unsigned before;  // timers that had run out
    };
    std::vector<Timers> timers(schedule.actions.size());
    std::vector<Wait> waits;
    unsigned so_far = 0;
    ModelWalk walk(subject_);
    for (std::size_t at = 0; at < schedule.actions.size(); ++at) {
        const Advance done = walk.advance(schedule.actions[at]);
        if (done.passed_over) {
            continue;
        }
        const bool timer =
            done.action.kind == ActionKind::kBackground && done.action.argument < kNoticed;
        if (timer) {
            ++so_far;
            for (const Wait& wait : waits) {
                Timers& own = timers[wait.at];
                if (wait.caller == done.action.actor) {
                    unsigned& which = done.action.argument == 0 ? own.check : own.timeout;
                    which = which == 0 ? so_far - wait.before : which;
                }
            }
        }
        if (done.step.step == Step::kLock) {
            const auto same = [&](const Wait& wait) { return wait.caller == done.action.actor; };
            waits.erase(std::remove_if(waits.begin(), waits.end(), same), waits.end());
            waits.push_back({done.action.actor, at, so_far});
        }
    }
    return timers;
}

bool Conformance::is_dead(const Candidate& candidate, std::size_t caller) const {
    Observation seen;
    subject_.system.observe(candidate.state, seen);
    return seen.callers[caller].dead;
}

std::optional<Mismatch> Conformance::judge_keys(const Candidate& candidate,
                                                const ServerView& view) const {
    Observation seen;
    subject_.system.observe(candidate.state, seen);
    for (std::size_t key = 0; key < subject_.keys.size(); ++key) {
        const auto& counters = seen.keys[key].counters;
        const std::string& name = subject_.keys[key].name;
        const auto differs = [&](std::int64_t server, std::size_t counter) {
            return server >= 0 && counter < seen.keys[key].buckets_count &&
                   server != counters[counter];
        };
        const auto both = [&](const char* what, std::int64_t server, std::size_t counter) {
            return Mismatch{name + ": " + what + " " + std::to_string(counters[counter]),
                            name + ": " + what + " " + std::to_string(server)};
        };
        if (differs(view.lines[key], 0)) {
            return both("the line has", view.lines[key], 0);
        }
        if (subject_.connections == 0 && differs(view.versions[key], 1)) {
            return both("committed writes", view.versions[key], 1);
        }
        if (subject_.connections == 0 && differs(view.rows[key], 2)) {
            return both("rows", view.rows[key], 2);
        }
    }
    return std::nullopt;
}

std::optional<Mismatch> Conformance::judge_read(const Candidate& candidate,
                                                const Advance& done) const {
    const std::size_t caller = done.action.actor;
    const Expected& expected = candidate.expected[caller];
    if (done.step.step != Step::kRead || expected.status != Status::kOk) {
        return std::nullopt;
    }
    Observation seen;
    subject_.system.observe(candidate.state, seen);
    const auto committed = seen.keys[done.event.key].counters[1];
    const Observed read = clients_->observed(caller);
    if (seen.callers[caller].believed[done.event.key] == 0 || read.value.empty()) {
        return std::nullopt;  // not under the lock
    }
    const bool old = std::stoll(read.value) < committed;
    if (old == expected.stale) {
        return std::nullopt;
    }
    const auto words = [&](bool stale) {
        return std::string(stale ? "reads what is old" : "reads what was committed last");
    };
    return Mismatch{words(expected.stale),
                    words(old) + ": " + read.value + " of " + std::to_string(committed)};
}

std::optional<Mismatch> Conformance::judge(const Candidate& candidate, const Advance& done,
                                           const ServerView& view) const {
    for (std::size_t caller = 0; caller < subject_.clients.size(); ++caller) {
        const Expected& expected = candidate.expected[caller];
        const Observed seen = clients_->observed(caller);
        const bool own = caller == done.action.actor && done.step.step == Step::kEnd;
        if (is_dead(candidate, caller) ||
            agrees(expected, seen, own, subject_.engine == Engine::kPostgresql)) {
            continue;
        }
        const std::string& name = subject_.world.callers[caller].name;
        std::string model = words_of(expected);
        if (own && expected.status == Status::kOk) {
            model += expected.rolled_back ? " (and is a roll-back)" : " (and commits)";
        }
        return Mismatch{"the statement of " + name + " " + model,
                        "the statement of " + name + " " + words_of(seen)};
    }
    if (auto mismatch = judge_keys(candidate, view)) {
        return mismatch;
    }
    return judge_read(candidate, done);
}

std::optional<Mismatch> Conformance::compare_all(ModelWalk& walk, const Advance& done) {
    const ServerView view = clients_->look();
    const auto first = judge(walk.candidates().front(), done, view);
    const bool some = walk.keep(
        [&](const Candidate& candidate) { return !judge(candidate, done, view).has_value(); });
    return some ? std::nullopt : first;
}

Run Conformance::run_once(const Schedule& schedule, std::chrono::milliseconds unit) {
    const std::vector<Timers> timers = timers_of(schedule);
    Run result;
    ModelWalk walk(subject_);
    clients_->reset(unit);
    Difference trace;
    for (std::size_t at = 0; at < schedule.actions.size() && !interrupt_requested(); ++at) {
        const Advance done = walk.advance(schedule.actions[at]);
        if (!done.passed_over || done.owed) {
            trace.schedule.actions.push_back(done.action);
        }
        if (done.passed_over) {
            continue;
        }
        ++result.steps;
        trace.steps.push_back(done.text);
        const std::string error = done.event.is(kFailed) ? walk.error_name(done.event) : "";
        clients_->perform(done, error, timers[at]);
        if (auto mismatch = compare_all(walk, done)) {
            trace.step = trace.steps.size();
            trace.text = done.text;
            trace.model = std::move(mismatch->model);
            trace.server = std::move(mismatch->server);
            trace.schedule.seed = schedule.seed;
            trace.statements = clients_->statements();
            result.difference = std::move(trace);
            break;
        }
    }
    result.statements = clients_->statements().size();
    clients_->end();
    return result;
}

Run Conformance::run(const Schedule& schedule) {
    const auto& units = subject_.engine == Engine::kPostgresql ? kUnits : kUnitsOfSeconds;
    for (std::size_t attempt = 0;; ++attempt) {
        try {
            return run_once(schedule, units[attempt]);
        } catch (const TooSlow&) {
            clients_->end();
            if (attempt + 1 == std::size(units)) {
                throw;
            }
        } catch (...) {
            clients_->end();
            throw;
        }
    }
}

// Steps from the end backwards are left out as long as there is a difference. Nothing where the
// difference does not come again: then it was none of model and server.
std::optional<Difference> make_small(Conformance& conformance, Difference found,
                                     const CompareOptions& options) {
    std::optional<Difference> again = conformance.run(found.schedule).difference;
    if (!again) {
        return std::nullopt;
    }
    Difference best = std::move(*again);
    std::size_t runs = 0;
    for (std::size_t at = best.schedule.actions.size(); at-- > 0 && runs < options.shrinks_max;) {
        if (at >= best.schedule.actions.size() || interrupt_requested()) {
            continue;
        }
        Schedule shorter = best.schedule;
        shorter.actions.erase(shorter.actions.begin() + static_cast<std::ptrdiff_t>(at));
        ++runs;
        try {
            auto difference = conformance.run(shorter).difference;
            if (difference && difference->steps.size() <= best.steps.size() &&
                difference->schedule.actions.size() < best.schedule.actions.size()) {
                best = std::move(*difference);
            }
        } catch (const TooSlow&) {  // one step more, then
        }
    }
    return best;
}

}  // namespace

Schedule random_schedule(const Subject& subject, std::uint64_t seed,
                         const CompareOptions& options) {
    Random random(seed);
    ModelWalk walk(subject);
    Schedule schedule{seed, {}};
    std::size_t timers = 0;
    while (schedule.actions.size() < options.steps_max) {
        std::vector<Action> choices = walk.choices();
        const auto passed = [&](Action action) {
            const bool rare = is_fault(action) && random.below(4) != 0;
            return rare || (action.kind == ActionKind::kBackground && action.argument < 2 &&
                            timers >= options.timers_max);
        };
        choices.erase(std::remove_if(choices.begin(), choices.end(), passed), choices.end());
        if (choices.empty()) {
            break;
        }
        const Action action = choices[random.below(static_cast<std::uint32_t>(choices.size()))];
        timers += action.kind == ActionKind::kBackground && action.argument < 2 ? 1 : 0;
        // What was taken ahead is enabled no more, so nothing that is chosen is passed over, but a
        // step that the schedule would owe; it is written down twice then.
        while (walk.advance(action).passed_over) {
            schedule.actions.push_back(action);
        }
        schedule.actions.push_back(action);
    }
    return schedule;
}

Comparison compare(const Subject& subject, PrivateServer& server,
                   const std::vector<Schedule>& schedules, const CompareOptions& options) {
    Comparison result;
    Conformance conformance(subject, server);
    const auto start = Clock::now();
    const std::uint64_t all = schedules.size() + options.random_schedules;
    for (std::uint64_t number = 0; number < all; ++number) {
        if (interrupt_requested() ||
            std::chrono::duration<double>(Clock::now() - start).count() > options.seconds_max) {
            result.agreement = Agreement::kInconclusive;
            result.reason = interrupt_requested() ? "interrupted" : "the time limit was reached";
            return result;
        }
        const Schedule schedule =
            number < schedules.size()
                ? schedules[number]
                : random_schedule(subject, options.seed + number - schedules.size(), options);
        try {
            Run run = conformance.run(schedule);
            ++result.schedules;
            result.steps += run.steps;
            result.statements += run.statements;
            if (run.difference) {
                auto small = make_small(conformance, std::move(*run.difference), options);
                result.agreement = small ? Agreement::kDiffers : Agreement::kInconclusive;
                result.reason = small ? "" : "a difference that did not come again";
                result.difference = std::move(small);
                return result;
            }
        } catch (const TooSlow& slow) {
            result.agreement = Agreement::kInconclusive;
            result.reason = slow.what();
            return result;
        }
    }
    return result;
}

}  // namespace lockkeeper::databases
