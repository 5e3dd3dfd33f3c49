#include "app/find_boundary.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "reports/run_text.hpp"
#include "scenarios/bad_input.hpp"
#include "scenarios/registry/vary.hpp"

namespace lockkeeper {
namespace {

class BoundaryFinder {
  public:
    BoundaryFinder(const Session& session, const Job& job, const BoundarySearch& find)
        : session_(session), job_(job), find_(find) {}

    void find(RunReport& report) {
        FoundBoundary boundary{find_.parameter, find_.smallest, 0, {}, {}, {}};
        const auto answer = search();
        for (const auto& [value, probe] : probes_) {
            boundary.probes.emplace_back(value, told_verdict(probe));
        }
        boundary.refused = refused_ranges();
        if (undecided_ != nullptr) {
            take_over(*undecided_, report);
        } else if (!answer) {
            take_over(find_.smallest ? probes_.rbegin()->second : probes_.begin()->second, report);
            report.verdict = with_detail(
                report.verdict,
                fmt::format("with no {} from {} to {}", find_.parameter, find_.from, find_.to));
        } else {
            boundary.value = *answer;
            take_over(probes_.at(*answer), report);
            boundary.violated = violated_;
            if (violated_) {
                show_violated(*violated_, report);
            }
        }
        report.boundary = std::move(boundary);
    }

  private:
    void show_violated(std::int32_t value, RunReport& report) {
        RunReport& violated = probes_.at(value);
        report.findings = violated.findings;
        for (Finding& finding : report.findings) {
            finding.replay_command += fmt::format(" --set {}={}", find_.parameter, value);
        }
        report.files_written = violated.files_written;
    }

    // From the end of the range that passes if any value does, to the other one.
    std::optional<std::int32_t> search() {
        const std::int32_t to = find_.smallest ? find_.from : find_.to;
        const auto first = nearest_taken(find_.smallest ? find_.to : find_.from, to);
        if (!first) {
            refuse_all(refused_.begin()->second);
        }
        if (!passes(*first)) {
            return std::nullopt;
        }
        std::int32_t passing = *first;
        std::int32_t beyond = find_.smallest ? to - 1 : to + 1;
        while (std::abs(passing - beyond) > 1) {
            const auto middle = taken_between(passing, beyond);
            if (!middle) {
                break;
            }
            const bool is_passing = passes(*middle);
            if (undecided_ != nullptr) {
                return std::nullopt;
            }
            if (is_passing) {
                passing = *middle;
            } else {
                beyond = *middle;
                violated_ = *middle;
            }
        }
        return passing;
    }

    // --- values that the scenario refuses -------------------------------------------------------

    // From `value` on, towards `end`, which is one of them.
    std::optional<std::int32_t> nearest_taken(std::int32_t value, std::int32_t end) {
        const std::int32_t step = value < end ? 1 : -1;
        for (; value != end + step; value += step) {
            if (takes(value)) {
                return value;
            }
        }
        return std::nullopt;
    }
    // The nearest to the middle on the passing side, else on the other.
    std::optional<std::int32_t> taken_between(std::int32_t passing, std::int32_t beyond) {
        const std::int32_t middle = beyond + (passing - beyond) / 2;
        const std::int32_t step = passing < beyond ? 1 : -1;
        if (const auto taken = nearest_taken(middle, passing); taken && *taken != passing) {
            return taken;
        }
        return middle + step == beyond ? std::nullopt : nearest_taken(middle + step, beyond - step);
    }
    bool takes(std::int32_t value) {
        const auto known = refused_.find(value);
        if (known != refused_.end()) {
            return false;
        }
        try {
            static_cast<void>(job_with(value));
            return true;
        } catch (const BadInput& error) {
            refused_[value] = error.what();
        } catch (const UsageError& error) {
            refused_[value] = error.what();
        }
        return false;
    }
    [[noreturn]] void refuse_all(const std::string& why) const {
        if (!session_.options.find) {
            refuse(job_.scenario, "/find", "the scenario takes no value of the range: " + why);
        }
        throw UsageError(fmt::format("--find-{} {}={}..{}: the scenario takes no value of it: {}",
                                     find_.smallest ? "smallest" : "largest", find_.parameter,
                                     find_.from, find_.to, why));
    }
    // Side by side, for the same reason.
    [[nodiscard]] std::vector<RefusedValues> refused_ranges() const {
        std::vector<RefusedValues> ranges;
        for (const auto& [value, why] : refused_) {
            if (!ranges.empty() && ranges.back().to + 1 == value && ranges.back().why == why) {
                ranges.back().to = value;
            } else {
                ranges.push_back({value, value, why});
            }
        }
        return ranges;
    }

    // A name that a file gives is the file's fault.
    void set_parameter(std::int32_t value, Scenario& scenario) const {
        try {
            set_number(session_.registry, find_.parameter, value, scenario, "find");
        } catch (const UsageError& error) {
            if (session_.options.find) {
                throw;
            }
            refuse(job_.scenario, "/find", error.what());
        }
    }

    [[nodiscard]] Job job_with(std::int32_t value) const {
        Scenario scenario = job_.scenario;
        set_parameter(value, scenario);
        return prepare(session_, scenario);
    }

    bool passes(std::int32_t value) {
        const Job job = job_with(value);
        RunReport& probe = probes_[value];
        probe = begin_report(session_, job, explore_strategy(session_.options));
        ExploreChoice choice;
        choice.counting = Counting::kOff;
        execute_explore(session_, job, choice, probe);
        if (is<Inconclusive>(probe.verdict) || probe.is_interrupted) {
            undecided_ = &probe;
        }
        return is<Passed>(probe.verdict);
    }

    // Everything that an exploration fills in.
    static void take_over(const RunReport& probe, RunReport& report) {
        const std::string command = report.command;
        report = probe;
        report.command = command;
    }

    const Session& session_;
    const Job& job_;
    const BoundarySearch& find_;
    std::map<std::int32_t, RunReport> probes_;
    std::map<std::int32_t, std::string> refused_;  // and why
    std::optional<std::int32_t> violated_;         // the nearest to what passes
    const RunReport* undecided_ = nullptr;
};

}  // namespace

void execute_find(const Session& session, const Job& job, const BoundarySearch& find,
                  RunReport& report) {
    if (session.options.numbers.contains(find.parameter)) {
        throw UsageError("--set " + find.parameter + " does not go with a search for it");
    }
    BoundaryFinder(session, job, find).find(report);
}

}  // namespace lockkeeper
