#include "app/repeat_measure.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/measure_words.hpp"
#include "reports/words.hpp"

namespace lockkeeper {

std::string repeat_command(const Session& session, const RunReport& report) {
    const Options& options = session.options;
    const MeasureFlags& flags = options.measure;
    std::string text = options.program + " measure " + shell_quoted(report.file) +
                       fmt::format(" --seed {}", report.seed);
    // The file's own law is found there again; traffic is even another law for each number of
    // callers.
    text += flags.law ? fmt::format(" --law '{}'", law_text(*flags.law)) : "";
    if (flags.method != MeasureMethod::kAuto) {
        text += fmt::format(" --method {}", name_of(flags.method));
    }
    const auto add = [&](const char* flag, const auto& value) {
        text += value ? fmt::format(" {} {}", flag, *value) : "";
    };
    add("--below", flags.below);
    add("--runs", flags.runs_max);
    add("--max-states", options.states_max);
    add("--max-steps", options.steps_max);
    add("--keep-loss-under", flags.keep_loss_under);
    text += flags.confidence != MeasureFlags().confidence
                ? fmt::format(" --confidence {}", flags.confidence)
                : "";
    text +=
        flags.relative_width > 0 ? fmt::format(" --relative-width {}", flags.relative_width) : "";
    text += flags.bounds ? " --bounds" : "";
    text += options.check.empty()
                ? ""
                : " --check " + shell_quoted(fmt::format("{}", fmt::join(options.check, ",")));
    for (const auto& [name, value] : options.numbers) {
        text += " --set " + shell_quoted(fmt::format("{}={}", name, value));
    }
    for (const SweepAxis& axis : flags.plan.sweep) {
        text += " --sweep " +
                shell_quoted(fmt::format("{}={}", axis.name, fmt::join(axis.values, ",")));
    }
    text +=
        flags.plan.variants.empty()
            ? ""
            : " --compare " + shell_quoted(fmt::format("{}", fmt::join(flags.plan.variants, ",")));
    return text;
}

}  // namespace lockkeeper
