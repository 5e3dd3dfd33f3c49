// SPDX-License-Identifier: Apache-2.0
#include "work/desk.hpp"

#include "model/printable.hpp"
#include "scheduler/base/interrupt.hpp"

namespace lockkeeper {

bool is_given(const Asked& asked, std::string_view flag) {
    return std::any_of(asked.given.begin(), asked.given.end(),
                       [&](const GivenFlag& given) { return given.name == flag; });
}

std::string given_again(const Asked& asked, std::initializer_list<std::string_view> flags) {
    std::string text;
    for (const GivenFlag& given : asked.given) {
        if (std::find(flags.begin(), flags.end(), given.name) != flags.end()) {
            text += " " + given.name + (given.is_switch ? "" : " " + shell_quoted(given.value));
        }
    }
    return text;
}

void Desk::complain(const std::string& problem) const {
    if (on_complaint) {
        on_complaint(problem);
    }
}

void Desk::head(const RunReport& report) const {
    if (on_head) {
        on_head(report);
    }
}

std::unique_ptr<Watcher> Desk::watch(const ProgressLimits& limits) const {
    return on_progress ? on_progress(limits) : std::make_unique<Watcher>();
}

MemoryWatch::MemoryWatch(const Asked& asked)
    : limit(ProcessLimit::from_now_on(asked.bytes_max.value_or(memory_default()))) {}

std::string MemoryWatch::named(const std::string& limit_told) const {
    const bool ended_it = was_exceeded && !interrupt_requested() && limit_told == "interrupted";
    return ended_it ? "memory" : limit_told;
}

OutputRule output_rule(const Desk& desk, std::string_view mark,
                       const std::vector<InputFile>& inputs) {
    OutputRule rule;
    rule.mark = mark;
    rule.force = desk.asked.force;
    rule.inputs = desk.asked.files;
    for (const InputFile& input : inputs) {
        rule.inputs.push_back(input.path);
    }
    return rule;
}

void write_beside(const Desk& desk, RunReport& report, const std::function<void()>& write) {
    try {
        write();
    } catch (const OutputError& error) {
        desk.complain(error.what());
        report.has_failed_output = true;
    }
}

}  // namespace lockkeeper
