// SPDX-License-Identifier: Apache-2.0

// A program at the stepped level as a candidate: each access to what it shares is a step. At the
// end of a run a fresh client tries what is free (SteppedRun::probe).
#include <algorithm>

#include "properties/catalogue.hpp"
#include "validate/compare/answers.hpp"
#include "validate/programs/stepped_run.hpp"

namespace lockkeeper::against {
namespace {

OutsideWorld outside_world(const Program& program, const WorldConfig& world,
                           std::int64_t ticks_max) {
    OutsideWorld outside{world, program.options().parameters, ticks_max, {}};
    outside.gives_up_at_end = true;
    for (const Property& property : all_properties()) {
        if (property.is(PropertyNumber::kLeak) || property.is(PropertyNumber::kDoubleRelease)) {
            outside.check.push_back(&property);
        }
    }
    return outside;
}

class ProgramCandidate : public Candidate {
  public:
    ProgramCandidate(Program& program, const WorldConfig& world, ProgramRuns runs)
        : program_(program),
          world_(outside_world(program, world, runs.ticks_max)),
          runs_(runs),
          run_(program, world_) {}

    void begin() override {
        recorder_ = {};
        is_broken_ = false;
        guarded([&] { run_.begin(); });
    }

    // Without time the clock goes on where nobody can do anything else, as far as a run has
    // patience.
    std::vector<Action> choices() override {
        if (is_broken_) {
            return {};
        }
        std::vector<Action> possible = run_.enabled();
        const bool somebody_can = std::any_of(possible.begin(), possible.end(), is_step);
        std::erase_if(possible, [&](Action action) {
            return somebody_can && !runs_.with_time && action.kind == ActionKind::kTime;
        });
        return possible;
    }

    void take(Action action) override {
        recorder_.step(action);
        if (action.kind == ActionKind::kTime) {
            recorder_.time_is(action.argument + kBeginning);
        }
        guarded([&] {
            const SteppedRun::Step step = run_.take(action);
            if (step.ended) {
                recorder_.died(action.actor, action.kind == ActionKind::kStep);
            }
            if (step.called) {
                recorder_.called(action.actor, step.called->verb, step.called->key);
            }
            if (step.returned) {
                recorder_.returned(action.actor, comparable(*step.returned), true);
            }
            if (step.alone && runs_.with_time) {
                recorder_.called(action.actor, step.alone->verb, step.alone->key);
                if (step.alone->uses_signal()) {
                    recorder_.returned(action.actor, {kDoneWord});
                }
            }
            TraceStep shown;
            shown.action = action;
            shown.text = step.text;
            shown.result = step.result;
            shown.state = run_.describe();
            recorder_.run().steps.push_back(shown);
        });
    }

    ObservedRun finish() override {
        ObservedRun& run = recorder_.run();
        if (!is_broken_) {
            const std::vector<Action> left = choices();
            run.stuck = std::all_of(left.begin(), left.end(), is_fault) && !run_.finished();
            run.at_rest = run_.finished();
        }
        if (run.at_rest) {
            guarded([&] { probe(); });
        }
        return std::move(run);
    }

  private:
    // Without what the reference does not tell: the end of a lease, other words for "ok".
    [[nodiscard]] Answer comparable(const CallEnd& end) const {
        using Kind = Told::Kind;
        Answer answer{end.text};
        if (!end.told) {
            return answer;
        }
        const Told& told = *end.told;
        const bool is_ok = told.kind == Kind::kOk;
        answer.granted = is_ok && end.verb == Verb::kAcquire;
        answer.refused = told.kind == Kind::kRefused;
        answer.failed = !is_ok && !answer.refused && told.kind != Kind::kDone;
        answer.lost = answer.failed && end.ends_belief;
        if (answer.granted) {
            const bool has_count = runs_.with_counts && told.count;
            answer.text =
                kAcquiredWord + (has_count ? ", count " + std::to_string(*told.count) : "");
        } else if (is_ok && end.verb == Verb::kCall) {
            answer.text = kDoneWord;
        }
        return answer;
    }

    void probe() {
        run_.look(Look::kSearching);
        for (const Property* broken : run_.violated()) {
            recorder_.run().left =
                broken->is(PropertyNumber::kLeak) ? LeftAtEnd::kLess : LeftAtEnd::kMore;
        }
    }

    // A program that misbehaves ends the run; the next begins with a new child.
    template <class Talk>
    void guarded(Talk talk) {
        try {
            talk();
        } catch (const Misbehaved& error) {
            program_.kill();
            if (is_input(error.kind())) {
                throw;
            }
            is_broken_ = true;
            TraceStep last;
            last.text = "the program " + std::string(name_of(error.kind())) + ": " + error.what();
            recorder_.run().hung = error.kind() == Misbehaviour::kHung;
            recorder_.run().misbehaves = "goes on, here " + last.text;
            recorder_.run().steps.push_back(last);
        } catch (const Stopped&) {
            program_.kill();
            throw;
        }
    }

    Program& program_;
    OutsideWorld world_;
    ProgramRuns runs_;
    SteppedRun run_;
    RunRecorder recorder_;
    bool is_broken_ = false;
};

}  // namespace

std::unique_ptr<Candidate> program_candidate(Program& program, const WorldConfig& world,
                                             ProgramRuns runs) {
    return std::make_unique<ProgramCandidate>(program, world, runs);
}

}  // namespace lockkeeper::against
