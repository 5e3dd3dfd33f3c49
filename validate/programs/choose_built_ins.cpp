// SPDX-License-Identifier: Apache-2.0
#include "validate/programs/choose_built_ins.hpp"

#include <algorithm>
#include <string_view>

#include "scenarios/bad_input.hpp"
#include "scenarios/registry/unknown_names.hpp"
#include "validate/outside/misbehaviour.hpp"
#include "validate/programs/built_in_scenarios.hpp"
#include "validate/programs/scout.hpp"

namespace lockkeeper {
namespace {

// Takes a look at the program if the built-in scenarios need to know it.
Scouted scouted(const BuiltInChoice& choice) {
    const auto& files = choice.files;
    const bool asks_leases = std::any_of(files.begin(), files.end(), [](const std::string& name) {
        const BuiltInScenario* built_in = built_in_named(name);
        return built_in != nullptr && built_in->of_leases;
    });
    if ((!files.empty() && !asks_leases) || choice.program.is_tasks) {
        return {};
    }
    ProgramOptions program = choice.program;
    program.parameters.emplace("ttl", program.stepped ? kSteppedLease : kBlackBoxLease);
    return scout(program, {moment_after(choice.seconds_max)});
}

// Why a scenario of the right kind does not fit the program; nullptr: it does.
const char* why_left_out(const BuiltInScenario& built_in, const Scouted& program,
                         bool process_per_caller) {
    if (built_in.renews && !program.renews) {
        return "the program does not know the operation \"renew\"";
    }
    if (built_in.places == Places::kSeveral && program.has_one_place) {
        return "who asks while another holds does not get the second of two places; judged as a "
               "lock of one place (name this scenario to have it judged as one of several)";
    }
    if (built_in.kills_one && !process_per_caller) {
        return "without --process-per-caller a crash kills the whole program, all callers and "
               "their lock (name this scenario to have it judged so)";
    }
    return nullptr;
}

// Adds the named scenarios, or those that fit the program.
void add_built_ins(const BuiltInChoice& choice, const Scouted& program, ChosenBuiltIns& chosen) {
    const auto& given = choice.files;
    const bool is_lease = program.lease_time > 0;
    for (const BuiltInScenario& built_in : built_in_scenarios()) {
        const std::string name = built_in.name;
        if (built_in_named(name, built_in_level(choice.program.stepped)) != &built_in) {
            continue;  // its namesake is of this level, or none: refused where it is named
        }
        const bool is_of_tasks = built_in.level == BuiltInLevel::kTasks;
        if (!given.empty()) {
            if (std::find(given.begin(), given.end(), name) != given.end()) {
                chosen.names.push_back(name);
            }
        } else if (is_of_tasks || choice.program.is_tasks) {
            if (is_of_tasks && choice.program.is_tasks) {
                chosen.names.push_back(name);
            }
        } else if (built_in.of_leases != is_lease ||
                   (built_in.places == Places::kOne && !program.has_one_place)) {
            continue;
        } else if (const char* why = why_left_out(built_in, program, choice.process_per_caller)) {
            chosen.left_out.push_back(name + ": left out: " + why);
        } else {
            chosen.names.push_back(name);
        }
    }
}

// The prefix "built-in:" names built-in scenarios only, even if such a file exists.
void check_built_in(const std::string& name, bool at_stepped_level) {
    if (built_in_named(name) != nullptr) {
        if (built_in_named(name, built_in_level(at_stepped_level)) == nullptr) {
            throw UsageError(name + ": belongs to the " +
                             (at_stepped_level ? "black-box" : "stepped") + " level");
        }
        return;
    }
    if (!name.starts_with("built-in:")) {
        return;
    }
    std::vector<std::string> known;
    for (const BuiltInScenario& built_in : built_in_scenarios()) {
        known.emplace_back(built_in.name);
    }
    throw UsageError("validate: there is no built-in scenario " + quoted_piece(name, name.size()) +
                     nearest_or_known(name, known));
}

}  // namespace

ChosenBuiltIns choose_built_ins(const BuiltInChoice& choice) {
    for (const std::string& name : choice.files) {
        check_built_in(name, choice.program.stepped);
    }
    ChosenBuiltIns chosen;
    const Scouted program = scouted(choice);
    chosen.lease_time = program.lease_time;
    add_built_ins(choice, program, chosen);
    return chosen;
}

std::vector<InputFile> files_with(const std::vector<std::string>& built_ins,
                                  std::vector<std::string> named, const std::string& stands_for) {
    std::vector<InputFile> files;
    files.reserve(built_ins.size());
    for (const std::string& name : built_ins) {
        files.push_back({name, "", stands_for});
    }
    std::erase_if(named, [](const std::string& name) { return built_in_named(name) != nullptr; });
    const auto found = find_files(named, FileKind::kScenarios);
    files.insert(files.end(), found.begin(), found.end());
    return files;
}

std::variant<Scenario, RecordedTrace> load_for_program(const std::string& file, bool is_stepped,
                                                       std::int64_t lease_time) {
    const BuiltInScenario* built_in = built_in_named(file, built_in_level(is_stepped));
    auto loaded = value_or_throw(built_in != nullptr ? parse_replayable(built_in->text, file)
                                                     : load_replayable(file));
    auto* scenario = std::get_if<Scenario>(&loaded);
    if (scenario != nullptr && built_in != nullptr && built_in->of_leases) {
        fit_to_lease(*built_in, lease_time, *scenario);
    }
    return loaded;
}

}  // namespace lockkeeper
