// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "model/printable.hpp"
#include "properties/catalogue.hpp"
#include "scenarios/bad_input.hpp"
#include "scenarios/json_layout.hpp"
#include "scenarios/registry/job.hpp"
#include "scenarios/registry/vary.hpp"
#include "validate/logs/written_time.hpp"
#include "work/expectation.hpp"
#include "work/incident.hpp"
#include "work/program_incident.hpp"

namespace lockkeeper {
namespace {

using Json = nlohmann::ordered_json;

// The promises that an incident breaks, of those that the system can show.
constexpr const char* kChecks[] = {"over-allocation", "belief-overlap", "grant-overlap",
                                   "unprotected-effect"};

Json checks_of(const RegisteredSystem& system) {
    Json::array_t names;
    for (const char* name : kChecks) {
        const Property* property = find_property(name);
        if (property != nullptr && (property->needs & ~system.features) == 0) {
            names.emplace_back(name);
        }
    }
    return names;
}

Job incident_job(const Registry& registry, const Json& document) {
    const std::string text = laid_out(document);
    return value_or_throw(make_job(registry, value_or_throw(parse_scenario(text, "scenario"))));
}

class IncidentAnswer {
  public:
    IncidentAnswer(const Registry& registry, const IncidentAsked& asked,
                   const logs::ToldAnswer& told)
        : registry_(registry), asked_(asked), told_(told), model_(told.model.choice()) {}

    std::string answer() {
        // A lock with a bug may have a run of its own.
        const bool names_lock = !asked_.system.empty() || asked_.program;
        const bool has_own_run = names_lock && model_.kind != ModelKind::kLease;
        if (!told_.answer.found.is_found && !has_own_run) {
            throw BadInput(
                InputError{"explain",
                           "",
                           "--save and --variant: no run explains these lines, so that there is "
                           "none to write or to compare",
                           {}});
        }
        if (asked_.program) {
            return answer_of_program();
        }
        const std::string name =
            asked_.system.empty() ? system_for(model_, told_.answer) : asked_.system;
        const RegisteredSystem& system = system_named(registry_, "--model", name);
        IncidentScenario made = scenario_of(system);
        const WantedRun run = search(made);
        if (!run.is_found) {
            return told_or_refused(no_run(name_of(system), made, run));
        }
        out_ += fmt::format("the run in steps of {}: {}\n", name_of(system), to_line(run.schedule));
        Json saved = saved_scenario(made, run);
        if (asked_.variant) {
            ask_variant(system, saved);
        }
        if (asked_.save != nullptr) {
            asked_.save->write(laid_out(saved));
            out_ += "written: " + asked_.save->path() + "\n";
        }
        return std::move(out_);
    }

    // The system is named, and nothing is asked of it: what it cannot say refuses no logs.
    [[nodiscard]] bool only_tells() const { return asked_.save == nullptr && !asked_.variant; }

  private:
    // The scenario has no schedule: no command is started because a file names it.
    [[nodiscard]] std::string answer_of_program() const {
        IncidentScenario made = incident_scenario(program_in_incidents(), model_, told_.answer);
        made.document["about"] = about(made);
        made.document.erase("variant");
        const std::string name = "`" + asked_.program->command + "`";
        const WantedRun run = find_program_run(*asked_.program, made);
        if (!run.is_found) {
            return told_or_refused(no_run(name, made, run));
        }
        const std::string line = to_line(run.schedule);
        std::string out = fmt::format("the run in steps of {}: {}\n", name, line);
        if (made.left_out > 0) {
            out += fmt::format("left out: {} of its operations, which a program has no call for\n",
                               made.left_out);
        }
        if (asked_.save != nullptr) {
            asked_.save->write(laid_out(made.document));
            out += fmt::format(
                "written: {}\nreplay: lockkeeper validate --program {} {} --replay-choices {}\n",
                asked_.save->path(), shell_quoted(asked_.program->command),
                shell_quoted(asked_.save->path()), line);
        }
        return out;
    }

    [[nodiscard]] IncidentScenario scenario_of(const RegisteredSystem& system) const {
        IncidentScenario made = incident_scenario(system, model_, told_.answer);
        made.document["check"] = checks_of(system);
        made.document["about"] = about(made);
        return made;
    }

    [[nodiscard]] std::string about(const IncidentScenario& made) const {
        std::string files;
        for (const logs::Source& source : told_.sources) {
            if (!source.observations.empty() && files.find(source.file) == std::string::npos) {
                files += (files.empty() ? "" : ", ") + source.file;
            }
        }
        std::string text = "Incident: the run that explains " + files;
        text += made.is_part ? ", as far as its first effect without the lock needs it." : ".";
        if (made.has_times) {
            text += " One unit of time is " + logs::duration_words(made.times.unit) + ", from " +
                    logs::time_text(made.times.origin, told_.form, false) + " on.";
        }
        if (made.left_out > 0) {
            text += fmt::format(" {} of its operations this system does not know.", made.left_out);
        }
        return text;
    }

    [[nodiscard]] WantedRun search(const IncidentScenario& made) const {
        Json document = made.document;
        document["method"] = "explore";
        const Job job = incident_job(registry_, document);
        WantedLimits limits;
        limits.stop = asked_.stop;
        return find_wanted_run(job.runner->erased(), made.wanted, limits);
    }

    // The same with its schedule, and what the replay comes to.
    [[nodiscard]] Json saved_scenario(const IncidentScenario& made, const WantedRun& run) const {
        Json document = made.document;
        document["method"] = "replay";
        document["schedule"] = to_line(run.schedule);
        const Job job = incident_job(registry_, document);
        ReplayOptions options;
        options.check = job.check;
        const Trace trace = run_as_written(job, options);
        Json expect = Json::object({{"verdict", trace.violated.empty() ? "passed" : "violated"}});
        if (!trace.violated.empty()) {
            Json::array_t names;
            for (const Property* property : trace.violated) {
                names.emplace_back(property->name);
            }
            expect["properties"] = std::move(names);
        }
        Json results = Json::object();
        for (std::size_t caller = 0; caller < made.document["callers"].size(); ++caller) {
            Json::array_t list;
            for (const std::string& result :
                 results_of(trace, caller, job.scenario.parameters.returns_count)) {
                const bool is_count = result.find_first_not_of("0123456789") == std::string::npos;
                list.push_back(is_count ? Json(std::stoi(result)) : Json(result));
            }
            results[made.document["callers"][caller]["name"].get<std::string>()] = std::move(list);
        }
        expect["results"] = std::move(results);
        document["expect"] = std::move(expect);
        return document;
    }

    [[nodiscard]] std::string told_or_refused(const std::string& why) const {
        if (only_tells()) {
            return why + "\n";
        }
        throw BadInput(InputError{"explain", "", why, {}});
    }

    [[nodiscard]] std::string no_run(const std::string& name, const IncidentScenario& made,
                                     const WantedRun& run) const {
        return !run.different.empty() ? name + ": not deterministic: " + run.different
               : !run.is_complete     ? name + ": " + difference(made, run)
                                      : name + " has no such run: " + difference(made, run);
    }

    // The line of the operation that does not come, and what happens instead.
    [[nodiscard]] std::string difference(const IncidentScenario& made, const WantedRun& run) const {
        if (!run.is_complete) {
            return "the run was not found, and not all of its runs were tried: it may have one";
        }
        const IncidentOperation& operation = made.operations[made.shown[run.missed]];
        std::string text =
            told_.answer.problem->callers[operation.caller] + "'s " + name_of(operation.code);
        if (operation.line) {
            const logs::Source& source = told_.sources[operation.line->source];
            const logs::Observation& seen = source.observations[operation.line->position];
            text += fmt::format(" ({}:{}: {})", source.file, seen.line, seen.text);
        }
        text += " cannot happen there, because " + run.why;
        if (run.lost_at && made.has_times) {
            text += fmt::format(" at {}: it holds no longer, and passes the call over",
                                logs::time_text(made.times.origin + *run.lost_at * made.times.unit,
                                                told_.form, false));
        }
        return text;
    }

    void ask_variant(const RegisteredSystem& system, Json& saved) {
        const std::string& asked = *asked_.variant;
        const std::string name =
            asked.find('/') == std::string::npos ? system.system + "/" + asked : asked;
        const RegisteredSystem& other = system_named(registry_, "--variant", name);
        const IncidentScenario made = scenario_of(other);
        const WantedRun run = search(made);
        out_ += name + ": ";
        if (run.is_found) {
            out_ += "this can happen there, too: " + to_line(run.schedule) + "\n";
        } else {
            out_ += difference(made, run) + "\n";
        }
        if (&other != &system && other.system == system.system) {
            add_case(system, other, saved);
        }
    }

    // `run` then asks both locks: that of the night for its run, the other for every run of the
    // same scripts.
    void add_case(const RegisteredSystem& system, const RegisteredSystem& other, Json& saved) {
        Json explored = saved;
        explored["variant"] = other.variant;
        explored["method"] = "explore";
        explored.erase("schedule");
        explored.erase("expect");
        const Job job = incident_job(registry_, explored);
        ExploreOptions options = explore_options_of(job);
        options.states_max = WantedLimits().states_max;
        options.stop = asked_.stop;
        std::optional<ExploreResult> explored_all = explored_within(job, options);
        if (!explored_all) {
            out_ += name_of(other) + ": its runs are too many for a case of the file\n";
            return;
        }
        const ExploreResult& result = *explored_all;
        Json night = Json::object({{"name", system.variant}, {"method", "replay"}});
        for (const char* key : {"schedule", "expect"}) {
            night[key] = std::move(saved[key]);
            saved.erase(key);
        }
        saved.erase("method");
        Json::array_t names;
        for (const FoundViolation& found : result.violations) {
            if (std::find(names.begin(), names.end(), Json(found.property->name)) == names.end()) {
                names.emplace_back(found.property->name);
            }
        }
        Json expect = Json::object({{"verdict", names.empty() ? "passed" : "violated"}});
        out_ += name_of(other) + ": all runs of the same scripts: " +
                (names.empty() ? "nothing is violated" : Json(names).dump() + " is violated") +
                "\n";
        if (!names.empty()) {
            expect["properties"] = std::move(names);
        }
        Json asked = Json::object(
            {{"name", other.variant}, {"variant", other.variant}, {"method", "explore"}});
        asked["expect"] = std::move(expect);
        saved["cases"] = Json::array_t{std::move(night), std::move(asked)};
    }

    // Nothing: a limit came first, of the search or of the system's numbers.
    static std::optional<ExploreResult> explored_within(const Job& job,
                                                        const ExploreOptions& options) {
        try {
            ExploreResult result = job.runner->explore(options);
            return result.complete ? std::optional(std::move(result)) : std::nullopt;
        } catch (const LimitExceeded&) {
            return std::nullopt;
        }
    }

    static std::string name_of(const RegisteredSystem& system) {
        return system.system + "/" + system.variant;
    }
    static const char* name_of(LockCode code) {
        return code == LockCode::kWrite ? "effect" : lockkeeper::name_of(code);
    }

    const Registry& registry_;
    const IncidentAsked& asked_;
    const logs::ToldAnswer& told_;
    const ModelChoice& model_;
    std::string out_;
};

}  // namespace

std::string ask_incident(const Registry& registry, const IncidentAsked& asked,
                         const logs::ToldAnswer& told) {
    const bool names_lock = !asked.system.empty() || asked.program;
    if (asked.save == nullptr && !asked.variant && !names_lock) {
        return "";
    }
    IncidentAnswer answer(registry, asked, told);
    try {
        return answer.answer();
    } catch (const BadInput& why) {
        if (!answer.only_tells()) {
            throw;
        }
        return std::string(why.what()) + "\n";
    }
}

}  // namespace lockkeeper
