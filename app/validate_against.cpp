// validate --against SYSTEM/VARIANT SCENARIO...: the scenario's system, or a --program, beside a
// reference (against.hpp), with the first difference, shrunk, and the command that replays it.
#include <algorithm>
#include <chrono>
#include <ostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/against_pair.hpp"
#include "app/exit_code.hpp"
#include "app/validate.hpp"
#include "reports/run_text.hpp"
#include "reports/words.hpp"
#include "scenarios/registry/unknown_names.hpp"
#include "version.hpp"

namespace lockkeeper {
namespace {

using against::Difference;
using against::ObservedRun;
using Json = nlohmann::ordered_json;

struct Compared : Conclusion {
    std::string file;
    std::string candidate;
    std::uint64_t seed = 0;
    std::uint64_t schedules = 0;
    std::array<std::uint64_t, 5> counts{};  // by Difference
    std::uint64_t cut = 0;
    std::uint64_t first_at = 0;  // schedule of the worst difference, from 1
    std::optional<ObservedRun> shown;
    against::Explanation explanation;
    Trace trace;
    std::string difference;  // of what is shown, in words
    std::string replay;

    [[nodiscard]] bool is_refused() const { return is<RefusedFile>(verdict); }
    [[nodiscard]] Difference worst() const {
        for (const Difference kind :
             {Difference::kWrong, Difference::kLooser, Difference::kStricter}) {
            if (counts[static_cast<std::size_t>(kind)] > 0) {
                return kind;
            }
        }
        const bool unsure = cut > 0 || counts[static_cast<std::size_t>(Difference::kUndecided)] > 0;
        return unsure ? Difference::kUndecided : Difference::kNone;
    }
};

const RegisteredSystem& reference_of(const Session& session) {
    const std::string& name = *session.options.validate.against;
    std::vector<std::string> known;
    for (const RegisteredSystem& system : session.registry.systems()) {
        known.push_back(system.system + "/" + system.variant);
        if (known.back() == name) {
            return system;
        }
    }
    throw UsageError("--against: no system \"" + printable(name) + "\"" +
                     nearest_or_known(name, known));
}

// Finds the worst kind of difference; of that kind the first.
void drive(const Session& session, against::Pair& pair, Compared& compared) {
    const Options& flags = session.options;
    const std::uint64_t schedules = flags.schedules_max.value_or(kAgainstSchedules);
    const std::uint64_t steps_max = flags.steps_max.value_or(kAgainstSteps);
    const auto began = std::chrono::steady_clock::now();
    Difference worst = Difference::kNone;
    bool hung = false;
    try {
        for (std::uint64_t i = 0; i < schedules && !hung && !interrupt_requested(); ++i) {
            const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - began;
            if (spent.count() > flags.seconds_max.value_or(1e18)) {
                break;
            }
            ObservedRun run = pair.against->run_at_random(compared.seed + i, steps_max);
            ++compared.schedules;
            hung = run.hung;
            if (run.cut) {
                ++compared.cut;
                continue;
            }
            const against::Explanation found = pair.against->explain(run);
            ++compared.counts[static_cast<std::size_t>(found.difference)];
            if (found.difference > worst) {
                worst = found.difference;
                if (worst > Difference::kUndecided) {
                    compared.shown = std::move(run);
                    compared.first_at = i + 1;
                }
            }
        }
        if (compared.shown && !compared.shown->hung) {
            compared.shown = pair.against->shrink(*compared.shown, worst);
        }
    } catch (const Stopped&) {  // a program's time is over: what was found so far
    }
    if (compared.shown) {
        compared.explanation = pair.against->explain(*compared.shown);
        const Schedule schedule{compared.seed, compared.shown->actions};
        compared.trace = pair.show(*compared.shown);
        compared.replay = pair.replay_of(to_line(schedule));
    }
    const bool is_undecided =
        compared.worst() == Difference::kUndecided || compared.schedules < schedules;
    compared.verdict = compared.shown ? Verdict(Violated{})
                       : is_undecided ? Verdict(Inconclusive{})
                                      : Passed{};
    compared.is_interrupted = interrupt_requested();
}

std::string first_difference(const Compared& compared, const std::vector<std::string>& callers) {
    const against::Explanation& found = compared.explanation;
    if (!found.call) {
        return "the reference: " + found.expected;
    }
    const against::ObservedCall& call = compared.shown->calls[*found.call];
    return fmt::format("step {}: {} of {} answers \"{}\", the reference \"{}\"",
                       call.returned.value_or(0), name_of(call.verb), callers[call.caller],
                       call.answer, found.expected);
}

Compared compare_file(const Session& session, const std::string& file,
                      const RegisteredSystem& reference) {
    Compared compared;
    compared.file = file;
    against::Pair pair = against::make_pair(session, file, reference);
    compared.candidate = pair.candidate;
    compared.seed = pair.seed;
    try {
        drive(session, pair, compared);
    } catch (const Misbehaved& error) {
        throw BadInput(
            {pair.candidate, "", std::string(name_of(error.kind())) + ": " + error.what()});
    }
    if (compared.shown) {
        compared.difference = first_difference(compared, pair.callers);
    }
    return compared;
}

std::string counts_text(const Compared& compared) {
    std::string text;
    for (std::size_t i = 0; i < compared.counts.size(); ++i) {
        if (compared.counts[i] > 0) {
            text +=
                fmt::format("{}{} {}", text.empty() ? "" : ", ", with_commas(compared.counts[i]),
                            name_of(static_cast<Difference>(i)));
        }
    }
    return text + (compared.cut > 0 ? fmt::format(", {} cut", with_commas(compared.cut)) : "");
}

void print_text(const Session& session, const Compared& compared) {
    std::string out =
        fmt::format("{}: {}, seed {}\n", compared.file, compared.candidate, compared.seed);
    if (compared.shown) {
        out +=
            fmt::format("first difference ({}, schedule {}), in {}:\n", name_of(compared.worst()),
                        compared.first_at, counted(compared.trace.steps.size(), "step"));
        std::size_t text_width = 38;
        std::size_t result_width = 22;
        for (const TraceStep& step : compared.trace.steps) {
            text_width = std::max(text_width, step.text.size());
            result_width = std::max(result_width, step.result.size());
        }
        for (std::size_t i = 0; i < compared.trace.steps.size(); ++i) {
            const TraceStep& step = compared.trace.steps[i];
            out += fmt::format("  {:>5}  {:<{}} {:<{}} {}\n", i + 1, step.text, text_width,
                               step.result, result_width, step.state);
        }
        out += compared.difference + "\nreplay: " + compared.replay + "\n";
    }
    out += fmt::format("verdict: {}; {}: {}\n", name_of(compared.worst()),
                       counted(compared.schedules, "schedule"), counts_text(compared));
    session.out << out << std::flush;
}

Json json_of(const Compared& compared) {
    Json json{{"file", compared.file}};
    if (compared.is_refused()) {
        json["error"] = detail_of(compared.verdict);
        return json;
    }
    json["candidate"] = compared.candidate;
    json["verdict"] = name_of(compared.worst());
    json["seed"] = compared.seed;
    json["schedules"] = compared.schedules;
    for (std::size_t i = 0; i < compared.counts.size(); ++i) {
        json[std::string(name_of(static_cast<Difference>(i)))] = compared.counts[i];
    }
    json["cut"] = compared.cut;
    if (compared.shown) {
        json["first_at"] = compared.first_at;
        json["difference"] = compared.difference;
        json["steps"] = compared.trace.steps.size();
        json["replay"] = compared.replay;
    }
    return json;
}

}  // namespace

int validate_against(const Session& session) {
    const RegisteredSystem& reference = reference_of(session);
    if (session.options.files.empty()) {
        throw UsageError("validate: --against needs scenario files");
    }
    const std::string reference_name = reference.system + "/" + reference.variant;
    if (session.prints_text()) {
        session.out << fmt::format("lockkeeper {} ({}), validate against {}\n", version(), commit(),
                                   reference_name);
    }
    int exit_code = kExitPassed;
    Json documents = Json::array();
    for (const InputFile& input : find_files(session.options.files, FileKind::kScenarios)) {
        Compared compared;
        try {
            if (!input.error.empty()) {
                throw BadInput({input.path, "", input.error});
            }
            compared = compare_file(session, input.path, reference);
        } catch (const BadInput& error) {
            compared.file = input.path;
            compared.verdict = RefusedFile{error.what()};
            session.complain(error.what());
        } catch (const LimitExceeded& error) {
            compared.file = input.path;
            compared.verdict = RefusedFile{error.what()};
            session.complain(input.path + ": " + error.what());
        }
        exit_code = worse_exit_code(exit_code, exit_code_of(compared));
        if (session.prints_text() && !compared.is_refused()) {
            print_text(session, compared);
        }
        documents.push_back(json_of(compared));
    }
    if (!session.prints_text()) {
        const Json document{{"$schema", "validate_against.schema.json"},
                            {"validate_against_version", 1},
                            {"version", version()},
                            {"commit", commit()},
                            {"command", "validate"},
                            {"reference", reference_name},
                            {"exit_code", exit_code},
                            {"compared", documents}};
        session.out << document.dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
    }
    return exit_code;
}

}  // namespace lockkeeper
