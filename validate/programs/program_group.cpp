// SPDX-License-Identifier: Apache-2.0
#include "validate/programs/program_group.hpp"

namespace lockkeeper {

ProgramGroup::ProgramGroup(const ProgramOptions& options, bool one_each) : one_each_(one_each) {
    if (!one_each) {
        programs_.push_back(std::make_unique<Program>(options));
        return;
    }
    for (const std::string& caller : options.callers) {
        add(options, caller);
    }
}

void ProgramGroup::add(ProgramOptions options, const std::string& caller) {
    options.callers = {caller};
    programs_.push_back(std::make_unique<Program>(std::move(options)));
}

void ProgramGroup::start() {
    for (const auto& program : programs_) {
        program->start();
    }
}

void ProgramGroup::kill() {
    for (const auto& program : programs_) {
        program->kill();
    }
}

void ProgramGroup::stop_by(const StopRule& rule) {
    stop_ = rule;
    for (const auto& program : programs_) {
        program->stop_by(rule);
    }
}

std::size_t ProgramGroup::start_probe(const std::string& caller) {
    if (one_each_) {
        add(options(), caller);
        programs_.back()->stop_by(stop_);
        programs_.back()->start();
    }
    return programs_.size() - 1;
}

std::optional<ProgramGroup::Heard> ProgramGroup::next_until(Moment deadline) {
    using Clock = SteadyClock;
    if (programs_.size() == 1) {
        auto message = programs_.front()->next_until(deadline);
        return message ? std::optional(Heard{0, std::move(*message)}) : std::nullopt;
    }
    std::vector<ChildProcess*> children;
    for (const auto& program : programs_) {
        children.push_back(&program->child());
    }
    for (;;) {
        const bool late = Clock::now() >= deadline;
        ChildProcess::wait_for_any(children, deadline);
        for (std::size_t i = 0; i < programs_.size(); ++i) {
            const std::size_t process = (first_ + i) % programs_.size();
            if (auto message = programs_[process]->next_until(Clock::now())) {
                first_ = process + 1;
                return Heard{process, std::move(*message)};
            }
        }
        if (late) {
            return std::nullopt;
        }
    }
}

std::string ProgramGroup::last_words() const {
    for (const auto& program : programs_) {
        if (!program->last_words().empty()) {
            return program->last_words();
        }
    }
    return "";
}

}  // namespace lockkeeper
