// SPDX-License-Identifier: Apache-2.0

// Where the program begins: its main is the test, run once for each execution, unless the program
// calls explore_threads() itself. What the command says comes by the variable LOCKKEEPER_THREADS:
// model=c11,strategy=all,seed=N,schedules=N,replay=LINE,executions=N,seconds=N,spurious=N,timeouts=N,
// results=DESCRIPTOR,json=on,command=1.
#include "validate/threads/runtime/start.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "validate/threads/marked/judge_marks.hpp"
#include "validate/threads/runtime/hosted.hpp"
#include "validate/threads/runtime/program.hpp"
#include "validate/threads/runtime/system.hpp"

// A program has it that includes lockkeeper/threads.hpp.
extern "C" __attribute__((weak, visibility("hidden"))) const int lockkeeper_explores_in_process;

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
    } else if (key == "strategy") {
        settings.strategy = std::string(value);
    } else if (key == "seed") {
        settings.seed = number_of(value);
    } else if (key == "schedules") {
        settings.schedules_max = number_of(value);
    } else if (key == "replay") {
        settings.replayed = parse_run_line(value);
        if (!settings.replayed) {
            end_with_message(
                "replay=: no line of a run that this version reads (threads1:MODEL:CHOICES)");
        }
        settings.model = settings.replayed->model;
    } else if (key == "leaks") {
        settings.finds_leaks = value == "on";
    } else if (key == "headers") {
        settings.trusts_headers = value == "sc";
    } else if (key == "spurious") {
        settings.spurious_max = static_cast<std::uint16_t>(number_of(value));
    } else if (key == "results") {  // for the command, on this descriptor
        settings.writes_json = true;
        settings.out = static_cast<int>(number_of(value));
    } else if (key == "json") {
        settings.adds_json = value == "on";
    } else if (key == "allocations") {
        settings.allocation_failures_max = static_cast<std::uint16_t>(number_of(value));
    } else if (key == "weak") {
        settings.weak_failures_max = static_cast<std::uint16_t>(number_of(value));
    } else if (key == "timeouts") {
        settings.timeouts_max = static_cast<std::uint16_t>(number_of(value));
    }
}

void read_settings(Settings& settings, const char* given) {
    std::string_view rest = given == nullptr ? "" : given;
    while (!rest.empty()) {
        const std::string_view one = rest.substr(0, rest.find(','));
        const std::size_t equals = one.find('=');
        if (equals != std::string_view::npos) {
            set(settings, one.substr(0, equals), one.substr(equals + 1));
        }
        rest.remove_prefix(std::min(rest.size(), one.size() + 1));
    }
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

// The program may write them, so each run has its own. They stand at the same place in each
// process: those of the process itself do not.
char** copied_arguments(Hosted& host, int count, char** arguments) {
    std::size_t size = (static_cast<std::size_t>(count) + 1) * sizeof(char*);
    for (int index = 0; index < count; ++index) {
        size += std::strlen(arguments[index]) + 1;
    }
    constexpr std::uintptr_t kNear = 0x2800'0000'0000;
    std::byte* room = reserve(size, kNear);
    auto** copied = reinterpret_cast<char**>(room);
    char* text = reinterpret_cast<char*>(copied + count + 1);
    for (int index = 0; index < count; ++index) {
        copied[index] = text;
        text = stpcpy(text, arguments[index]) + 1;
    }
    host.images.push_back({room, size, nullptr});
    host.shadow.add(room, size);
    return copied;
}

int explore_main(int count, char** arguments, char** environment) {
    static_cast<void>(hold_interrupts());
    Hosted& host = make_host("");
    const long out = host.settings.writes_json ? host.settings.out : 1;
    host.settings.out = static_cast<int>(raw_call(SYS_fcntl, out, F_DUPFD_CLOEXEC, 200));
    fflush(nullptr);
    silence();
    host.main = program_main;
    host.argument_count = count;
    host.arguments = arguments;
    host.environment = environment;
    host.copied_arguments = copied_arguments(host, count, arguments);
    return look_and_explore(host);
}

bool explores_in_process() { return &lockkeeper_explores_in_process != nullptr; }

int begin_program(int count, char** arguments, char** environment) {
    if (!explores_in_process()) {
        end_process(explore_main(count, arguments, environment));
    }
    const char* settings = getenv("LOCKKEEPER_THREADS");
    if (settings != nullptr && std::strstr(settings, "command=1") != nullptr) {
        const std::string_view text =
            "verdict: refused: the program calls explore_threads itself: start it without "
            "lockkeeper threads\n";
        write_all(1, text.data(), text.size());
        end_process(65);
    }
    return program_main(count, arguments, environment);
}

}  // namespace

bool is_ordinary_program() { return hosted == nullptr && explores_in_process(); }

Hosted& make_host(const char* settings) {
    // The host's own memory comes from the C library from here on.
    void* room = reserve(sizeof(Hosted));
    Settings read;
    read_settings(read, settings);
    read_settings(read, getenv("LOCKKEEPER_THREADS"));
    Hosted* host = new (room) Hosted(read);
    dl_iterate_phdr(code_base, &host->shadow.code);
    dl_iterate_phdr(find_unwinder, &host->unwinder);
    hosted = host;
    return *host;
}

void silence() {
    const long nothing = raw_call(SYS_open, reinterpret_cast<long>("/dev/null"), O_WRONLY);
    raw_call(SYS_dup2, nothing, 1);
    raw_call(SYS_dup2, nothing, 2);
    raw_call(SYS_close, nothing);
    // Their buffers are not in the heap, which each run begins with anew.
    setvbuf(stdout, reinterpret_cast<char*>(reserve(65536)), _IOFBF, 65536);
    setvbuf(stderr, reinterpret_cast<char*>(reserve(65536)), _IOFBF, 65536);
}

int look_and_explore(Hosted& host) {
    host.refused = was_compiled_with_hooks() ? what_cannot_be_hosted(host)
                                             : "the program is not compiled with -fsanitize=thread";
    if (!host.refused.empty()) {
        return report(host, false, 0);
    }
    host.judge = new MarksJudge;
    host.judge->warm_up();
    park_threads(host);
    watch_faults(host);
    keep_images(host);
    return explore(host);
}

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
    return start(begin_program, count, arguments, before, after, linker, stack);
}

// What the command looks for in a program, to know that it is linked with this runtime.
extern const char lockkeeper_threads_runtime[];
const char lockkeeper_threads_runtime[] = "lockkeeper threads runtime 1";

}  // extern "C"
