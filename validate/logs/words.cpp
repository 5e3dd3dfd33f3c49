// SPDX-License-Identifier: Apache-2.0
#include "validate/logs/words.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "model/printable.hpp"
#include "validate/logs/worth_a_look.hpp"

namespace lockkeeper::logs {
namespace {

constexpr std::size_t kEffectsShownMax = 10;
constexpr std::size_t kFactsMax = 3;

class AnswerWriter {
  public:
    AnswerWriter(const LockAnswer& answer, const std::vector<Source>& sources,
                 const SequentialModel& model, const TimeForm& form)
        : answer_(answer),
          sources_(sources),
          model_(model),
          form_(form),
          problem_(*answer.problem) {}

    std::string write() {
        out_ += "verdict: " + verdict() + "\n";
        effects();
        doubts();
        facts();
        if (answer_.answer == Answer::kNotExplained ||
            (answer_.answer == Answer::kUndecided && !answer_.found.is_found)) {
            unreached();
        }
        run(*answer_.run, answer_.found.is_found ? "The run:" : "The nearest run:");
        if (answer_.with_stranger) {
            run(*answer_.with_stranger, "Another run, with a caller of which there is no log:");
            out_ += differences(problem_, *answer_.run, *answer_.with_stranger, form_);
        }
        if (answer_.without) {
            run(*answer_.without, "Another run, in which every effect is a holder's:");
            out_ += differences(problem_, *answer_.run, *answer_.without, form_);
        }
        return std::move(out_);
    }

  private:
    [[nodiscard]] std::string verdict() const {
        const Cost cost = answer_.found.cost;
        const auto counted = [](std::uint32_t count, const char* one, const char* many) {
            return fmt::format("{} {}", count, count == 1 ? one : many);
        };
        switch (answer_.answer) {
            case Answer::kExplained:
                return "explained, " + (cost.lost == 0 ? std::string("no line is missing")
                                                       : counted(cost.lost, "line is missing",
                                                                 "lines are missing"));
            case Answer::kBroken:
                return "violated: explained, " +
                       counted(cost.lost, "line missing", "lines missing") + "; " +
                       counted(cost.uncovered, "effect", "effects") +
                       " of a caller that did not hold";
            case Answer::kNotExplained:
                return "violated: not explained: no run of this model has these lines, even with " +
                       counted(answer_.lost_max, "line missing", "lines missing");
            case Answer::kUndecided: break;
        }
        return answer_.doubts.limit != nullptr
                   ? "inconclusive: ended by limit: " + std::string(answer_.doubts.limit)
                   : "inconclusive: it hangs on what the logs do not say";
    }

    [[nodiscard]] std::string time(std::int64_t nanoseconds, bool up = false) const {
        return time_text(nanoseconds, form_, up);
    }
    [[nodiscard]] std::string window(std::int64_t earliest, std::int64_t latest) const {
        if (earliest <= kLongAgo / 2 && latest >= kNever / 2) {
            return "at some time";
        }
        if (earliest <= kLongAgo / 2) {
            return "before " + time(latest, true);
        }
        const std::string from = time(earliest);
        const std::string to = latest >= kNever ? "later" : time(latest, true);
        return from == to ? from : from + ".." + to;
    }
    [[nodiscard]] const Observation& observation(Place place) const {
        return sources_[place.source].observations[place.position];
    }
    [[nodiscard]] std::string place_text(Place place) const {
        return sources_[place.source].file + ":" + std::to_string(observation(place).line);
    }
    [[nodiscard]] std::string where(std::uint32_t caller) const {
        return caller < problem_.callers.size() ? problem_.callers[caller] : "nobody";
    }
    // The caller's last holding that began before the time; null: none.
    static const Holding* last_holding(const Retold& run, std::uint32_t caller,
                                       std::int64_t before) {
        const Holding* last = nullptr;
        for (const Holding& holding : run.holdings) {
            if (holding.caller == caller && holding.from_earliest <= before) {
                last = &holding;
            }
        }
        return last;
    }

    [[nodiscard]] std::string why_not(const Retold& run, const Moment& effect) const {
        const Holding* last = last_holding(run, effect.caller, effect.latest);
        if (last == nullptr) {
            return "it never held before";
        }
        if (last->ended == Ended::kReleased) {
            return "it gave the lock back at " + window(last->end_earliest, last->end_latest);
        }
        if (last->end_earliest >= kNever) {
            return "another took the lock from it";
        }
        std::string text = "its lease ended at " + window(last->end_earliest, last->end_latest);
        const std::int64_t late = effect.earliest - last->end_latest;
        return late > 0 ? text + ", at least " + duration_words(late) + " before" : text;
    }

    void effects() {
        if (!answer_.found.is_found) {
            return;
        }
        const Retold& run = *answer_.run;
        std::size_t shown = 0;
        for (const Moment& moment : run.moments) {
            if (!moment.is_outside) {
                continue;
            }
            if (++shown > kEffectsShownMax) {
                out_ += "  and more\n";
                return;
            }
            out_ += "  " + place_text(*moment.line) + ": " + observation(*moment.line).text + "\n";
            out_ += "    " + where(moment.caller) + " does not hold: " + why_not(run, moment);
            for (const Holding& other : run.holdings) {
                const bool holds_then =
                    other.caller != moment.caller && other.from_earliest <= moment.earliest &&
                    (other.ended == Ended::kNot || other.end_earliest > moment.earliest);
                if (holds_then) {
                    out_ += "; " + where(other.caller) + " holds from " +
                            window(other.from_earliest, other.from_latest);
                }
            }
            out_ += "\n";
        }
    }

    void doubts() {
        const Doubts& doubts = answer_.doubts;
        if (doubts.by_lost && answer_.answer == Answer::kUndecided) {
            out_ += "  explained if lines are missing: --lost says how many may be\n";
        }
        if (answer_.holes > 0 && answer_.answer == Answer::kUndecided) {
            out_ += fmt::format("  lines are missing: answers without their calls: {}\n",
                                answer_.holes);
        }
        if (doubts.by_lost && answer_.problem->unsaid_ends > 0) {
            out_ += fmt::format("  sessions that may have ended with the lock, unsaid: {}\n",
                                answer_.problem->unsaid_ends);
        }
        slow_answers();
        if (doubts.limit != nullptr && answer_.found.furthest.time < kNever) {
            out_ += "  lines are read up to " + time(answer_.found.furthest.time) +
                    ": ask for a window with --around " + time(answer_.found.furthest.time) + "\n";
        }
        if (doubts.is_empty) {
            out_ += "  no line says what the lock did\n";
        }
        if (doubts.by_names) {
            out_ +=
                "  the lock's log may name a caller by another name than the caller's own: "
                "\"callers\" in a mapping says who is who\n";
        }
        if (doubts.by_unknown_lock) {
            out_ += "  explained unless a line that does not say its lock is about this one\n";
        }
        if (doubts.by_unseen) {
            out_ += "  explained by what these logs do not show" + unseen_names() + "\n";
        }
        if (doubts.by_stranger) {
            out_ += "  explained if a caller held the lock of which there is no log" +
                    named_holders() + ": add its log, or the lock's own\n";
        }
        if (doubts.clock_error) {
            out_ += "  explained if clocks were wrong by " + enough_words(*doubts.clock_error) +
                    ": --clock-error says by how much they may be\n";
        }
        out_ += clocks_text(doubts.clocks, sources_);
    }

    void slow_answers() {
        if (answer_.doubts.slow_answers) {
            const bool is_right = answer_.answer == Answer::kExplained;
            out_ += std::string(is_right ? "  it needs that" : "  explained if") +
                    " operations whose call no line shows took " +
                    (is_right ? "up to " : "longer than ") +
                    enough_words(*answer_.doubts.slow_answers) + "\n";
        }
    }

    // What the run assumes and no line says: whoever knows it can decide.
    void facts() {
        if (answer_.answer == Answer::kNotExplained || answer_.answer == Answer::kBroken) {
            return;
        }
        const Retold& run = answer_.with_stranger ? *answer_.with_stranger
                            : answer_.without     ? *answer_.without
                                                  : *answer_.run;
        std::size_t count = 0;
        for (const Moment& moment : run.moments) {
            if ((moment.is_hidden || moment.is_stray) && ++count <= kFactsMax) {
                fact(moment);
            }
        }
        if (count > kFactsMax) {
            out_ += fmt::format("  and {} more like it\n", count - kFactsMax);
        }
    }

    void fact(const Moment& moment) {
        const std::string when = " (" + window(moment.earliest, moment.latest) + ")";
        if (answer_.answer == Answer::kExplained) {
            out_ += "  it needs that " + where(moment.caller) + "'s " + name_of(moment.code) +
                    " was carried out" + when + ", whose answer no line has\n";
            return;
        }
        out_ += "  the fact that decides: did " + where(moment.caller) + " " +
                name_of(moment.code) + when + "? " +
                (moment.is_stray ? "It asked, and no line has the answer" : "No line shows it") +
                "\n";
    }

    // Holders that refusals name, and that made no line.
    [[nodiscard]] std::string named_holders() const {
        std::set<std::string> names;
        for (const Source& source : sources_) {
            for (const Observation& seen : source.observations) {
                names.insert(printable(seen.holder));
            }
        }
        std::string out;
        for (const std::string& name : names) {
            const bool is_caller = std::find(problem_.callers.begin(), problem_.callers.end(),
                                             name) != problem_.callers.end();
            out += name.empty() || is_caller ? "" : (out.empty() ? "; lines name " : ", ") + name;
        }
        return out;
    }

    // Kinds of operations of which there is no line; who held before the first line.
    [[nodiscard]] std::string unseen_names() const {
        std::string names;
        for (const LockCode code : {LockCode::kAcquire, LockCode::kRelease, LockCode::kRenew}) {
            if (model_.knows(code) && !problem_.is_shown[static_cast<std::size_t>(code)]) {
                names += std::string(names.empty() ? ": " : ", ") + name_of(code);
            }
        }
        return names + (names.empty() ? ": " : ", or ") + "who held the lock before they begin";
    }

    // The earliest line that no run reaches, and what the steps there would have needed.
    void unreached() {
        const Furthest& furthest = answer_.found.furthest;
        if (furthest.time == kNever) {
            return;
        }
        out_ += "  no run gets behind " + place_text(furthest.line) + ": " +
                observation(furthest.line).text + "\n";
        candidates(furthest.state);
    }

    void candidates(const WalkState& state) {
        const Walk walk(problem_);
        std::vector<Step> steps;
        walk.free_steps(state, steps);
        std::set<std::string> told;
        for (const Step& step : steps) {
            if (step.kind == StepKind::kLine && step.whose == Whose::kOutside) {
                continue;
            }
            WalkState after = state;
            Cost cost;
            if (walk.take(after, step, cost) == Walk::Taken::kYes) {
                continue;
            }
            const std::string line =
                step.kind == StepKind::kLine
                    ? " (" + place_text({step.number, state.cursors[step.number]}) + ")"
                    : "";
            told.insert("    " + where(walk.caller_of(state, step)) + " " + name_of(step.code) +
                        (step.is_refused ? ", refused" : "") + line + ": " +
                        walk.refusal(state, step) + holders(walk, state) + "\n");
        }
        for (const std::string& text : told) {
            out_ += text;
        }
    }

    [[nodiscard]] std::string holders(const Walk& walk, const WalkState& state) const {
        std::string names;
        for (std::uint32_t i = 0; i < state.callers.size(); ++i) {
            names += walk.holds(state, i)
                         ? (names.empty() ? "; held by " : ", ") + problem_.callers[i]
                         : "";
        }
        return names;
    }

    void run(const Retold& run, const char* title) {
        out_ += std::string(title) + "\n";
        std::size_t unanswered = 0;
        for (const LostLine& lost : run.lost) {
            unanswered += lost.is_due ? 0 : 1;
            if (!lost.is_due && unanswered > kEffectsShownMax) {
                continue;
            }
            out_ += std::string(lost.is_due ? "  missing: " : "  no answer: ") +
                    where(lost.caller) + ", " + name_of(lost.code) + ": " + name_of(lost.seen) +
                    ", about " + time(lost.time) + "\n";
        }
        const std::vector<bool> shown = shown_moments(run, answer_.found.is_found);
        std::size_t skipped = 0;
        for (std::size_t i = 0; i < run.moments.size(); ++i) {
            if (!shown[i]) {
                ++skipped;
                continue;
            }
            skip(skipped);
            moment(run.moments[i]);
        }
        skip(skipped);
        for (const Holding& holding : run.holdings) {
            if (holding.ended == Ended::kRanOut && holding.end_earliest < kNever &&
                run.moments.size() <= kMomentsMax) {
                out_ += "  the lease of " + where(holding.caller) + " ran out at " +
                        window(holding.end_earliest, holding.end_latest) + "\n";
            }
        }
    }

    void skip(std::size_t& skipped) {
        if (skipped > 0) {
            out_ += fmt::format("  ... {} moments as their lines say\n", skipped);
        }
        skipped = 0;
    }

    void moment(const Moment& moment) {
        const std::string what =
            std::string(name_of(moment.code)) + (moment.is_refused ? " is refused" : "");
        std::string text;
        if (moment.line) {
            text = place_text(*moment.line) + ": " + observation(*moment.line).text;
            text += moment.is_served ? "   -> " + where(moment.caller) + ": " + what : "";
            text += moment.is_outside ? "   -> does not hold" : "";
        } else {
            text = "-> " + where(moment.caller) + ": " + what + "   (no line)";
        }
        out_ += "  " + window(moment.earliest, moment.latest) + "  " + text + "\n";
    }

    const LockAnswer& answer_;
    const std::vector<Source>& sources_;
    const SequentialModel& model_;
    TimeForm form_;
    const Problem& problem_;
    std::string out_;
};

}  // namespace

std::string answer_text(const LockAnswer& answer, const std::vector<Source>& sources,
                        const SequentialModel& model, const TimeForm& form) {
    return AnswerWriter(answer, sources, model, form).write();
}

}  // namespace lockkeeper::logs
