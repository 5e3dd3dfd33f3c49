// SPDX-License-Identifier: Apache-2.0
#include "serve/api.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "model/printable.hpp"
#include "properties/catalogue.hpp"
#include "reports/run_json.hpp"
#include "reports/texts.hpp"
#include "scenarios/bad_input.hpp"
#include "scenarios/parse_parts.hpp"
#include "scenarios/registry/settable_numbers.hpp"
#include "serve/outside_file.hpp"
#include "serve/saving.hpp"
#include "serve/session.hpp"
#include "work/make_report.hpp"

namespace lockkeeper {
namespace {

using Json = ServeJson;

Json numbers_json(const OpenedFile& file, const Registry& registry) {
    Json::array_t list;
    for (const SettableNumber& number : settable_numbers(registry, file.job.scenario)) {
        Json json{{"name", number.name},
                  {"value", nullptr},
                  {"least", number.least},
                  {"most", number.most},
                  {"about", number.about}};
        if (number.value) {
            json["value"] = *number.value;
        }
        list.push_back(std::move(json));
    }
    return list;
}

// All properties that apply to what the system shows.
Json checks_json(const OpenedFile& file) {
    Json::array_t list;
    for (const Property& property : all_properties()) {
        if ((property.needs & ~file.job.system->features) == 0) {
            list.push_back(property.name);
        }
    }
    return list;
}

// The properties that the scenario asks for, by name or by a word for several.
Json judged_json(const OpenedFile& file) {
    Json::array_t list;
    for (const Property* property : file.job.check) {
        list.push_back(property->name);
    }
    return list;
}

ServeJson file_view(const OpenedFile& file, std::size_t number) {
    const Scenario& scenario = file.job.scenario;
    Json json{{"number", number},
              {"name", file.job.file},
              {"system", scenario.system + "/" + scenario.variant},
              {"about", scenario.about},
              {"scope", scope_of(file.job)},
              {"changed", file.job.set_flags},
              {"properties", property_rows(file.job.check)},
              {"schedule", to_line(file.schedule)}};
    if (file.cycle_start != kNoStep) {
        json["cycle_from"] = file.cycle_start + 1;
    }
    return json;
}

// With what can be changed: the text of its scenario, and its numbers by name.
ServeJson scenario_view(const OpenedFile& file, const Registry& registry) {
    return {{"text", to_json_text(file.job.scenario)},
            {"numbers", numbers_json(file, registry)},
            {"checks", checks_json(file)},
            {"judged", judged_json(file)}};
}

// Text that is not UTF-8 is replaced.
std::string as_text(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Answer refused(int status, const std::string& message, const std::optional<TextPlace>& at = {}) {
    Json error{{"message", printable(message)}};
    if (at) {
        error["line"] = at->line;
        error["column"] = at->column;
    }
    return {status, as_text({{"error", std::move(error)}})};
}

}  // namespace

Answer refusal(int status, const std::string& message) { return refused(status, message); }

// One request: its fields, read as each endpoint wants them.
class Request {
  public:
    Request(Api& api, const Place& body) : api_(api), body_(body) {}

    [[nodiscard]] Json files() const {
        body_.has_only({});
        Json::array_t list;
        for (std::size_t i = 0; i < api_.files_.size(); ++i) {
            const auto outside = api_.files_.outside_at(i);
            list.push_back(outside ? outside->view(i) : file_view(*api_.files_.at(i), i));
        }
        return {{"version", build_text()},
                {"out", api_.around_.out_directory ? Json(*api_.around_.out_directory) : nullptr},
                {"strategies", random_strategies()},
                {"files", std::move(list)}};
    }
    [[nodiscard]] Json scenario() const {
        body_.has_only({"file"});
        return scenario_view(*file(), api_.files_.registry());
    }
    [[nodiscard]] Json open() const {
        body_.has_only({"name", "text"});
        return opened(api_.files_.open_text(body_.at("name").text(), body_.at("text").text()));
    }
    [[nodiscard]] Json edit() const {
        body_.has_only({"file", "text"});
        return opened(api_.files_.open_edited(number(), body_.at("text").text()));
    }
    [[nodiscard]] Json change() const {
        body_.has_only({"file", "numbers", "check"});
        return opened(api_.files_.open_changed(number(), changes()));
    }
    [[nodiscard]] Json read() const {
        body_.has_only({"name", "text", "numbers", "check"});
        const OpenedFile file =
            api_.files_.read(body_.at("name").text(), body_.at("text").text(), changes());
        return scenario_view(file, api_.files_.registry());
    }
    [[nodiscard]] Json run() const {
        body_.has_only({"file", "schedule", "cycle_from"});
        const auto code = outside();
        return code ? code->run(schedule()) : run_view(*file(), schedule(), cycle_start());
    }
    [[nodiscard]] Json choices() const {
        body_.has_only({"file", "schedule"});
        const auto code = outside();
        return code ? code->choices(schedule()) : choices_view(*file(), schedule());
    }
    [[nodiscard]] Json ahead() const {
        body_.has_only({"file", "schedule"});
        return ahead_view(*file(), schedule());
    }
    [[nodiscard]] Json graph() const {
        body_.has_only({"file", "schedule", "states"});
        return graph_view(*file(), schedule(),
                          body_.at("states").integer<std::size_t>(1, kGraphStatesMax));
    }
    [[nodiscard]] Json random() const {
        body_.has_only({"file", "schedule", "strategy", "seed", "steps"});
        RandomWalk walk;
        const std::vector<std::string_view>& known = random_strategies();
        const Place strategy = body_.at("strategy");
        walk.strategy = strategy.text();
        if (std::find(known.begin(), known.end(), walk.strategy) == known.end()) {
            strategy.refuse(fmt::format("expected {}", fmt::join(known, ", ")));
        }
        walk.seed = body_.at("seed").integer<std::uint64_t>(0, kLimitMax);
        const Schedule done = schedule();
        const std::size_t room = kWalkStepsMax - done.actions.size();
        walk.steps_max = std::min(room, body_.at("steps").integer<std::size_t>(1, kWalkStepsMax));
        const auto code = outside();
        if (code && walk.strategy != known.front()) {
            strategy.refuse("outside code is walked by " + std::string(known.front()));
        }
        return code ? code->random(done, walk) : random_view(*file(), done, walk);
    }
    [[nodiscard]] Json explore() const {
        body_.has_only({"file", "schedule", "check", "stop_at_first", "states"});
        ExplorationRequest asked;
        asked.outside = outside();
        asked.file = asked.outside ? nullptr : file();
        asked.file_number = number();
        asked.from = schedule();
        asked.stop_at_first = body_.at("stop_at_first").truth();
        if (const auto states = body_.find("states")) {
            asked.states_max = states->integer<std::uint64_t>(1, kLimitMax);
        }
        const std::vector<const Property*>& known =
            asked.outside ? asked.outside->job().world.check : asked.file->job.check;
        for (const Place& name : body_.at("check").elements(0, known.size())) {
            const auto property = std::find_if(
                known.begin(), known.end(),
                [&](const Property* candidate) { return name.is_text(candidate->name); });
            if (property == known.end()) {
                name.refuse("expected a property that the file checks, found " + name.found());
            }
            asked.check.push_back(*property);
        }
        api_.exploration_.start(std::move(asked));
        return api_.exploration_.view();
    }
    [[nodiscard]] Json exploration() const {
        body_.has_only({});
        return api_.exploration_.view();
    }
    [[nodiscard]] Json cancel() const {
        body_.has_only({});
        api_.exploration_.cancel();
        return api_.exploration_.view();
    }
    [[nodiscard]] Json save() const {
        body_.has_only({"file", "schedule", "cycle_from", "as", "name"});
        const SavedAs as =
            body_.at("as").word({"trace", "scenario"}) == 0 ? SavedAs::kTrace : SavedAs::kScenario;
        const auto code = outside();
        if (code && as == SavedAs::kScenario) {
            body_.at("as").refuse("a run of outside code can be saved as a trace");
        }
        const SavedFile saved =
            code ? code->saved(schedule())
                 : saved_file(*file(), api_.files_.registry(), schedule(), cycle_start(), as);
        const auto name = body_.find("name");
        if (!name) {  // the browser keeps it
            return {{"name", saved.name}, {"text", saved.text}};
        }
        if (!api_.around_.out_directory) {
            name->refuse("files are written where --out says, and it was not given");
        }
        return {{"path", write_saved(saved, *api_.around_.out_directory, name->text(), as)}};
    }

  private:
    [[nodiscard]] ScenarioChange changes() const {
        ScenarioChange change;
        for (const auto& [name, value] : body_.at("numbers").members()) {
            change.numbers[name] = value.integer<std::int32_t>(-kOwnNumberMax, kOwnNumberMax);
        }
        constexpr std::size_t kNamesMax = 200;
        for (const Place& name : body_.at("check").elements(0, kNamesMax)) {
            change.check.push_back(name.text());
        }
        return change;
    }
    [[nodiscard]] std::size_t number() const {
        return body_.at("file").integer<std::size_t>(0, OpenedFiles::kFilesMax);
    }
    [[nodiscard]] std::shared_ptr<const OpenedFile> file() const {
        auto file = api_.files_.at(number());
        if (file == nullptr && outside() != nullptr) {
            throw UsageError("this is not known of outside code, which cannot be copied");
        }
        if (file == nullptr) {
            body_.at("file").refuse(fmt::format("no file {} is open", number()));
        }
        return file;
    }
    // Null: a model's, or none.
    [[nodiscard]] std::shared_ptr<OutsideFile> outside() const {
        return api_.files_.outside_at(number());
    }
    [[nodiscard]] Schedule schedule() const {
        const Place place = body_.at("schedule");
        Schedule schedule = schedule_at(place);
        if (schedule.actions.size() > kWalkStepsMax) {
            place.refuse(fmt::format("{} steps; the explorer walks at most {}",
                                     schedule.actions.size(), kWalkStepsMax));
        }
        return schedule;
    }
    [[nodiscard]] std::size_t cycle_start() const {
        const auto from = body_.find("cycle_from");
        return from ? from->integer<std::size_t>(1, kWalkStepsMax) - 1 : kNoStep;
    }
    [[nodiscard]] Json opened(std::size_t number) const {
        return file_view(*api_.files_.at(number), number);
    }

    Api& api_;
    const Place& body_;
};

namespace {

struct Endpoint {
    std::string_view name;
    Json (Request::*answer)() const;
};
constexpr std::array kEndpoints{
    Endpoint{"files", &Request::files},     Endpoint{"scenario", &Request::scenario},
    Endpoint{"open", &Request::open},       Endpoint{"edit", &Request::edit},
    Endpoint{"change", &Request::change},   Endpoint{"run", &Request::run},
    Endpoint{"choices", &Request::choices}, Endpoint{"ahead", &Request::ahead},
    Endpoint{"graph", &Request::graph},     Endpoint{"random", &Request::random},
    Endpoint{"explore", &Request::explore}, Endpoint{"exploration", &Request::exploration},
    Endpoint{"cancel", &Request::cancel},   Endpoint{"save", &Request::save},
    Endpoint{"read", &Request::read},
};

}  // namespace

Api::Api(OpenedFiles& files, Surroundings around)
    : files_(files), around_(std::move(around)), exploration_(around_.exploration) {}

Answer Api::answer(std::string_view name, const std::string& body) {
    const auto endpoint =
        std::find_if(kEndpoints.begin(), kEndpoints.end(),
                     [&](const Endpoint& candidate) { return candidate.name == name; });
    if (endpoint == kEndpoints.end()) {
        return refused(404, "no such request");
    }
    try {
        const InputText input{"the request", body};
        const nlohmann::json document = read_json(input);
        const Place place(document, input);
        if (!place.is_object()) {
            place.refuse_type("an object");
        }
        const Request request(*this, place);
        return {200, as_text((request.*endpoint->answer)())};
    } catch (const RefusedInput& error) {
        return refused(400, error.what());
    } catch (const BadInput& error) {
        return refused(400, error.what(), error.place());
    } catch (const UsageError& error) {
        return refused(400, error.what());
    } catch (const DoesNotFit& error) {
        return refused(409, error.what());
    } catch (const OutputError& error) {
        return refused(409, error.what());
    } catch (const LimitExceeded& error) {
        return refused(409, error.what());
    } catch (const std::exception& error) {
        return refused(500, std::string("internal error: ") + error.what());
    }
}

}  // namespace lockkeeper
