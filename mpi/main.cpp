// SPDX-License-Identifier: Apache-2.0

// `mpirun -n N lockkeeper-mpi VERB FILE`: the command's `explore`, `fuzz`, `measure` and `sweep`,
// by several processes. The first alone writes and prints, and has the exit code. To explore they
// share the states, and each runs the same command line; with the other verbs the first runs the
// command and asks the others for pieces of its work. docs/decisions/0032-ranks-own-shards.md has
// what goes with it and what does not.
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <sstream>

#include "app/command_line.hpp"
#include "measure/follow_tasks.hpp"
#include "mpi/mpi_ranks.hpp"
#include "mpi/rank_arguments.hpp"
#include "scenarios/registry/shipped_systems.hpp"
#include "scheduler/base/process_memory.hpp"
#include "scheduler/base/signals.hpp"
#include "scheduler/search/explore.hpp"
#include "work/results/conclusion.hpp"

namespace lockkeeper {
namespace {

// Then nobody has died.
volatile sig_atomic_t was_asked_to_end = 0;

extern "C" void on_user_signal(int) {
    was_asked_to_end = 1;
    request_interrupt();
}

// mpirun and Slurm hand SIGUSR1 on to all ranks, and do not kill them after it.
void handle_user_signal() {
    struct sigaction action = {};
    action.sa_handler = on_user_signal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(SIGUSR1, &action, nullptr);
}

// For ranks that cannot know whether the others are alive. The first two speak: one of them lives
// unless both have died.
void say_that_others_do_not_answer(std::size_t rank, const std::vector<std::string>& given) {
    if (rank > 1 || was_asked_to_end != 0) {
        return;
    }
    const std::string checkpoint = value_of(given, "--checkpoint").value_or("");
    std::error_code failed;
    const bool is_there = !checkpoint.empty() && std::filesystem::exists(checkpoint, failed);
    const bool explores = !given.empty() && given.front() == "explore";
    std::cerr
        << "lockkeeper: rank " << rank
        << ": interrupted, and other ranks do not answer: if one has died the work ends here, "
           "without a verdict"
        << (is_there   ? "; go on with --resume " + checkpoint
            : explores ? "; there is no checkpoint"
                       : "")
        << std::endl;
}

// Processes of different builds would not agree.
void refuse_other_versions(Ranks& ranks) {
    RankMessage mine;
    MessageWriter(mine).text(build_text());
    const std::vector<RankMessage> all = ranks.gather(mine);
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
        if (all[rank] != mine) {
            throw RanksParted("rank " + std::to_string(rank) + " has another version");
        }
    }
}

struct RankCommand {
    const std::vector<std::string>& given;
    std::uint64_t memory = 0;  // of a rank
};

// The command line, by one of those that search together or by the first of all.
int run_command(MpiRanks& ranks, const RankCommand& command, std::ostream& out, std::ostream& err) {
    const bool is_first = ranks.is_first();
    const auto environment = [&](const char* name) -> const char* {
        return environment_of_rank(name, is_first, ::getenv(name));
    };
    return run_lockkeeper(arguments_of_rank(command.given, is_first, command.memory),
                          shipped_systems(),
                          {out, err, is_first && isatty(STDERR_FILENO) == 1, environment,
                           "lockkeeper", ranks.count() > 1 ? &ranks : nullptr});
}

// The others' part of `fuzz`, `measure` and `sweep`. That the first has ended it says itself.
int help_the_first(MpiRanks& ranks, bool& is_in_task) {
    try {
        const Registry registry = shipped_systems();
        follow(ranks, FollowTasks(registry), &is_in_task);
    } catch (const std::exception& error) {
        if (!ranks.has_left(0)) {
            std::cerr << "lockkeeper: rank " << ranks.rank() << ": internal error: " << error.what()
                      << std::endl;
            return kExitInternal;
        }
    }
    return kExitPassed;
}

int explore_as_rank(MpiRanks& ranks, const RankCommand& command) {
    std::ostringstream unseen_out;
    std::ostringstream unseen_err;
    const int exit_code = run_command(ranks, command, unseen_out, unseen_err);
    if (exit_code == kExitInternal && !ranks.has_left(0)) {
        std::cerr << "lockkeeper: rank " << ranks.rank() << ":\n" << unseen_err.str() << std::flush;
        return exit_code;
    }
    return kExitPassed;
}

int run_as_first(MpiRanks& ranks, const RankCommand& command, bool others_follow) {
    const int exit_code = run_command(ranks, command, std::cout, std::cerr);
    std::cout.flush();
    if (others_follow) {
        dismiss_others(ranks);
    }
    return exit_code;
}

int run_rank(MpiRanks& ranks, const std::vector<std::string>& given, bool& is_in_task) {
    const RankVerb verb = verb_of_ranks(given);
    if (verb == RankVerb::kRefused) {
        if (ranks.is_first()) {
            std::cerr
                << "lockkeeper: only explore, fuzz, measure and sweep run on several ranks; the "
                   "command lockkeeper has the other verbs"
                << std::endl;
        }
        return kExitUsage;
    }
    const bool others_follow = verb == RankVerb::kFollowed;
    try {
        refuse_other_versions(ranks);
    } catch (const RanksParted& parted) {
        if (ranks.is_first()) {
            std::cerr << "lockkeeper: " << parted.what() << std::endl;
        }
        return ranks.is_first() ? kExitInternal : kExitPassed;
    }
    is_in_task = !others_follow;
    const RankCommand command{given, memory_default() / ranks.ranks_here()};
    return ranks.is_first() ? run_as_first(ranks, command, others_follow)
           : others_follow  ? help_the_first(ranks, is_in_task)
                            : explore_as_rank(ranks, command);
}

}  // namespace
}  // namespace lockkeeper

int main(int argc, char** argv) {
    using namespace lockkeeper;
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    handle_signals(kExitInterrupted);
    handle_user_signal();
    const std::vector<std::string> given(argv + (argc > 0 ? 1 : 0), argv + argc);
    int exit_code = kExitInternal;
    {
        int rank = 0;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        // Between two tasks nobody owes it anything: the first writes what it has found, say.
        bool is_in_task = true;
        MpiRanks ranks([&] {
            if (rank == 0 || is_in_task) {
                say_that_others_do_not_answer(static_cast<std::size_t>(rank), given);
            }
        });
        if (ranks.count() > kStateShards) {
            std::cerr << (rank == 0 ? "lockkeeper: at most " + std::to_string(kStateShards) +
                                          " ranks; each may have several workers (--jobs)\n"
                                    : "");
            exit_code = kExitUsage;
        } else {
            exit_code = run_rank(ranks, given, is_in_task);
        }
        ranks.leave();
    }
    MPI_Finalize();
    return exit_code;
}
