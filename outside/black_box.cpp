#include "outside/black_box.hpp"

#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "outside/black_box_run.hpp"

namespace lockkeeper {
namespace {

// Vanishes with what the program has left in it.
class DataDirectory {
  public:
    DataDirectory() {
        std::string pattern =
            (std::filesystem::temp_directory_path() / "lockkeeper_data_XXXXXX").string();
        if (mkdtemp(pattern.data()) == nullptr) {
            throw std::system_error(errno, std::generic_category(), pattern);
        }
        path_ = pattern;
    }
    ~DataDirectory() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    DataDirectory(const DataDirectory&) = delete;
    DataDirectory& operator=(const DataDirectory&) = delete;
    [[nodiscard]] const std::string& path() const { return path_; }

  private:
    std::string path_;
};

// False: the time was over, or somebody interrupted, before its end.
bool run_one(const ProgramOptions& options, const OutsideWorld& world, std::uint64_t seed,
             const BlackBoxOptions& limits, ChildProcess::Deadline deadline,
             BlackBoxResult& result) {
    bool ended = true;
    const DataDirectory directory;
    ProgramOptions own = options;
    own.stepped = false;
    own.data_dir = directory.path();
    Program program(own);
    program.stop_by({deadline});
    BlackBoxRun run(program, world, seed, limits.operations_max);
    try {
        run.run();
    } catch (const Misbehaved& error) {
        if (is_input(error.kind())) {
            throw;
        }
        result.misbehaviour = error.kind();
        program.kill();
        result.detail = error.what();
        if (!program.last_words().empty()) {
            result.last_words = program.last_words();
        }
    } catch (const Stopped&) {
        program.kill();
        ended = false;
    }
    result.operations += run.operations();
    result.crashes += run.crashes();
    result.cut_runs += run.operations() >= limits.operations_max ? 1U : 0U;
    result.history = run.take_history();
    for (const Record& record : result.history.records) {
        if (record.f == "acquire") {
            result.granted += record.type == HistoryType::kOk ? 1U : 0U;
            result.refused_acquires += record.type == HistoryType::kFail ? 1U : 0U;
        }
    }
    result.history.file = "the recorded history";
    return ended;
}

// The time that is left is the check's, too. A little is always there: for the part of a history
// that a run has recorded when its time was over.
CheckLimits limits_of_check(const BlackBoxOptions& options, ChildProcess::Deadline deadline) {
    constexpr double kLeast = 0.5;
    const double left =
        std::chrono::duration<double>(deadline - ChildProcess::Clock::now()).count();
    CheckLimits limits = options.check;
    limits.seconds_max = std::min(limits.seconds_max, std::max(left, kLeast));
    return limits;
}

}  // namespace

BlackBoxResult run_black_box(const ProgramOptions& program, const OutsideWorld& world,
                             const BlackBoxOptions& options) {
    using Clock = ChildProcess::Clock;
    const Clock::time_point start = Clock::now();
    const Clock::time_point deadline = ChildProcess::after(options.seconds_max, start);
    const auto seconds = [&] {
        return std::chrono::duration<double>(Clock::now() - start).count();
    };
    BlackBoxResult result;
    result.limit = "schedules";
    while (result.schedules < options.schedules_max) {
        if (interrupt_requested() || seconds() >= options.seconds_max) {
            result.limit = interrupt_requested() ? "interrupted" : "time";
            break;
        }
        const bool ended =
            run_one(program, world, options.seed + result.schedules, options, deadline, result);
        ++result.schedules;
        if (options.progress) {
            options.progress({result.schedules, result.operations, seconds()});
        }
        if (result.misbehaviour) {
            break;
        }
        auto checked =
            check_history(result.history, options.model, limits_of_check(options, deadline));
        if (const auto* error = std::get_if<HistoryError>(&checked)) {
            result.refused = error->to_text();
            break;
        }
        result.check = std::get<HistoryCheck>(std::move(checked));
        if (result.check->verdict == HistoryVerdict::kViolated) {
            result.verdict = HistoryVerdict::kViolated;
            break;
        }
        if (result.check->verdict == HistoryVerdict::kInconclusive) {
            result.verdict = HistoryVerdict::kInconclusive;
        }
        if (!ended) {  // also where it was the last one: not all of it was seen
            result.limit = interrupt_requested() ? "interrupted" : "time";
            break;
        }
    }
    result.seconds = seconds();
    return result;
}

}  // namespace lockkeeper
