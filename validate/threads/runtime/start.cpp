// SPDX-License-Identifier: Apache-2.0

// Where the program begins: its main is the test, run once for each execution. What the command
// says comes by the variable LOCKKEEPER_THREADS:
// model=c11,executions=N,seconds=N,spurious=N,timeouts=N.
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "validate/threads/runtime/hosted.hpp"
#include "validate/threads/runtime/program.hpp"
#include "validate/threads/runtime/system.hpp"

namespace lockkeeper::threads {
namespace {

using Main = int (*)(int, char**, char**);
Main program_main = nullptr;

std::uint64_t number_of(std::string_view text) {
    std::uint64_t number = 0;
    for (const char digit : text) {
        number = number * 10 + static_cast<std::uint64_t>(digit - '0');
    }
    return number;
}

void set(Settings& settings, std::string_view key, std::string_view value) {
    if (key == "model") {
        settings.model = value == "sc" ? Model::kSc : Model::kC11;
    } else if (key == "executions") {
        settings.executions_max = number_of(value);
    } else if (key == "seconds") {
        settings.seconds_max = number_of(value);
    } else if (key == "spurious") {
        settings.spurious_max = static_cast<std::uint16_t>(number_of(value));
    } else if (key == "timeouts") {
        settings.timeouts_max = static_cast<std::uint16_t>(number_of(value));
    }
}

Settings read_settings() {
    Settings settings;
    const char* given = getenv("LOCKKEEPER_THREADS");
    std::string_view rest = given == nullptr ? "" : given;
    while (!rest.empty()) {
        const std::string_view one = rest.substr(0, rest.find(','));
        const std::size_t equals = one.find('=');
        if (equals != std::string_view::npos) {
            set(settings, one.substr(0, equals), one.substr(equals + 1));
        }
        rest.remove_prefix(std::min(rest.size(), one.size() + 1));
    }
    return settings;
}

void on_fault(int signal, siginfo_t* info, void*) {
    if (running() == nullptr) {
        end_with_message("a fault outside of the program's threads");
    }
    sigset_t none;
    sigemptyset(&none);
    sigaddset(&none, signal);
    sigprocmask(SIG_UNBLOCK, &none, nullptr);
    const char* text = signal == SIGFPE   ? "an arithmetic fault, such as a division by zero"
                       : signal == SIGILL ? "an instruction that there is not"
                                          : "an access of memory that is not the program's";
    const bool is_stack =
        info->si_addr >= running()->stack - 65536 && info->si_addr < running()->stack;
    found("fault", is_stack ? "the stack of the thread has ended (1 MiB)" : text, 0);
}

// On a stack of its own: that of the thread may have ended.
void watch_faults() {
    stack_t stack{};
    stack.ss_size = 65536;
    stack.ss_sp = reserve(stack.ss_size);
    sigaltstack(&stack, nullptr);
    struct sigaction action {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
        sigaction(signal, &action, nullptr);
    }
}

// What the program prints is no part of the report: it would be there once for each execution.
int silence() {
    fflush(nullptr);
    const int out = static_cast<int>(raw_call(72, 1, F_DUPFD_CLOEXEC, 200));          // fcntl
    const long nothing = raw_call(2, reinterpret_cast<long>("/dev/null"), O_WRONLY);  // open
    raw_call(33, nothing, 1);                                                         // dup2
    raw_call(33, nothing, 2);
    raw_call(3, nothing);  // close
    // Their buffers are not in the heap, which each run begins with anew.
    setvbuf(stdout, reinterpret_cast<char*>(reserve(65536)), _IOFBF, 65536);
    setvbuf(stderr, reinterpret_cast<char*>(reserve(65536)), _IOFBF, 65536);
    return out < 0 ? 1 : out;
}

int code_base(dl_phdr_info* info, std::size_t, void* base) {
    *static_cast<std::uintptr_t*>(base) = info->dlpi_addr;
    return 1;
}

int find_unwinder(dl_phdr_info* info, std::size_t, void* given) {
    auto& region = *static_cast<Shadow::Region*>(given);
    if (info->dlpi_name == nullptr || std::strstr(info->dlpi_name, "libgcc_s") == nullptr) {
        return 0;
    }
    for (int index = 0; index < info->dlpi_phnum; ++index) {
        const ElfW(Phdr)& part = info->dlpi_phdr[index];
        if (part.p_type == PT_LOAD && (part.p_flags & PF_X) != 0) {
            region.from = info->dlpi_addr + part.p_vaddr;
            region.to = region.from + part.p_memsz;
        }
    }
    return 1;
}

int explore_main(int count, char** arguments, char** environment) {
    // The host's own memory comes from the C library from here on.
    void* room = reserve(sizeof(Hosted));
    Hosted* host = new (room) Hosted(read_settings());
    host->settings.out = silence();
    host->main = program_main;
    host->argument_count = count;
    host->arguments = arguments;
    host->environment = environment;
    dl_iterate_phdr(code_base, &host->shadow.code);
    dl_iterate_phdr(find_unwinder, &host->unwinder);
    hosted = host;
    host->refused = was_compiled_with_hooks()
                        ? what_cannot_be_hosted()
                        : "the program is not compiled with -fsanitize=thread";
    if (!host->refused.empty()) {
        return report(*host, false, 0);
    }
    park_threads(*host);
    watch_faults();
    keep_images(*host);
    return explore(*host);
}

}  // namespace

void end_with_message(const char* text) {
    const std::string_view begin = "lockkeeper threads: ";
    const int out = hosted == nullptr ? 2 : hosted->settings.out;
    write_all(out, begin.data(), begin.size());
    write_all(out, text, std::strlen(text));
    write_all(out, "\n", 1);
    end_process(70);
}

}  // namespace lockkeeper::threads

extern "C" {

int __libc_start_main(int (*main)(int, char**, char**), int count, char** arguments,
                      void (*before)(), void (*after)(), void (*linker)(), void* stack) {
    using Start = int (*)(int (*)(int, char**, char**), int, char**, void (*)(), void (*)(),
                          void (*)(), void*);
    using namespace lockkeeper::threads;
    program_main = main;
    const auto start = reinterpret_cast<Start>(dlsym(RTLD_NEXT, "__libc_start_main"));
    return start(
        [](int own_count, char** own_arguments, char** environment) -> int {
            end_process(explore_main(own_count, own_arguments, environment));
        },
        count, arguments, before, after, linker, stack);
}

// What the command looks for in a program, to know that it is linked with this runtime.
extern const char lockkeeper_threads_runtime[];
const char lockkeeper_threads_runtime[] = "lockkeeper threads runtime 1";

}  // extern "C"
