#include "validate/servers/compared_server.hpp"

namespace lockkeeper::databases {
namespace {

constexpr std::uint64_t kExploredMost = 200'000;
constexpr double kExploringMost = 20;

}  // namespace

std::variant<Comparison, NotExpressible> compare(ComparedServer& server,
                                                 const Understood& understood, const Runner& runner,
                                                 const std::vector<Schedule>& given,
                                                 const ComparisonLimits& limits) {
    auto made = server.both_sides(understood, runner, limits);
    if (auto* not_expressible = std::get_if<NotExpressible>(&made)) {
        return std::move(*not_expressible);
    }
    BothSides& sides = *std::get<std::unique_ptr<BothSides>>(made);
    for (const Schedule& schedule : given) {
        sides.note(schedule);
    }
    return compare_schedules([&](const Schedule& schedule) { return sides.drive(schedule); }, given,
                             [&] { return sides.next_random(); }, limits);
}

std::vector<Schedule> own_schedules(const Scenario& scenario, const Runner& runner,
                                    const std::vector<const Property*>& check) {
    if (scenario.method == Method::kReplay && scenario.schedule) {
        return {*scenario.schedule};
    }
    if (scenario.method == Method::kOrder) {
        return {runner.run_in_order(order_of(scenario, runner.world()), {}).schedule(0)};
    }
    ExploreOptions options;
    options.check = check;
    options.states_max = kExploredMost;
    options.seconds_max = kExploringMost;
    std::vector<Schedule> schedules;
    for (FoundViolation& found : runner.explore(options).violations) {
        schedules.push_back(std::move(found.schedule));
    }
    return schedules;
}

}  // namespace lockkeeper::databases
