#include "outside/black_box.hpp"

#include <stdlib.h>

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

void run_one(const ProgramOptions& options, const OutsideWorld& world, std::uint64_t seed,
             const BlackBoxOptions& limits, BlackBoxResult& result) {
    const DataDirectory directory;
    ProgramOptions own = options;
    own.stepped = false;
    own.data_dir = directory.path();
    Program program(own);
    BlackBoxRun run(program, world, seed, limits.operations_max);
    try {
        run.run();
    } catch (const Misbehaved& error) {
        if (error.kind() == Misbehaviour::kCannotStart) {
            throw;
        }
        result.misbehaviour = error.kind();
        program.kill();
        result.detail = error.what();
        if (!program.last_words().empty()) {
            result.last_words = program.last_words();
        }
    }
    result.operations += run.operations();
    result.crashes += run.crashes();
    result.history = run.take_history();
    result.history.file = "the recorded history";
}

}  // namespace

BlackBoxResult run_black_box(const ProgramOptions& program, const OutsideWorld& world,
                             const BlackBoxOptions& options) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
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
        run_one(program, world, options.seed + result.schedules, options, result);
        ++result.schedules;
        if (options.progress) {
            options.progress({result.schedules, result.operations, seconds()});
        }
        if (result.misbehaviour) {
            break;
        }
        auto checked = check_history(result.history, options.model, options.check);
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
    }
    result.seconds = seconds();
    return result;
}

}  // namespace lockkeeper
