// SPDX-License-Identifier: Apache-2.0
#include "validate/logs/document.hpp"

#include <set>

#include "validate/logs/written_time.hpp"

namespace lockkeeper::logs {
namespace {

using Json = nlohmann::ordered_json;

// Before the first line, and later than the last one, nobody knows when.
Json nanoseconds(std::int64_t time) {
    return time <= kLongAgo / 2 || time >= kNever / 2 ? Json(nullptr) : Json(time);
}

class DocumentWriter {
  public:
    DocumentWriter(const LockAnswer& answer, const std::vector<Source>& sources,
                   const TimeForm& form, const std::string& text)
        : answer_(answer), sources_(sources), form_(form), text_(text), problem_(*answer.problem) {}

    [[nodiscard]] Json write() const {
        const Cost cost = answer_.found.cost;
        const bool is_found = answer_.found.is_found;
        return {
            {"lock", answer_.key},
            {"verdict", verdict_word(answer_.answer)},
            {"limit", answer_.doubts.limit == nullptr ? Json(nullptr) : Json(answer_.doubts.limit)},
            {"explained", is_found},
            {"lines_missing", is_found ? cost.lost : 0},
            {"lines_missing_max", answer_.lost_max},
            {"effects_without_lock", is_found ? cost.uncovered : 0},
            {"stops_at", is_found ? Json(nullptr) : stop()},
            {"files", files()},
            {"lines", problem_.lines()},
            {"callers", problem_.callers},
            {"doubts", doubts()},
            {"run", run(answer_.run)},
            {"run_with_stranger", run(answer_.with_stranger)},
            {"run_without_such_effects", run(answer_.without)},
            {"states", answer_.states},
            {"text", text_}};
    }

  private:
    [[nodiscard]] Json line(Place place) const {
        const Observation& seen = sources_[place.source].observations[place.position];
        return {{"file", sources_[place.source].file}, {"line", seen.line}, {"text", seen.text}};
    }
    [[nodiscard]] Json name(std::uint32_t caller) const {
        return caller < problem_.callers.size() ? Json(problem_.callers[caller]) : Json(nullptr);
    }
    [[nodiscard]] Json written(std::int64_t time, bool up = false) const {
        const Json known = nanoseconds(time);
        return known.is_null() ? known : Json(time_text(time, form_, up));
    }
    [[nodiscard]] Json window(std::int64_t earliest, std::int64_t latest) const {
        return {{"earliest", nanoseconds(earliest)},
                {"latest", nanoseconds(latest)},
                {"time", written(earliest)},
                {"time_latest", written(latest, true)}};
    }

    [[nodiscard]] Json files() const {
        std::set<std::string> names;
        for (const Source& source : sources_) {
            if (!source.observations.empty()) {
                names.insert(source.file);
            }
        }
        return names;
    }

    [[nodiscard]] Json stop() const {
        const Furthest& furthest = answer_.found.furthest;
        if (furthest.time >= kNever) {
            return nullptr;
        }
        Json json = line(furthest.line);
        json["caller"] = name(problem_.line(furthest.line).caller);
        return json;
    }

    [[nodiscard]] Json doubts() const {
        const Doubts& doubts = answer_.doubts;
        Json::array_t clocks;
        for (const ClockShift& shift : doubts.clocks) {
            clocks.push_back({{"source", sources_[shift.source].name},
                              {"ahead_least", shift.least},
                              {"ahead_most", shift.most ? Json(*shift.most) : Json(nullptr)}});
        }
        return {{"lines_missing", doubts.by_lost},
                {"answers_without_call", answer_.holes},
                {"unseen", doubts.by_unseen},
                {"stranger", doubts.by_stranger},
                {"clock_error", doubts.clock_error ? Json(*doubts.clock_error) : Json(nullptr)},
                {"clocks", std::move(clocks)},
                {"slow_answers", doubts.slow_answers ? Json(*doubts.slow_answers) : Json(nullptr)},
                {"names", doubts.by_names},
                {"unknown_lock", doubts.by_unknown_lock},
                {"no_line_of_the_lock", doubts.is_empty}};
    }

    [[nodiscard]] Json moment(const Moment& moment) const {
        Json json = window(moment.earliest, moment.latest);
        json["line"] = moment.line ? line(*moment.line) : Json(nullptr);
        json["seen"] = nullptr;
        json["outcome"] = nullptr;
        if (moment.line) {
            const Line& shown = problem_.line(*moment.line);
            json["seen"] = name_of(shown.seen);
            json["outcome"] =
                shown.seen == Seen::kAnswer ? Json(name_of(shown.outcome)) : Json(nullptr);
        }
        json["caller"] = name(moment.caller);
        json["operation"] = name_of(moment.code);
        json["refused"] = moment.is_refused;
        json["carried_out"] = moment.is_served;
        json["hidden"] = moment.is_hidden;
        json["unanswered"] = moment.is_stray;
        json["without_lock"] = moment.is_outside;
        return json;
    }

    [[nodiscard]] Json run(const std::optional<Retold>& told) const {
        if (!told) {
            return nullptr;
        }
        Json::array_t moments;
        for (const Moment& one : told->moments) {
            moments.push_back(moment(one));
        }
        Json::array_t missing;
        for (const LostLine& lost : told->lost) {
            missing.push_back({{"caller", name(lost.caller)},
                               {"operation", name_of(lost.code)},
                               {"line", name_of(lost.seen)},
                               {"earliest", nanoseconds(lost.time)},
                               {"time", written(lost.time)},
                               {"may_have_died", !lost.is_due}});
        }
        Json::array_t holdings;
        for (const Holding& held : told->holdings) {
            constexpr const char* kEnds[] = {"not", "released", "ran out"};
            holdings.push_back({{"caller", name(held.caller)},
                                {"from", window(held.from_earliest, held.from_latest)},
                                {"until", window(held.end_earliest, held.end_latest)},
                                {"ended", kEnds[static_cast<std::size_t>(held.ended)]}});
        }
        return {{"moments", std::move(moments)},
                {"missing", std::move(missing)},
                {"holdings", std::move(holdings)}};
    }

    const LockAnswer& answer_;
    const std::vector<Source>& sources_;
    TimeForm form_;
    const std::string& text_;
    const Problem& problem_;
};

}  // namespace

const char* verdict_word(Answer answer) {
    switch (answer) {
        case Answer::kExplained: return "explained";
        case Answer::kBroken:
        case Answer::kNotExplained: return "violated";
        case Answer::kUndecided: break;
    }
    return "inconclusive";
}

Json lock_document(const LockAnswer& answer, const std::vector<Source>& sources,
                   const TimeForm& form, const std::string& text) {
    return DocumentWriter(answer, sources, form, text).write();
}

Json lines_document(const Logs& logs) {
    Json::array_t others;
    for (const OtherLine& other : logs.others) {
        others.push_back({{"file", other.file}, {"line", other.line}, {"text", other.text}});
    }
    return {{"read", logs.lines},
            {"about_no_lock", logs.other_lines},
            {"first_about_no_lock", std::move(others)},
            {"remarks", logs.remarks}};
}

}  // namespace lockkeeper::logs
