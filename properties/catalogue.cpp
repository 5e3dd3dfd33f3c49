// SPDX-License-Identifier: Apache-2.0
#include "properties/catalogue.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "properties/rule.hpp"

namespace lockkeeper {
namespace {

bool reached(const Observation&, const Event&) { return true; }

constexpr Property goal(int number, std::string_view name, std::uint32_t triggers,
                        std::string_view definition) {
    return {.number = number,
            .name = name,
            .definition = definition,
            .kind = PropertyKind::kSometimes,
            .severity = Severity::kNotice,
            .triggers = triggers,
            .holds_not = reached};
}

constexpr std::array kGoals{
    goal(1, "acquired", kAcquired, "Some acquire returns a lock."),
    goal(2, "full", kRefused, "Some acquire is refused."),
    goal(3, "released", kReleased, "Some release returns."),
    goal(4, "marked-full", kFoundFull, "Some acquire finds or puts a counter at its cap."),
    goal(5, "bucket-created", kPlaceCreated, "Some bucket is created."),
    goal(6, "out-of-buckets", kNothingToRelease, "Some release finds nothing to give back."),
    goal(7, "forced", kForcedRelease, "The forced double decrement is used."),
    goal(8, "crashed", kCrashed, "Some caller crashes or exits."),
    goal(9, "resized", kResized, "Some resize takes effect."),
    goal(10, "failed", kFailed, "Some call returns an error."),
    goal(11, "lost", kLost, "Some call tells its caller that it does not hold any more."),
    goal(12, "effect", kEffect, "The protected resource takes some effect."),
    goal(13, "effect-refused", kEffectRefused, "The protected resource refuses some effect."),
    goal(14, "went-wrong", kWentWrong, "Some fault of the system's own happens."),
    goal(15, "time-passed", kTimePassed, "Virtual time passes."),
};

constexpr std::string_view kNever = "never:";
constexpr std::string_view kNeverDefinition =
    "No step may reach the goal of this name. Some step does.";

// One for each goal: "never:lost".
struct Nevers {
    std::array<std::string, std::size(kGoals)> names;
    std::array<Property, std::size(kGoals)> properties;

    Nevers() : properties(kGoals) {
        for (std::size_t i = 0; i < names.size(); ++i) {
            names[i] = std::string(kNever) + std::string(kGoals[i].name);
            properties[i].name = names[i];
            properties[i].number += kNeverNumbers;
            properties[i].kind = PropertyKind::kAlways;
            properties[i].severity = Severity::kWarning;
            properties[i].definition = kNeverDefinition;
        }
    }
};

const Property* find(std::span<const Property> among, std::string_view name) {
    const auto found = std::find_if(among.begin(), among.end(), [&](const Property& property) {
        return property.name == name;
    });
    return found == among.end() ? nullptr : &*found;
}

}  // namespace

std::span<const Property> all_properties() {
    static const std::vector<Property> kByNumber = [] {
        std::vector<Property> all = properties::written();
        std::sort(all.begin(), all.end(), [](const Property& left, const Property& right) {
            return left.number < right.number;
        });
        return all;
    }();
    return kByNumber;
}
std::span<const Property> all_goals() { return kGoals; }
const Property* find_property(std::string_view name) {
    static const Nevers kNevers;
    return find(
        name.starts_with(kNever) ? std::span<const Property>(kNevers.properties) : all_properties(),
        name);
}
const Property* find_goal(std::string_view name) { return find(kGoals, name); }

std::string_view name_of(Severity severity) {
    switch (severity) {
        case Severity::kNotice: return "notice";
        case Severity::kWarning: return "warning";
        case Severity::kError: return "error";
        case Severity::kFatal: return "fatal";
    }
    return "?";
}

std::string_view name_of(PropertyKind kind) {
    switch (kind) {
        case PropertyKind::kAlways: return "always";
        case PropertyKind::kAtQuiescence: return "at rest";
        case PropertyKind::kEventually: return "eventually";
        case PropertyKind::kSometimes: return "sometimes";
        case PropertyKind::kHistory: return "history";
    }
    return "?";
}

}  // namespace lockkeeper
