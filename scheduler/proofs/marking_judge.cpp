// SPDX-License-Identifier: Apache-2.0
#include "scheduler/proofs/marking_judge.hpp"

#include <algorithm>

#include "model/check.hpp"

namespace lockkeeper::proofs {
namespace {

// More is as good as any number: no capacity is as large.
constexpr std::int64_t kManyHeld = 1'000'000;

// With others beside, an acquire may overlap with what they hold, and a caller that hears of a step
// of nobody's may be told of a loss.
std::uint32_t may_show(const Event& event, bool is_of_nobody) {
    return event.what | (event.is(kAcquired) ? kOverlap : 0U) | (is_of_nobody ? kLost : 0U);
}

}  // namespace

MarkingJudge::MarkingJudge(ReplicatedSteps& steps, std::vector<const Property*> properties)
    : steps_(steps), properties_(std::move(properties)) {
    LOCKKEEPER_CHECK(properties_.size() <= 64);
    for (const Property* property : properties_) {
        LOCKKEEPER_CHECK(is_decidable(*property));
        triggers_ |= property->triggers;
    }
    observe(steps_.initial_shared(), {});
    keys_count_ = seen_.keys_count;
}

void MarkingJudge::observe(SharedId shared, const std::vector<LocalId>& callers) {
    steps_.world().system().observe(steps_.state_of(shared, callers), seen_);
}

// Judges one step; the first of the callers takes it, unless it is a step of nobody's.
std::uint64_t MarkingJudge::broken_by(const Event& event, SharedId shared,
                                      const std::vector<LocalId>& callers, Action action) {
    std::uint64_t breaks = 0;
    bool observed = false;
    for (std::size_t i = 0; i < properties_.size(); ++i) {
        const Property& property = *properties_[i];
        if (property.kind != PropertyKind::kAlways || (property.triggers & event.what) == 0) {
            continue;
        }
        if (property.needs_observation && !observed) {
            ReplicatedWorld::State after = steps_.state_of(shared, callers);
            static_cast<void>(steps_.world().take(after, action));
            steps_.world().system().observe(after, seen_);
            observed = true;
        }
        breaks |= property.holds_not(seen_, event) ? std::uint64_t{1} << i : 0U;
    }
    return breaks;
}

const MarkingJudge::Beside& MarkingJudge::beside(SharedId shared, const LocalId* local,
                                                 std::size_t number, const ReplicatedStep& step,
                                                 LocalId other) {
    const LocalId mover = local != nullptr ? *local : LocalId{0xFFFF};
    const BesideKey key{static_cast<std::uint64_t>(shared) << 32U |
                            static_cast<std::uint64_t>(mover) << 16U | other,
                        number};
    const auto known = beside_.find(key);
    if (known != beside_.end()) {
        return known->second;
    }
    std::vector<LocalId> callers{other};
    if (local != nullptr) {
        callers.insert(callers.begin(), *local);
    }
    Beside found;
    if (steps_.has_room(callers)) {
        ReplicatedWorld::State after = steps_.state_of(shared, callers);
        const Event event = steps_.world().take(after, step.action);
        found.more_held = std::int64_t{event.holding_before} - step.event.holding_before;
        found.breaks = broken_by(event, shared, callers, step.action);
    } else {
        found.more_held = kManyHeld;
    }
    return beside_.emplace(key, found).first->second;
}

Broken MarkingJudge::broken(const Property& property, SharedId shared, const char* how) {
    return {&property, std::string(property.name) + how + steps_.show(shared)};
}

std::optional<Broken> MarkingJudge::judge_step(const Populated& others, SharedId shared,
                                               const LocalId* local, std::size_t number,
                                               const ReplicatedStep& step) {
    if ((may_show(step.event, local == nullptr) & triggers_) == 0) {
        return std::nullopt;
    }
    const auto is_there = [&](LocalId other) {
        return local != nullptr || steps_.hearing(shared, number, other) != kWaitedFor;
    };
    const std::vector<LocalId> alone =
        local != nullptr ? std::vector<LocalId>{*local} : std::vector<LocalId>{};
    std::uint64_t breaks = broken_by(step.event, shared, alone, step.action);
    for (const LocalCount& other : others.counts()) {
        breaks |= is_there(other.local) ? beside(shared, local, number, step, other.local).breaks
                                        : std::uint64_t{0};
    }
    const auto more = others.most([&](LocalId other) {
        return is_there(other)
                   ? std::max<std::int64_t>(0, beside(shared, local, number, step, other).more_held)
                   : 0;
    });
    Event event = step.event;
    event.holding_before +=
        static_cast<std::uint32_t>(std::min(more.value_or(kManyHeld), kManyHeld));
    for (std::size_t i = 0; i < properties_.size(); ++i) {
        const Property& property = *properties_[i];
        const bool by_sum = !property.needs_observation && property.kind == PropertyKind::kAlways &&
                            (property.triggers & event.what) != 0 &&
                            property.holds_not(seen_, event);
        if (by_sum || (breaks >> i & 1U) != 0) {
            return broken(property, shared, ": by a step at ");
        }
    }
    return std::nullopt;
}

bool MarkingJudge::is_at_rest(SharedId shared, const std::vector<LocalId>& callers) {
    return steps_.world().system().quiescent(steps_.state_of(shared, callers));
}

bool MarkingJudge::rests(SharedId shared, LocalId local) {
    const std::uint64_t key = static_cast<std::uint64_t>(shared) << 16U | local;
    const auto known = rests_.find(key);
    return known != rests_.end() ? known->second
                                 : rests_.emplace(key, is_at_rest(shared, {local})).first->second;
}

std::uint32_t MarkingJudge::held(LocalId local, std::size_t key) {
    while (held_.size() <= local) {
        observe(steps_.initial_shared(), {static_cast<LocalId>(held_.size())});
        std::vector<std::uint32_t>& believed = held_.emplace_back();
        for (std::size_t i = 0; i < keys_count_; ++i) {
            believed.push_back(seen_.keys[i].believed);
        }
    }
    return held_[local][key];
}

const Property* MarkingJudge::breaks_rest(SharedId shared, const std::vector<LocalId>& callers,
                                          const std::vector<std::uint32_t>& believed) {
    observe(shared, callers);
    for (std::size_t key = 0; key < keys_count_; ++key) {
        seen_.keys[key].believed = believed[key];
    }
    for (const Property* property : properties_) {
        if (property->kind == PropertyKind::kAtQuiescence && property->holds_not(seen_, Event{})) {
            return property;
        }
    }
    return nullptr;
}

std::optional<Broken> MarkingJudge::judge_rest(const Populated& at) {
    const bool is_asked = std::any_of(properties_.begin(), properties_.end(), [](const auto* each) {
        return each->kind == PropertyKind::kAtQuiescence;
    });
    if (!is_asked || !is_at_rest(at.shared(), {})) {
        return std::nullopt;
    }
    Counts resting;
    for (const LocalCount& some : at.counts()) {
        if (rests(at.shared(), some.local)) {
            resting.push_back(some);
        } else if (some.count != kAnyNumber) {
            return std::nullopt;  // somebody is in the middle of something
        }
    }
    return judge_at_rest(at, resting);
}

std::optional<Broken> MarkingJudge::judge_at_rest(const Populated& at, const Counts& resting) {
    std::vector<std::uint32_t> believed;
    for (std::size_t key = 0; key < keys_count_; ++key) {
        const auto sum = at.always([&](LocalId local) { return held(local, key); },
                                   [&](LocalId local) { return rests(at.shared(), local); });
        if (!sum) {
            return Broken{
                nullptr, "how much is held at rest is not decided, at " + steps_.show(at.shared())};
        }
        if (*sum < 0) {
            return std::nullopt;  // the weights say that no such state is at rest
        }
        believed.push_back(static_cast<std::uint32_t>(*sum));
    }
    if (const Property* property = breaks_rest(at.shared(), {}, believed)) {
        return broken(*property, at.shared(), ": at rest, at ");
    }
    for (const LocalCount& some : resting) {
        if (const Property* property = breaks_rest(at.shared(), {some.local}, believed)) {
            return broken(*property, at.shared(), ": at rest, at ");
        }
    }
    return std::nullopt;
}

std::optional<Broken> MarkingJudge::judge(const Populated& at) {
    for (const LocalCount& some : at.counts()) {
        const std::vector<ReplicatedStep>& steps = steps_.steps(at.shared(), some.local);
        std::optional<Populated> others;
        for (std::size_t i = 0; i < steps.size(); ++i) {
            if ((may_show(steps[i].event, false) & triggers_) == 0) {
                continue;  // the copy of everybody else is dear
            }
            if (!others) {
                others = at.without(some.local);
            }
            if (auto found = judge_step(*others, at.shared(), &some.local, i, steps[i])) {
                return found;
            }
        }
    }
    const std::vector<ReplicatedStep>& of_nobody = steps_.steps_of_nobody(at.shared());
    for (std::size_t i = 0; i < of_nobody.size(); ++i) {
        const bool waits =
            std::any_of(at.counts().begin(), at.counts().end(), [&](const LocalCount& some) {
                return some.count != kAnyNumber &&
                       steps_.hearing(at.shared(), i, some.local) == kWaitedFor;
            });
        if (waits) {
            continue;
        }
        if (auto found = judge_step(at, at.shared(), nullptr, i, of_nobody[i])) {
            return found;
        }
    }
    return judge_rest(at);
}

void MarkingJudge::check_beside(SharedId shared, const std::vector<LocalId>& callers) {
    if (!is_at_rest(shared, callers)) {
        return;
    }
    std::vector<std::uint32_t> believed(keys_count_);
    bool is_each_broken = false;
    for (const LocalId caller : callers) {
        if (!is_at_rest(shared, {}) || !rests(shared, caller)) {
            throw DoesNotFit("whether a caller is at rest depends on others, at " +
                             steps_.show(shared));
        }
        for (std::size_t key = 0; key < keys_count_; ++key) {
            believed[key] += held(caller, key);
        }
    }
    for (const LocalId caller : callers) {
        is_each_broken = is_each_broken || breaks_rest(shared, {caller}, believed) != nullptr;
    }
    const bool is_broken = breaks_rest(shared, callers, believed) != nullptr;
    if (is_broken && !is_each_broken && breaks_rest(shared, {}, believed) == nullptr) {
        throw DoesNotFit("what is promised at rest depends on several callers at once, at " +
                         steps_.show(shared));
    }
}

}  // namespace lockkeeper::proofs
