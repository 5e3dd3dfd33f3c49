// SPDX-License-Identifier: Apache-2.0
#include "validate/threads/runtime/program.hpp"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "validate/threads/runtime/system.hpp"

namespace lockkeeper::threads {
namespace {

// The file of the program, whole and read-only.
class ProgramFile {
  public:
    ProgramFile() {
        const long file = raw_call(2, reinterpret_cast<long>("/proc/self/exe"), 0);  // open
        const long size = raw_call(8, file, 0, 2);                                   // lseek
        const long at = size > 0 ? raw_call(9, 0, size, 1, 2, file, 0) : -1;         // mmap
        raw_call(3, file);                                                           // close
        if (at > 0) {
            bytes_ = reinterpret_cast<const char*>(at);
            size_ = static_cast<std::size_t>(size);
        }
    }
    [[nodiscard]] const Elf64_Shdr* section(std::uint32_t type) const {
        for (const Elf64_Shdr& one : sections()) {
            if (one.sh_type == type) {
                return &one;
            }
        }
        return nullptr;
    }
    template <class Entry>
    [[nodiscard]] std::vector<Entry> entries(const Elf64_Shdr& section) const {
        std::vector<Entry> all;
        if (section.sh_offset + section.sh_size <= size_) {
            all.resize(section.sh_size / sizeof(Entry));
            std::memcpy(all.data(), bytes_ + section.sh_offset, all.size() * sizeof(Entry));
        }
        return all;
    }
    // A name in the table of names of this section.
    [[nodiscard]] std::string_view name(const Elf64_Shdr& of, std::uint64_t offset) const {
        const std::vector<Elf64_Shdr> all = sections();
        if (of.sh_link >= all.size()) {
            return {};
        }
        const std::uint64_t at = all[of.sh_link].sh_offset + offset;
        return at < size_ ? std::string_view(bytes_ + at) : std::string_view();
    }
    [[nodiscard]] const std::vector<Elf64_Shdr>& sections() const { return sections_; }
    void read_sections() {
        Elf64_Ehdr head{};
        if (size_ < sizeof(head)) {
            return;
        }
        std::memcpy(&head, bytes_, sizeof(head));
        if (head.e_shoff + head.e_shnum * sizeof(Elf64_Shdr) <= size_) {
            sections_.resize(head.e_shnum);
            std::memcpy(sections_.data(), bytes_ + head.e_shoff,
                        sections_.size() * sizeof(Elf64_Shdr));
        }
    }

  private:
    const char* bytes_ = nullptr;
    std::size_t size_ = 0;
    std::vector<Elf64_Shdr> sections_;
};

// Functions that keep no state of their own, or none that a run could see.
constexpr std::string_view kKnown[] = {"__cxa_",
                                       "__gxx_",
                                       "__gcc_personality_v0",
                                       "_Unwind_",
                                       "__libc_",
                                       "_ITM_",
                                       "__gmon_start__",
                                       "__stack_chk_fail",
                                       "__errno_location",
                                       "__tls_get_addr",
                                       "__isoc",
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
                                       "_ZT",
                                       "_ZGVNS",
                                       "_ZN9__gnu_cxx",
                                       "_ZN10__cxxabiv1",
                                       "str",
                                       "stpcpy",
                                       "mem",
                                       "wcs",
                                       "wmem",
                                       "bcmp",
                                       "rawmemchr",
                                       "index",
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
                                       "__mem",
                                       "__str",
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
                                       "sig",
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
                                         "strerror",
                                         "sigwait",
                                         "sigsuspend",
                                         "sigtimedwait",
                                         "signalfd",
                                         "stdin",
                                         "_ZNSt3pmr",
                                         "_ZSt15get_new_handler"};
constexpr std::string_view kLibraries[] = {"libc.so.6",       "libm.so.6",
                                           "libstdc++.so.6",  "libgcc_s.so.1",
                                           "libpthread.so.0", "ld-linux-x86-64.so.2"};

template <class Names>
bool begins_with_one(std::string_view name, const Names& names) {
    return std::any_of(std::begin(names), std::end(names),
                       [&](std::string_view known) { return name.starts_with(known); });
}

std::string unknown_library(const ProgramFile& file) {
    const Elf64_Shdr* dynamic = file.section(SHT_DYNAMIC);
    if (dynamic == nullptr) {
        return "the program is linked statically: link it with the shared C library";
    }
    for (const Elf64_Dyn& entry : file.entries<Elf64_Dyn>(*dynamic)) {
        if (entry.d_tag == DT_NEEDED) {
            const std::string_view name = file.name(*dynamic, entry.d_un.d_val);
            if (std::find(std::begin(kLibraries), std::end(kLibraries), name) ==
                std::end(kLibraries)) {
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
        if (symbol.st_shndx == SHN_UNDEF && !name.empty() &&
            (!begins_with_one(name, kKnown) || begins_with_one(name, kUnknown))) {
            return "the program calls " + std::string(name) + ", which is not hosted";
        }
    }
    return {};
}

// Runs addr2line with these arguments, and gives what it prints.
std::string run_addr2line(std::vector<std::string>& arguments) {
    int ends[2] = {-1, -1};
    if (raw_call(293, reinterpret_cast<long>(ends), 0) != 0) {  // pipe2
        return {};
    }
    std::vector<char*> given;
    for (std::string& argument : arguments) {
        given.push_back(argument.data());
    }
    given.push_back(nullptr);
    const char* none[] = {nullptr};
    const long child = raw_call(57);  // fork
    if (child == 0) {
        raw_call(33, ends[1], 1);  // dup2
        for (const char* path : {"/usr/bin/addr2line", "/usr/local/bin/addr2line",
                                 "/usr/bin/llvm-addr2line", "/usr/bin/llvm-addr2line-14"}) {
            raw_call(59, reinterpret_cast<long>(path), reinterpret_cast<long>(given.data()),
                     reinterpret_cast<long>(none));  // execve
        }
        end_process(127);
    }
    raw_call(3, ends[1]);  // close
    std::string text;
    char buffer[4096];
    for (long size = 1; size > 0;) {
        size = raw_call(0, ends[0], reinterpret_cast<long>(buffer), sizeof(buffer));  // read
        text.append(buffer, size > 0 ? static_cast<std::size_t>(size) : 0);
    }
    raw_call(3, ends[0]);
    raw_call(61, child, 0, 0, 0);  // wait4
    return text;
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
    line.text = std::string(slash == std::string_view::npos ? file : file.substr(slash + 1)) +
                (name == "??" || name.size() > 24 || name.find('<') != std::string::npos
                     ? ""
                     : " (" + name + ")");
    return line;
}

}  // namespace

std::string what_cannot_be_hosted() {
    ProgramFile file;
    file.read_sections();
    std::string problem = unknown_library(file);
    return problem.empty() ? unknown_function(file) : problem;
}

std::string variable_at(std::uint64_t address, std::uint64_t base) {
    ProgramFile file;
    file.read_sections();
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
    std::vector<std::string> arguments{"addr2line", "-a", "-C", "-f", "-i", "-e", "/proc/self/exe"};
    char path[4096] = {};
    raw_call(89, reinterpret_cast<long>("/proc/self/exe"), reinterpret_cast<long>(path),
             sizeof(path) - 1);  // readlink
    arguments.back() = path;
    for (const std::uint64_t place : places) {
        arguments.push_back(hexadecimal(place - base - 1));
    }
    const std::string text = run_addr2line(arguments);
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
            lines[at].push_back({"", hexadecimal(places[at] - base)});
        }
    }
    return lines;
}

}  // namespace lockkeeper::threads
