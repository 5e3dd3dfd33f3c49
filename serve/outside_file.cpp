// SPDX-License-Identifier: Apache-2.0
#include "serve/outside_file.hpp"

#include <exception>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <xxhash.h>

#include "reports/run_json.hpp"
#include "validate/outside/random_steps.hpp"
#include "work/trace_file.hpp"

namespace lockkeeper {
namespace {

using Json = ServeJson;

OutsideOptions walking_options(const ProgramJob& job) {
    OutsideOptions options = stepped_options_of(job);
    options.seconds_max = kOutsideWalkSeconds;
    return options;
}

// A state without a key is named by the schedule that leads to it.
Json names_json(const std::string& key, const std::vector<Action>& way) {
    const std::string text = key.empty() ? "way " + to_line({0, way}) : "state " + key;
    const std::string name = id_text(XXH3_64bits(text.data(), text.size()));
    return {{"id", name}, {"kind", name}};
}

std::vector<Action> first_of(const std::vector<Action>& actions, std::size_t count) {
    return {actions.begin(), actions.begin() + static_cast<std::ptrdiff_t>(count)};
}

// Why the run cannot continue; the steps up to there can be shown.
std::string obstacle(const OutsideTrace& trace) {
    if (trace.impossible) {
        return fmt::format("step {}: this is not possible there", *trace.impossible + 1);
    }
    if (trace.misbehaviour) {
        return fmt::format("step {}: {}: {}", trace.steps.size(), name_of(*trace.misbehaviour),
                           trace.detail);
    }
    return trace.stopped ? fmt::format("step {}: no answer in time", trace.steps.size()) : "";
}

void refuse_obstacle(const OutsidePlace& place) {
    if (const std::string why = obstacle(place.trace); !why.empty()) {
        throw DoesNotFit(why);
    }
}

}  // namespace

SearchThread::SearchThread(ProgramJob& job, OutsideOptions options)
    : job_(job), options_(std::move(options)), thread_([this] { work(); }) {}

SearchThread::~SearchThread() {
    {
        const std::lock_guard lock(mutex_);
        is_over_ = true;
    }
    is_asked_.notify_all();
    thread_.join();
}

void SearchThread::ask(const std::function<void(OutsideSearch&)>& use) {
    std::future<void> done;
    {
        const std::lock_guard lock(mutex_);
        done = asked_.emplace_back(Asked{use, {}}).done.get_future();
    }
    is_asked_.notify_all();
    done.get();
}

// False: nobody will ask any more.
bool SearchThread::waits_for_one() {
    std::unique_lock lock(mutex_);
    is_asked_.wait(lock, [&] { return is_over_ || !asked_.empty(); });
    return !is_over_;
}

std::optional<SearchThread::Asked> SearchThread::next() {
    const std::lock_guard lock(mutex_);
    if (asked_.empty()) {
        return std::nullopt;
    }
    std::optional<Asked> first(std::move(asked_.front()));
    asked_.pop_front();
    return first;
}

void SearchThread::answer(OutsideSearch& search) {
    while (waits_for_one()) {
        std::optional<Asked> asked = next();
        try {
            asked->use(search);
            asked->done.set_value();
        } catch (const Misbehaved& error) {
            // The code misbehaved, so the next request starts it anew.
            asked->done.set_exception(
                std::make_exception_ptr(refused_program(job_.command(), error)));
            return;
        } catch (...) {
            asked->done.set_exception(std::current_exception());
        }
    }
}

void SearchThread::refuse(const std::exception_ptr& why) {
    if (std::optional<Asked> asked = next()) {
        asked->done.set_exception(why);
    }
}

void SearchThread::work() {
    Watcher quiet;
    while (waits_for_one()) {
        bool was_there = false;
        try {
            with_search(job_, options_, quiet, [&](OutsideSearch& search, const LastWords&) {
                was_there = true;
                answer(search);
            });
        } catch (...) {
            refuse(std::current_exception());
            continue;
        }
        if (!was_there) {  // the server did not start
            const auto* error = std::get_if<Error>(&job_.report.verdict);
            refuse(std::make_exception_ptr(BadInput(
                {job_.report.file, "", error == nullptr ? "nothing was started" : error->detail})));
        }
    }
}

OutsideFile::OutsideFile(ProgramJob job)
    : job_(std::move(job)), thread_(job_, walking_options(job_)) {}

void OutsideFile::ask(const std::function<void(OutsideSearch&)>& use) {
    try {
        thread_.ask(use);
    } catch (const DifferentAnswer& error) {
        throw DoesNotFit(std::string("the code is not deterministic: ") + error.what());
    } catch (const Stopped&) {
        throw DoesNotFit(fmt::format("no answer within {} s", kOutsideWalkSeconds));
    }
}

ServeJson OutsideFile::view(std::size_t number) const {
    return {{"number", number},
            {"name", job_.report.file},
            {"system", job_.report.system + "/" + job_.report.variant},
            {"about", job_.scenario.about},
            {"scope", job_.report.scope},
            {"changed", ""},
            {"properties", property_rows(job_.world.check)},
            {"schedule", to_line(job_.replayed.value_or(Schedule{job_.scenario.seed, {}}))},
            {"outside", job_.command()}};
}

ServeJson OutsideFile::run(const Schedule& schedule) {
    OutsidePlace place;
    ask([&](OutsideSearch& search) { place = search.walk(schedule.actions); });
    OutsideTrace& trace = place.trace;
    if (const std::string why = obstacle(trace); !why.empty()) {
        const std::size_t last = trace.steps.empty() ? 0 : trace.steps.size() - 1;
        trace.divergences.push_back({trace.impossible.value_or(last), why});
    }
    const Schedule done = trace.schedule(schedule.seed);
    Json::array_t states;
    for (std::size_t i = 0; i <= done.actions.size(); ++i) {
        const std::string key = i < place.states.size() ? place.states[i] : "";
        states.push_back(names_json(key, first_of(done.actions, i)));
    }
    Json json = run_document(trace, {job_.report.file, job_.replay_command(to_line(done)), done},
                             std::move(states));
    json["look"] = place.look;
    return json;
}

// Takes each choice in a run of its own.
ServeJson OutsideFile::choices(const Schedule& schedule) {
    OutsidePlace here;
    std::vector<OutsidePlace> next;
    ask([&](OutsideSearch& search) {
        here = search.walk(schedule.actions);
        refuse_obstacle(here);
        for (const Action action : here.possible) {
            std::vector<Action> longer = schedule.actions;
            longer.push_back(action);
            next.push_back(search.walk(longer));
            // This run ended earlier than before, so it has no last step to show.
            if (next.back().trace.steps.size() < longer.size()) {
                refuse_obstacle(next.back());
            }
        }
    });
    Json::array_t choices;
    for (OutsidePlace& place : next) {
        const Json run = run_json({.trace = place.trace, .steps_max = kWalkStepsMax});
        const bool is_there = place.states.size() == place.trace.steps.size() + 1;
        const std::vector<Action> way = place.trace.schedule(schedule.seed).actions;
        Json choice =
            last_step_json(run, place.trace, names_json(is_there ? place.states.back() : "", way));
        if (const std::string why = obstacle(place.trace); !why.empty()) {
            choice["step"]["result"] = why;
        }
        choices.push_back(std::move(choice));
    }
    const std::vector<TraceStep>& steps = here.trace.steps;
    return {{"choices", std::move(choices)},
            {"state", names_json(here.states.back(), schedule.actions)},
            {"text", steps.empty() ? here.trace.initial_state : steps.back().state},
            {"end", end_of(here.trace)}};
}

ServeJson OutsideFile::random(const Schedule& schedule, const RandomWalk& choice) {
    OutsidePlace place;
    std::size_t taken = 0;
    ask([&](OutsideSearch& search) {
        Source& source = search.source();
        RandomSteps steps(choice.seed, 0, source);
        place = search.walk(
            schedule.actions, [&](const std::vector<Action>& possible) -> std::optional<Action> {
                if (possible.empty() || taken == choice.steps_max || !source.violated().empty()) {
                    return std::nullopt;
                }
                ++taken;
                return steps.choose(possible);
            });
    });
    if (place.trace.impossible) {
        refuse_obstacle(place);
    }
    const bool is_bad = !place.trace.violated.empty() || place.trace.misbehaviour.has_value();
    return {{"schedule", to_line(place.trace.schedule(choice.seed))},
            {"steps", taken},
            {"ended_by", is_bad                   ? "violation"
                         : place.possible.empty() ? "end"
                                                  : "steps"}};
}

SavedFile OutsideFile::saved(const Schedule& schedule) {
    OutsidePlace place;
    ask([&](OutsideSearch& search) { place = search.walk(schedule.actions); });
    refuse_obstacle(place);
    const std::vector<const Property*>& violated = place.trace.violated;
    const std::vector<const Property*>& kept = job_.world.check;
    const Property* property = !violated.empty() ? violated.front()
                               : kept.empty()    ? nullptr
                                                 : kept.front();
    Finding finding = finding_of(job_, property, schedule, static_cast<const Trace&>(place.trace));
    finding.is_violation = !violated.empty();
    return {signature_of(job_.scenario, finding) + std::string(kTraceEnding),
            trace_document(job_.scenario, finding)};
}

}  // namespace lockkeeper
