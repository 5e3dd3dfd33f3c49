// A program at the stepped level as a candidate: each access to what it shares is a step. At the
// end of a run a fresh client tries what is free (SteppedRun::probe).
#include <algorithm>

#include "app/against_candidate.hpp"
#include "app/against_reference.hpp"
#include "outside/stepped_run.hpp"
#include "properties/catalogue.hpp"

namespace lockkeeper::against {
namespace {

constexpr const char* kLeakName = "leak";
constexpr const char* kDoubleReleaseName = "double-release";

OutsideWorld outside_world(const Program& program, const WorldConfig& world) {
    OutsideWorld outside{world, program.options().parameters, 0, {}};
    for (const Property& property : all_properties()) {
        if (property.name == kLeakName || property.name == kDoubleReleaseName) {
            outside.check.push_back(&property);
        }
    }
    return outside;
}

class ProgramCandidate : public Candidate {
  public:
    ProgramCandidate(Program& program, const WorldConfig& world, bool with_counts)
        : program_(program),
          world_(outside_world(program, world)),
          with_counts_(with_counts),
          run_(program, world_) {}

    void begin() override {
        recorder_ = {};
        is_broken_ = false;
        guarded([&] { run_.begin(); });
    }

    // The clock goes on where nobody can do anything else, as far as a run has patience.
    std::vector<Action> choices() const override {
        if (is_broken_) {
            return {};
        }
        std::vector<Action> possible = run_.enabled();
        const bool somebody_can = std::any_of(possible.begin(), possible.end(), is_step);
        std::erase_if(possible, [&](Action action) {
            return somebody_can && action.kind == ActionKind::kTime;
        });
        return possible;
    }

    void take(Action action) override {
        recorder_.step(action);
        guarded([&] {
            const SteppedRun::Step step = run_.take(action);
            if (step.ended) {
                recorder_.died(action.actor, action.kind == ActionKind::kStep);
            }
            if (step.called) {
                recorder_.called(action.actor, step.called->verb, step.called->key);
            }
            if (!step.answer.empty()) {
                recorder_.returned(action.actor, comparable(step.answer),
                                   step.answer.starts_with(kAcquiredWord), step.answer == "full");
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
            run.stuck = std::all_of(left.begin(), left.end(), is_chosen_fault) && !run_.finished();
            run.at_rest = run_.finished();
        }
        if (run.at_rest) {
            guarded([&] { probe(); });
        }
        return std::move(run);
    }

  private:
    // "acquired, count 2, until 30": without what the reference does not tell.
    [[nodiscard]] std::string comparable(const std::string& answer) const {
        const bool granted = answer.starts_with(kAcquiredWord);
        return granted && !with_counts_ ? kAcquiredWord : answer.substr(0, answer.find(", until "));
    }

    void probe() {
        run_.probe();
        for (const Property* broken : run_.violated()) {
            recorder_.run().left = broken->name == kLeakName ? LeftAtEnd::kLess : LeftAtEnd::kMore;
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
    bool with_counts_;
    SteppedRun run_;
    RunRecorder recorder_;
    bool is_broken_ = false;
};

}  // namespace

std::unique_ptr<Candidate> program_candidate(Program& program, const WorldConfig& world,
                                             bool with_counts) {
    return std::make_unique<ProgramCandidate>(program, world, with_counts);
}

}  // namespace lockkeeper::against
