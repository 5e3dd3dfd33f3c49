// SPDX-License-Identifier: Apache-2.0
#include "work/desk.hpp"

namespace lockkeeper {

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
