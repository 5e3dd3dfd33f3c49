// SPDX-License-Identifier: Apache-2.0

// Searches of drivers whose callers are tasks of one event loop.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "validate/programs/outside_test.hpp"
#include "validate/programs/tasks_run.hpp"

namespace lockkeeper::testing_outside {

struct SearchedTasks {
    SearchedTasks(const std::string& command, OutsideWorld asked, OutsideOptions options = {},
                  bool keeps_promises = true, double answer_seconds = 60)
        : world(std::move(asked)) {
        ProgramOptions of_program = options_for(command, world);
        of_program.is_tasks = true;
        of_program.keeps_promises = keeps_promises;
        of_program.answer_seconds = answer_seconds;
        program = std::make_unique<Program>(of_program);
        search = std::make_unique<TasksSearch>(*program, world, std::move(options));
        result = search->search();
    }
    [[nodiscard]] std::string found() const {
        if (!result.finding) {
            return result.diverged.empty() ? "nothing" : "diverged";
        }
        return result.finding->property != nullptr
                   ? std::string(result.finding->property->name)
                   : std::string(name_of(*result.finding->misbehaviour));
    }

    OutsideWorld world;
    std::unique_ptr<Program> program;
    std::unique_ptr<TasksSearch> search;
    OutsideResult result;
};

inline OutsideWorld tasks(std::size_t callers, std::uint16_t places, std::uint32_t cancels,
                          std::int64_t ticks = 0) {
    OutsideWorld world = pairs(callers, places);
    world.cancels_max = cancels;
    world.ticks_max = ticks;
    return world;
}

inline OutsideOptions at_most(std::uint64_t schedules) {
    OutsideOptions options;
    options.schedules_max = schedules;
    return options;
}

}  // namespace lockkeeper::testing_outside
