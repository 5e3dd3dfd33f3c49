// SPDX-License-Identifier: Apache-2.0

// Explores few callers of a job for `prove`: the system as it is, and by record where its states
// do not end. An exploration leaves time for what comes after it.
//
// Tokens that grow give states without end, and by record they are left out. There a proof is
// sought after a short look: a proof needs no exploration, and few callers that break something
// mostly do so soon. Where there is no proof, all numbers are explored again for as long as it was
// asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "scheduler/proofs/decide.hpp"
#include "work/prove_job.hpp"

namespace lockkeeper {

class FewCallers {
  public:
    // The properties that numbers of callers are explored for, and those shown by record.
    struct Asked {
        std::vector<const Property*> properties;
        std::vector<const Property*> by_record;
        Goals goals;
    };
    FewCallers(const Job& job, const Proving& how, const Following& following, Asked asked)
        : job_(job),
          how_(how),
          following_(following),
          asked_(std::move(asked)),
          deadline_(how.seconds_max) {}

    // A proof of the system by record gets half of the time, until it is sought.
    void leave_half(bool leaves) { leaves_half_ = leaves; }
    void begin_proof() { is_proof_sought_ = true; }
    [[nodiscard]] double seconds_left() const { return deadline_.left(); }
    // After a short exploration, a quarter of all the time is left behind the search for a proof.
    [[nodiscard]] double seconds_of_proof() const;
    // After the search for a proof. True: explorations were short, and from now on none is.
    [[nodiscard]] bool begin_again();

    [[nodiscard]] proofs::Scope explore(const std::vector<std::size_t>& counts);
    // The result of an exploration in which something was violated.
    [[nodiscard]] const ExploreResult& violated(const std::vector<std::size_t>& counts) const {
        return violated_.at(counts);
    }
    [[nodiscard]] std::variant<Job, InputError> job_of(
        const std::vector<std::size_t>& counts) const;

    // A goal that no small number of callers reaches may want those of the file. What ended the
    // search for it; empty: nothing did.
    [[nodiscard]] std::string look_for_goals();

    [[nodiscard]] const Goals& reached() const { return reached_; }  // by any exploration
    // Some number of callers was explored by record alone.
    [[nodiscard]] bool is_by_record() const { return is_by_record_; }
    // Why a number of callers was not explored.
    [[nodiscard]] const std::string& unexplored() const { return unexplored_; }

  private:
    enum class Length : std::uint8_t { kWhole, kShort };

    [[nodiscard]] std::optional<ExploreResult> explore(const Runner& runner,
                                                       ExploreOptions options);
    [[nodiscard]] proofs::Scope explore(const Job& job, const std::vector<std::size_t>& counts,
                                        Length length);
    // Violated: by record, which nobody is told.
    [[nodiscard]] proofs::Scope explore_by_record(const Job& job, Length length);
    [[nodiscard]] Length length_for(const Job& job) const;
    [[nodiscard]] ExploreOptions options_for(const std::vector<const Property*>& check, double left,
                                             Length length) const;

    const Job& job_;
    const Proving& how_;
    const Following& following_;
    Asked asked_;
    Deadline deadline_;
    bool leaves_half_ = false;
    bool is_proof_sought_ = false;
    bool is_by_record_ = false;
    bool may_be_short_ = true;
    bool was_short_ = false;
    std::string unexplored_;
    std::map<std::vector<std::size_t>, ExploreResult> violated_;  // scopes
    Goals reached_;
};

}  // namespace lockkeeper
