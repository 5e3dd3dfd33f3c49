#include "app/canal_scopes.hpp"

#include <algorithm>

namespace lockkeeper {
namespace {

constexpr std::string_view kWarm = "warm";
constexpr std::string_view kCold = "cold";
constexpr std::string_view kResize = "resize";
constexpr std::string_view kMixed = "mixed max_per";
constexpr std::string_view kLocks = "two locks";
constexpr std::string_view kCrash = "crash";
constexpr std::string_view kForced = "forced";
constexpr std::string_view kNoBucket = "no bucket";

// The first half of the callers, rounded up, has one view, the others have another.
std::vector<CanalView> halves(std::size_t callers, CanalView first, CanalView second) {
    std::vector<CanalView> views(callers, first);
    std::fill(views.begin() + static_cast<std::ptrdiff_t>((callers + 1) / 2), views.end(), second);
    return views;
}

void add_same_views(std::vector<CanalScope>& scopes, std::size_t callers, CanalView view) {
    const std::vector<CanalView> same(callers, view);
    scopes.push_back({kWarm, same, true});
    scopes.push_back({kCold, same, false});
    scopes.push_back({kLocks, same, true, 0, 2});
    scopes.push_back({kLocks, same, false, 0, 2});
    scopes.push_back({kCrash, same, true, 1});
    scopes.push_back({kCrash, same, false, 1});
    scopes.push_back({kCrash, same, false, 1, 2});
    scopes.push_back({kForced, same, true, 0, 1, 0});
    scopes.push_back({kForced, same, true, 0, 1, 1});
}

void add_mixed_views(std::vector<CanalScope>& scopes, std::string_view family, std::size_t callers,
                     CanalView first, CanalView second) {
    const std::vector<CanalView> views = halves(callers, first, second);
    scopes.push_back({family, views, true});
    scopes.push_back({family, views, false});
    scopes.push_back({family, views, true, 1});
    scopes.push_back({family, views, true, 0, 2});
}

}  // namespace

std::string CanalScope::text() const {
    std::string text =
        std::to_string(callers.size()) + (callers.size() == 1 ? " caller" : " callers");
    for (std::size_t i = 0; i < callers.size(); ++i) {
        text += (i == 0 ? " " : "+") + std::to_string(callers[i].max_per) + "x" +
                std::to_string(callers[i].buckets);
    }
    text += warm ? ", warm" : ", cold";
    text += crashes > 0 ? ", 1 crash" : "";
    text += locks > 1 ? ", " + std::to_string(locks) + " locks each" : "";
    text += max_decr_tries != 15 ? ", max_decr_tries " + std::to_string(max_decr_tries) : "";
    return text;
}

const std::vector<ScopeFamily>& canal_scope_families() {
    static const std::vector<ScopeFamily> kFamilies{
        {kWarm, "the buckets exist and are 0; all callers see the same"},
        {kCold, "no bucket exists"},
        {kResize, "half of the callers see one bucket more"},
        {kMixed, "half of the callers have max_per one higher"},
        {kLocks, "each caller takes two locks, then releases both"},
        {kCrash, "one caller is killed at any step"},
        {kForced, "max_decr_tries 0 or 1: the double decrement comes early"},
        {kNoBucket, "callers pass 0 buckets"},
    };
    return kFamilies;
}

std::vector<CanalScope> canal_scopes(std::size_t callers_max) {
    std::vector<CanalScope> scopes;
    for (std::size_t callers = 1; callers <= callers_max; ++callers) {
        for (std::uint16_t max_per = 1; max_per <= 3; ++max_per) {
            const auto more = static_cast<std::uint16_t>(max_per + 1);
            scopes.push_back({kNoBucket, {callers, {max_per, 0}}, true});
            scopes.push_back({kNoBucket, {callers, {max_per, 0}}, false});
            scopes.push_back({kNoBucket, {callers, {max_per, 0}}, false, 1});
            for (std::uint16_t buckets = 1; buckets <= 3; ++buckets) {
                add_same_views(scopes, callers, {max_per, buckets});
                if (callers > 1 && buckets < 3) {
                    const auto wider = static_cast<std::uint16_t>(buckets + 1);
                    add_mixed_views(scopes, kResize, callers, {max_per, buckets}, {max_per, wider});
                }
                if (callers > 1 && max_per < 3) {
                    add_mixed_views(scopes, kMixed, callers, {max_per, buckets}, {more, buckets});
                }
            }
        }
    }
    return scopes;
}

Scenario to_scenario(const CanalScope& scope, const std::string& variant) {
    Scenario scenario;
    scenario.file = scope.text();
    scenario.system = "canal";
    scenario.variant = variant;
    scenario.check = {"all"};
    scenario.world.keys = {"db"};
    scenario.world.crashes_max = scope.crashes;
    scenario.parameters.max_decr_tries = scope.max_decr_tries;
    std::uint16_t buckets = 1;
    std::uint8_t group = 0;
    for (std::size_t i = 0; i < scope.callers.size(); ++i) {
        const CanalView view = scope.callers[i];
        const bool like_before = i > 0 && scope.callers[i - 1].max_per == view.max_per &&
                                 scope.callers[i - 1].buckets == view.buckets;
        group = static_cast<std::uint8_t>(group + (like_before ? 0 : 1));
        CallerConfig caller;
        caller.name = std::string(1, static_cast<char>('A' + i));
        caller.group = group;
        Operation acquire;
        acquire.max_per = view.max_per;
        acquire.buckets = view.buckets;
        Operation release = acquire;
        release.verb = Verb::kRelease;
        caller.script.assign(scope.locks, acquire);
        caller.script.insert(caller.script.end(), scope.locks, release);
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
