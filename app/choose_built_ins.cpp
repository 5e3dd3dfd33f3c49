#include "app/choose_built_ins.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "app/built_in_scenarios.hpp"
#include "app/exit_code.hpp"
#include "reports/words.hpp"
#include "scenarios/registry/unknown_names.hpp"
#include "validate/programs/scout.hpp"

namespace lockkeeper {

bool is_stepped(const Session& session) {
    return session.options.validate.level.value_or(kLevelDefault) == "stepped";
}

namespace {

// What the built-in scenarios have to know of the program, where they are used.
Scouted scouted(const Session& session) {
    const Options& options = session.options;
    const auto& files = options.files;
    const bool asks_leases = std::any_of(files.begin(), files.end(), [](const std::string& name) {
        const BuiltInScenario* built_in = built_in_named(name);
        return built_in != nullptr && built_in->of_leases;
    });
    if (!files.empty() && !asks_leases) {
        return {};
    }
    ProgramOptions program;
    program.command = *options.validate.program;
    program.answer_seconds = options.validate.answer_seconds.value_or(program.answer_seconds);
    program.stepped = is_stepped(session);
    program.parameters = {{"ttl", program.stepped ? 2 : kBlackBoxLease}};
    for (const auto& [name, number] : options.numbers) {
        program.parameters[name] = number;
    }
    const double seconds = options.seconds_max.value_or(1e18);
    return scout(program, {ChildProcess::after(seconds)});
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

// Those that are named, or those that fit the program.
std::vector<InputFile> built_ins_for(const Session& session, const Scouted& program) {
    const auto& given = session.options.files;
    const bool is_lease = program.lease_time > 0;
    std::vector<InputFile> files;
    for (const BuiltInScenario& built_in : built_in_scenarios()) {
        if (built_in_named(built_in.name, is_stepped(session)) != &built_in) {
            continue;  // its namesake is of this level, or none: refused where it is named
        }
        if (!given.empty()) {
            if (std::find(given.begin(), given.end(), built_in.name) != given.end()) {
                files.push_back({built_in.name, ""});
            }
        } else if (built_in.of_leases != is_lease ||
                   (built_in.places == Places::kOne && !program.has_one_place)) {
            continue;
        } else if (const char* why = why_left_out(built_in, program,
                                                  session.options.validate.process_per_caller)) {
            session.complain(std::string(built_in.name) + ": left out: " + why);
        } else {
            files.push_back({built_in.name, ""});
        }
    }
    return files;
}

// The prefix is that of built-in scenarios only, whatever files there are.
void check_built_in(const std::string& name, bool at_stepped_level) {
    if (built_in_named(name) != nullptr) {
        if (built_in_named(name, at_stepped_level) == nullptr) {
            throw UsageError(name + ": belongs to the " +
                             (at_stepped_level ? "black-box" : "stepped") + " level");
        }
        return;
    }
    constexpr std::string_view kPrefix = "built-in:";
    if (name.compare(0, kPrefix.size(), kPrefix) != 0) {
        return;
    }
    std::vector<std::string> known;
    for (const BuiltInScenario& built_in : built_in_scenarios()) {
        known.emplace_back(built_in.name);
    }
    throw UsageError("validate: there is no built-in scenario \"" + printable(name) + "\"" +
                     nearest_or_known(name, known));
}

}  // namespace

ChosenBuiltIns choose_built_ins(const Session& session) {
    for (const std::string& name : session.options.files) {
        check_built_in(name, is_stepped(session));
    }
    const Scouted program = scouted(session);
    return {built_ins_for(session, program), program.lease_time};
}

}  // namespace lockkeeper
