// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "validate/compare/step_search.hpp"

namespace lockkeeper::against {
namespace {

class MarkMaker {
  public:
    explicit MarkMaker(const ObservedRun& run)
        : run_(run), called_(run.actions.size() + 1), returned_(run.actions.size() + 1) {
        for (std::size_t i = 0; i < run.calls.size(); ++i) {
            called_[run.calls[i].called].push_back(i);
            if (run.calls[i].returned) {
                returned_[*run.calls[i].returned].push_back(i);
            }
            const std::size_t callers = run.calls[i].caller + std::size_t{1};
            open_.resize(std::max(open_.size(), callers));
        }
    }

    Marks make() {
        for (at_ = 0; at_ < run_.actions.size(); ++at_) {
            add_happening(run_.actions[at_]);
            add_calls();
            made_.instants.push_back(now_);
        }
        made_.open.push_back(open_);
        return std::move(made_);
    }

  private:
    void add(Mark mark) {
        mark.action = at_;
        made_.marks.push_back(mark);
        made_.open.push_back(open_);
    }

    void add_happening(Action action) {
        Mark mark;
        mark.taken = action;
        mark.kind = Mark::Kind::kHappens;
        const bool exits = std::any_of(
            run_.deaths.begin(), run_.deaths.end(),
            [&](const ObservedDeath& death) { return death.at == at_ + 1 && death.exits; });
        switch (action.kind) {
            case ActionKind::kStep:
                if (exits) {
                    add(mark);
                    close(action.actor);
                }
                return;
            case ActionKind::kCrash:
                add(mark);
                close(action.actor);
                return;
            case ActionKind::kResize: add(mark); return;
            case ActionKind::kDisturb:
                mark.kind = Mark::Kind::kMayHappen;
                add(mark);
                return;
            case ActionKind::kTime: add_time(mark); return;
            case ActionKind::kFault: note_fault(action); return;
            case ActionKind::kBackground: return;
        }
    }

    // Only the last of several instants in a row counts, where the candidate does nothing between.
    void add_time(Mark mark) {
        mark.kind = Mark::Kind::kTime;
        mark.instant = run_.instants[times_++];
        const bool again = !made_.marks.empty() && made_.marks.back().kind == Mark::Kind::kTime &&
                           made_.marks.back().action + 1 == at_;
        if (again) {
            made_.marks.pop_back();
            made_.open.pop_back();
            now_ = before_;
            made_.sleeps.pop_back();
        }
        made_.sleeps.push_back(static_cast<std::uint16_t>(mark.instant - now_));
        before_ = now_;
        now_ = mark.instant;
        add(mark);
    }

    // A sleep that ended by itself ends before its caller's next call begins.
    void add_calls() {
        add_returns(true);
        for (const std::size_t call : called_[at_ + 1]) {
            Mark mark;
            mark.call = call;
            add(mark);
            open_[run_.calls[call].caller] = call;
        }
        add_returns(false);
    }
    void add_returns(bool began_before) {
        for (const std::size_t call : returned_[at_ + 1]) {
            if ((run_.calls[call].called <= at_) == began_before) {
                Mark mark;
                mark.kind = Mark::Kind::kReturned;
                mark.call = call;
                add(mark);
                close(run_.calls[call].caller);
            }
        }
    }

    void note_fault(Action action) {
        for (std::size_t i = 0; i < run_.calls.size(); ++i) {
            const ObservedCall& call = run_.calls[i];
            const bool is_open = call.called <= at_ + 1 && call.returned.value_or(SIZE_MAX) > at_;
            if (call.caller == action.actor && is_open) {
                made_.faults.push_back({i, action.argument});
                return;
            }
        }
    }
    void close(std::uint8_t caller) {
        if (caller < open_.size()) {
            open_[caller].reset();
        }
    }

    const ObservedRun& run_;
    std::vector<std::vector<std::size_t>> called_;  // by step
    std::vector<std::vector<std::size_t>> returned_;
    std::vector<std::optional<std::size_t>> open_;
    Marks made_;
    std::size_t at_ = 0;
    std::size_t times_ = 0;
    std::int32_t now_ = kBeginning;
    std::int32_t before_ = kBeginning;
};

}  // namespace

Marks marks_of(const ObservedRun& run) { return MarkMaker(run).make(); }

}  // namespace lockkeeper::against
