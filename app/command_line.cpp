// SPDX-License-Identifier: Apache-2.0
#include "app/command_line.hpp"

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <ostream>

#include "app/verbs.hpp"
#include "reports/printable_buffer.hpp"
#include "scenarios/bad_input.hpp"
#include "scheduler/base/descriptor_buffer.hpp"
#include "scheduler/base/output_file.hpp"
#include "scheduler/base/signals.hpp"
#include "scheduler/search/explore.hpp"
#include "work/results/conclusion.hpp"
#include "work/results/text_output.hpp"

namespace lockkeeper {
namespace {

void make_out_directory(const Options& options) {
    try {
        if (options.out_directory) {
            make_directory(*options.out_directory);
        }
    } catch (const OutputError& error) {
        throw UsageError(std::string("--out: ") + error.what());
    }
}

int run_verb(const Session& session) {
    make_out_directory(session.options);
    return verbs()[static_cast<std::size_t>(session.options.verb)].run(session);
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
    options.ranks = surroundings.ranks;
    const auto writer = find_format(options.format)->make(surroundings.out, options.verbose);
    return run_verb(Session(registry, options,
                            {surroundings.out, surroundings.err, surroundings.err_is_terminal},
                            *writer));
}

}  // namespace

int run_lockkeeper(const std::vector<std::string>& arguments, const Registry& registry,
                   const Surroundings& outside) {
    PrintableBuffer out_buffer(outside.out, PrintableBuffer::Returns::kReplaced);
    PrintableBuffer err_buffer(outside.err, PrintableBuffer::Returns::kKept);
    std::ostream out(&out_buffer);
    std::ostream err(&err_buffer);
    const Surroundings surroundings{
        out, err, outside.err_is_terminal, outside.environment, outside.program, outside.ranks};
    clear_interrupt();
    const auto end = [&](int exit_code, const std::string& message) {
        err << "lockkeeper: " << message << std::endl;
        format_asked_for(arguments, outside.environment("LOCKKEEPER_FORMAT"))
            .make(out, false)
            ->refused(exit_code, message);
        return exit_code;
    };
    try {
        return parse_and_run(arguments, registry, surroundings);
    } catch (const UsageError& error) {
        return end(kExitUsage, error.what());
    } catch (const BadInput& error) {  // the file that it is all about
        return end(kExitInput, error.what());
    } catch (const OutputError& error) {  // before the work began
        return end(kExitInput, error.what());
    } catch (const LimitExceeded& error) {  // a reader that was ended
        return end(interrupt_requested() ? kExitInterrupted : kExitInternal, error.what());
    } catch (const std::exception& error) {
        return end(kExitInternal, std::string("internal error: ") + error.what());
    }
}

int lockkeeper_main(int argc, char** argv, const Registry& registry) {
    handle_signals(kExitInterrupted);
    const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
    const std::string program =
        argc > 0 ? std::filesystem::path(argv[0]).filename().string() : std::string();
    DescriptorBuffer buffer(STDOUT_FILENO);
    std::ostream out(&buffer);
    constexpr std::chrono::milliseconds kErrorsAfterInterrupt{100};
    DescriptorBuffer err_buffer(STDERR_FILENO, kErrorsAfterInterrupt);
    std::ostream err(&err_buffer);
    err << std::unitbuf;
    const int exit_code =
        run_lockkeeper(arguments, registry,
                       {out, err, isatty(STDERR_FILENO) == 1,
                        [](const char* name) -> const char* { return getenv(name); },
                        program.empty() ? "lockkeeper" : program});
    out.flush();
    if (buffer.was_given_up()) {
        err << "lockkeeper: interrupted: nobody reads stdout, where the end of the result is "
               "missing"
            << std::endl;
        return kExitInterrupted;
    }
    if (buffer.error() != 0 && buffer.error() != EPIPE) {
        err << "lockkeeper: stdout: cannot be written: " << std::strerror(buffer.error())
            << std::endl;
        return kExitInternal;
    }
    return exit_code;
}

}  // namespace lockkeeper
