// SPDX-License-Identifier: Apache-2.0
#include "work/prove_job.hpp"

#include <algorithm>
#include <iterator>

#include "scenarios/bad_input.hpp"
#include "scenarios/registry/coarse_time.hpp"
#include "scenarios/registry/read_certificate.hpp"
#include "scenarios/registry/time_units.hpp"
#include "scenarios/registry/vary.hpp"
#include "scheduler/proofs/check_certificate.hpp"
#include "scheduler/proofs/decidable.hpp"
#include "scheduler/proofs/decide.hpp"
#include "scheduler/proofs/looping_world.hpp"
#include "scheduler/proofs/replicated_world.hpp"
#include "work/few_callers.hpp"
#include "work/jobs.hpp"
#include "work/make_report.hpp"
#include "work/results/told.hpp"
#include "work/results/words.hpp"
#include "work/searches.hpp"
#include "work/trace_file.hpp"

namespace lockkeeper {
namespace {

template <class IsWanted>
std::vector<const Property*> of_checked(const Job& job, IsWanted is_wanted) {
    std::vector<const Property*> found;
    std::copy_if(job.check.begin(), job.check.end(), std::back_inserter(found), is_wanted);
    return found;
}
// The properties that are proved, or are not.
std::vector<const Property*> covered(const Job& job, bool is_covered) {
    return of_checked(job, [&](const Property* property) {
        const bool is_shown = (property->needs & ~job.system->features_by_record) == 0;
        return (proofs::is_decidable(*property) && is_shown) == is_covered;
    });
}
// The properties that small numbers of callers are explored for: also those not shown by record.
std::vector<const Property*> decidable(const Job& job, bool is_decidable) {
    return of_checked(job, [&](const Property* property) {
        return proofs::is_decidable(*property) == is_decidable;
    });
}

class JobProver {
  public:
    JobProver(const Job& job, const Proving& how, const Following& following, RunReport& report)
        : job_(job),
          how_(how),
          following_(following),
          report_(report),
          numbers_(std::get<EveryNumber>(report.details)),
          check_(covered(job, true)),
          explored_(decidable(job, true)),
          goals_(goals_of_proof(job)),
          few_(job, how, following, {explored_, check_, goals_}) {}

    void run() {
        if (explored_.empty()) {
            report_.verdict = Inconclusive{"",
                                           "nothing that is checked can be proved for every "
                                           "number of callers"};
            return;
        }
        std::optional<proofs::ReplicatedWorld> apart;
        const std::string why =
            check_.empty() ? "nothing that is checked is shown by record" : take_it_apart(apart);
        few_.leave_half(apart && job_.system->make_by_record);
        const proofs::Decision decision = proofs::decide(
            {numbers_.kinds.size(), [&](const auto& counts) { return few_.explore(counts); },
             [&] {
                 return apart ? prove(*apart) : proofs::ProofAttempt{{}, "", why, {}};
             },
             [&](const proofs::Certificate& proof) { return why_refused(proof, *apart); },
             how_.callers_max, proofs::Deciding{}.callers_at_once,
             [&] { return few_.begin_again(); }});
        numbers_.explored = decision.explored >= numbers_.kinds.size() ? decision.explored : 0;
        if (decision.violated) {
            show_violation(*decision.violated);
        } else if (decision.proved) {
            show_proof(*decision.proved);
        } else {
            conclude(report_,
                     Inconclusive{"", decision.undecided +
                                          (few_.unexplored().empty()
                                               ? ""
                                               : "; more are not explored: " + few_.unexplored())});
        }
    }

  private:
    std::string take_it_apart(std::optional<proofs::ReplicatedWorld>& apart) {
        try {
            auto made = take_apart(following_.desk.registry, job_.scenario, check_);
            if (const auto* error = std::get_if<InputError>(&made)) {
                return error->message;
            }
            apart.emplace(std::get<proofs::ReplicatedWorld>(std::move(made)));
            return "";
        } catch (const proofs::DoesNotFit& reason) {
            return reason.what();
        }
    }

    proofs::ProofAttempt prove(const proofs::ReplicatedWorld& apart) {
        few_.begin_proof();
        proofs::ProveOptions options;
        options.check = check_;
        options.seconds_max = few_.seconds_of_proof();
        options.process_bytes_max = how_.explore.process_bytes_max;
        options.progress = [&](const proofs::ProofProgress& at) { following_.watcher.show(at); };
        proofs::ProofAttempt made = proofs::prove(apart, options);
        following_.watcher.wipe();
        return made;
    }

    std::string why_refused(const proofs::Certificate& proof,
                            const proofs::ReplicatedWorld& apart) {
        proofs::ProofWatch watch(
            std::max(0.1, few_.seconds_left()), how_.explore.process_bytes_max,
            [&](const proofs::ProofProgress& at) { following_.watcher.show(at); });
        const proofs::CertificateCheck found = proofs::check_certificate(proof, apart, watch);
        following_.watcher.wipe();
        has_rest_ = found.has_rest;
        return found.refused + found.limit;
    }

    void show_proof(const proofs::ProofAttempt& proved) {
        numbers_.method = proved.method;
        numbers_.sizes = proved.sizes;
        numbers_.picture = proved.picture;
        show_times();
        const std::string left_out = instants_left_out(job_.system->vocabulary, job_.scenario);
        report_.complete = left_out.empty() || numbers_.multiples == Multiples::kAll;
        if (!report_.complete) {
            conclude(report_, Inconclusive{left_out});
            return;
        }
        conclude(report_, Passed{"for every number of callers"});
        doubt_without_rest(has_rest_, "proved", report_);
        const std::string limit = few_.look_for_goals();
        conclude_goals(job_, goals_, {few_.reached(), limit}, "proved", report_);
        if (how_.files.certificate) {
            proofs::Certificate certificate = *proved.certificate;
            certificate.scenario = subject_of_proof(job_);
            numbers_.certificate_file =
                write(*how_.files.certificate, kCertificateMark, short_text(certificate));
        }
    }

    // Only what is written for proofs is known to count no time but by steps of time.
    void show_times() {
        const Vocabulary& words = job_.system->vocabulary;
        if (!words.knows_its_times || !job_.system->make_by_record) {
            return;
        }
        numbers_.multiples =
            numbers_.picture.is_time_passing ? Multiples::kNotKnown : Multiples::kAll;
        const auto fitting = with_times_that_fit(words, job_.scenario);
        if (const auto* scenario = std::get_if<Scenario>(&fitting)) {
            numbers_.time_unit = scenario->parameters.time_unit;
        }
    }

    void show_violation(const std::vector<std::size_t>& counts) {
        numbers_.least = counts;
        if (!few_.is_by_record()) {
            report_.checked = explored_;
            numbers_.not_covered = decidable(job_, false);
        }
        Job job = value_or_throw(few_.job_of(counts));
        if (how_.files.scenario) {
            job.file = *how_.files.scenario;
        }
        EveryNumber numbers = numbers_;
        // Shows the first search's result: a second search would take as long again.
        show_exploration(job, few_.violated(counts),
                         {Deadline(few_.seconds_left()), how_.explore.process_bytes_max},
                         following_, report_);
        if (how_.files.scenario) {
            numbers.scenario_file = write_scenario(job.scenario);
        }
        report_.details = std::move(numbers);
        for (Finding& finding : report_.findings) {
            if (finding.trace_file.empty() && !how_.files.scenario) {
                finding.replay_command = job_.program + " prove " + shell_quoted(job_.file) +
                                         " --scenario-out FILE writes its scenario";
            }
        }
    }

    // Writes the scenario as a test that expects what was found.
    std::string write_scenario(Scenario scenario) {
        scenario.stop_at_first = true;
        scenario.expect = {};
        scenario.expect.verdict = report_.verdict;
        for (const Finding& finding : report_.findings) {
            if (finding.property != nullptr) {
                scenario.expect.properties.emplace_back(finding.property->name);
            }
        }
        return write(*how_.files.scenario, "{\n  \"$schema\"", to_json_text(scenario));
    }

    std::string write(const std::string& path, std::string_view mark, const std::string& text) {
        OutputRule rule = how_.files.rule;
        rule.mark = mark;
        try {
            OutputClaim(path, rule).write(text);
            report_.files_written.push_back(path);
            return path;
        } catch (const OutputError& error) {
            following_.desk.complain(error.what());
            report_.has_failed_output = true;
            return "";
        }
    }

    const Job& job_;
    const Proving& how_;
    const Following& following_;
    RunReport& report_;
    EveryNumber& numbers_;
    std::vector<const Property*> check_;     // to be proved
    std::vector<const Property*> explored_;  // and what is only explored
    Goals goals_;
    FewCallers few_;
    bool has_rest_ = true;
};

}  // namespace

std::string subject_of_proof(const Job& job) {
    const std::vector<std::size_t> one_each(proofs::kinds_of_callers(job.scenario.world).size(), 1);
    return identity_of(value_or_throw(replicated(job.scenario, covered(job, true), one_each)));
}

void doubt_without_rest(bool has_rest, const std::string& proved, RunReport& report) {
    if (has_rest || !is<Passed>(report.verdict)) {
        return;
    }
    std::vector<const Property*> of_rest;
    std::copy_if(report.checked.begin(), report.checked.end(), std::back_inserter(of_rest),
                 [](const auto* each) { return each->kind == PropertyKind::kAtQuiescence; });
    report.verdict =
        Inconclusive{"", proved + ", but nothing is ever at rest (`idle`): nobody asks about " +
                             names_text(of_rest)};
}

RunReport begin_proof(const Job& job, const std::string& command) {
    RunReport report = begin_report(job, command, "every number of callers");
    EveryNumber numbers;
    for (const CallerConfig& kind : proofs::kinds_of_callers(job.scenario.world)) {
        numbers.kinds.push_back(kind.name);
    }
    numbers.any_crashes = job.scenario.world.crashes_max > 0;
    if (const std::size_t resizes = job.scenario.world.resizes_max(); resizes > 0) {
        numbers.as_in_file += ", " + counted(resizes, "resize");
    }
    for (const auto& [name, number] : job.scenario.parameters.faults) {
        numbers.as_in_file += ", " + name + " " + std::to_string(number);
    }
    numbers.not_covered = covered(job, false);
    report.checked = covered(job, true);
    report.scope = every_number_scope(numbers);
    report.short_scope = report.scope;
    report.details = std::move(numbers);
    return report;
}

void prove_job(const Job& job, const Proving& how, const Following& following, RunReport& report) {
    const Deadline began;
    JobProver(job, how, following, report).run();
    report.seconds = began.elapsed();
}

RunReport prove_scenario(const Desk& desk, const std::string& file) {
    const Job job = prepare(desk, value_or_throw(load_scenario(file)));
    RunReport report = begin_proof(job, desk.asked.command);
    desk.head(report);
    if (desk.asked.find) {
        execute_find_proof(desk, job, *desk.asked.find, report);
    } else {
        execute_prove(desk, job, report);
    }
    return report;
}

}  // namespace lockkeeper
