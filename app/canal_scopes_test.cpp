#include "app/canal_scopes_test.hpp"

#include <algorithm>
#include <array>
#include <tuple>

namespace lockkeeper {
namespace {

constexpr std::array kCircumstances{
    Circumstance{"one lock"},
    Circumstance{"one lock, crash", 1},
    Circumstance{"two locks", 0, 2},
    Circumstance{"two locks, crash", 1, 2},
    Circumstance{"three locks", 0, 3},
    Circumstance{"forced", 0, 1, 0},
    Circumstance{"forced", 0, 1, 1},
    Circumstance{"retried", 0, 1, 15, true},
    Circumstance{"retried, crash", 1, 1, 15, true},
};

struct ReachOfKinds {
    Reach same;   // all callers pass the same
    Reach mixed;  // any other choice
};
constexpr ReachOfKinds kAll{{3, 3, 3}, {3, 3, 3}};
constexpr ReachOfKinds kNothing{};
using ReachTable = ReachOfKinds[kCircumstances.size()][kScopeCallersMax];
// By circumstance and number of callers.
constexpr ReachTable kFaithfulReach = {
    {kAll, kAll, kAll, {{3, 3, 3}, {1, 2, 3}}},
    {kAll, kAll, {{3, 3, 3}, {2, 3, 3}}, {{2, 3, 3}, {0, 1, 1}}},
    {kAll, kAll, {{3, 3, 3}, {1, 2, 2}}, {{1, 2, 2}, {}}},
    {kAll, kAll, {{2, 3, 3}, {1, 2, 2}}, kNothing},
    {kAll, kAll, {{1, 2, 2}, {1, 1, 1}}, kNothing},
    {kAll, kAll, {{3, 3, 3}, {2, 3, 3}}, {{3, 3, 3}, {0, 1, 1}}},
    {kAll, kAll, {{3, 3, 3}, {2, 3, 3}}, {{3, 3, 3}, {0, 1, 1}}},
    {kAll, kAll, {{3, 3, 3}, {2, 3, 3}}, {{2, 2, 2}, {}}},
    {kAll, kAll, {{3, 3, 3}, {1, 2, 2}}, {{1, 1, 1}, {}}},
};
constexpr ReachTable kRepairedReach = {
    {kAll, kAll, kAll, {{3, 3, 3}, {1, 3, 3}}},
    {kAll, kAll, {{3, 3, 3}, {2, 3, 3}}, {{2, 3, 3}, {0, 2, 3}}},
    {kAll, kAll, {{3, 3, 3}, {1, 3, 3}}, {{1, 2, 3}, {0, 1, 2}}},
    {kAll, kAll, {{2, 3, 3}, {1, 2, 3}}, {{0, 1, 2}, {0, 0, 1}}},
    {kAll, kAll, {{1, 3, 3}, {1, 2, 3}}, {{0, 1, 2}, {0, 0, 1}}},
    {kAll, kAll, {{3, 3, 3}, {2, 3, 3}}, {{3, 3, 3}, {0, 1, 3}}},
    {kAll, kAll, {{3, 3, 3}, {2, 3, 3}}, {{3, 3, 3}, {0, 1, 3}}},
    {kAll, kAll, {{3, 3, 3}, {2, 3, 3}}, {{2, 3, 3}, {}}},
    {kAll, kAll, {{3, 3, 3}, {2, 3, 3}}, {{2, 2, 2}, {}}},
};

// Of the published lock, where somebody passes 0 buckets. Who does is never refused, and creates
// buckets: such a scope has up to a hundred times as many states as others of its size.
constexpr Reach kEverything{3, 3, 3};
constexpr Reach kNoBucketReach[kCircumstances.size()][kScopeCallersMax] = {
    {kEverything, kEverything, {2, 3, 3}, {0, 1, 1}},
    {kEverything, kEverything, {2, 3, 3}, {0, 1, 1}},
    {kEverything, kEverything, {1, 1, 1}, {}},
    {kEverything, kEverything, {0, 1, 1}, {}},
    {kEverything, kEverything, {}, {}},
    {kEverything, kEverything, {2, 3, 3}, {0, 1, 1}},
    {kEverything, kEverything, {2, 3, 3}, {0, 1, 1}},
    {kEverything, kEverything, {2, 3, 3}, {}},
    {kEverything, kEverything, {1, 2, 2}, {}},
};

std::uint16_t greatest_number(const std::vector<CanalView>& views) {
    std::uint16_t greatest = 0;
    for (const CanalView view : views) {
        greatest = std::max({greatest, view.max_per, view.buckets});
    }
    return greatest;
}

std::size_t sum_of_numbers(const std::vector<CanalView>& views) {
    std::size_t sum = 0;
    for (const CanalView view : views) {
        sum += view.max_per + view.buckets;
    }
    return sum;
}

// Every choice of so many views, each in ascending order: callers have no rank.
void add_views(std::vector<CanalView>& chosen, std::size_t callers,
               std::vector<std::vector<CanalView>>& out) {
    if (chosen.size() == callers) {
        out.push_back(chosen);
        return;
    }
    for (std::uint16_t max_per = 1; max_per <= kScopeNumberMax; ++max_per) {
        for (std::uint16_t buckets = 0; buckets <= kScopeNumberMax; ++buckets) {
            const CanalView view{max_per, buckets};
            if (chosen.empty() || chosen.back() <= view) {
                chosen.push_back(view);
                add_views(chosen, callers, out);
                chosen.pop_back();
            }
        }
    }
}

std::vector<std::vector<CanalView>> all_views(std::size_t callers) {
    std::vector<std::vector<CanalView>> all;
    std::vector<CanalView> chosen;
    add_views(chosen, callers, all);
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
        return std::tuple(greatest_number(a), sum_of_numbers(a)) <
               std::tuple(greatest_number(b), sum_of_numbers(b));
    });
    return all;
}

}  // namespace

std::string_view name_of(ViewKind kind) {
    constexpr std::string_view kNames[] = {"same", "buckets", "max_per", "both", "0 buckets"};
    return kNames[static_cast<std::size_t>(kind)];
}

std::span<const Circumstance> canal_circumstances() { return kCircumstances; }

const char* variant_of(CanalLock lock) {
    return lock == CanalLock::kFaithful ? "faithful" : "repaired";
}

Reach reach_of(const CanalScope& scope, CanalLock lock) {
    if (lock == CanalLock::kFaithful && scope.kind() == ViewKind::kNoBucket) {
        return kNoBucketReach[scope.circumstance][scope.callers.size() - 1];
    }
    const ReachTable& table = lock == CanalLock::kFaithful ? kFaithfulReach : kRepairedReach;
    const ReachOfKinds& reach = table[scope.circumstance][scope.callers.size() - 1];
    return scope.kind() == ViewKind::kSame ? reach.same : reach.mixed;
}

ViewKind CanalScope::kind() const {
    const auto differ = [&](auto member) {
        return std::any_of(callers.begin(), callers.end(), [&](const CanalView& view) {
            return view.*member != callers.front().*member;
        });
    };
    const bool none = std::any_of(callers.begin(), callers.end(),
                                  [](const CanalView& view) { return view.buckets == 0; });
    if (none) {
        return ViewKind::kNoBucket;
    }
    if (differ(&CanalView::max_per)) {
        return differ(&CanalView::buckets) ? ViewKind::kBoth : ViewKind::kMaxPer;
    }
    return differ(&CanalView::buckets) ? ViewKind::kBuckets : ViewKind::kSame;
}

std::string CanalScope::views_text() const {
    std::string text;
    for (const CanalView view : callers) {
        text += (text.empty() ? "" : "+") + std::to_string(view.max_per) + "x" +
                std::to_string(view.buckets);
    }
    return text;
}

std::string CanalScope::text() const {
    const Circumstance& added = kCircumstances[circumstance];
    std::string text = views_text() + (warm ? ", warm" : ", cold");
    text += added.crashes > 0 ? ", 1 crash" : "";
    text += added.retries ? ", retried" : "";
    text += added.locks > 1 ? ", " + std::to_string(added.locks) + " locks each" : "";
    text += added.max_decr_tries != Circumstance{}.max_decr_tries
                ? ", max_decr_tries " + std::to_string(added.max_decr_tries)
                : "";
    return text;
}

std::vector<CanalScope> canal_scopes(CanalLock lock) {
    std::vector<CanalScope> scopes;
    for (std::size_t callers = 1; callers <= kScopeCallersMax; ++callers) {
        for (const auto& views : all_views(callers)) {
            for (std::size_t added = 0; added < kCircumstances.size(); ++added) {
                CanalScope scope{views, true, added};
                const Reach reach = reach_of(scope, lock);
                const std::uint16_t greatest = greatest_number(views);
                if (greatest > reach.in_hours) {
                    continue;
                }
                scope.effort = greatest <= reach.quick     ? Effort::kQuick
                               : greatest <= reach.in_long ? Effort::kLong
                                                           : Effort::kHours;
                scopes.push_back(scope);
                scope.warm = false;
                scopes.push_back(scope);
            }
        }
    }
    return scopes;
}

Scenario to_scenario(const CanalScope& scope, CanalLock lock) {
    const Circumstance& added = kCircumstances[scope.circumstance];
    Scenario scenario;
    scenario.file = scope.text();
    scenario.system = "canal";
    scenario.variant = variant_of(lock);
    scenario.check = {"all"};
    scenario.world.keys = {"db"};
    scenario.world.crashes_max = added.crashes;
    scenario.parameters.max_decr_tries = added.max_decr_tries;
    std::uint16_t buckets = 1;
    std::uint8_t group = 0;
    for (std::size_t i = 0; i < scope.callers.size(); ++i) {
        const CanalView view = scope.callers[i];
        group = static_cast<std::uint8_t>(group + (i > 0 && scope.callers[i - 1] == view ? 0 : 1));
        CallerConfig caller;
        caller.name = std::string(1, static_cast<char>('A' + i));
        caller.group = group;
        Operation acquire;
        acquire.place_capacity = view.max_per;
        acquire.places = view.buckets;
        Operation release = acquire;
        release.verb = Verb::kRelease;
        acquire.until_acquired = added.retries;
        caller.script.assign(added.locks, acquire);
        caller.script.insert(caller.script.end(), added.locks, release);
        scenario.world.callers.push_back(caller);
        scenario.parameters.manager_max_per =
            std::max(scenario.parameters.manager_max_per, view.max_per);
        buckets = std::max(buckets, view.buckets);
    }
    if (scope.warm) {
        scenario.parameters.tables["db"] = {std::vector<std::int32_t>(buckets, 0), buckets};
    }
    return scenario;
}

}  // namespace lockkeeper
