#include <filesystem>

#include "app/execute.hpp"
#include "app/exit_code.hpp"
#include "app/find_boundary.hpp"
#include "app/verbs.hpp"
#include "scheduler/checkpoint.hpp"

namespace lockkeeper {
namespace {

// Now, and not after hours of searching.
void refuse_unwritable(const std::string& checkpoint) {
    std::error_code error;
    if (std::filesystem::is_directory(checkpoint, error)) {
        throw BadInput({checkpoint, "", "checkpoint cannot be written: Is a directory"});
    }
    const CheckpointWriter writer(checkpoint);  // leaves nothing behind
}

RunReport explore_file(const Session& session, const std::string& file) {
    const Job job = prepare(session, value_or_throw(load_scenario(file)));
    RunReport report = begin_report(session, job, explore_strategy(session.options));
    if (session.options.checkpoint) {
        refuse_unwritable(*session.options.checkpoint);
    }
    print_head(session, job, report);
    if (const auto find = session.options.find ? session.options.find : job.scenario.find) {
        execute_find(session, job, *find, report);
        print_rest(session, report);
        return report;
    }
    ExploreChoice choice;
    choice.stop_at_first = !session.options.keep_going;
    choice.counting = session.options.counting.value_or(Counting::kAuto);
    execute_explore(session, job, choice, report);
    print_rest(session, report);
    return report;
}

}  // namespace

int verb_explore(const Session& session) {
    const auto files = find_files(session.options.files, FileKind::kScenarios);
    if (files.size() > 1 && (session.options.checkpoint || session.options.resume)) {
        throw UsageError("--checkpoint and --resume go with one scenario");
    }
    if (session.options.frontier == Frontier::kStack &&
        (session.options.checkpoint || session.options.resume)) {
        throw UsageError("--checkpoint and --resume go with --frontier queue");
    }
    return finish(session, for_each_file(session, files, [&](const std::string& file) {
                      return explore_file(session, file);
                  }));
}

}  // namespace lockkeeper
