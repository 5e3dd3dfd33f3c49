// SPDX-License-Identifier: Apache-2.0
#include "scheduler/search/proofs/check_certificate.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "scheduler/search/proofs/certificate_steps.hpp"

namespace lockkeeper::proofs {
namespace {

void refuse_if(bool is_broken, const Property& property) {
    if (is_broken) {
        throw CertificateRefused{"it allows " + std::string(property.name)};
    }
}

class CertificateChecker : private CertificateSteps {
  public:
    using CertificateSteps::CertificateSteps;

    void check() {
        demand(world_.has_local_steps(), "steps are handed the records of all callers");
        start();
        while (follow_everybody()) {
        }
        demand(reached_.size() == said_.combinations.size(), "a combination that is not reached");
        demand(met_.size() == said_.situations.size(), "a situation that nobody is in");
        for (const std::size_t combination : reached_) {
            check_combination(said_.combinations[combination]);
        }
    }

  private:
    using Many = Certificate::Many;
    using People = CertificateClaims::People;

    void reach(std::size_t shared, const std::vector<Many>& people) {
        const std::size_t combination = claims_.covering(shared, people);
        if (is_reached_.insert(combination).second) {
            reached_.push_back(combination);
        }
    }

    void start() {
        const CertificateClaims::Numbers nothing(claims_.weights_count());
        const std::size_t first = claims_.shared(world_.initial_shared());
        demand(said_.shared[first].weights == nothing, "the first shared part weighs something");
        std::vector<Many> people;
        for (std::size_t group = 0; group < world_.groups().size(); ++group) {
            const std::size_t begins = claims_.situation(world_.initial_local(group));
            demand(said_.situations[begins].weights == nothing, "who has not begun weighs");
            people.push_back({begins, Certificate::kAny});
            met_.insert(begins);
        }
        reach(first, people);
    }

    // Every step of a caller that somebody was seen to be, in every combination that was reached:
    // no other is put into a state, whatever the certificate lists. False: nothing was new.
    bool follow_everybody() {
        bool is_new = false;
        for (std::size_t i = 0; i < reached_.size(); ++i) {
            const Certificate::Combination& at = said_.combinations[reached_[i]];
            const People people = claims_.people_of(at);
            if (CertificateClaims::is_impossible(people)) {
                continue;
            }
            const auto follow_all = [&](const Callers& callers) {
                if (is_followed_.insert({reached_[i], callers}).second) {
                    std::vector<Action> impossible;
                    for (const Taken& taken : steps(at.shared, callers, &impossible)) {
                        follow(at, callers.empty() ? nullptr : callers.data(), taken);
                    }
                    is_new = true;
                }
            };
            follow_all({});
            for (const Many& many : people.counts) {
                if (met_.contains(many.situation)) {
                    follow_all({many.situation});
                }
            }
        }
        return is_new;
    }

    void check_combination(const Certificate::Combination& at) {
        const People people = claims_.people_of(at);
        if (CertificateClaims::is_impossible(people)) {
            return;
        }
        std::vector<Action> finds_nobody;
        for (const Taken& taken : steps(at.shared, {}, &finds_nobody)) {
            judge_step(at.shared, {}, taken, people);
        }
        for (const Many& many : people.counts) {
            const People others = claims_.without(people, many.situation);
            check_absent(at.shared, {many.situation});
            demand(world_.same_in_every_place(said_.shared[at.shared].bytes,
                                              said_.situations[many.situation].local),
                   "a caller's number makes a difference");
            std::vector<Action> none;
            for (const Taken& taken : steps(at.shared, {many.situation}, &none)) {
                judge_step(at.shared, {many.situation}, taken, others);
            }
            for (const Action action : none) {
                demand(std::find(finds_nobody.begin(), finds_nobody.end(), action) !=
                           finds_nobody.end(),
                       "a check of the implementation fails");
            }
            for (const Many& other : others.counts) {
                check_beside(at.shared, many.situation, other.situation);
            }
        }
        demand(finds_nobody.empty() || somebody_is_found(at.shared, people, finds_nobody),
               "a step of the servers may find nobody");
        judge_rest(at.shared, people);
    }

    // `mover`: null for a step of nobody's.
    void follow(const Certificate::Combination& at, const std::size_t* mover, const Taken& taken) {
        for (std::size_t i = 0; i < claims_.weights_count(); ++i) {
            const std::int64_t more =
                mover != nullptr ? claims_.weight(taken.callers[0], i) - claims_.weight(*mover, i)
                                 : 0;
            demand(
                said_.shared[taken.shared].weights[i] == said_.shared[at.shared].weights[i] + more,
                "a step does not keep the weights");
        }
        std::map<std::size_t, std::int64_t> counts;
        for (const Many& many : at.counts) {
            counts[many.situation] = many.count;
        }
        if (mover != nullptr) {
            met_.insert(taken.callers[0]);
            counts[*mover] -= counts[*mover] == Certificate::kAny ? 0 : 1;
            std::int64_t& there = counts[taken.callers[0]];
            there += there == Certificate::kAny ? 0 : 1;
        }
        std::vector<Many> people;
        for (const auto& [situation, count] : counts) {
            if (count != 0) {
                people.push_back({situation, count});
            }
        }
        reach(taken.shared, people);
    }

    // These, of different kinds, and of the other kinds one who has not begun.
    void check_absent(std::size_t shared, const Callers& callers) {
        std::vector<Bytes> by_group;
        for (std::size_t group = 0; group < world_.groups().size(); ++group) {
            by_group.push_back(world_.initial_local(group).slot);
        }
        for (const std::size_t caller : callers) {
            const Local& local = said_.situations[caller].local;
            by_group[local.group] = local.slot;
        }
        demand(world_.same_without_absent(said_.shared[shared].bytes, by_group),
               "callers that have nothing to do make a difference");
    }

    // What the servers do with both there is what they do with one of them there, and both rest
    // only where each does.
    void check_beside(std::size_t shared, std::size_t one, std::size_t other) {
        if (!is_tried_.insert({shared, one, other}).second) {
            return;
        }
        if (said_.situations[one].local.group != said_.situations[other].local.group) {
            check_absent(shared, {one, other});
        }
        demand(!rests(shared, {one, other}) ||
                   (rests(shared, {}) && rests(shared, {one}) && rests(shared, {other})),
               "whether a caller rests depends on others");
        const std::vector<Taken> both = steps(shared, {one, other}, nullptr);
        if (both.empty()) {
            return;
        }
        const std::vector<Taken> of_one = steps(shared, {one}, nullptr);
        const std::vector<Taken> of_other = steps(shared, {other}, nullptr);
        for (const Taken& taken : both) {
            demand((taken.callers[1] == other && is_among(of_one, taken, 0)) ||
                       (taken.callers[0] == one && is_among(of_other, taken, 1)),
                   "a step of the servers concerns several callers");
        }
    }
    static bool is_among(const std::vector<Taken>& alone, const Taken& taken, std::size_t mover) {
        return std::any_of(alone.begin(), alone.end(), [&](const Taken& own) {
            constexpr std::uint32_t kByOthers = kOverlap;
            return own.shared == taken.shared && own.action.kind == taken.action.kind &&
                   own.action.argument == taken.action.argument &&
                   own.callers[0] == taken.callers[mover] &&
                   ((own.event.what ^ taken.event.what) & ~kByOthers) == 0 &&
                   own.event.breaches == taken.event.breaches;
        });
    }

    [[nodiscard]] bool somebody_is_found(std::size_t shared, const People& people,
                                         const std::vector<Action>& sought) {
        std::vector<bool> only_such(claims_.weights_count(), true);
        for (const Many& many : people.counts) {
            std::vector<Action> impossible;
            static_cast<void>(steps(shared, {many.situation}, &impossible));
            const bool is_found = std::none_of(sought.begin(), sought.end(), [&](Action action) {
                return std::find(impossible.begin(), impossible.end(), action) != impossible.end();
            });
            if (is_found && many.count != Certificate::kAny) {
                return true;
            }
            for (std::size_t i = 0; i < only_such.size(); ++i) {
                only_such[i] = only_such[i] && (is_found || claims_.weight(many.situation, i) == 0);
            }
        }
        for (std::size_t i = 0; i < only_such.size(); ++i) {
            if (only_such[i] && people.room[i] > 0) {
                return true;
            }
        }
        return false;
    }

    // After a step that led to `after`; nothing where the property asks nothing of the state.
    void judge(const Event& event, const ReplicatedWorld::State& after) {
        for (const Property* property : claims_.properties()) {
            if (property->kind == PropertyKind::kAlways && (property->triggers & event.what) != 0) {
                world_.system().observe(after, seen_);
                refuse_if(property->holds_not(seen_, event), *property);
            }
        }
    }
    [[nodiscard]] bool is_asked_about(const Event& event) const {
        const std::uint32_t shown = event.what | (event.is(kAcquired) ? kOverlap : 0U);
        return std::any_of(claims_.properties().begin(), claims_.properties().end(),
                           [&](const Property* property) {
                               return property->kind == PropertyKind::kAlways &&
                                      (property->triggers & shown) != 0;
                           });
    }
    // Alone, with each other caller beside, and with as much held by others as can be.
    void judge_step(std::size_t shared, const Callers& mover, const Taken& taken,
                    const People& others) {
        if (!is_asked_about(taken.event)) {
            return;
        }
        CertificateClaims::Values more;
        for (const Many& other : others.counts) {
            Callers callers = mover;
            callers.push_back(other.situation);
            world_.copy(after_, put(shared, callers));
            if (const auto event = world_.take(after_, taken.action)) {
                judge(*event, after_);
                more[other.situation] = std::max<std::int64_t>(
                    0, std::int64_t{event->holding_before} - taken.event.holding_before);
            }
        }
        world_.copy(after_, put(shared, mover));
        Event event = *world_.take(after_, taken.action);
        judge(event, after_);
        event.holding_before += static_cast<std::uint32_t>(claims_.most(others, more));
        judge(event, after_);
    }

    void judge_rest(std::size_t shared, const People& people) {
        const auto is_of_rest = [](const Property* property) {
            return property->kind == PropertyKind::kAtQuiescence;
        };
        const auto& asked = claims_.properties();
        if (std::none_of(asked.begin(), asked.end(), is_of_rest) || !rests(shared, {})) {
            return;
        }
        std::vector<Many> resting;
        std::vector<CertificateClaims::Values> held;  // by key
        for (const Many& many : people.counts) {
            if (rests(shared, {many.situation})) {
                resting.push_back(many);
                world_.system().observe(state_, seen_);
                held.resize(seen_.keys_count);
                for (std::size_t key = 0; key < held.size(); ++key) {
                    held[key][many.situation] = seen_.keys[key].believed;
                }
            } else if (many.count != Certificate::kAny) {
                return;  // somebody is in the middle of something
            }
        }
        std::vector<std::int64_t> sums;
        sums.reserve(held.size());
        for (const CertificateClaims::Values& values : held) {
            sums.push_back(claims_.always(shared, resting, values));
        }
        judge_rest_of(shared, {}, sums);
        for (const Many& many : resting) {
            judge_rest_of(shared, {many.situation}, sums);
        }
    }
    void judge_rest_of(std::size_t shared, const Callers& callers,
                       const std::vector<std::int64_t>& held) {
        world_.system().observe(put(shared, callers), seen_);
        for (std::size_t key = 0; key < held.size(); ++key) {
            if (held[key] < 0) {
                return;  // the weights say that no such state is at rest
            }
            seen_.keys[key].believed = static_cast<std::uint32_t>(held[key]);
        }
        for (const Property* property : claims_.properties()) {
            refuse_if(property->kind == PropertyKind::kAtQuiescence &&
                          property->holds_not(seen_, Event{}),
                      *property);
        }
    }

    std::vector<std::size_t> reached_;
    std::set<std::size_t> is_reached_;
    std::set<std::size_t> met_;
    std::set<std::pair<std::size_t, Callers>> is_followed_;  // in a combination
    std::set<std::tuple<std::size_t, std::size_t, std::size_t>> is_tried_;
    Observation seen_{};
};

}  // namespace

std::string why_refused(const Certificate& certificate, const ReplicatedWorld& world) {
    try {
        CertificateChecker(certificate, world).check();
        return "";
    } catch (const CertificateRefused& refusal) {
        return refusal.why;
    } catch (const DoesNotFit& reason) {
        return reason.what();
    } catch (const LimitExceeded& reason) {
        return reason.what();
    }
}

}  // namespace lockkeeper::proofs
