// SPDX-License-Identifier: Apache-2.0
#include "scheduler/base/signals.hpp"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <string_view>

#include "model/read_text.hpp"
#include "scheduler/base/interrupt.hpp"
#include "scheduler/base/output_file.hpp"

namespace lockkeeper {
namespace {

int exit_code_at_once = 1;  // written before any handler is there

// Only calls that are safe in a signal handler.
extern "C" void on_interrupt(int) {
    if (interrupt_requested()) {
        constexpr std::string_view kReport =
            "\nlockkeeper: interrupted again: ended at once, without verdict; unfinished files are "
            "removed\n";
        remove_unfinished_files();
        pollfd look{STDERR_FILENO, POLLOUT, 0};  // or else the end waits for a reader
        if (::poll(&look, 1, 0) == 1) {
            static_cast<void>(::write(STDERR_FILENO, kReport.data(), kReport.size()) == 0);
        }
        _exit(exit_code_at_once);
    }
    request_interrupt();
}

void handle(int signal, void (*handler)(int)) {
    struct sigaction action = {};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, nullptr);
}

}  // namespace

void handle_signals(int exit_code) {
    exit_code_at_once = exit_code;
    end_reads_when(interrupt_requested);
    handle(SIGINT, on_interrupt);
    handle(SIGTERM, on_interrupt);  // what timeout, build servers and service managers send
    struct sigaction hangup = {};
    // The terminal was closed. Who started with nohup wants to go on.
    if (sigaction(SIGHUP, nullptr, &hangup) == 0 && hangup.sa_handler != SIG_IGN) {
        handle(SIGHUP, on_interrupt);
    }
    // A reader that has seen enough (`| head`) must not keep trace files from being written.
    handle(SIGPIPE, SIG_IGN);
    handle(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error of its writer
}

void hold_signals() {
    sigset_t held;
    sigemptyset(&held);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        sigaddset(&held, signal);
    }
    sigprocmask(SIG_BLOCK, &held, nullptr);
}

}  // namespace lockkeeper
