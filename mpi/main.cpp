// SPDX-License-Identifier: Apache-2.0

// `mpirun -n N lockkeeper-mpi explore FILE`: the command's `explore`, by several processes that
// share the states. Each runs the same command line; the first alone writes and prints, and has the
// exit code. docs/decisions/0032-ranks-own-shards.md has what goes with it and what does not.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <sstream>

#include "app/command_line.hpp"
#include "mpi/mpi_ranks.hpp"
#include "mpi/rank_arguments.hpp"
#include "reports/conclusion.hpp"
#include "scenarios/registry/shipped_systems.hpp"
#include "scheduler/process_memory.hpp"
#include "scheduler/search/explore.hpp"
#include "scheduler/signals.hpp"

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

// Of whoever cannot know whether the others are alive; the first two, one of which lives unless
// both have died.
void say_that_others_do_not_answer(std::size_t rank, const std::string& checkpoint) {
    if (rank > 1 || was_asked_to_end != 0) {
        return;
    }
    std::error_code failed;
    const bool is_there = !checkpoint.empty() && std::filesystem::exists(checkpoint, failed);
    std::cerr << "lockkeeper: rank " << rank
              << ": interrupted, and other ranks do not answer: if one has died the search ends "
                 "here, without a verdict; "
              << (is_there ? "go on with --resume " + checkpoint : "there is no checkpoint")
              << std::endl;
}

int run_rank(MpiRanks& ranks, const std::vector<std::string>& given) {
    const bool is_first = ranks.is_first();
    if (!given.empty() && given.front() != "explore" && given.front().front() != '-') {
        if (is_first) {
            std::cerr << "lockkeeper: only explore runs on several ranks; the command lockkeeper "
                         "has the other verbs"
                      << std::endl;
        }
        return kExitUsage;
    }
    const auto arguments =
        arguments_of_rank(given, is_first, memory_default() / ranks.ranks_here());
    std::ostringstream unseen_out;
    std::ostringstream unseen_err;
    const auto environment = [&](const char* name) -> const char* {
        return environment_of_rank(name, is_first, ::getenv(name));
    };
    const int exit_code =
        run_lockkeeper(arguments, shipped_systems(),
                       {is_first ? static_cast<std::ostream&>(std::cout) : unseen_out,
                        is_first ? static_cast<std::ostream&>(std::cerr) : unseen_err,
                        is_first && isatty(STDERR_FILENO) == 1, environment, "lockkeeper",
                        ranks.count() > 1 ? &ranks : nullptr});
    std::cout.flush();
    // That the first has ended, and why, it says itself.
    if (!is_first && exit_code == kExitInternal && !ranks.has_left(0)) {
        std::cerr << "lockkeeper: rank " << ranks.rank() << ":\n" << unseen_err.str() << std::flush;
        return exit_code;
    }
    return is_first ? exit_code : kExitPassed;
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
        MpiRanks ranks([&] {
            say_that_others_do_not_answer(static_cast<std::size_t>(rank),
                                          value_of(given, "--checkpoint").value_or(""));
        });
        if (ranks.count() > kStateShards) {
            std::cerr << (rank == 0 ? "lockkeeper: at most " + std::to_string(kStateShards) +
                                          " ranks; each may have several workers (--jobs)\n"
                                    : "");
            exit_code = kExitUsage;
        } else {
            exit_code = run_rank(ranks, given);
        }
        ranks.leave();
    }
    MPI_Finalize();
    return exit_code;
}
