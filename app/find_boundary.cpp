#include "app/find_boundary.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "app/exit_code.hpp"
#include "app/vary.hpp"
#include "reports/run_text.hpp"

namespace lockkeeper {
namespace {

class BoundaryFinder {
  public:
    BoundaryFinder(const Session& session, const Job& job, const BoundarySearch& find)
        : session_(session), job_(job), find_(find) {}

    void find(RunReport& report) {
        FoundBoundary boundary{find_.parameter, find_.smallest, 0, {}, {}};
        const auto answer = search();
        for (const auto& [value, probe] : probes_) {
            boundary.probes.emplace_back(value, verdict_text(probe));
        }
        if (undecided_ != nullptr) {
            take_over(*undecided_, report);
        } else if (!answer) {
            take_over(probes_.at(most_generous()), report);
            report.detail =
                fmt::format("with no {} from {} to {}", find_.parameter, find_.from, find_.to);
        } else {
            boundary.value = *answer;
            take_over(probes_.at(*answer), report);
            const std::int32_t neighbour = *answer + (find_.smallest ? -1 : 1);
            if (const auto violated = probes_.find(neighbour); violated != probes_.end()) {
                boundary.violated = neighbour;
                report.findings = violated->second.findings;
                for (Finding& finding : report.findings) {
                    finding.replay_command +=
                        fmt::format(" --set {}={}", find_.parameter, neighbour);
                }
                report.files_written = violated->second.files_written;
            }
        }
        report.boundary = std::move(boundary);
    }

  private:
    // The end of the range that passes if any value does.
    [[nodiscard]] std::int32_t most_generous() const {
        return find_.smallest ? find_.to : find_.from;
    }

    std::optional<std::int32_t> search() {
        std::int32_t passing = most_generous();
        if (!passes(passing)) {
            return std::nullopt;
        }
        std::int32_t violated = find_.smallest ? find_.from - 1 : find_.to + 1;
        while (std::abs(passing - violated) > 1) {
            const std::int32_t middle = violated + (passing - violated) / 2;
            const bool is_passing = passes(middle);
            if (undecided_ != nullptr) {
                return std::nullopt;
            }
            (is_passing ? passing : violated) = middle;
        }
        return passing;
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

    bool passes(std::int32_t value) {
        Scenario scenario = job_.scenario;
        set_parameter(value, scenario);
        const Job job = prepare(session_, scenario);
        RunReport& probe = probes_[value];
        probe = begin_report(session_, job, explore_strategy(session_.options));
        ExploreChoice choice;
        choice.counting = Counting::kOff;
        execute_explore(session_, job, choice, probe);
        if (probe.verdict == RunVerdict::kInconclusive || probe.exit_code == kExitInterrupted) {
            undecided_ = &probe;
        }
        return probe.verdict == RunVerdict::kPassed;
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
