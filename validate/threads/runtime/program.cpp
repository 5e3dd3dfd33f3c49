// SPDX-License-Identifier: Apache-2.0
#include "validate/threads/runtime/program.hpp"

#include <algorithm>
#include <string_view>

#include "validate/threads/runtime/hosted.hpp"
#include "validate/threads/runtime/program_file.hpp"
#include "validate/threads/runtime/system.hpp"

namespace lockkeeper::threads {
namespace {

// Functions that keep no state of their own, or none that a run could see.
constexpr std::string_view kKnown[] = {"__cxa_",
                                       "__gxx_",
                                       "__once_proxy",
                                       "__gcc_personality_v0",
                                       "_Unwind_",
                                       "__libc_",
                                       "__udiv",  // of 128 bits
                                       "__umod",
                                       "__popcount",
                                       "__divti",
                                       "__modti",
                                       "_ITM_",
                                       "__gmon_start__",
                                       "__stack_chk_fail",
                                       "__errno_location",
                                       "__tls_get_addr",
                                       "__isoc23_strto",
                                       "__ctype_",
                                       "__dynamic_cast",
                                       "_Zn",
                                       "_Zd",
                                       "_ZTI",
                                       "_ZTV",
                                       "_ZTS",
                                       "_ZS",
                                       "_ZNS",
                                       "_ZNKS",
                                       "_ZNKRS",
                                       "_ZNOS",
                                       "_ZT",
                                       "_ZGVNS",
                                       "_ZN9__gnu_cxx",
                                       "_ZN10__cxxabiv1",
                                       "strto",
                                       "strftime",
                                       "strdup",
                                       "strndup",
                                       "strspn",
                                       "strcspn",
                                       "wcslen",
                                       "wmem",
                                       "bsearch",
                                       "qsort",
                                       "abs",
                                       "labs",
                                       "div",
                                       "ldiv",
                                       "ato",
                                       "printf",
                                       "fprintf",
                                       "sprintf",
                                       "snprintf",
                                       "vprintf",
                                       "vfprintf",
                                       "vsnprintf",
                                       "vsprintf",
                                       "__printf_chk",
                                       "__fprintf_chk",
                                       "__sprintf_chk",
                                       "__snprintf_chk",
                                       "__vsnprintf_chk",
                                       "__vfprintf_chk",
                                       "puts",
                                       "putchar",
                                       "putc",
                                       "fputs",
                                       "fputc",
                                       "fwrite",
                                       "fflush",
                                       "setvbuf",
                                       "stdout",
                                       "stderr",
                                       "perror",
                                       "getenv",
                                       "is",
                                       "to",
                                       "dl_iterate_phdr",
                                       "dlsym",
                                       "sigemptyset",
                                       "sigfillset",
                                       "sigaddset",
                                       "sigdelset",
                                       "sigismember",
                                       "pthread_attr_",
                                       "pthread_mutexattr_",
                                       "pthread_condattr_",
                                       "pthread_rwlockattr_",
                                       "pthread_barrierattr_",
                                       "pthread_self",
                                       "pthread_equal",
                                       "pthread_sigmask",
                                       "getauxval",
                                       "__sched_cpu",
                                       "sysconf",
                                       "getpid",
                                       "gettid",
                                       "get_nprocs",
                                       "sem_destroy",
                                       "lround",
                                       "llround",
                                       "floor",
                                       "ceil",
                                       "sqrt",
                                       "pow",
                                       "exp",
                                       "log",
                                       "sin",
                                       "cos",
                                       "tan",
                                       "fmod",
                                       "round",
                                       "trunc",
                                       "fabs",
                                       "hypot",
                                       "ldexp",
                                       "frexp",
                                       "modf",
                                       "nan",
                                       "__environ",
                                       "environ",
                                       "program_invocation",
                                       "localeconv",
                                       "_obstack",
                                       "__register_atfork",
                                       "nl_langinfo",
                                       "clock_getres"};
// Of those families, what does have state, or reads what is outside.
constexpr std::string_view kUnknown[] = {"_ZNSt13random_device",
                                         "_ZSt3cin",
                                         "_ZSt4wcin",
                                         "_ZNSt13basic_filebuf",
                                         "_ZNSt14basic_ifstream",
                                         "_ZNSt14basic_ofstream",
                                         "_ZNSt13basic_fstream",
                                         "_ZNSt10filesystem",
                                         "strtok",
                                         "strftime_l",
                                         "truncate",
                                         "wmemchr",
                                         "wmempcpy",
                                         "_ZNSs",  // strings that count who shares them
                                         "_ZNKSs",
                                         "strerror",
                                         "stdin",
                                         "strsignal",
                                         "memfd_create",
                                         "mempcpy",
                                         "memccpy",
                                         "explicit_bzero",
                                         "isatty",
                                         "login",
                                         "logout",
                                         "logwtmp",
                                         "_ZNSt3pmr",
                                         "_ZNSt8ios_base6xallocEv",
                                         "_ZNSt6locale6globalERKS_",
                                         "_ZN9__gnu_cxx17__pool_alloc_base",
                                         "_ZN9__gnu_cxx6__pool",
                                         "_ZN9__gnu_cxx9free_list",
                                         "_ZN9__gnu_cxx13stdio_filebuf",
                                         "_ZN9__gnu_cxx18stdio_sync_filebuf"};
constexpr std::string_view kLibraries[] = {"libc.so.6",       "libm.so.6",
                                           "libstdc++.so.6",  "libgcc_s.so.1",
                                           "libpthread.so.0", "ld-linux-x86-64.so.2"};

// Streams that read, whatever they read from.
constexpr std::string_view kReading[] = {"_ZNSi", "_ZNSt13basic_istream", "_ZStrs", "_ZSt7getline",
                                         "_ZSt2ws"};
// Those of test frameworks: the test itself calls none of them, or is refused.
constexpr std::string_view kFrameworks[] = {"libgtest", "libgmock", "libCatch2"};

template <class Names>
bool begins_with_one(std::string_view name, const Names& names) {
    return std::any_of(std::begin(names), std::end(names),
                       [&](std::string_view known) { return name.starts_with(known); });
}

std::string unknown_library(const ProgramFile& file, bool is_in_process) {
    const Elf64_Shdr* dynamic = file.section(SHT_DYNAMIC);
    if (dynamic == nullptr) {
        return "the program is linked statically: link it with the shared C library";
    }
    for (const Elf64_Dyn& entry : file.entries<Elf64_Dyn>(*dynamic)) {
        if (entry.d_tag == DT_NEEDED) {
            const std::string_view name = file.name(*dynamic, entry.d_un.d_val);
            if (std::find(std::begin(kLibraries), std::end(kLibraries), name) ==
                    std::end(kLibraries) &&
                !(is_in_process && begins_with_one(name, kFrameworks))) {
                return "the program uses the library " + std::string(name) +
                       ", whose memory is not seen: compile what it needs with -fsanitize=thread "
                       "and link it into the program";
            }
        }
    }
    return {};
}

std::string unknown_function(const ProgramFile& file) {
    const Elf64_Shdr* table = file.section(SHT_DYNSYM);
    if (table == nullptr) {
        return {};
    }
    for (const Elf64_Sym& symbol : file.entries<Elf64_Sym>(*table)) {
        const std::string_view name = file.name(*table, symbol.st_name);
        // Variables of a library have a copy in the program, and are defined there.
        const bool is_of_a_library = symbol.st_shndx == SHN_UNDEF && !name.empty();
        if ((is_of_a_library && !is_hosted(name, false)) || begins_with_one(name, kUnknown)) {
            return "the program calls " + std::string(name) + ", which is not hosted";
        }
    }
    return {};
}

std::string hexadecimal(std::uint64_t number) {
    std::string digits;
    do {
        digits.insert(digits.begin(), "0123456789abcdef"[number & 0xf]);
        number >>= 4;
    } while (number != 0);
    return "0x" + digits;
}

std::string_view next_line(std::string_view& text) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    return line;
}

Line made_line(std::string_view function, std::string_view place) {
    std::string_view file = place.substr(0, place.find(" (discriminator"));
    const std::size_t slash = file.rfind('/');
    std::string name(function.substr(0, function.find('(')));
    Line line;
    line.file = std::string(file);
    line.function = std::string(function);
    line.text = std::string(slash == std::string_view::npos ? file : file.substr(slash + 1)) +
                (name == "??" || name.size() > 24 || name.find('<') != std::string::npos
                     ? ""
                     : " (" + name + ")");
    return line;
}

// The line that asks for the access, behind what every atomic variable goes through.
bool is_of_the_library(const std::vector<Line>& lines) {
    for (const Line& line : lines) {
        const std::string_view file = std::string_view(line.file).substr(0, line.file.rfind(':'));
        const bool is_library = file.find("/c++/") != std::string::npos;
        const bool is_atomic = file.ends_with("/bits/atomic_base.h") || file.ends_with("/atomic");
        if (!is_library || !is_atomic) {
            return is_library;
        }
    }
    return false;
}

// Some frame of it is the loop in which the C++ library spins before it sleeps.
bool is_of_a_loop_that_waits(const std::vector<Line>& lines) {
    return std::any_of(lines.begin(), lines.end(), [](const Line& line) {
        return line.file.find("/bits/atomic_wait.h:") != std::string::npos;
    });
}

// It looks whether anybody waits at an atomic variable that its own thread has just changed.
bool is_of_a_notification(const std::vector<Line>& lines) {
    return std::any_of(lines.begin(), lines.end(), [](const Line& line) {
        return line.function.find("_M_waiting") != std::string::npos ||
               line.function.find("_M_notify") != std::string::npos;
    });
}

// The program waits at an atomic variable by the C++ library: <atomic>, <latch>, <barrier>.
bool has_atomic_waits(const ProgramFile& file) {
    const Elf64_Shdr* table = file.section(SHT_SYMTAB);
    const std::vector<Elf64_Sym> symbols =
        table == nullptr ? std::vector<Elf64_Sym>() : file.entries<Elf64_Sym>(*table);
    return std::any_of(symbols.begin(), symbols.end(), [&](const Elf64_Sym& symbol) {
        return file.name(*table, symbol.st_name).find("18__waiter_pool_base") !=
               std::string_view::npos;
    });
}

void note_sites(Hosted& host, const ProgramFile& file, const std::vector<std::uint64_t>& sites) {
    if (!host.settings.trusts_headers && !has_atomic_waits(file)) {
        return;
    }
    const std::vector<std::vector<Line>> lines = lines_of(sites, 0);
    for (std::size_t index = 0; index < sites.size(); ++index) {
        const std::uint64_t site = sites[index] + host.shadow.code;
        if (host.settings.trusts_headers && is_of_the_library(lines[index])) {
            host.trusted.push_back(site);
        }
        if (host.settings.trusts_headers && is_of_a_notification(lines[index])) {
            host.notifying.push_back(site);
        }
        if (is_of_a_loop_that_waits(lines[index])) {
            host.waiting.push_back(site);
        }
    }
    std::sort(host.trusted.begin(), host.trusted.end());
    std::sort(host.waiting.begin(), host.waiting.end());
    std::sort(host.notifying.begin(), host.notifying.end());
}

}  // namespace

bool is_hosted(std::string_view function, bool is_in_process) {
    return begins_with_one(function, kKnown) && !begins_with_one(function, kUnknown) &&
           !(is_in_process && begins_with_one(function, kReading));
}

std::string what_cannot_be_hosted(Hosted& host) {
    const ProgramFile file;
    const bool is_in_process = host.test != nullptr;
    std::string problem = unknown_library(file, is_in_process);
    if (problem.empty() && !is_in_process) {
        problem = unknown_function(file);
    }
    if (!problem.empty()) {
        return problem;
    }
    problem = note_library_calls(host, file);
    if (!problem.empty()) {
        return problem;
    }
    if (is_in_process) {
        trap_unknown_functions(host, file);
    }
    std::vector<std::uint64_t> sites;
    for (UnseenCode& one : unseen_code(file, problem, sites)) {
        const std::uint64_t at = one.at + host.shadow.code;
        host.unseen[at] = {at, std::move(one.why), false, 0};
    }
    note_sites(host, file, sites);
    return problem;
}

std::string variable_at(std::uint64_t address, std::uint64_t base) {
    const ProgramFile file;
    const Elf64_Shdr* table = file.section(SHT_SYMTAB);
    if (table == nullptr) {
        return {};
    }
    for (const Elf64_Sym& symbol : file.entries<Elf64_Sym>(*table)) {
        const std::uint64_t from = symbol.st_value + base;
        if (ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT && address >= from &&
            address < from + symbol.st_size) {
            std::string name(file.name(*table, symbol.st_name));
            return address == from ? name : name + "+" + std::to_string(address - from);
        }
    }
    return {};
}

std::vector<std::vector<Line>> lines_of(const std::vector<std::uint64_t>& places,
                                        std::uint64_t base) {
    std::vector<std::vector<Line>> lines(places.size());
    std::vector<std::string> arguments{"addr2line",      "-a", "-C", "-f", "-i", "-e",
                                       path_of_program()};
    for (const std::uint64_t place : places) {
        arguments.push_back(hexadecimal(place - base - 1));
    }
    const std::string text =
        run_tool({"addr2line", "llvm-addr2line", "llvm-addr2line-14"}, arguments);
    std::string_view rest = text;
    std::size_t index = 0;
    std::string_view first = next_line(rest);  // each place begins with its address
    while (first.starts_with("0x") && index < places.size()) {
        std::string_view function = next_line(rest);
        while (!function.empty() && !function.starts_with("0x")) {
            lines[index].push_back(made_line(function, next_line(rest)));
            function = next_line(rest);
        }
        first = function;
        ++index;
    }
    for (std::size_t at = 0; at < places.size(); ++at) {
        if (lines[at].empty()) {
            lines[at].push_back({"", "", hexadecimal(places[at] - base)});
        }
    }
    return lines;
}

}  // namespace lockkeeper::threads
