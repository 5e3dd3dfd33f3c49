// SPDX-License-Identifier: Apache-2.0
#include "validate/logs/problem.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "model/printable.hpp"
#include "scenarios/bad_input.hpp"
#include "validate/logs/read_log.hpp"

namespace lockkeeper::logs {
namespace {

std::vector<std::string> files_of(const std::vector<Source>& sources) {
    std::vector<std::string> files;
    files.reserve(sources.size());
    for (const Source& source : sources) {
        files.push_back(source.file);
    }
    return files;
}

class Compiler {
  public:
    Compiler(const std::vector<Source>& sources, const SequentialModel& model)
        : sources_(sources), rotation_(files_of(sources)) {
        problem_.model = &model;
    }

    Problem compile(const std::vector<std::int64_t>& clock_errors) {
        if (sources_.size() > kSourcesMax) {
            throw LogError(sources_.front().file, 0,
                           "more than " + std::to_string(kSourcesMax) + " sources");
        }
        problem_.gives_back_own = std::all_of(sources_.begin(), sources_.end(),
                                              [](const Source& one) { return one.gives_back_own; });
        for (std::size_t i = 0; i < sources_.size(); ++i) {
            add(sources_[i], i < clock_errors.size() ? clock_errors[i] : 0);
        }
        name_holders();
        order_own_lines();
        weigh();
        spread_grants();
        find_pieces();
        problem_.find_last_lines();
        check_pieces();
        return std::move(problem_);
    }

  private:
    std::uint32_t number_of(const Source& source, const Observation& seen) {
        if (seen.caller.empty()) {
            return kNobody;
        }
        const auto [found, is_new] =
            numbers_.try_emplace(seen.caller, static_cast<std::uint32_t>(numbers_.size()));
        if (is_new) {
            if (numbers_.size() > kCallersMax) {
                throw LogError(source.file, seen.line,
                               "more than " + std::to_string(kCallersMax) + " callers");
            }
            problem_.callers.push_back(printable(seen.caller));
        }
        return found->second;
    }

    void check(const Source& source, const Observation& seen) const {
        const bool is_operation = seen.seen != Seen::kState && seen.seen != Seen::kEffect;
        if (is_operation && !problem_.model->knows(seen.code)) {
            const std::string name(description_of(problem_.model->choice().kind).name);
            throw LogError(
                source.file, seen.line,
                std::string(name_of(seen.code)) + ": the model " + name + " has no such operation");
        }
        if (seen.caller.empty() && seen.seen != Seen::kState) {
            throw LogError(source.file, seen.line, "the line names no caller");
        }
    }

    void add(const Source& source, std::int64_t clock_error) {
        lines_ += source.observations.size();
        if (lines_ > kLinesMax) {
            throw LogError(source.file, 0,
                           "more than " + std::to_string(kLinesMax) +
                               " lines about the lock; cut out the time around the incident");
        }
        std::vector<Line> lines;
        lines.reserve(source.observations.size());
        for (const Observation& seen : source.observations) {
            check(source, seen);
            Line line;
            line.seen = seen.seen;
            line.code = seen.code;
            line.outcome = seen.outcome;
            line.is_write = seen.is_write;
            line.is_of_answer = seen.is_of_answer;
            line.caller = number_of(source, seen);
            line.count = seen.count.value_or(-1);
            line.earliest = seen.earliest - clock_error;
            line.latest = seen.latest + clock_error;
            lines.push_back(line);
        }
        count_unsaid_end(source);
        narrow(source, lines);
        problem_.sources.push_back(std::move(lines));
    }

    void count_unsaid_end(const Source& source) {
        const Observation* last =
            source.observations.empty() ? nullptr : &source.observations.back();
        const bool has_taken = last != nullptr && last->code == LockCode::kAcquire &&
                               (last->seen == Seen::kServed || last->is_write);
        problem_.unsaid_ends += source.ends_unsaid && has_taken ? 1U : 0U;
    }

    void name_holders() {
        for (std::size_t source = 0; source < sources_.size(); ++source) {
            for (std::size_t i = 0; i < sources_[source].observations.size(); ++i) {
                const auto found = numbers_.find(sources_[source].observations[i].holder);
                if (found != numbers_.end()) {
                    problem_.sources[source][i].holder = found->second;
                }
            }
        }
    }

    // A line was made neither before those that stand above it nor after those below it.
    static void narrow(const Source& source, std::vector<Line>& lines) {
        for (std::size_t i = 1; i < lines.size(); ++i) {
            lines[i].earliest = std::max(lines[i].earliest, lines[i - 1].earliest);
        }
        for (std::size_t i = lines.size(); i-- > 1;) {
            lines[i - 1].latest = std::min(lines[i - 1].latest, lines[i].latest);
        }
        for (std::size_t i = 0; i < lines.size(); ++i) {
            if (lines[i].earliest > lines[i].latest) {
                throw LogError(source.file, source.observations[i].line,
                               "the times of this source fall: a line below is earlier than one "
                               "above; --clock-error says by how much its clock may be wrong");
            }
        }
    }

    void order_own_lines() {
        problem_.own.resize(problem_.callers.size());
        for (std::uint32_t source = 0; source < problem_.sources.size(); ++source) {
            const std::vector<Line>& lines = problem_.sources[source];
            for (std::uint32_t i = 0; i < lines.size(); ++i) {
                if (lines[i].seen == Seen::kCall || lines[i].seen == Seen::kAnswer) {
                    problem_.own[lines[i].caller].push_back({source, i});
                }
            }
        }
        for (std::vector<Place>& places : problem_.own) {
            std::stable_sort(places.begin(), places.end(), [&](Place left, Place right) {
                return problem_.line(left).earliest < problem_.line(right).earliest;
            });
            for (std::size_t i = 1; i < places.size(); ++i) {
                check_order(places[i - 1], places[i]);
            }
            part_overlapping(places);
        }
    }

    // Where spans of one caller overlap, a call may stand before the answer of another: as lines of
    // their own both must have their like, or any answer would be excused.
    void part_overlapping(const std::vector<Place>& places) {
        const auto is_apart = [&](const Place& call) {
            const auto& lines = sources_[call.source].observations;
            const Place* next = &call + 1;
            return problem_.line(call).is_of_answer &&
                   (&call == &places.back() || next->source != call.source ||
                    problem_.line(*next).seen != Seen::kAnswer ||
                    lines[next->position].line != lines[call.position].line);
        };
        if (std::any_of(places.begin(), places.end(), is_apart)) {
            for (const Place place : places) {
                problem_.sources[place.source][place.position].is_of_answer = false;
            }
        }
    }

    void find_pieces() {
        std::map<std::string, std::uint32_t> logs;
        for (const Source& source : sources_) {
            const auto [log, number] = rotation_.piece_of(source.file);
            const auto of_log = static_cast<std::uint32_t>(logs.size());
            problem_.pieces.emplace_back(logs.try_emplace(log, of_log).first->second, number);
        }
    }

    // Whatever a caller did in a newer piece it did later than all that is in an older one.
    void check_pieces() const {
        for (std::uint32_t source = 0; source < problem_.sources.size(); ++source) {
            for (std::uint32_t i = 0; i < problem_.sources[source].size(); ++i) {
                const Line& line = problem_.sources[source][i];
                if (line.seen == Seen::kServed || line.seen == Seen::kState) {
                    continue;
                }
                for (const Place last : problem_.last_of_pieces[line.caller]) {
                    if (problem_.is_older(last.source, source) &&
                        line.latest < problem_.line(last).earliest) {
                        check_order({source, i}, last);
                    }
                }
            }
        }
    }

    void check_order(Place before, Place after) const {
        const Source& one = sources_[before.source];
        const Source& other = sources_[after.source];
        const bool is_known = before.source == after.source ||
                              problem_.line(before).latest < problem_.line(after).earliest ||
                              rotation_.is_before(one.file, other.file);
        const bool is_turned = rotation_.is_before(other.file, one.file);
        if (is_known && !is_turned) {
            return;
        }
        const std::string caller = printable(other.observations[after.position].caller);
        const std::string line = " line " + std::to_string(one.observations[before.position].line) +
                                 " of " + printable(one.name);
        throw LogError(other.file, other.observations[after.position].line,
                       is_turned
                           ? caller + " did this after" + line +
                                 ", and its file is the older piece of " +
                                 "one log, as they are named; two logs have names of their own"
                           : "nobody can say whether " + caller + " did this before or after" +
                                 line + "; the calls and answers of a caller stand in one log");
    }

    void weigh() {
        problem_.weights.resize(problem_.callers.size());
        const auto shown = [&](LockCode code) -> bool& {
            return problem_.is_shown[static_cast<std::size_t>(code)];
        };
        for (std::uint32_t source = 0; source < problem_.sources.size(); ++source) {
            bool is_server = false;
            for (const Line& line : problem_.sources[source]) {
                is_server = is_server || line.seen == Seen::kServed || line.is_write;
                const bool is_undecided =
                    line.seen == Seen::kCall ||
                    (line.seen == Seen::kAnswer &&
                     (line.outcome == Outcome::kFailed || line.outcome == Outcome::kUnknown));
                problem_.decides = problem_.decides || !is_undecided;
                // Somebody held it, and nobody says that it was one of these callers.
                problem_.can_be_incomplete =
                    problem_.can_be_incomplete || line.count >= 0 ||
                    (line.seen == Seen::kAnswer && line.code == LockCode::kAcquire &&
                     line.outcome == Outcome::kRefused);
                if (line.seen == Seen::kEffect || line.caller == kNobody || line.is_of_answer) {
                    continue;
                }
                auto& all = problem_.weights[line.caller];
                if (line.seen == Seen::kState) {
                    for (const LockCode code : {LockCode::kAcquire, LockCode::kRenew}) {
                        all[static_cast<std::size_t>(code)].written |= line.is_write ? 1U : 0U;
                        shown(code) = shown(code) || line.is_write;
                    }
                    continue;
                }
                Weights& weights = all[static_cast<std::size_t>(line.code)];
                shown(line.code) = true;
                (line.seen == Seen::kCall     ? weights.call
                 : line.seen == Seen::kServed ? weights.served
                                              : weights.answer) = 1;
            }
            if (is_server) {
                problem_.servers.push_back(source);
            }
        }
    }

    // A caller's log has grants where its file has one, or those of others with answers.
    void spread_grants() {
        std::map<std::string, std::set<std::uint32_t>> callers;  // by file
        for (std::size_t i = 0; i < sources_.size(); ++i) {
            for (const Line& line : problem_.sources[i]) {
                if (line.seen == Seen::kCall || line.seen == Seen::kAnswer ||
                    line.seen == Seen::kEffect) {
                    callers[sources_[i].file].insert(line.caller);
                }
            }
        }
        std::array<bool, kCodes> is_anywhere{};
        std::map<std::string, std::array<bool, kCodes>> is_in_file;
        for (std::size_t i = 0; i < sources_.size(); ++i) {
            for (const Line& line : problem_.sources[i]) {
                if (line.seen == Seen::kAnswer && line.outcome == Outcome::kOk) {
                    const auto code = static_cast<std::size_t>(line.code);
                    is_anywhere[code] = is_in_file[sources_[i].file][code] = true;
                }
            }
        }
        for (const auto& [file, some] : callers) {
            for (const std::uint32_t caller : some) {
                for (std::size_t code = 0; code < kCodes; ++code) {
                    Weights& weights = problem_.weights[caller][code];
                    const bool is_answered = weights.answer > 0 && is_anywhere[code];
                    const bool has_grants = is_answered || is_in_file[file][code];
                    weights.granted = has_grants ? 1 : weights.granted;
                }
            }
        }
    }

    const std::vector<Source>& sources_;
    Rotation rotation_;
    Problem problem_;
    std::map<std::string, std::uint32_t> numbers_;
    std::size_t lines_ = 0;
};

}  // namespace

std::size_t Problem::lines() const {
    std::size_t count = 0;
    for (const std::vector<Line>& lines : sources) {
        count += lines.size();
    }
    return count;
}

std::uint32_t Problem::holes() const {
    std::uint32_t holes = 0;
    for (std::uint32_t caller = 0; caller < own.size(); ++caller) {
        for (std::size_t i = 1; i < own[caller].size(); ++i) {
            const Line& before = own_line(caller, i - 1);
            const Line& line = own_line(caller, i);
            const bool has_call = before.seen == Seen::kCall && before.code == line.code;
            const bool is_hole =
                line.seen == Seen::kAnswer && !has_call && weights_of(caller, line.code).call > 0;
            holes += is_hole ? 1 : 0;
        }
    }
    return holes;
}

bool Problem::has_answer_without_call() const {
    for (std::uint32_t caller = 0; caller < own.size(); ++caller) {
        for (std::size_t i = 0; i < own[caller].size(); ++i) {
            const bool follows_call = i > 0 && own_line(caller, i - 1).seen == Seen::kCall;
            if (own_line(caller, i).seen == Seen::kAnswer && !follows_call) {
                return true;
            }
        }
    }
    return false;
}

void Problem::find_last_lines() {
    last_effects.assign(own.size(), {});
    last_of_pieces.assign(own.size(), {});
    std::set<std::pair<std::uint32_t, std::uint32_t>> logs;  // a source and a caller
    for (std::uint32_t caller = 0; caller < own.size(); ++caller) {
        for (const Place place : own[caller]) {
            logs.emplace(place.source, caller);
        }
    }
    for (std::uint32_t source = 0; source < sources.size(); ++source) {
        for (auto position = static_cast<std::uint32_t>(sources[source].size()); position-- > 0;) {
            const Line& one = sources[source][position];
            if (one.seen == Seen::kServed || one.seen == Seen::kState) {
                continue;
            }
            std::vector<Place>& last = last_of_pieces[one.caller];
            if (pieces[source].second > 0 && (last.empty() || last.back().source != source)) {
                last.push_back({source, position});
            }
            if (one.seen == Seen::kEffect && logs.erase({source, one.caller}) > 0) {
                last_effects[one.caller].push_back({source, position});
            }
        }
    }
}

void Problem::allow_stranger() {
    stranger = static_cast<std::uint32_t>(callers.size());
    callers.emplace_back("a caller without a log");
    own.emplace_back();
    last_effects.emplace_back();
    last_of_pieces.emplace_back();
    weights.emplace_back();
}

Problem make_problem(const std::vector<Source>& sources,
                     const std::vector<std::int64_t>& clock_errors, const SequentialModel& model) {
    return Compiler(sources, model).compile(clock_errors);
}

}  // namespace lockkeeper::logs
