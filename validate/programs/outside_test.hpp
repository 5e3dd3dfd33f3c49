// SPDX-License-Identifier: Apache-2.0

// Shared by the tests of outside/: worlds, commands of the shipped examples and of children that
// misbehave. Tests that need python3 or node begin with the macros, which skip by name.
#pragma once

#include <stdio.h>
#include <stdlib.h>

#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "model/missing_test.hpp"
#include "model/slow_build_test.hpp"
#include "properties/catalogue.hpp"
#include "validate/programs/black_box.hpp"
#include "validate/programs/stepped_run.hpp"

namespace lockkeeper::testing_outside {

using testing_model::has_tool;

// The command that runs a tool. `python3` may be a script that looks for the interpreter, and each
// start looks for installed packages: either takes longer than the test. No child here needs
// packages.
inline std::string running(const std::string& tool) {
    static const std::string kInterpreter = [] {
        std::string found;
        FILE* output = popen("python3 -S -E -c 'import sys; print(sys.executable)'", "r");
        for (int letter = 0; output != nullptr && (letter = std::getc(output)) > '\n';) {
            found += static_cast<char>(letter);
        }
        return output == nullptr || pclose(output) != 0 ? "python3" : "'" + found + "'";
    }();
    return tool == "python3" ? kInterpreter + " -S -E" : tool;
}
inline std::string other_child(const std::string& file_and_mode,
                               const std::string& tool = "python3") {
    return running(tool) + " " LOCKKEEPER_SOURCE_DIR "/validate/programs/test_children/" +
           file_and_mode;
}
inline std::string child(const std::string& mode) { return other_child("child.py " + mode); }
inline std::string example(const std::string& tool, const std::string& arguments) {
    return running(tool) + " " LOCKKEEPER_SOURCE_DIR "/examples/outside/" + arguments;
}

// The base of test suites that run with the shipped example in each language.
struct Language {
    std::string tool;
    std::string ending;
};
class InEachLanguage : public ::testing::TestWithParam<Language> {
  protected:
    // "canal" and " --faithful": canal.py --faithful, or canal.js --faithful, or canal.erl.
    [[nodiscard]] static std::string example_here(const std::string& name,
                                                  const std::string& flags = "") {
        return example(GetParam().tool, name + "." + GetParam().ending + flags);
    }
};
inline std::ostream& operator<<(std::ostream& out, const Language& language) {
    return out << language.tool;
}
// Sanitizers look at the side that all languages share: one is enough there.
inline auto languages(std::vector<Language> all) {
    if (testing_model::kIsSanitized) {
        all.resize(1);
    }
    return ::testing::ValuesIn(all);
}
inline auto both_languages() { return languages({{"python3", "py"}, {"node", "js"}}); }
inline auto all_languages() {
    return languages({{"python3", "py"}, {"node", "js"}, {"escript", "erl"}});
}
inline std::string name_of_language(const ::testing::TestParamInfo<Language>& named) {
    return named.param.ending;
}

inline Operation operation(Verb verb, std::uint16_t max_per = 1, std::uint16_t buckets = 1) {
    Operation out;
    out.verb = verb;
    out.place_capacity = max_per;
    out.places = buckets;
    return out;
}

// `count` callers A1, A2 ..., each with the same script on one key.
inline OutsideWorld world_of(std::size_t count, const std::vector<Operation>& script) {
    OutsideWorld out;
    out.world.keys = {"db"};
    for (std::size_t i = 0; i < count; ++i) {
        CallerConfig caller;
        caller.name = "A" + std::to_string(i + 1);
        caller.script = script;
        out.world.callers.push_back(std::move(caller));
    }
    for (const Property& property : all_properties()) {
        if (is_judged_outside(property)) {
            out.check.push_back(&property);
        }
    }
    return out;
}
// Acquire and release, `times` in a row.
inline OutsideWorld pairs(std::size_t callers, std::uint16_t buckets, int times = 1) {
    std::vector<Operation> script;
    for (int i = 0; i < times; ++i) {
        script.push_back(operation(Verb::kAcquire, 1, buckets));
        script.push_back(operation(Verb::kRelease, 1, buckets));
    }
    return world_of(callers, script);
}

// The world checks only this property.
inline OutsideWorld checks(OutsideWorld world, const char* property) {
    world.check = {find_property(property)};
    return world;
}

// For searches of everything. In slow builds the last caller does not release, which takes a
// fraction of the runs; the first caller's release is the same step.
inline OutsideWorld or_less(OutsideWorld world) {
    if (testing_model::is_short_run()) {
        auto& script = world.world.callers.back().script;
        EXPECT_EQ(Verb::kRelease, script.back().verb);
        script.pop_back();
    }
    return world;
}

inline ProgramOptions options_for(const std::string& command, const OutsideWorld& world) {
    ProgramOptions out;
    out.command = command;
    out.answer_seconds = 60;  // a loaded machine is no verdict
    out.keys = world.world.keys;
    out.parameters = world.parameters;
    for (const CallerConfig& caller : world.world.callers) {
        out.callers.push_back(caller.name);
    }
    return out;
}

// One search, and all that shrinking and replaying need.
struct Searched {
    Searched(const std::string& command, OutsideWorld asked, OutsideOptions options = {},
             double answer_seconds = 60)
        : world(std::move(asked)), program_options(options_for(command, world)) {
        program_options.answer_seconds = answer_seconds;
        program = std::make_unique<Program>(program_options);
        search = std::make_unique<SteppedSearch>(*program, world, std::move(options));
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
    ProgramOptions program_options;
    std::unique_ptr<Program> program;
    std::unique_ptr<SteppedSearch> search;
    OutsideResult result;
};

// The same algorithm asks the same questions, whoever asks them.
inline void expect_same(const OutsideResult& expected, const OutsideResult& result) {
    EXPECT_EQ(expected.complete, result.complete);
    EXPECT_EQ(expected.schedules, result.schedules);
    EXPECT_EQ(expected.steps, result.steps);
}

// The verdict on three callers that acquire and release five times each, recorded twice. The
// program answers them all.
inline std::string_view run_black_box_of(const std::string& command) {
    OutsideWorld world = pairs(3, 1, 5);
    for (CallerConfig& caller : world.world.callers) {
        for (Operation& operation : caller.script) {
            operation.until_acquired = operation.verb == Verb::kAcquire;
        }
    }
    BlackBoxOptions options;
    options.schedules_max = 2;
    options.model = std::get<ModelChoice>(parse_model("mutex"));
    const BlackBoxResult result = run_black_box(options_for(command, world), world, options);
    EXPECT_FALSE(result.misbehaviour) << result.detail << result.last_words;
    EXPECT_EQ("", result.refused);
    EXPECT_GE(result.tally.answers.grants, 2U * 3 * 5);
    return name_of(result.verdict);
}

}  // namespace lockkeeper::testing_outside
