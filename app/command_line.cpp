#include "app/command_line.hpp"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <string_view>

#include "app/verbs.hpp"
#include "reports/conclusion.hpp"
#include "reports/printable_buffer.hpp"
#include "scenarios/bad_input.hpp"
#include "scheduler/descriptor_buffer.hpp"
#include "scheduler/output_file.hpp"

namespace lockkeeper {
namespace {

// Only calls that are safe in a signal handler.
extern "C" void on_interrupt(int) {
    if (interrupt_requested()) {
        constexpr std::string_view kReport =
            "\nlockkeeper: interrupted again: ended at once, without verdict; unfinished files are "
            "removed\n";
        remove_unfinished_files();
        static_cast<void>(::write(STDERR_FILENO, kReport.data(), kReport.size()) == 0);
        _exit(kExitInterrupted);
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

void handle_signals() {
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

// The directory of --out: made where there is none. UsageError where it cannot be written to.
void make_out_directory(const Options& options) {
    if (!options.out_directory) {
        return;
    }
    const std::string& directory = *options.out_directory;
    std::error_code error;
    std::filesystem::create_directories(directory, error);
    if (error || !std::filesystem::is_directory(directory, error)) {
        throw UsageError("--out: \"" + directory + "\" is no directory and cannot be made one" +
                         (error ? ": " + error.message() : ""));
    }
    try {
        UnfinishedFile trial = begin_file(directory + "/trace");
        discard_file(trial);
    } catch (const OutputError& failed) {
        throw UsageError(std::string("--out: ") + failed.what());
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
        case Command::kSweep: return verb_sweep(session);
        case Command::kValidate: return verb_validate(session);
        case Command::kReport: return verb_report(session);
        case Command::kList: return verb_list(session);
    }
    return kExitInternal;
}

// By the last --format, else the variable, whatever else is wrong with the command line.
const ReportFormat& asked_format(const std::vector<std::string>& arguments,
                                 const Environment& environment) {
    constexpr std::string_view kFlag = "--format";
    const char* variable = environment("LOCKKEEPER_FORMAT");
    std::string name = variable == nullptr ? "" : variable;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i] == kFlag && i + 1 < arguments.size()) {
            name = arguments[i + 1];
        } else if (arguments[i].starts_with(std::string(kFlag) + "=")) {
            name = arguments[i].substr(kFlag.size() + 1);
        }
    }
    const ReportFormat* format = find_format(name);
    return format != nullptr && format->is_whole ? *format : report_formats().front();
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
    const auto writer = find_format(options.format)->make(surroundings.out, options.verbose);
    return run_verb({registry, options, surroundings.out, surroundings.err,
                     surroundings.err_is_terminal, writer.get()});
}

}  // namespace

int run_lockkeeper(const std::vector<std::string>& arguments, const Registry& registry,
                   const Surroundings& outside) {
    PrintableBuffer out_buffer(outside.out, PrintableBuffer::Returns::kReplaced);
    PrintableBuffer err_buffer(outside.err, PrintableBuffer::Returns::kKept);
    std::ostream out(&out_buffer);
    std::ostream err(&err_buffer);
    const Surroundings surroundings{out, err, outside.err_is_terminal, outside.environment,
                                    outside.program};
    clear_interrupt();
    const auto end = [&](int exit_code, const std::string& message) {
        err << "lockkeeper: " << message << std::endl;
        asked_format(arguments, outside.environment).make(out, false)->refused(exit_code, message);
        return exit_code;
    };
    try {
        return parse_and_run(arguments, registry, surroundings);
    } catch (const UsageError& error) {
        return end(kExitUsage, error.what());
    } catch (const OutputError& error) {  // before the work began
        return end(kExitInput, error.what());
    } catch (const std::exception& error) {
        return end(kExitInternal, std::string("internal error: ") + error.what());
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
