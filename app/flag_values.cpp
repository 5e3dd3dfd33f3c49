// SPDX-License-Identifier: Apache-2.0
#include "app/flag_values.hpp"

#include <fmt/format.h>

#include "measure/chosen_law.hpp"
#include "model/printable.hpp"
#include "reports/writer.hpp"
#include "scenarios/bad_input.hpp"
#include "scenarios/registry/find_boundary.hpp"
#include "scheduler/runs/strategy.hpp"
#include "work/jobs.hpp"

namespace lockkeeper {
namespace {

bool set_confidence(Options& options, const std::string& text) {
    const auto share = parse_share(text);
    if (share && (*share < 0.5 || *share > 1 - 1e-12)) {
        throw UsageError("--confidence: expected from 0.5 to 0.999999999999, found \"" + text +
                         "\"");
    }
    options.measure.confidence = share.value_or(0);
    return share.has_value();
}

}  // namespace

std::string either(Words words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        text += i == 0 ? "" : i + 1 == words.size() ? " or " : ", ";
        text += words[i];
    }
    return text;
}

namespace takes {

FlagValue workers() {
    return parsed(
        "N", "a whole number from 1 to 64",
        [](const std::string& text) {
            constexpr std::uint64_t kMost = 64;
            const auto number = parse_limit(text);
            return number.value_or(0) <= kMost ? number : std::nullopt;
        },
        &Options::jobs);
}

FlagValue report_format() { return one_of(whole_format_names(), "FORMAT", &Options::format); }

FlagValue report_file() {
    return {"FILE",
            "a file name that ends in " + either(report_endings()),
            [](Options& options, const std::string& text) {
                options.report_files.push_back(text);
                const ReportFormat* format = format_of_file(text);
                if (format != nullptr && format->why_missing != nullptr &&
                    !format->why_missing().empty()) {
                    throw UsageError("--report " + printable(text) + ": " +
                                     std::string(format->why_missing()));
                }
                return format != nullptr;
            },
            {},
            Suggests::kFiles};
}

FlagValue strategy_name() {
    return {"NAME", "feedback, portfolio, random, rare-faults, pos, round-robin, pct:1 to pct:100",
            [](Options& options, const std::string& text) {
                options.strategy = text;
                return !strategy_error(text);
            },
            kPlainStrategies};
}

FlagValue property_names() {
    return {"NAME,...",
            "names of properties, separated by commas",
            [](Options& options, const std::string& text) {
                options.check = parts_of(text, ',');
                return std::find(options.check.begin(), options.check.end(), "") ==
                       options.check.end();
            },
            {},
            Suggests::kProperties};
}

FlagValue number_of_system() {
    return {
        "NAME=N", "a name and a number (grace=3)", [](Options& options, const std::string& text) {
            const auto named = parse_assignment(text);
            const auto number = named ? parse_whole(named->second, kOwnNumberMax) : std::nullopt;
            if (number) {
                options.numbers[named->first] = static_cast<std::int32_t>(*number);
            }
            return number.has_value();
        }};
}

FlagValue range_to_search(bool smallest) {
    return {"NAME=A..B", "a parameter of the system and a range (grace=0..20), once in a command",
            [smallest](Options& options, const std::string& text) {
                const bool is_second = options.find.has_value();
                options.find = parse_boundary_search(text, smallest);
                return options.find.has_value() && !is_second;
            }};
}

FlagValue law() {
    return parsed("LAW",
                  "uniform, weights:CLASS=W,... or rates:step=R,CLASS=R,... (per second, or R/h), "
                  "each 0 or from 1e-12 to 1e12, step above 0",
                  parse_law, &Options::measure, &MeasureFlags::chosen_law);
}

FlagValue confidence() {
    return {"SHARE", "a share above 0 and below 1 (0.01 or 1%)", set_confidence};
}

FlagValue swept_parameter() {
    return {"NAME=VALUES",
            fmt::format("NAME=A..B or NAME=1,2,5, at most {} different numbers", kSweepValuesMax),
            [](Options& options, const std::string& text) {
                auto axis = parse_sweep_axis(text);
                if (!axis) {
                    return false;
                }
                options.measure.plan.add(*std::move(axis));
                return true;
            }};
}

FlagValue compared_variants() {
    return {"NAME,...", "at most 16 different variants, each VARIANT or SYSTEM/VARIANT",
            [](Options& options, const std::string& text) {
                options.measure.plan.variants = parse_variants(text);
                return !options.measure.plan.variants.empty();
            }};
}

FlagValue axis_and_choice() {
    return {"AXIS=CHOICE", "AXIS=CHOICE", [](Options& options, const std::string& text) {
                const auto named = parse_assignment(text);
                if (named) {
                    options.sweep.where.push_back(*named);
                }
                return named.has_value();
            }};
}

FlagValue clock_tolerance() {
    return {"TIME", "a time (5ms), or a whole number in the history's own unit of time",
            [](Options& options, const std::string& text) {
                return set_clock_tolerance(text, options.validate.order);
            }};
}

FlagValue time_unit() {
    return {"UNIT", either(kHistoryTimeUnits),
            [](Options& options, const std::string& text) {
                return set_time_unit(text, options.validate.order);
            },
            kHistoryTimeUnits};
}

}  // namespace takes
}  // namespace lockkeeper
