#include "app/measure_options.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/flag_words.hpp"
#include "reports/words.hpp"
#include "scenarios/bad_input.hpp"
#include "scenarios/registry/unknown_names.hpp"
#include "scenarios/scenario.hpp"
#include "scenarios/units.hpp"

namespace lockkeeper {
namespace {

constexpr std::size_t kSweepValuesMax = 1000;
constexpr std::size_t kSweepsMax = 2;
constexpr std::size_t kCompareMax = 16;

[[noreturn]] void refuse(const char* flag, const std::string& expected, const std::string& found) {
    throw UsageError(bad_value(flag, expected, found));
}

std::optional<double> parse_real(std::string_view text) {
    double value = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool is_whole = error == std::errc{} && rest == text.data() + text.size();
    return is_whole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

// "1%", "0.01": above 0 and below 1.
double parse_share(const char* flag, const std::string& text) {
    const bool is_percent = !text.empty() && text.back() == '%';
    const auto number =
        parse_real(std::string_view(text).substr(0, text.size() - (is_percent ? 1 : 0)));
    const double share = number.value_or(-1) / (is_percent ? 100 : 1);
    if (share <= 0 || share >= 1) {
        refuse(flag, "a share above 0 and below 1 (0.01 or 1%)", text);
    }
    return share;
}

std::vector<std::string> parts_of(const std::string& text, char separator) {
    std::vector<std::string> parts;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(separator, begin), text.size());
        parts.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

std::optional<ActionClass> class_named(const std::string& name) {
    for (std::size_t i = 0; i < kActionClasses; ++i) {
        if (name == name_of(static_cast<ActionClass>(i))) {
            return static_cast<ActionClass>(i);
        }
    }
    return std::nullopt;
}

std::vector<std::string> class_names() {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < kActionClasses; ++i) {
        names.emplace_back(name_of(static_cast<ActionClass>(i)));
    }
    return names;
}

// "crash=2/h" into `weights`; false: no weight.
bool add_weight(const std::string& part, bool is_rate, std::map<ActionClass, double>& weights) {
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos) {
        return false;
    }
    const std::string name = part.substr(0, equals);
    const auto which = class_named(name);
    if (!which) {
        throw UsageError(fmt::format("--law: unknown kind of action \"{}\"{}", printable(name),
                                     nearest_or_known(name, class_names())));
    }
    std::string_view number = std::string_view(part).substr(equals + 1);
    const bool per_hour = is_rate && number.size() > 2 && number.substr(number.size() - 2) == "/h";
    number.remove_suffix(per_hour ? 2 : 0);
    const auto weight = parse_real(number);
    const bool is_weight =
        weight && (*weight == 0 || (*weight >= kWeightMin && *weight <= kWeightMax));
    return is_weight && weights.emplace(*which, *weight / (per_hour ? kSecondsPerHour : 1)).second;
}

// "uniform", "weights:step=1,crash=0.001", "rates:step=1000,arrival=2,crash=1/h".
Law parse_law(const std::string& text) {
    const char* const words =
        "uniform, weights:CLASS=W,... or rates:step=R,CLASS=R,... (per second, or R/h), each 0 or "
        "from 1e-12 to 1e12, step above 0";
    if (text == "uniform") {
        return {};
    }
    const std::size_t colon = text.find(':');
    const std::string kind = text.substr(0, colon);
    if (colon == std::string::npos || (kind != "weights" && kind != "rates")) {
        refuse("--law", words, text);
    }
    std::map<ActionClass, double> weights;
    for (const std::string& part : parts_of(text.substr(colon + 1), ',')) {
        if (!add_weight(part, kind == "rates", weights)) {
            refuse("--law", words, text);
        }
    }
    const auto law = make_law(kind == "rates" ? LawKind::kRates : LawKind::kWeights, weights);
    if (!law) {
        refuse("--law", words, text);
    }
    return *law;
}

// "0..15": whole numbers; "1,2,5" or "0.001,0.01": numbers.
std::vector<double> parse_values(const std::string& text) {
    std::vector<double> values;
    const std::size_t dots = text.find("..");
    if (dots != std::string::npos) {
        const auto from = parse_real(std::string_view(text).substr(0, dots));
        const auto to = parse_real(std::string_view(text).substr(dots + 2));
        const auto is_whole = [](double number) {
            return number == std::floor(number) && std::abs(number) <= kOwnNumberMax;
        };
        if (!from || !to || !is_whole(*from) || !is_whole(*to) ||
            *to - *from >= static_cast<double>(kSweepValuesMax)) {
            return {};
        }
        for (double value = *from; value <= *to; value += 1) {
            values.push_back(value);
        }
        return values;
    }
    for (const std::string& part : parts_of(text, ',')) {
        const auto value = parse_real(part);
        const bool is_new =
            value && std::find(values.begin(), values.end(), *value) == values.end();
        if (!is_new || values.size() == kSweepValuesMax) {
            return {};
        }
        values.push_back(*value);
    }
    return values;
}

void add_sweep(std::vector<SweepAxis>& sweep, const std::string& text) {
    const std::size_t equals = text.find('=');
    SweepAxis axis;
    if (equals != std::string::npos) {
        axis = {text.substr(0, equals), parse_values(text.substr(equals + 1))};
    }
    if (axis.name.empty() || axis.values.empty()) {
        refuse(
            "--sweep",
            fmt::format("NAME=A..B or NAME=1,2,5, at most {} different numbers", kSweepValuesMax),
            text);
    }
    const bool is_known = std::any_of(sweep.begin(), sweep.end(), [&](const SweepAxis& other) {
        return other.name == axis.name;
    });
    if (is_known || sweep.size() == kSweepsMax) {
        throw UsageError("--sweep: at most two of them, of different names");
    }
    sweep.push_back(std::move(axis));
}

std::vector<std::string> parse_compare(const std::string& text) {
    std::vector<std::string> names = parts_of(text, ',');
    for (auto name = names.begin(); name != names.end(); ++name) {
        if (name->empty() || names.size() > kCompareMax ||
            std::find(names.begin(), name, *name) != name) {
            refuse("--compare", "at most 16 different variants, each VARIANT or SYSTEM/VARIANT",
                   text);
        }
    }
    return names;
}

std::string parse_file_name(const char* flag, const std::string& text) {
    if (text.empty()) {
        refuse(flag, "a name", text);
    }
    return text;
}

std::uint64_t parse_runs(const std::string& text) {
    const auto runs = parse_count(text);
    if (!runs || *runs == 0) {
        refuse("--runs", "a whole number above 0 (1000000, 1_000_000, 1e6)", text);
    }
    return *runs;
}

double parse_confidence(const std::string& text) {
    const double confidence = parse_share("--confidence", text);
    if (confidence < 0.5 || confidence > 1 - 1e-12) {
        refuse("--confidence", "from 0.5 to 0.999999999999", text);
    }
    return confidence;
}

template <class Set>
void add(CLI::App& command, const char* flag, const char* value, const char* help, Set set) {
    command.add_option_function<std::string>(flag, set, help)->type_name(value);
}

void add_files(CLI::App& command, MeasureFlags& flags) {
    add(command, "--prism", "DIR", "Writes the chain in PRISM's explicit format: .sta, .tra, .lab",
        [&flags](const std::string& text) {
            flags.prism_directory = parse_file_name("--prism", text);
        });
    add(command, "--csv", "FILE", "Writes every figure as CSV",
        [&flags](const std::string& text) { flags.csv_file = parse_file_name("--csv", text); });
    add(command, "--svg", "FILE", "Draws the rates with their intervals",
        [&flags](const std::string& text) { flags.svg_file = parse_file_name("--svg", text); });
}

}  // namespace

void add_measure_flags(CLI::App& command, MeasureFlags& flags) {
    add(command, "--law", "LAW",
        "How probable each action is: uniform, weights:CLASS=W,... or rates:CLASS=R,...",
        [&flags](const std::string& text) { flags.law = parse_law(text); });
    add(command, "--method", "METHOD",
        "auto (exact where the graph is small, checked by sampling), exact, sampled, "
        "splitting",
        [&flags](const std::string& text) {
            flags.method = static_cast<MeasureMethod>(word_of("--method", kMeasureMethods, text));
        });
    add(command, "--confidence", "SHARE", "Of each interval of a sampled figure",
        [&flags](const std::string& text) { flags.confidence = parse_confidence(text); });
    add(command, "--relative-width", "SHARE",
        "Sampling ends when each interval is as narrow, compared with its figure",
        [&flags](const std::string& text) {
            flags.relative_width = parse_share("--relative-width", text);
        });
    add(command, "--below", "RATE",
        "Sampling ends when it is decided whether each rate is below this (exit code 1: it is not)",
        [&flags](const std::string& text) { flags.below = parse_share("--below", text); });
    add(command, "--runs", "N", "Sampling ends after so many runs",
        [&flags](const std::string& text) { flags.runs_max = parse_runs(text); });
    command.add_flag("--bounds", flags.bounds,
                     "Also the least and the largest probability over all schedulers (exact)");
    add(command, "--keep-loss-under", "SHARE",
        "Forecast: the restart interval that keeps the lost capacity under this share",
        [&flags](const std::string& text) {
            flags.keep_loss_under = parse_share("--keep-loss-under", text);
        });
    command
        .add_option_function<std::vector<std::string>>(
            "--sweep",
            [&flags](const std::vector<std::string>& texts) {
                for (const std::string& text : texts) {
                    add_sweep(flags.plan.sweep, text);
                }
            },
            "Measures with each value of a parameter, 0..15 or 1,2,5; at most two parameters")
        ->type_name("NAME=VALUES")
        ->allow_extra_args(false);
    add(command, "--compare", "NAME,...",
        "Measures these variants, or SYSTEM/VARIANT, side by side instead of the scenario's",
        [&flags](const std::string& text) { flags.plan.variants = parse_compare(text); });
    add_files(command, flags);
}

}  // namespace lockkeeper
