#include "app/command_line.hpp"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>

#include "app/descriptor_buffer.hpp"
#include "app/exit_code.hpp"
#include "app/verbs.hpp"

namespace lockkeeper {
namespace {

extern "C" void on_interrupt(int) {
    if (interrupt_requested()) {
        _exit(kExitInterrupted);
    }
    request_interrupt();
}

void handle_signals() {
    struct sigaction action = {};
    action.sa_handler = on_interrupt;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);  // what timeout, build servers and service managers send
    // A reader that has seen enough (`| head`) must not keep trace files from being written.
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, nullptr);
}

void make_out_directory(const Options& options) {
    if (options.out_directory) {
        std::error_code error;
        std::filesystem::create_directories(*options.out_directory, error);
        if (error || !std::filesystem::is_directory(*options.out_directory, error)) {
            throw UsageError("--out: \"" + *options.out_directory +
                             "\" is no directory and cannot be made one" +
                             (error ? ": " + error.message() : ""));
        }
    }
}

int run_verb(const Session& session) {
    make_out_directory(session.options);
    switch (session.options.command) {
        case Command::kRun: return verb_run(session);
        case Command::kReplay: return verb_replay(session);
        case Command::kExplore: return verb_explore(session);
        case Command::kFuzz: return verb_fuzz(session);
        case Command::kMeasure: return verb_measure(session);
        case Command::kValidate: return verb_validate(session);
        case Command::kList: return verb_list(session);
    }
    return kExitInternal;
}

int parse_and_run(const std::vector<std::string>& arguments, const Registry& registry,
                  const Surroundings& surroundings) {
    auto parsed = parse_options(arguments, surroundings.environment);
    if (const auto* print = std::get_if<PrintAndEnd>(&parsed)) {
        surroundings.out << print->text << std::flush;
        return kExitPassed;
    }
    Options& options = std::get<Options>(parsed);
    options.program = surroundings.program;
    return run_verb(
        {registry, options, surroundings.out, surroundings.err, surroundings.err_is_terminal});
}

}  // namespace

int run_lockkeeper(const std::vector<std::string>& arguments, const Registry& registry,
                   const Surroundings& surroundings) {
    clear_interrupt();
    try {
        return parse_and_run(arguments, registry, surroundings);
    } catch (const UsageError& error) {
        surroundings.err << "lockkeeper: " << error.what() << std::endl;
        return kExitUsage;
    } catch (const std::exception& error) {
        surroundings.err << "lockkeeper: internal error: " << error.what() << std::endl;
        return kExitInternal;
    }
}

int lockkeeper_main(int argc, char** argv, const Registry& registry) {
    handle_signals();
    const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
    const std::string program =
        argc > 0 ? std::filesystem::path(argv[0]).filename().string() : std::string();
    DescriptorBuffer buffer(STDOUT_FILENO);
    std::ostream out(&buffer);
    const int exit_code =
        run_lockkeeper(arguments, registry,
                       {out, std::cerr, isatty(STDERR_FILENO) == 1,
                        [](const char* name) -> const char* { return getenv(name); },
                        program.empty() ? "lockkeeper" : program});
    out.flush();
    if (buffer.error() != 0 && buffer.error() != EPIPE) {
        std::cerr << "lockkeeper: stdout: cannot be written: " << std::strerror(buffer.error())
                  << std::endl;
        return kExitInternal;
    }
    return exit_code;
}

}  // namespace lockkeeper
