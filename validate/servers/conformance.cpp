// SPDX-License-Identifier: Apache-2.0
#include "validate/servers/conformance.hpp"

#include <algorithm>

#include "scheduler/base/deadline.hpp"
#include "scheduler/search/explore.hpp"
#include "validate/servers/judgement.hpp"
#include "validate/servers/schedules.hpp"
#include "validate/servers/server_clients.hpp"

namespace lockkeeper::databases {
namespace {

constexpr std::chrono::milliseconds kUnits[] = {std::chrono::milliseconds(150),
                                                std::chrono::milliseconds(600),
                                                std::chrono::milliseconds(2400)};
// MariaDB counts its time-out in seconds.
constexpr std::chrono::milliseconds kUnitsOfSeconds[] = {std::chrono::milliseconds(1000),
                                                         std::chrono::milliseconds(2000),
                                                         std::chrono::milliseconds(4000)};

class Conformance final : public BothSides {
  public:
    Conformance(Subject subject, PrivateServer& server, const ComparisonLimits& limits)
        : subject_(std::move(subject)),
          clients_(make_clients(subject_, server)),
          random_(subject_, limits),
          until_(limits.seconds_max) {}

    [[nodiscard]] DrivenRun drive(const Schedule& schedule) override {
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
    [[nodiscard]] Schedule next_random() override { return random_.next(); }
    void note(const Schedule& given) override { random_.note(given); }

  private:
    DrivenRun run_once(const Schedule& schedule, std::chrono::milliseconds unit) {
        const std::vector<Timers> timers = timers_of(schedule);
        DrivenRun result;
        ModelWalk walk(subject_);
        clients_->reset(unit);
        Difference trace;
        trace.schedule.seed = schedule.seed;
        for (std::size_t at = 0; at < schedule.actions.size(); ++at) {
            result.is_cut = interrupt_requested() || until_.is_past();
            if (result.is_cut) {
                break;
            }
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
                result.difference = with(trace, done.text, *mismatch);
                break;
            }
        }
        if (!result.difference && !result.is_cut && stands_still(walk)) {
            clients_->outwait();
            Advance nothing;
            if (auto mismatch = compare_all(walk, nothing)) {
                trace.steps.emplace_back("nothing is left to happen");
                result.difference = with(std::move(trace), "nothing is left to happen", *mismatch);
            }
        }
        result.statements = clients_->statements().size();
        clients_->end();
        return result;
    }
    // Somebody waits, and no choice but a fault is left. Only where the server looks for deadlocks
    // by itself: InnoDB does so at once, the pool's model does not at all.
    [[nodiscard]] bool stands_still(const ModelWalk& walk) const {
        const std::vector<Action> choices = walk.choices();
        return subject_.engine == Engine::kPostgresql && subject_.connections == 0 &&
               !subject_.leases && std::all_of(choices.begin(), choices.end(), is_fault);
    }
    // Runs the model alone through the schedule, and counts for each waiting statement how many
    // timers run out before its own. The real timers are then set to run out in the same order.
    [[nodiscard]] std::vector<Timers> timers_of(const Schedule& schedule) const {
        struct Wait {
            std::size_t caller;
            std::size_t at;
            unsigned before;    // timers that had run out
            bool lost = false;  // the caller has lost the session
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
            if (is_timer(done.step.step)) {
                ++so_far;
                for (const Wait& wait : waits) {
                    Timers& own = timers[wait.at];
                    if (wait.caller == done.action.actor &&
                        wait.lost == done.step.of_lost_session) {
                        unsigned& which =
                            done.step.step == Step::kLooksForDeadlock ? own.check : own.timeout;
                        which = which == 0 ? so_far - wait.before : which;
                    }
                }
            }
            if (has_timers(done.step.step)) {
                const auto same = [&](const Wait& wait) {
                    return wait.caller == done.action.actor && !wait.lost;
                };
                waits.erase(std::remove_if(waits.begin(), waits.end(), same), waits.end());
                waits.push_back({done.action.actor, at, so_far});
            }
            for (Wait& wait : waits) {
                wait.lost = wait.lost || (!subject_.leases && wait.caller == done.action.actor &&
                                          loses_connection(done.step));
            }
        }
        // Where nothing is left to happen in the model, the server must not find a deadlock either.
        for (const Wait& wait : waits) {
            const bool waiting =
                !wait.lost &&
                walk.candidates().front().expected[wait.caller].status == Status::kWaits;
            unsigned& check = timers[wait.at].check;
            if (stands_still(walk) && waiting && check == 0) {
                check = so_far + 1 - wait.before;
            }
        }
        return timers;
    }
    std::optional<Mismatch> compare_all(ModelWalk& walk, const Advance& done) {
        const ServerView view = clients_->look();
        const auto first = judge(subject_, *clients_, walk.candidates().front(), done, view);
        const bool some = walk.keep([&](const Candidate& candidate) {
            return !judge(subject_, *clients_, candidate, done, view).has_value();
        });
        return some ? std::nullopt : first;
    }
    [[nodiscard]] Difference with(Difference trace, const std::string& text,
                                  const Mismatch& mismatch) const {
        trace.step = trace.steps.size();
        trace.text = text;
        trace.model = mismatch.model;
        trace.server = mismatch.server;
        trace.statements = clients_->statements();
        return trace;
    }

    const Subject subject_;
    std::unique_ptr<ServerClients> clients_;
    RandomSchedules random_;
    Deadline until_;
};

class DatabaseServer final : public ComparedServer {
  public:
    explicit DatabaseServer(std::unique_ptr<PrivateServer> server) : server_(std::move(server)) {}

    [[nodiscard]] const char* kind() const override { return "server"; }
    [[nodiscard]] const std::string& version() const override { return server_->version(); }
    [[nodiscard]] ComparisonLimits limits() const override { return {}; }
    [[nodiscard]] std::unique_ptr<BothSides> both_sides(const Understood& understood,
                                                        const Runner& runner,
                                                        const ComparisonLimits& limits) override {
        return std::make_unique<Conformance>(make_subject(understood, runner, server_->engine()),
                                             *server_, limits);
    }

  private:
    std::unique_ptr<PrivateServer> server_;
};

}  // namespace

std::variant<std::unique_ptr<ComparedServer>, NoServer> start_database(Engine engine,
                                                                       int seconds_max) {
    auto started = PrivateServer::start(engine, seconds_max);
    if (auto* none = std::get_if<NoServer>(&started)) {
        return std::move(*none);
    }
    return std::make_unique<DatabaseServer>(
        std::get<std::unique_ptr<PrivateServer>>(std::move(started)));
}

}  // namespace lockkeeper::databases
