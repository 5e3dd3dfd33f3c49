// SPDX-License-Identifier: Apache-2.0
#include "scheduler/search/proofs/check_certificate.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "properties/catalogue.hpp"
#include "scheduler/search/proofs/decidable.hpp"

namespace lockkeeper::proofs {
namespace {

struct Refusal {
    std::string why;
};
[[noreturn]] void refuse_certificate(const std::string& why) { throw Refusal{why}; }
void demand(bool holds, const char* what) {
    if (!holds) {
        refuse_certificate(what);
    }
}

class CertificateChecker {
  public:
    CertificateChecker(const Certificate& certificate, const ReplicatedWorld& world)
        : said_(certificate), world_(world), state_(world.empty()) {}

    void check() {
        demand(world_.has_local_steps(), "steps are handed the records of all callers");
        read_properties();
        read_parts();
        read_combinations();
        start();
        for (std::size_t done = 0; done < reached_.size(); ++done) {
            check_combination(said_.combinations[reached_[done]]);
        }
        demand(reached_.size() == said_.combinations.size(), "a combination that is not reached");
        demand(met_.size() == said_.situations.size(), "a situation that nobody is in");
    }

  private:
    using Many = Certificate::Many;
    using People = std::vector<Many>;
    using Weights = std::vector<std::int64_t>;
    struct Taken {
        std::size_t shared = 0;
        std::vector<std::size_t> callers;  // after it, in the order of those before
        Action action;
        Event event;
    };

    void read_properties() {
        std::set<std::string> names;
        for (const std::string& name : said_.proved) {
            const Property* property = find_property(name);
            const bool can_be = property != nullptr && is_decidable(*property);
            demand(can_be && names.insert(name).second, "a property that cannot be proved");
            properties_.push_back(property);
        }
        demand(!properties_.empty(), "nothing is proved");
    }

    void read_parts() {
        demand(!said_.situations.empty() && !said_.shared.empty(), "a part is missing");
        weights_ = said_.situations.front().weights.size();
        for (const auto& each : said_.situations) {
            demand(each.local.group < world_.groups().size() &&
                       each.local.slot.size() == world_.slot_bytes() &&
                       each.weights.size() == weights_ && least_of(each.weights) >= 0 &&
                       situations_.emplace(each.local, situations_.size()).second,
                   "a situation that fits no caller, or is said twice");
        }
        for (const auto& each : said_.shared) {
            demand(each.bytes.size() == world_.shared_bytes() && each.weights.size() == weights_ &&
                       shared_.emplace(each.bytes, shared_.size()).second,
                   "a shared part that does not fit, or is said twice");
        }
        std::set<Weights> columns;
        for (std::size_t i = 0; i < weights_; ++i) {
            Weights column;
            for (const auto& each : said_.situations) {
                column.push_back(each.weights[i]);
            }
            demand(columns.insert(std::move(column)).second, "weights that are said twice");
        }
    }
    static std::int64_t least_of(const Weights& weights) {
        return weights.empty() ? 0 : *std::min_element(weights.begin(), weights.end());
    }

    void read_combinations() {
        for (std::size_t i = 0; i < said_.combinations.size(); ++i) {
            const auto& each = said_.combinations[i];
            demand(each.shared < said_.shared.size(), "a combination without a shared part");
            demand(!said_.everybody || each.counts.empty(), "counts where everybody may be");
            std::set<std::size_t> any;
            std::map<std::size_t, std::int64_t> exact;
            std::size_t least = 0;
            for (const Many& many : each.counts) {
                demand(many.situation >= least && many.situation < said_.situations.size() &&
                           (many.count > 0 || many.count == Certificate::kAny),
                       "a count that is none, or is said twice");
                least = many.situation + 1;
                many.count == Certificate::kAny ? static_cast<void>(any.insert(many.situation))
                                                : static_cast<void>(exact[many.situation] = many.count);
            }
            demand(covers_[each.shared][any].emplace(exact, i).second,
                   "a combination that is said twice");
        }
    }

    // Marks the combination that covers these, who are there with this shared part.
    void reach(std::size_t shared, const People& people) {
        for (const auto& [any, exact_counts] : covers_[shared]) {
            std::map<std::size_t, std::int64_t> exact;
            for (const Many& many : people) {
                if (any.count(many.situation) == 0) {
                    exact[many.situation] = many.count;
                }
            }
            const auto found = exact_counts.find(said_.everybody ? decltype(exact)() : exact);
            if (found != exact_counts.end()) {
                if (is_reached_.insert(found->second).second) {
                    reached_.push_back(found->second);
                }
                return;
            }
        }
        refuse_certificate("a step leads out of the combinations");
    }

    void start() {
        const auto first = shared_.find(world_.initial_shared());
        demand(first != shared_.end(), "the first shared part is missing");
        demand(said_.shared[first->second].weights == Weights(weights_), "the first part weighs");
        People people;
        for (std::size_t group = 0; group < world_.groups().size(); ++group) {
            const auto found = situations_.find(world_.initial_local(group));
            demand(found != situations_.end(), "callers that have not begun are missing");
            demand(said_.situations[found->second].weights == Weights(weights_),
                   "who has not begun weighs");
            people.push_back({found->second, Certificate::kAny});
            met_.insert(found->second);
        }
        reach(first->second, people);
    }

    // Who can be there, as the weights allow.
    [[nodiscard]] People people_of(const Certificate::Combination& at, Weights& room) const {
        People people = at.counts;
        for (std::size_t i = 0; said_.everybody && i < said_.situations.size(); ++i) {
            people.push_back({i, Certificate::kAny});
        }
        room = said_.shared[at.shared].weights;
        for (const Many& many : people) {
            for (std::size_t i = 0; many.count != Certificate::kAny && i < weights_; ++i) {
                room[i] -= weight(many.situation, i) * many.count;
            }
        }
        leave_out_heavy(people, room);
        return people;
    }
    void leave_out_heavy(People& people, const Weights& room) const {
        people.erase(std::remove_if(people.begin(), people.end(),
                                    [&](const Many& many) {
                                        bool fits = true;
                                        for (std::size_t i = 0; i < weights_; ++i) {
                                            fits = fits && weight(many.situation, i) <= room[i];
                                        }
                                        return many.count == Certificate::kAny && !fits;
                                    }),
                     people.end());
    }
    [[nodiscard]] std::int64_t weight(std::size_t situation, std::size_t which) const {
        return said_.situations[situation].weights[which];
    }

    void check_combination(const Certificate::Combination& at) {
        Weights room;
        const People people = people_of(at, room);
        if (least_of(room) < 0) {
            return;  // the weights say that no state is like this
        }
        for (const Many& many : people) {
            People others = people;
            Weights left = room;
            take_out(many.situation, others, left);
            check_absent(at.shared, {many.situation});
            for (const Taken& taken : steps(at.shared, {many.situation})) {
                follow(at, many.situation, taken);
                judge_step(at.shared, {many.situation}, taken, others, left);
            }
            for (const Many& other : others) {
                check_beside(at.shared, many.situation, other.situation);
            }
        }
        bool finds_nobody = false;
        for (const Taken& taken : steps(at.shared, {}, &finds_nobody)) {
            follow(at, said_.situations.size(), taken);
            judge_step(at.shared, {}, taken, people, room);
        }
        demand(!finds_nobody || somebody_is_found(at.shared, people, room),
               "a step of the servers may find nobody");
        judge_rest(at.shared, people);
    }
    void take_out(std::size_t situation, People& people, Weights& room) const {
        const auto found = std::find_if(people.begin(), people.end(), [&](const Many& many) {
            return many.situation == situation;
        });
        if (found->count == Certificate::kAny) {
            for (std::size_t i = 0; i < weights_; ++i) {
                room[i] -= weight(situation, i);
            }
            leave_out_heavy(people, room);
        } else if (--found->count == 0) {
            people.erase(found);
        }
    }

    // `mover`: none for a step of nobody's.
    void follow(const Certificate::Combination& at, std::size_t mover, const Taken& taken) {
        std::map<std::size_t, std::int64_t> counts;
        for (const Many& many : at.counts) {
            counts[many.situation] = many.count;
        }
        const bool moves = mover != said_.situations.size();
        for (std::size_t i = 0; i < weights_; ++i) {
            const std::int64_t more =
                moves ? weight(taken.callers[0], i) - weight(mover, i) : std::int64_t{0};
            demand(said_.shared[taken.shared].weights[i] - said_.shared[at.shared].weights[i] == more,
                   "a step does not keep the weights");
        }
        if (moves && !said_.everybody) {
            counts[mover] -= counts[mover] == Certificate::kAny ? 0 : 1;
            std::int64_t& there = counts[taken.callers[0]];
            there += there == Certificate::kAny ? 0 : 1;
        }
        People people;
        for (const auto& [situation, count] : counts) {
            if (count != 0) {
                people.push_back({situation, count});
            }
        }
        if (moves) {
            met_.insert(taken.callers[0]);
        }
        reach(taken.shared, people);
    }

    void put(std::size_t shared, const std::vector<std::size_t>& callers) {
        world_.copy(state_, world_.empty());
        world_.put_shared(state_, said_.shared[shared].bytes);
        for (std::size_t i = 0; i < callers.size(); ++i) {
            const Local& local = said_.situations[callers[i]].local;
            const std::size_t before =
                i == 1 && said_.situations[callers[0]].local.group == local.group ? 1 : 0;
            world_.put_slot(state_, world_.groups()[local.group].first + before, local.slot);
        }
    }
    [[nodiscard]] std::size_t slot_of(const std::vector<std::size_t>& callers, std::size_t i) const {
        const std::size_t group = said_.situations[callers[i]].local.group;
        const bool second = i == 1 && said_.situations[callers[0]].local.group == group;
        return world_.groups()[group].first + (second ? 1 : 0);
    }

    // All that can happen when only these are there.
    std::vector<Taken> steps(std::size_t shared, const std::vector<std::size_t>& callers,
                             bool* finds_nobody = nullptr, bool only_servers = false) {
        put(shared, callers);
        ActionList actions;
        world_.system().enabled(state_, actions);
        std::vector<Taken> all;
        ReplicatedWorld::State after = state_;
        for (const Action action : actions) {
            if (only_servers && action.kind == ActionKind::kStep) {
                continue;
            }
            world_.copy(after, state_);
            const auto event = world_.take(after, action);
            if (!event) {
                if (finds_nobody != nullptr) {
                    *finds_nobody = true;
                }
                continue;
            }
            all.push_back(named(after, callers, action, *event));
        }
        return all;
    }
    [[nodiscard]] Taken named(ReplicatedWorld::State& after, const std::vector<std::size_t>& callers,
                              Action action, const Event& event) const {
        Taken taken{0, {}, action, event};
        for (std::size_t i = 0; i < callers.size(); ++i) {
            const std::size_t slot = slot_of(callers, i);
            const std::size_t group = said_.situations[callers[i]].local.group;
            const auto found = situations_.find({group, world_.slot_of(after, slot)});
            demand(found != situations_.end(), "a step leads to a situation that is not listed");
            taken.callers.push_back(found->second);
            world_.put_slot(after, slot, world_.absent());
        }
        for (std::size_t slot = 0; slot < world_.slots_count(); ++slot) {
            demand(world_.has_slot(after, slot, world_.absent()), "a step changes others");
        }
        const auto found = shared_.find(world_.shared_of(after));
        demand(found != shared_.end(), "a step leads to a shared part that is not listed");
        taken.shared = found->second;
        return taken;
    }

    [[nodiscard]] bool has_room(std::size_t one, std::size_t other) const {
        const std::size_t group = said_.situations[one].local.group;
        return said_.situations[other].local.group != group || world_.groups()[group].size > 1;
    }

    void check_absent(std::size_t shared, const std::vector<std::size_t>& callers) {
        std::vector<Bytes> by_group;
        for (std::size_t group = 0; group < world_.groups().size(); ++group) {
            by_group.push_back(world_.initial_local(group).slot);
        }
        for (const std::size_t caller : callers) {
            by_group[said_.situations[caller].local.group] = said_.situations[caller].local.slot;
        }
        demand(world_.same_without_absent(said_.shared[shared].bytes, by_group),
               "callers that have nothing to do make a difference");
    }

    // What the servers do, with both there, is what they do with one of them there.
    void check_beside(std::size_t shared, std::size_t one, std::size_t other) {
        if (!has_room(one, other) || !is_tried_.insert({shared, one, other}).second) {
            return;
        }
        if (said_.situations[one].local.group != said_.situations[other].local.group) {
            check_absent(shared, {one, other});
        }
        const std::vector<Taken> both = steps(shared, {one, other}, nullptr, true);
        if (both.empty()) {
            return;
        }
        const std::vector<Taken> of_one = steps(shared, {one}, nullptr, true);
        const std::vector<Taken> of_other = steps(shared, {other}, nullptr, true);
        for (const Taken& taken : both) {
            const auto is_in = [&](const std::vector<Taken>& alone, std::size_t mover) {
                const std::size_t stays = mover == 0 ? other : one;
                return taken.callers[1 - mover] == stays &&
                       std::any_of(alone.begin(), alone.end(), [&](const Taken& own) {
                           return own.shared == taken.shared && own.action.kind == taken.action.kind &&
                                  own.action.argument == taken.action.argument &&
                                  own.callers[0] == taken.callers[mover] &&
                                  ((own.event.what ^ taken.event.what) & ~std::uint32_t{kOverlap}) == 0;
                       });
            };
            demand(is_in(of_one, 0) || is_in(of_other, 1), "a step of the servers concerns several");
        }
    }

    [[nodiscard]] bool somebody_is_found(std::size_t shared, const People& people,
                                         const Weights& room) {
        const auto is_found = [&](std::size_t situation) {
            const auto taken = steps(shared, {situation});
            return std::any_of(taken.begin(), taken.end(), [](const Taken& each) {
                return each.action.kind == ActionKind::kBackground;
            });
        };
        bool is_there = false;
        std::vector<bool> only_such(weights_, true);
        for (const Many& many : people) {
            const bool found = is_found(many.situation);
            is_there = is_there || (found && many.count != Certificate::kAny);
            for (std::size_t i = 0; i < weights_; ++i) {
                only_such[i] = only_such[i] && (found || weight(many.situation, i) == 0);
            }
        }
        for (std::size_t i = 0; i < weights_; ++i) {
            is_there = is_there || (only_such[i] && room[i] > 0);
        }
        return is_there;
    }

    // The most that the sum can be. `value`: by situation.
    template <class Value>
    [[nodiscard]] std::int64_t most(const People& people, const Weights& room, Value value) const {
        constexpr std::int64_t kEndless = 1'000'000;
        std::int64_t exact = 0;
        bool is_open = false;
        std::vector<bool> bounds(weights_, true);
        for (const Many& many : people) {
            const std::int64_t each = value(many.situation);
            exact += many.count == Certificate::kAny ? 0 : each * many.count;
            is_open = is_open || (many.count == Certificate::kAny && each > 0);
            for (std::size_t i = 0; i < weights_; ++i) {
                bounds[i] = bounds[i] && (many.count != Certificate::kAny ||
                                          weight(many.situation, i) >= each);
            }
        }
        std::int64_t least = is_open ? kEndless : 0;
        for (std::size_t i = 0; is_open && i < weights_; ++i) {
            least = bounds[i] ? std::min(least, room[i]) : least;
        }
        return exact + least;
    }

    void judge(const Event& event, const ReplicatedWorld::State& after) {
        for (const Property* property : properties_) {
            if (property->kind == PropertyKind::kAlways && (property->triggers & event.what) != 0) {
                world_.system().observe(after, seen_);
                if (property->holds_not(seen_, event)) {
                    refuse_certificate("a step breaks " + std::string(property->name));
                }
            }
        }
    }
    void judge_step(std::size_t shared, const std::vector<std::size_t>& mover, const Taken& taken,
                    const People& others, const Weights& room) {
        const bool is_asked = std::any_of(
            properties_.begin(), properties_.end(), [&](const Property* property) {
                const std::uint32_t shown = taken.event.what | (taken.event.is(kAcquired) ? kOverlap : 0U);
                return property->kind == PropertyKind::kAlways && (property->triggers & shown) != 0;
            });
        if (!is_asked) {
            return;
        }
        std::map<std::size_t, std::int64_t> more;
        std::vector<std::size_t> callers = mover;
        callers.push_back(0);
        for (const Many& other : others) {
            if (!mover.empty() && !has_room(mover[0], other.situation)) {
                refuse_certificate("there is no room to look at two callers");
            }
            callers.back() = other.situation;
            put(shared, callers);
            ReplicatedWorld::State after = state_;
            if (const auto event = world_.take(after, taken.action)) {
                judge(*event, after);
                more[other.situation] = std::max<std::int64_t>(
                    0, std::int64_t{event->holding_before} - taken.event.holding_before);
            }
        }
        put(shared, mover);
        ReplicatedWorld::State after = state_;
        Event event = *world_.take(after, taken.action);
        judge(event, after);
        event.holding_before += static_cast<std::uint32_t>(
            most(others, room, [&](std::size_t situation) { return more[situation]; }));
        judge(event, after);
    }

    void judge_rest(std::size_t shared, const People& people) {
        const bool is_asked =
            std::any_of(properties_.begin(), properties_.end(), [](const Property* property) {
                return property->kind == PropertyKind::kAtQuiescence;
            });
        put(shared, {});
        if (!is_asked || !world_.system().quiescent(state_)) {
            return;
        }
        People resting;
        for (const Many& many : people) {
            put(shared, {many.situation});
            if (world_.system().quiescent(state_)) {
                resting.push_back(many);
            } else if (many.count != Certificate::kAny) {
                return;
            }
        }
        world_.system().observe(state_, seen_);
        Weights held;
        for (std::size_t key = 0; key < seen_.keys_count; ++key) {
            held.push_back(held_at_rest(shared, resting, key));
        }
        judge_rest_of(shared, {}, held);
        for (const Many& many : resting) {
            judge_rest_of(shared, {many.situation}, held);
        }
    }
    // What all of them believe to hold together; the same in every such state.
    std::int64_t held_at_rest(std::size_t shared, const People& resting, std::size_t key) {
        std::int64_t exact = 0;
        bool is_open = false;
        std::vector<bool> says(weights_, true);
        for (const Many& many : resting) {
            put(shared, {many.situation});
            world_.system().observe(state_, seen_);
            const std::int64_t each = seen_.keys[key].believed;
            exact += many.count == Certificate::kAny ? 0 : each * many.count;
            is_open = is_open || (many.count == Certificate::kAny && each != 0);
            for (std::size_t i = 0; i < weights_; ++i) {
                says[i] = says[i] && weight(many.situation, i) == each;
            }
        }
        const auto found = std::find(says.begin(), says.end(), true);
        demand(!is_open || found != says.end(), "how much is held at rest is not decided");
        return is_open ? said_.shared[shared].weights[static_cast<std::size_t>(found - says.begin())]
                       : exact;
    }
    void judge_rest_of(std::size_t shared, const std::vector<std::size_t>& callers,
                       const Weights& held) {
        put(shared, callers);
        world_.system().observe(state_, seen_);
        for (std::size_t key = 0; key < held.size(); ++key) {
            if (held[key] < 0) {
                return;
            }
            seen_.keys[key].believed = static_cast<std::uint32_t>(held[key]);
        }
        for (const Property* property : properties_) {
            if (property->kind == PropertyKind::kAtQuiescence &&
                property->holds_not(seen_, Event{})) {
                refuse_certificate("at rest, it breaks " + std::string(property->name));
            }
        }
    }

    const Certificate& said_;
    const ReplicatedWorld& world_;
    std::vector<const Property*> properties_;
    std::size_t weights_ = 0;
    std::map<Local, std::size_t> situations_;
    std::map<Bytes, std::size_t> shared_;
    using Exact = std::map<std::map<std::size_t, std::int64_t>, std::size_t>;
    std::map<std::size_t, std::map<std::set<std::size_t>, Exact>> covers_;
    std::vector<std::size_t> reached_;
    std::set<std::size_t> is_reached_;
    std::set<std::size_t> met_;
    std::set<std::tuple<std::size_t, std::size_t, std::size_t>> is_tried_;
    ReplicatedWorld::State state_;
    Observation seen_{};
};

}  // namespace

std::string why_refused(const Certificate& certificate, const ReplicatedWorld& world) {
    try {
        CertificateChecker(certificate, world).check();
        return "";
    } catch (const Refusal& refusal) {
        return refusal.why;
    } catch (const LimitExceeded& reason) {
        return reason.what();
    }
}

}  // namespace lockkeeper::proofs
