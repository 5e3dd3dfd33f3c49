// SPDX-License-Identifier: Apache-2.0

// Every run as a process in the trace event format, which Perfetto and chrome://tracing open: a
// thread for each party, operations as slices around their steps, messages as flows, counters and
// locks held as tracks. A step takes a thousandth of a second that has no other meaning.
#include <fmt/format.h>

#include "model/json.hpp"
#include "reports/clean_text.hpp"
#include "reports/drawn_run.hpp"
#include "reports/texts.hpp"
#include "work/results/words.hpp"

namespace lockkeeper {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kStepMicroseconds = 1000;
constexpr std::size_t kEventsMax = 1'000'000;  // in all; the viewers slow down before

class PerfettoEvents {
  public:
    // False: there is no room for it.
    bool add(const DrawnRun& run) {
        if (events_.size() + run.steps().size() * 4 > kEventsMax) {
            return false;
        }
        ++process_;
        add_names(run);
        add_operations(run);
        add_steps(run);
        add_messages(run);
        add_counters(run);
        return true;
    }
    [[nodiscard]] Json::array_t& all() { return events_; }

  private:
    static std::size_t begin_of(std::size_t step) { return (step - 1) * kStepMicroseconds; }

    Json& event(const char* phase, const std::string& name, std::size_t party, std::size_t time) {
        events_.push_back({{"ph", phase},
                           {"name", clean_line(name)},
                           {"pid", process_},
                           {"tid", party + 1},
                           {"ts", time}});
        return events_.back();
    }
    void add_names(const DrawnRun& run) {
        const std::string name = run.report().file + ": " + run.title();
        event("M", "process_name", 0, 0)["args"] = {{"name", clean_line(name)}};
        for (std::size_t i = 0; i < run.parties().size(); ++i) {
            if (run.takes_part(i)) {
                event("M", "thread_name", i, 0)["args"] = {{"name", clean_line(run.parties()[i])}};
                event("M", "thread_sort_index", i, 0)["args"] = {{"sort_index", i}};
            }
        }
    }
    void add_operations(const DrawnRun& run) {
        for (const DrawnOperation& operation : run.operations()) {
            const std::size_t last = operation.last.value_or(run.steps().size());
            Json& slice = event("X", operation.name, operation.party, begin_of(operation.first));
            slice["dur"] = (last - operation.first + 1) * kStepMicroseconds;
            slice["cat"] = "operation";
            slice["args"] = {{"ended", operation.last ? name_of(operation.ended) : "open"}};
        }
    }
    // A slice within that of its operation.
    void add_steps(const DrawnRun& run) {
        for (std::size_t number = 1; number <= run.steps().size(); ++number) {
            const TraceStep& step = run.steps()[number - 1];
            Json& slice = event("X", run.step_text(step), run.party_of(step), begin_of(number));
            slice["dur"] = kStepMicroseconds;
            slice["cat"] = "step";
            slice["args"] = {{"step", number},
                             {"action", to_text(step.action)},
                             {"state", step.state},
                             {"decisive", step.is_cause}};
            for (const Property* property : step.violates) {
                Json& mark = event("i", "violates " + title_of(*property), run.party_of(step),
                                   begin_of(number));
                mark["s"] = "p";  // across the whole process
                mark["cat"] = "violation";
            }
        }
    }
    void add_messages(const DrawnRun& run) {
        for (const TraceMessage& message : run.messages()) {
            if (message.arrives == 0 || message.is_lost) {
                continue;
            }
            ++flow_;
            // Within the slices of the two steps, which is how a viewer finds them.
            for (const bool is_start : {true, false}) {
                Json& end = event(
                    is_start ? "s" : "f", run.message_text(message),
                    is_start ? message.from : message.to,
                    begin_of(is_start ? message.sent : message.arrives) + kStepMicroseconds / 2);
                end["cat"] = "message";
                end["id"] = flow_;
                if (!is_start) {
                    end["bp"] = "e";
                }
            }
        }
    }
    void add_counters(const DrawnRun& run) {
        const std::vector<ShownField>& fields = run.trace().fields;
        for (std::size_t i = 0; i < fields.size(); ++i) {
            add_counter(run, fields[i], run.trace().initial_values[i], 0);
        }
        for (std::size_t number = 1; number <= run.steps().size(); ++number) {
            for (const ShownChange& change : run.steps()[number - 1].changes) {
                add_counter(run, fields[change.field], change.value, begin_of(number + 1));
            }
        }
    }
    void add_counter(const DrawnRun& run, const ShownField& field, std::int32_t value,
                     std::size_t time) {
        const bool is_held =
            field.kind == ShownKind::kBelieved || field.kind == ShownKind::kGranted;
        if (value == kNotShown || (field.kind != ShownKind::kCounter && !is_held) || !field.key) {
            return;
        }
        std::string name = run.key_name(*field.key);
        if (field.kind == ShownKind::kCounter) {
            name += fmt::format("[{}]", field.place);
        } else {
            name = run.parties().at(field.caller.value_or(0)) +
                   (field.kind == ShownKind::kBelieved ? " believes to hold " : " is granted ") +
                   name;
        }
        event("C", name, 0, time)["args"] = {{"value", value}};
    }

    Json::array_t events_;
    std::size_t process_ = 0;
    std::size_t flow_ = 0;
};

std::string perfetto_text(Json events, const std::string& note) {
    const Json json = {{"otherData", {{"writer", build_text()}, {"note", note}}},
                       {"displayTimeUnit", "ms"},
                       {"traceEvents", std::move(events)}};
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

// For a row of formats.cpp.
std::string perfetto_document(const Results& results) {
    PerfettoEvents events;
    std::size_t left_out = 0;
    for (const DrawnRun& run : drawn_runs(results)) {
        left_out += events.add(run) ? 0U : 1U;
    }
    return perfetto_text(
        std::move(events.all()),
        left_out == 0 ? "" : counted(left_out, "run") + " left out: too many events");
}

std::string perfetto_refusal(int /*exit_code*/, const std::string& message) {
    return perfetto_text(Json::array(), clean_line(message));
}

}  // namespace lockkeeper
