// SPDX-License-Identifier: Apache-2.0

// Rules for what functions of the C library do with memory of the caller.
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string_view>

#include "validate/threads/runtime/bytes.hpp"
#include "validate/threads/runtime/hosted.hpp"

namespace lockkeeper::threads {
namespace {

// The formats of printf: what texts are read, and whether a number is written.
class Format {
  public:
    Format(const LibraryCall& call, const char* text, std::va_list arguments)
        : call_(call), at_(text) {
        va_copy(arguments_, arguments);
        call.read_text(text);
    }
    ~Format() { va_end(arguments_); }
    Format(const Format&) = delete;
    Format& operator=(const Format&) = delete;

    void note() {
        while (*at_ != '\0') {
            if (*at_++ == '%') {
                note_one();
            }
        }
    }

  private:
    void note_one() {
        while (is_one_of("-+ #0'I")) {
            ++at_;
        }
        const std::size_t width = number();
        if (width != SIZE_MAX && *at_ == '$') {
            call_.refuse("a format with numbered arguments (%1$d) is not hosted");
        }
        std::size_t most = SIZE_MAX;
        if (*at_ == '.') {
            ++at_;
            most = number();
            most = most == SIZE_MAX && at_[-1] == '.' ? 0 : most;
        }
        std::size_t size = sizeof(int);  // of a number
        bool is_long_double = false;
        for (; is_one_of("hlqLjzt"); ++at_) {
            size = *at_ == 'h' ? size / 2 : sizeof(long);
            is_long_double = is_long_double || *at_ == 'L';
        }
        if (*at_ != '\0') {
            take(*at_++, size, is_long_double, most);
        }
    }

    void take(char kind, std::size_t size, bool is_long_double, std::size_t most) {
        switch (kind) {
            case 's':
            case 'S': {
                const char* text = va_arg(arguments_, const char*);
                if (kind == 'S' || size == sizeof(long)) {
                    call_.refuse("a wide text in a format (%ls) is not hosted");
                } else if (text != nullptr) {
                    call_.read_text(text, most);
                }
                break;
            }
            case 'n': call_.write(va_arg(arguments_, void*), size); break;
            case 'a':
            case 'A':
            case 'e':
            case 'E':
            case 'f':
            case 'F':
            case 'g':
            case 'G':
                if (is_long_double) {  // NOLINT(bugprone-branch-clone): two types
                    static_cast<void>(va_arg(arguments_, long double));
                } else {
                    static_cast<void>(va_arg(arguments_, double));
                }
                break;
            case '%':
            case 'm': break;
            default:  // a number or a pointer: a word in any case
                static_cast<void>(va_arg(arguments_, long));
        }
    }

    [[nodiscard]] bool is_one_of(const char* characters) const {
        for (; *characters != '\0'; ++characters) {
            if (*at_ == *characters) {
                return true;
            }
        }
        return false;
    }

    // Digits or an argument; SIZE_MAX: none, or a negative one.
    std::size_t number() {
        if (*at_ == '*') {
            ++at_;
            const int given = va_arg(arguments_, int);
            return given < 0 ? SIZE_MAX : static_cast<std::size_t>(given);
        }
        std::size_t number = SIZE_MAX;
        for (; *at_ >= '0' && *at_ <= '9'; ++at_) {
            number = (number == SIZE_MAX ? 0 : number * 10) + static_cast<std::size_t>(*at_ - '0');
        }
        return number;
    }

    const LibraryCall& call_;
    const char* at_;
    std::va_list arguments_;
};

// Where printf writes to memory: `room` characters at most, at the first argument.
void note_printed(const LibraryCall& call, const char* format, std::va_list arguments,
                  std::size_t room) {
    Format(call, format, arguments).note();
    if (room == 0) {
        return;
    }
    std::va_list copy;
    va_copy(copy, arguments);
    int length = 0;
    {
        const AsHost host;
        length = std::vsnprintf(nullptr, 0, format, copy);
    }
    va_end(copy);
    const std::size_t written = length < 0 ? 1 : static_cast<std::size_t>(length) + 1;
    call.write(call.argument<const void*>(0), written < room ? written : room);
}

// printf's family: which argument the format is, and which says how much room there is.
constexpr std::size_t kNoRoom = 8;   // it does not write to memory
constexpr std::size_t kAnyRoom = 9;  // there is room for all
template <std::size_t kFormat, std::size_t kRoom>
std::size_t room_of(const LibraryCall& call) {
    return kRoom == kNoRoom ? 0 : kRoom == kAnyRoom ? SIZE_MAX : call.argument(kRoom % kNoRoom);
}
template <std::size_t kFormat, std::size_t kRoom = kNoRoom>
void note_print(const LibraryCall& call) {
    std::va_list arguments;
    call.begin_arguments(arguments, kFormat + 1);
    note_printed(call, call.argument<const char*>(kFormat), arguments,
                 room_of<kFormat, kRoom>(call));
}
void copy_list(std::va_list to, const void* from) { copy_bytes(to, from, sizeof(std::va_list)); }
// The arguments come as a va_list behind the format.
template <std::size_t kFormat, std::size_t kRoom = kNoRoom>
void note_print_list(const LibraryCall& call) {
    std::va_list arguments;
    copy_list(arguments, call.argument<const void*>(kFormat + 1));
    note_printed(call, call.argument<const char*>(kFormat), arguments,
                 room_of<kFormat, kRoom>(call));
}

void note_text(const LibraryCall& call) { call.read_text(call.argument<const char*>(0)); }
void note_blocks(const LibraryCall& call) {
    call.read(call.argument<const void*>(0), call.argument(1) * call.argument(2));
}
void note_sorted(const LibraryCall& call) {
    if (call.argument(1) > 1) {  // one alone stays where it is
        call.write(call.argument<const void*>(0), call.argument(1) * call.argument(2));
    }
}

void note_text_and_length(const LibraryCall& call) {
    call.read_text(call.argument<const char*>(0), call.argument(1));
}
// How many characters of the first text are, or are not, in the second.
void note_span(const LibraryCall& call) {
    using Span = std::size_t (*)(const char*, const char*);
    const auto* text = call.argument<const char*>(0);
    std::size_t length = 0;
    {
        const AsHost host;
        length = call.function<Span>()(text, call.argument<const char*>(1));
    }
    call.read(text, length + 1);
    call.read_text(call.argument<const char*>(1));
}
void note_wide_text(const LibraryCall& call) {
    const auto* text = call.argument<const volatile wchar_t*>(0);
    std::size_t length = 0;
    while (text[length] != 0) {
        ++length;
    }
    call.read(call.argument<const void*>(0), (length + 1) * sizeof(wchar_t));
}
void note_wide_copy(const LibraryCall& call) {
    call.read(call.argument<const void*>(1), call.argument(2) * sizeof(wchar_t));
    call.write(call.argument<const void*>(0), call.argument(2) * sizeof(wchar_t));
}
void note_wide_set(const LibraryCall& call) {
    call.write(call.argument<const void*>(0), call.argument(2) * sizeof(wchar_t));
}
void note_wide_compare(const LibraryCall& call) {
    call.read(call.argument<const void*>(0), call.argument(2) * sizeof(wchar_t));
    call.read(call.argument<const void*>(1), call.argument(2) * sizeof(wchar_t));
}

// How far a number goes is asked of the function itself.
void note_number_at(const LibraryCall& call, const char* text, const char* end) {
    call.read(text, static_cast<std::size_t>(end - text) + 1);
}
template <class Number>
void note_number(const LibraryCall& call) {
    using Read = Number (*)(const char*, const char**, std::uint64_t, std::uint64_t);
    const auto* text = call.argument<const char*>(0);
    const char* end = text;
    {
        const AsHost host;
        static_cast<void>(call.function<Read>()(text, &end, call.argument(2), call.argument(3)));
    }
    note_number_at(call, text, end);
    if (call.argument(1) != 0) {
        call.write(call.argument<const void*>(1), sizeof(char*));
    }
}
void note_whole_number(const LibraryCall& call) {
    const auto* text = call.argument<const char*>(0);
    char* end = nullptr;
    {
        const AsHost host;
        static_cast<void>(std::strtoll(text, &end, 10));
    }
    note_number_at(call, text, end);
}
void note_floating_number(const LibraryCall& call) {
    const auto* text = call.argument<const char*>(0);
    char* end = nullptr;
    {
        const AsHost host;
        static_cast<void>(std::strtod(text, &end));
    }
    note_number_at(call, text, end);
}

// Which members of std::tm a character of strftime's format stands for, as C says.
struct TimeMember {
    std::size_t offset;
    std::string_view kinds;
};
constexpr TimeMember kTimeMembers[] = {
    {offsetof(std::tm, tm_sec), "crsSTX"},        {offsetof(std::tm, tm_min), "cMrRsTX"},
    {offsetof(std::tm, tm_hour), "cHIklpPrRsTX"}, {offsetof(std::tm, tm_mday), "cdDeFsx"},
    {offsetof(std::tm, tm_mon), "bBcDFhmsx"},     {offsetof(std::tm, tm_year), "cCDFgGsVxyY"},
    {offsetof(std::tm, tm_wday), "aAcgGuUVwW"},   {offsetof(std::tm, tm_yday), "gGjUVW"},
    {offsetof(std::tm, tm_isdst), "szZ"},
};
constexpr std::string_view kTimeModifiers = "_-0^#+123456789EO";

// It writes the same when it is called again. Nothing is written where there is no room.
void note_time(const LibraryCall& call) {
    using Print = std::size_t (*)(std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t);
    const auto* format = call.argument<const char*>(2);
    call.read_text(format);
    for (; *format != '\0'; ++format) {
        if (*format != '%') {
            continue;
        }
        ++format;
        while (*format != '\0' && kTimeModifiers.find(*format) != std::string_view::npos) {
            ++format;
        }
        if (*format == '\0') {
            break;
        }
        for (const TimeMember& member : kTimeMembers) {
            if (member.kinds.find(*format) != std::string_view::npos) {
                call.read(call.argument<const char*>(3) + member.offset, sizeof(int));
            }
        }
    }
    std::size_t length = 0;
    {
        const AsHost host;
        length = call.function<Print>()(call.argument(0), call.argument(1), call.argument(2),
                                        call.argument(3));
    }
    call.write(call.argument<const void*>(0), call.argument(1) == 0 ? 0 : length + 1);
}

template <std::size_t kSize>
void note_result(const LibraryCall& call) {
    call.write(call.argument<const void*>(0), kSize);
}
template <std::size_t kSize>
void note_two_results(const LibraryCall& call) {
    note_result<kSize>(call);
    call.write(call.argument<const void*>(1), kSize);
}

template <std::size_t kSize>
void note_second_result(const LibraryCall& call) {
    if (call.argument(1) != 0) {
        call.write(call.argument<const void*>(1), kSize);
    }
}

constexpr CallRule kRulesOfC[] = {
    {"printf", note_print<0>},
    {"fprintf", note_print<1>},
    {"sprintf", note_print<1, kAnyRoom>},
    {"snprintf", note_print<2, 1>},
    {"vprintf", note_print_list<0>},
    {"vfprintf", note_print_list<1>},
    {"vsprintf", note_print_list<1, kAnyRoom>},
    {"vsnprintf", note_print_list<2, 1>},
    {"__printf_chk", note_print<1>},
    {"__fprintf_chk", note_print<2>},
    {"__sprintf_chk", note_print<3, kAnyRoom>},
    {"__snprintf_chk", note_print<4, 1>},
    {"__vfprintf_chk", note_print_list<2>},
    {"__vsnprintf_chk", note_print_list<4, 1>},
    {"puts", note_text},
    {"fputs", note_text},
    {"fputs_unlocked", note_text},
    {"perror", note_text},
    {"nan*", note_text},
    {"clock_getres", note_second_result<sizeof(timespec)>},
    {"getenv", note_text},
    {"fwrite", note_blocks},
    {"fwrite_unlocked", note_blocks},
    {"qsort", note_sorted},
    {"qsort_r", note_sorted},
    {"strdup", note_text},
    {"strndup", note_text_and_length},
    {"strspn", note_span},
    {"strcspn", note_span},
    {"wcslen", note_wide_text},
    {"wmemcpy", note_wide_copy},
    {"wmemmove", note_wide_copy},
    {"wmemset", note_wide_set},
    {"wmemcmp", note_wide_compare},
    {"strtold*", note_number<long double>},
    {"strto*", note_number<long>},
    {"__isoc23_strto*", note_number<long>},
    {"atoi", note_whole_number},
    {"atol", note_whole_number},
    {"atoll", note_whole_number},
    {"atof", note_floating_number},
    {"strftime", note_time},
    {"modff", note_result<sizeof(float)>},
    {"modf", note_result<sizeof(double)>},
    {"modfl", note_result<sizeof(long double)>},
    {"frexp*", note_result<sizeof(int)>},
    {"sincosf", note_two_results<sizeof(float)>},
    {"sincos", note_two_results<sizeof(double)>},
    {"sincosl", note_two_results<sizeof(long double)>},
};

}  // namespace

NoteCall rule_of_c_library(std::string_view function) {
    for (const CallRule& rule : kRulesOfC) {
        if (is_of_pattern(function, rule.pattern)) {
            return rule.note;
        }
    }
    return nullptr;
}

}  // namespace lockkeeper::threads
