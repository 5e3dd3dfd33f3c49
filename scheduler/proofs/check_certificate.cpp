// SPDX-License-Identifier: Apache-2.0
#include "scheduler/proofs/check_certificate.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "scheduler/proofs/certificate_index.hpp"
#include "scheduler/proofs/certificate_people.hpp"

namespace lockkeeper::proofs {
namespace {

using Many = Certificate::Many;
using Combination = Certificate::Combination;
using Numbers = std::vector<std::int64_t>;
using Situations = std::vector<std::size_t>;
using Values = CertificateIndex::Counts;  // by situation
using Taken = ReplicatedWorld::Taken;

// Instead of what a caller becomes by a step of nobody's: the step waits for it.
constexpr std::size_t kHoldsItUp = static_cast<std::size_t>(-1);

// Where a step of a caller leads: numbers of the certificate.
struct Went {
    std::size_t shared;
    std::size_t situation;
};
// The steps of a caller, learned once: they do not depend on who else is there.
struct Steps {
    std::vector<Went> went;
    std::vector<Taken> to_judge;  // those that may show what a property asks about
};
using Heard = std::map<std::size_t, Situations>;  // by situation

struct Unfinished {
    std::string limit;
};

class CertificateChecker {
  public:
    CertificateChecker(const Certificate& certificate, const ReplicatedWorld& world,
                       ProofWatch& watch)
        : said_(certificate), world_(world), watch_(watch), index_(certificate, world) {}

    // Returns whether it has a rest to judge, or none is asked about.
    bool check() {
        demand(world_.why_not_by_record().empty(), "something is handed the records of all");
        start();
        while (follow_all()) {
        }
        demand(reached_.size() == said_.combinations.size(), "a combination that is not reached");
        demand(met_.size() == said_.situations.size(), "a situation that nobody is in");
        for (const std::size_t combination : reached_) {
            look("judging the combinations", judged_++);
            judge(combination);
        }
        return has_rest_ || !index_.asks_of_rest();
    }

  private:
    // --- the combinations are closed under steps -------------------------------------------------

    void start() {
        const Numbers nothing(index_.weights_count());
        const std::size_t first = index_.shared(world_.initial_shared());
        demand(said_.shared[first].weights == nothing, "the first shared part weighs something");
        Values counts;
        for (std::size_t group = 0; group < world_.groups().size(); ++group) {
            const std::size_t begins = index_.situation(world_.initial_local(group));
            demand(weights_of(begins) == nothing, "who has not begun weighs something");
            counts.emplace(begins, Certificate::kAny);
            met_.insert(begins);
        }
        reached_.insert(index_.covering(first, counts));
    }

    // Nobody is put into a state but in a situation that somebody was seen to come to, whatever is
    // listed. False: nothing was new.
    bool follow_all() {
        const std::size_t before = reached_.size() + met_.size() + followed_;
        for (const std::size_t number : reached_) {
            look("taking the steps again", reached_.size());
            const Combination& at = said_.combinations[number];
            const CertificatePeople people(said_, at);
            if (people.is_impossible()) {
                continue;  // the weights contradict the counts: there is no such state
            }
            const std::vector<Taken> of_nobody = world_.steps_of_nobody(bytes_of(at.shared));
            const std::vector<bool> comes = which_come(at.shared, people, of_nobody);
            const Values counts = values_of(at);
            std::set<std::size_t> unchanged;  // shared parts
            Heard& heard = heard_[{at.shared, comes}];
            std::vector<const Situations*>& hearing = hearing_[number];
            hearing.resize(people.counts().size());
            for (std::size_t i = 0; i < hearing.size(); ++i) {
                const std::size_t situation = people.counts()[i].situation;
                if (hearing[i] == nullptr && met_.contains(situation)) {
                    follow(at, counts, situation, unchanged);
                    hearing[i] = &follow_hearing(at.shared, situation, of_nobody, comes, heard);
                    ++followed_;
                }
            }
            follow_nobody(at.shared, people, hearing, of_nobody, comes);
        }
        return before != reached_.size() + met_.size() + followed_;
    }

    // Time does not come while somebody is late who is certainly there.
    [[nodiscard]] std::vector<bool> which_come(std::size_t shared, const CertificatePeople& people,
                                               const std::vector<Taken>& of_nobody) const {
        std::vector<bool> come(of_nobody.size(), true);
        for (const Many& many : people.counts()) {
            if (of_nobody.empty() || many.count == Certificate::kAny) {
                continue;
            }
            const std::vector<Taken> heard = heard_by(shared, many.situation, of_nobody);
            for (std::size_t i = 0; i < heard.size(); ++i) {
                come[i] = come[i] && !heard[i].waits;
            }
        }
        return come;
    }
    [[nodiscard]] std::vector<Taken> heard_by(std::size_t shared, std::size_t situation,
                                              const std::vector<Taken>& of_nobody) const {
        return world_.steps_heard(bytes_of(shared), said_.situations[situation].local,
                                  ReplicatedWorld::actions_of(of_nobody));
    }

    std::size_t come_to(std::size_t from, std::size_t to, std::size_t mover, const Bytes& slot) {
        const std::size_t after = index_.situation({said_.situations[mover].local.group, slot});
        met_.insert(after);
        keep_weights(from, to, mover, after);
        return after;
    }
    static Values values_of(const Combination& at) {
        Values counts;
        for (const Many& many : at.counts) {
            counts.emplace(many.situation, many.count);
        }
        return counts;
    }
    const Steps& steps_from(std::size_t shared, std::size_t mover) {
        const auto [at, is_new] = steps_.try_emplace({shared, mover});
        if (is_new) {
            for (Taken& taken : world_.steps_of(bytes_of(shared), said_.situations[mover].local)) {
                const std::size_t to = index_.shared(taken.shared);
                at->second.went.push_back({to, come_to(shared, to, mover, taken.slot)});
                if (is_to_judge(taken, false)) {
                    at->second.to_judge.push_back(std::move(taken));
                }
            }
        }
        return at->second;
    }
    // `unchanged`: where steps lead that move somebody from any number to any number.
    void follow(const Combination& at, const Values& before, std::size_t mover,
                std::set<std::size_t>& unchanged) {
        const auto is_any = [&](std::size_t situation) {
            const auto found = before.find(situation);
            return found != before.end() && found->second == Certificate::kAny;
        };
        for (const auto& [shared, after] : steps_from(at.shared, mover).went) {
            if (is_any(mover) && is_any(after)) {
                if (unchanged.insert(shared).second) {
                    reached_.insert(index_.covering(shared, before));
                }
                continue;
            }
            Values counts = before;
            counts[mover] -= counts[mover] == Certificate::kAny ? 0 : 1;
            add(counts[after], 1);
            reached_.insert(index_.covering(shared, counts));
        }
    }
    // Returns what the caller becomes when it hears of each step of nobody's that comes.
    // `known`: where the same come.
    const Situations& follow_hearing(std::size_t shared, std::size_t hearer,
                                     const std::vector<Taken>& of_nobody,
                                     const std::vector<bool>& comes, Heard& known) {
        const auto [at, is_new] = known.try_emplace(hearer);
        if (is_new) {
            for (const Taken& heard : heard_by(shared, hearer, of_nobody)) {
                const bool waits = heard.waits || !comes[at->second.size()];
                at->second.push_back(waits ? kHoldsItUp
                                           : come_to(shared, shared, hearer, heard.slot));
            }
        }
        return at->second;
    }
    void follow_nobody(std::size_t from, const CertificatePeople& people,
                       const std::vector<const Situations*>& hearing,
                       const std::vector<Taken>& of_nobody, const std::vector<bool>& comes) {
        for (std::size_t i = 0; i < of_nobody.size(); ++i) {
            if (!comes[i]) {
                continue;
            }
            const std::size_t shared = index_.shared(of_nobody[i].shared);
            keep_weights(from, shared, 0, 0);
            Values counts;
            for (std::size_t who = 0; who < hearing.size(); ++who) {
                // Null: later, by then everybody was met. Waited for: nobody is there.
                if (hearing[who] != nullptr && (*hearing[who])[i] != kHoldsItUp) {
                    add(counts[(*hearing[who])[i]], people.counts()[who].count);
                }
            }
            reached_.insert(index_.covering(shared, counts));
        }
    }
    static void add(std::int64_t& count, std::int64_t more) {
        const bool any = count == Certificate::kAny || more == Certificate::kAny;
        count = any ? Certificate::kAny : count + more;
    }
    void keep_weights(std::size_t from, std::size_t to, std::size_t mover, std::size_t after) {
        for (std::size_t i = 0; i < index_.weights_count(); ++i) {
            demand(said_.shared[to].weights[i] - said_.shared[from].weights[i] ==
                       weights_of(after)[i] - weights_of(mover)[i],
                   "a step does not keep the weights");
        }
    }

    // --- and none of them is bad -----------------------------------------------------------------

    void judge(std::size_t number) {
        const Combination& at = said_.combinations[number];
        const CertificatePeople people(said_, at);
        if (people.is_impossible()) {
            return;
        }
        const std::vector<Taken> of_nobody = world_.steps_of_nobody(bytes_of(at.shared));
        const std::vector<bool> comes = which_come(at.shared, people, of_nobody);
        const Heard& heard = heard_.at({at.shared, comes});
        for (std::size_t i = 0; i < of_nobody.size(); ++i) {
            if (comes[i] && is_to_judge(of_nobody[i], true)) {
                judge_step(at.shared, {}, of_nobody[i], people,
                           [&](std::size_t other) { return heard.at(other)[i] != kHoldsItUp; });
            }
        }
        const auto everybody = [](std::size_t) { return true; };
        for (const Many& many : people.counts()) {
            const Local& local = said_.situations[many.situation].local;
            demand(!absent_.insert({at.shared, many.situation}).second ||
                       world_.same_without_absent(bytes_of(at.shared), local),
                   "callers that have nothing to do make a difference");
            for (const Taken& taken : steps_.at({at.shared, many.situation}).to_judge) {
                judge_step(at.shared, {many.situation}, taken, people.without(many.situation),
                           everybody);
            }
        }
        judge_rest(at.shared, people);
    }

    void judge_state(PropertyKind kind, const Event& event) {
        for (const Property* property : index_.properties()) {
            const bool is_asked =
                kind == PropertyKind::kAtQuiescence || (property->triggers & event.what) != 0;
            if (property->kind == kind && is_asked && property->holds_not(seen_, event)) {
                throw CertificateRefused{"it allows " + std::string(property->name)};
            }
        }
    }
    // With others beside, an acquire may overlap with what they hold, and who hears of a step of
    // nobody's may be told of a loss.
    [[nodiscard]] bool is_to_judge(const Taken& taken, bool is_of_nobody) const {
        return ((taken.event.what | (taken.event.is(kAcquired) ? kOverlap : 0U) |
                 (is_of_nobody ? kLost : 0U)) &
                index_.triggers()) != 0;
    }
    // Alone, with each other caller beside, and with as much held by others as can be.
    template <class IsThere>
    void judge_step(std::size_t shared, const Situations& mover, const Taken& taken,
                    const CertificatePeople& others, IsThere is_there) {
        constexpr std::int64_t kEndless = 1'000'000;
        const auto take_beside = [&](const Situations& callers) {
            ReplicatedWorld::State after = state_of(shared, callers);
            const Event event = world_.take(after, taken.action);
            world_.system().observe(after, seen_);
            judge_state(PropertyKind::kAlways, event);
            return event;
        };
        Values more;
        for (const Many& other : others.counts()) {
            if (!is_there(other.situation)) {
                more[other.situation] = 0;
                continue;
            }
            Situations callers = mover;
            callers.push_back(other.situation);
            more[other.situation] = std::max<std::int64_t>(
                0, std::int64_t{take_beside(callers).holding_before} - taken.event.holding_before);
        }
        Event event = take_beside(mover);
        event.holding_before += static_cast<std::uint32_t>(others.most(more).value_or(kEndless));
        judge_state(PropertyKind::kAlways, event);
    }

    void judge_rest(std::size_t shared, const CertificatePeople& people) {
        if (!index_.asks_of_rest() || !world_.system().quiescent(state_of(shared, {}))) {
            return;
        }
        std::vector<Many> resting;
        std::vector<Values> held;  // by key
        for (const Many& many : people.counts()) {
            if (world_.system().quiescent(state_of(shared, {many.situation}))) {
                resting.push_back(many);
                world_.system().observe(state_of(shared, {many.situation}), seen_);
                held.resize(seen_.keys_count);
                for (std::size_t key = 0; key < held.size(); ++key) {
                    held[key][many.situation] = seen_.keys[key].believed;
                }
            } else if (many.count != Certificate::kAny) {
                return;  // somebody is in the middle of something
            }
        }
        has_rest_ = true;
        std::vector<std::optional<std::int64_t>> sums;
        sums.reserve(held.size());
        for (const Values& values : held) {
            sums.push_back(people.always(resting, values));
        }
        for (const Many& many : resting) {  // somebody is there
            judge_rest_of(shared, many.situation, sums);
        }
    }
    void judge_rest_of(std::size_t shared, std::size_t situation,
                       const std::vector<std::optional<std::int64_t>>& held) {
        world_.system().observe(state_of(shared, {situation}), seen_);
        for (std::size_t key = 0; key < held.size(); ++key) {
            demand(held[key].has_value(), "how much is held at rest is not decided");
            if (*held[key] < 0) {
                return;  // the weights say that no such state is at rest
            }
            seen_.keys[key].believed = static_cast<std::uint32_t>(*held[key]);
        }
        judge_state(PropertyKind::kAtQuiescence, Event{});
    }

    void look(const char* doing, std::size_t done) {
        const std::string limit = watch_.look({doing, done, said_.combinations.size()});
        if (!limit.empty()) {
            throw Unfinished{limit};
        }
    }
    [[nodiscard]] const Bytes& bytes_of(std::size_t shared) const {
        return said_.shared[shared].bytes;
    }
    [[nodiscard]] const Numbers& weights_of(std::size_t situation) const {
        return said_.situations[situation].weights;
    }
    [[nodiscard]] ReplicatedWorld::State state_of(std::size_t shared,
                                                  const Situations& callers) const {
        std::vector<const Local*> locals;
        for (const std::size_t caller : callers) {
            locals.push_back(&said_.situations[caller].local);
        }
        return world_.state_of(bytes_of(shared), locals);
    }

    const Certificate& said_;
    const ReplicatedWorld& world_;
    ProofWatch& watch_;
    CertificateIndex index_;
    std::set<std::size_t> reached_;                               // combinations
    std::set<std::size_t> met_;                                   // situations
    std::map<std::pair<std::size_t, std::size_t>, Steps> steps_;  // by what is shared, situation
    // By what is shared and which steps of nobody's come: what a caller becomes by each of them.
    std::map<std::pair<std::size_t, std::vector<bool>>, Heard> heard_;
    // By combination, of all who can be there; null: not followed yet.
    std::map<std::size_t, std::vector<const Situations*>> hearing_;
    std::size_t followed_ = 0;
    std::set<std::pair<std::size_t, std::size_t>> absent_;  // tried: what is shared, situation
    std::size_t judged_ = 0;
    bool has_rest_ = false;
    Observation seen_{};
};

}  // namespace

CertificateCheck check_certificate(const Certificate& certificate, const ReplicatedWorld& world,
                                   ProofWatch& watch) {
    try {
        return {"", "", CertificateChecker(certificate, world, watch).check()};
    } catch (const CertificateRefused& refusal) {
        return {refusal.why, ""};
    } catch (const DoesNotFit& reason) {
        return {reason.what(), ""};
    } catch (const LimitExceeded& reason) {  // something grows beyond the compiled size
        return {reason.what(), ""};
    } catch (const Unfinished& reason) {
        return {"", reason.limit};
    }
}

}  // namespace lockkeeper::proofs
