// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "model/check.hpp"
#include "scheduler/proofs/covering_markings.hpp"
#include "scheduler/proofs/search_parts.hpp"

namespace lockkeeper::proofs {
namespace {

class CountsSearch {
  public:
    CountsSearch(ReplicatedSteps& steps, MarkingJudge& judge, std::vector<Weights> weights,
                 Pumping pumping, const SearchLimits& limits, std::vector<WeighedStep>* taken)
        : steps_(steps),
          judge_(judge),
          weights_(std::move(weights)),
          pumping_(pumping),
          limits_(limits),
          taken_(taken) {}

    // Nothing: to be begun again, with more of any number at first.
    std::optional<SearchResult> run(Counts& first) {
        for (Weights& each : weights_) {
            each.set_shared(steps_.initial_shared(), 0);
        }
        first_ = first;
        add({steps_.initial_shared(), first}, kNoParent, kNotHeard);
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            result_.limit = limit_of(limits_, steps_, nodes_.size());
            if (!result_.limit.empty()) {
                return std::move(result_);
            }
            if (!covering_.has_wider(nodes_[i].marking)) {
                expand(i);
            }
            if (has_pumped_) {
                first = std::move(first_);
                return std::nullopt;
            }
            if (result_.broken || !result_.unweighed.empty()) {
                return std::move(result_);
            }
        }
        ClosedSet closed;
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            if (!nodes_[i].is_impossible && !covering_.has_wider(nodes_[i].marking)) {
                closed.markings.push_back(nodes_[i].marking);
            }
        }
        closed.weights = std::move(weights_);
        result_.limit = keep_reached(steps_, nodes_.front().marking, closed, limits_);
        if (!result_.limit.empty()) {
            return std::move(result_);
        }
        closed.locals = locals_of(closed.markings);
        result_.closed = std::move(closed);
        return std::move(result_);
    }

  private:
    static std::vector<LocalId> locals_of(const std::vector<Marking>& markings) {
        std::set<LocalId> locals;
        for (const Marking& marking : markings) {
            for (const LocalCount& some : marking.counts) {
                locals.insert(some.local);
            }
        }
        return {locals.begin(), locals.end()};
    }
    static constexpr std::size_t kNoParent = static_cast<std::size_t>(-1);
    struct Node {
        Marking marking;
        std::size_t parent = kNoParent;
        std::size_t heard = kNotHeard;  // the step of nobody's that has led here from there
        bool is_impossible = false;
    };
    static constexpr std::size_t kNotHeard = static_cast<std::size_t>(-1);

    void expand(std::size_t number) {
        const Marking at = nodes_[number].marking;
        const Populated populated(at.shared, at.counts, weights_);
        if (populated.is_impossible()) {
            nodes_[number].is_impossible = true;
            return;
        }
        if (taken_ == nullptr && limits_.bug != SearchBug::kJudgesNothing) {
            result_.broken = judge_.judge(populated);
            if (result_.broken) {
                return;
            }
        }
        unchanged_.clear();
        for (const LocalCount& some : populated.counts()) {
            for (const ReplicatedStep& step : steps_.steps(at.shared, some.local)) {
                go(number, {at.shared, step.shared, some.local, step.local});
            }
        }
        const std::vector<ReplicatedStep>& of_nobody = steps_.steps_of_nobody(at.shared);
        for (std::size_t i = 0; i < of_nobody.size(); ++i) {
            std::optional<Counts> after = all_hearing(steps_, populated, i);
            if (limits_.bug == SearchBug::kHearsNothing) {
                after = populated.counts();
            }
            if (limits_.bug == SearchBug::kWaitsForWhoMayBeLate && waits(populated, i)) {
                after.reset();
            }
            if (after && weigh({at.shared, of_nobody[i].shared, std::nullopt, 0})) {
                weigh_hearing(populated, i);
                add_after({of_nobody[i].shared, *std::move(after)}, number, i);
            }
        }
    }
    // For somebody who is there, or may be.
    [[nodiscard]] bool waits(const Populated& at, std::size_t step) const {
        return std::any_of(at.counts().begin(), at.counts().end(), [&](const LocalCount& some) {
            return steps_.hearing(at.shared(), step, some.local) == kWaitedFor;
        });
    }
    void weigh_hearing(const Populated& at, std::size_t step) {
        if (weights_.empty() && taken_ == nullptr) {
            return;
        }
        for (const LocalCount& some : at.counts()) {
            const LocalId hearing = steps_.hearing(at.shared(), step, some.local);
            if (hearing != some.local && hearing != kWaitedFor) {
                static_cast<void>(weigh({at.shared(), at.shared(), some.local, hearing}));
            }
        }
    }

    // False: the weights are not kept, or it is not taken.
    bool weigh(const WeighedStep& step) {
        if (drops(limits_, step)) {
            return false;
        }
        if (taken_ != nullptr) {
            taken_->push_back(step);
        }
        if (!keeps(weights_, step)) {
            result_.unweighed.push_back(step);
            return false;
        }
        return true;
    }

    void go(std::size_t number, const WeighedStep& step) {
        if (!weigh(step)) {
            return;
        }
        const Counts& before = nodes_[number].marking.counts;
        const bool changes_no_count = count_of(before, *step.local) == kAnyNumber &&
                                      count_of(before, step.local_after) == kAnyNumber;
        if (changes_no_count && !unchanged_.insert(step.shared_after).second) {
            return;  // another such step has led there
        }
        Marking after{step.shared_after, before};
        add_one(after.counts, *step.local, -1);
        add_one(after.counts, step.local_after, 1);
        add_after(std::move(after), number, kNotHeard);
    }
    void add_after(Marking after, std::size_t number, std::size_t heard) {
        if (pumping_ != Pumping::kNone) {
            pump(after, number, heard);
        }
        add(std::move(after), number, heard);
    }

    // More of some, of none less, and the same shared part as at some time before.
    void pump(Marking& after, std::size_t parent, std::size_t heard) {
        heard_.clear();
        for (std::size_t i = parent; i != kNoParent;
             heard = nodes_[i].heard, i = nodes_[i].parent) {
            const Marking& before = nodes_[i].marking;
            if (heard != kNotHeard) {
                heard_.emplace_back(before.shared, heard);
            }
            const bool may_differ = limits_.bug == SearchBug::kPumpsWithoutReason;
            if ((before.shared != after.shared && !may_differ) ||
                !is_less(before.counts, after.counts)) {
                continue;
            }
            Counts pumped = after.counts;
            for (const LocalCount& some : after.counts) {
                if (some.count != count_of(before.counts, some.local) &&
                    (pumping_ != Pumping::kUnmoved || is_unmoved(some.local))) {
                    set_count(pumped, some.local, kAnyNumber);
                    // Where any number was there at first, a step of nobody's has moved them on:
                    // beginning again would lead here again.
                    if (pumping_ == Pumping::kAtOnce || pumping_ == Pumping::kAtOnceHeard) {
                        begin_with_any(some.local, after.shared);
                    }
                }
            }
            after.counts = std::move(pumped);
        }
    }
    // By the steps of nobody's on the way. Where somebody is moved, taking the same way again does
    // not leave one more where the first one was.
    [[nodiscard]] bool is_unmoved(LocalId local) {
        return std::all_of(heard_.begin(), heard_.end(), [&](const auto& step) {
            return steps_.hearing(step.first, step.second, local) == local;
        });
    }
    // A search that begins again with each that time makes of him one after the other begins a
    // hundred times.
    void begin_with_any(LocalId local, SharedId at) {
        if (count_of(first_, local) == kAnyNumber) {
            return;
        }
        set_count(first_, local, kAnyNumber);
        has_pumped_ = true;
        const std::size_t heard =
            pumping_ == Pumping::kAtOnceHeard ? steps_.steps_of_nobody(at).size() : 0;
        for (std::size_t step = 0; step < heard; ++step) {
            const LocalId after = steps_.hearing(at, step, local);
            if (after != kWaitedFor) {
                begin_with_any(after, at);
            }
        }
    }
    static bool is_less(const Counts& less, const Counts& more) {
        bool differs = less.size() != more.size();
        for (const LocalCount& some : less) {
            const std::uint16_t count = count_of(more, some.local);
            if (count < some.count) {
                return false;
            }
            differs = differs || count != some.count;
        }
        return differs;
    }

    void add(Marking marking, std::size_t parent, std::size_t heard) {
        if (!covering_.covering(marking.shared, marking.counts)) {
            covering_.add(marking, nodes_.size());
            nodes_.push_back({std::move(marking), parent, heard});
        }
    }

    ReplicatedSteps& steps_;
    MarkingJudge& judge_;
    std::vector<Weights> weights_;
    Pumping pumping_;
    const SearchLimits& limits_;
    std::vector<WeighedStep>* taken_;
    std::vector<Node> nodes_;
    CoveringMarkings covering_;
    Counts first_;  // with which the search begins again
    bool has_pumped_ = false;
    std::vector<std::pair<SharedId, std::size_t>> heard_;  // on the way, with what was shared
    std::set<SharedId> unchanged_;  // of the marking that is expanded: with the same counts
    SearchResult result_;
};

}  // namespace

SearchResult search_counts(ReplicatedSteps& steps, MarkingJudge& judge,
                           const std::vector<Weights>& weights,
                           const std::vector<std::uint16_t>& first, Pumping pumping,
                           const SearchLimits& limits, std::vector<WeighedStep>* taken) {
    Counts counts;
    for (std::size_t group = 0; group < first.size(); ++group) {
        set_count(counts, steps.initial_locals()[group], first[group]);
    }
    while (true) {
        CountsSearch search(steps, judge, weights, pumping, limits, taken);
        if (auto result = search.run(counts)) {
            return *std::move(result);
        }
    }
}

}  // namespace lockkeeper::proofs
