// SPDX-License-Identifier: Apache-2.0

// Rules for streams. A function that changes a stream counts as one that writes it, as the C++
// standard has it for members that are not const.
#include <algorithm>
#include <sstream>
#include <string_view>

#include "validate/threads/runtime/hosted.hpp"
#include "validate/threads/runtime/rule_words.hpp"

namespace lockkeeper::threads {
namespace {

// std::ios_base and std::basic_streambuf of characters of any size.
constexpr std::ptrdiff_t kPrecision = 8;  // width, flags and exceptions follow
constexpr std::ptrdiff_t kWidth = 16;
constexpr std::ptrdiff_t kState = 32;
constexpr std::ptrdiff_t kLocale = 208;
constexpr std::ptrdiff_t kBuffer = 232;
constexpr std::ptrdiff_t kGet = 16;  // where it goes on; the end of the area follows
constexpr std::ptrdiff_t kPut = 40;
// Where the streams of strings have their own buffer, whatever buffer they use.
constexpr std::ptrdiff_t kOfOutput = 8;
constexpr std::ptrdiff_t kOfInput = 16;
constexpr std::ptrdiff_t kOfBoth = 24;
static_assert(sizeof(std::ostringstream) - kOfOutput == sizeof(std::istringstream) - kOfInput &&
              sizeof(std::stringstream) - kOfBoth == sizeof(std::istringstream) - kOfInput &&
              sizeof(std::istringstream) - kOfInput == sizeof(std::stringbuf) + sizeof(std::ios));

extern "C" {
// Weak: most programs have none. Streams that threads may use at once, and tables of functions.
extern __attribute__((weak)) std::byte lockkeeper_cout[] asm("_ZSt4cout");
extern __attribute__((weak)) std::byte lockkeeper_cerr[] asm("_ZSt4cerr");
extern __attribute__((weak)) std::byte lockkeeper_clog[] asm("_ZSt4clog");
extern __attribute__((weak)) std::byte lockkeeper_wcout[] asm("_ZSt5wcout");
extern __attribute__((weak)) std::byte lockkeeper_wcerr[] asm("_ZSt5wcerr");
extern __attribute__((weak)) std::byte lockkeeper_wclog[] asm("_ZSt5wclog");
extern __attribute__((weak))
std::byte lockkeeper_stringbuf[] asm("_ZTVNSt7__cxx1115basic_stringbufIcSt11char_traitsIcESaIcEEE");
extern __attribute__((weak)) std::byte lockkeeper_wstringbuf[] asm(
    "_ZTVNSt7__cxx1115basic_stringbufIwSt11char_traitsIwESaIwEEE");
}

Object ios_of(Object stream) {
    constexpr std::ptrdiff_t kDistance = -3;  // before the table of virtual functions
    return stream + word_at<const std::ptrdiff_t*>(stream, 0)[kDistance];
}

// They are all zeroes where nobody includes <iostream>.
bool is_standard(const std::byte* ios) {
    const Object streams[] = {lockkeeper_cout,  lockkeeper_cerr,  lockkeeper_clog,
                              lockkeeper_wcout, lockkeeper_wcerr, lockkeeper_wclog};
    return std::any_of(std::begin(streams), std::end(streams), [&](Object stream) {
        return stream != nullptr && word_at<void*>(stream, 0) != nullptr && ios == ios_of(stream);
    });
}

// Its area begins with what is written first.
bool is_string_buffer(const std::byte* buffer) {
    constexpr std::size_t kFirst = 16;  // behind the beginning of a table of virtual functions
    const auto* table = word_at<const std::byte*>(buffer, 0);
    return table == lockkeeper_stringbuf + kFirst || table == lockkeeper_wstringbuf + kFirst;
}

// Without an area the buffer's own functions do everything.
void note_area(const LibraryCall& call, Object buffer, std::ptrdiff_t area) {
    if (buffer != nullptr &&
        (word_at<const void*>(buffer, area + 8) != nullptr || is_string_buffer(buffer))) {
        call.write(buffer + area, kWord);
    }
}
void note_stream(const LibraryCall& call, Object stream, std::ptrdiff_t area) {
    const auto ios = ios_of(stream);
    if (is_standard(ios)) {
        return;
    }
    call.read(ios + kPrecision, kState - kPrecision);
    call.read(ios + kLocale, kWord);
    call.read(ios + kBuffer, kWord);
    call.write(ios + kWidth, kWord);
    call.write(ios + kState, sizeof(int));
    note_area(call, word_at<Object>(ios, kBuffer), area);
}
template <std::size_t kArgument = 0>
void note_output(const LibraryCall& call) {
    note_stream(call, call.argument<Object>(kArgument), kPut);
}
template <std::size_t kArgument = 0>
void note_input(const LibraryCall& call) {
    note_stream(call, call.argument<Object>(kArgument), kGet);
}
template <std::size_t kSize>
void note_input_into(const LibraryCall& call) {
    note_input<>(call);
    call.write(call.argument<const void*>(1), kSize);
}
void note_text_output(const LibraryCall& call) {
    note_output<>(call);
    if (call.argument<Text>(1) != nullptr) {
        call.read_text(call.argument<Text>(1));
    }
}
void note_wide_text_output(const LibraryCall& call) {
    note_output<>(call);
    const auto* text = call.argument<const volatile wchar_t*>(1);
    std::size_t length = 0;
    while (text != nullptr && text[length] != 0) {
        ++length;
    }
    call.read(call.argument<Text>(1), text == nullptr ? 0 : (length + 1) * sizeof(wchar_t));
}
template <std::size_t kCharacter = 1>
void note_part_output(const LibraryCall& call) {
    note_output<>(call);
    call.read(call.argument<Text>(1), call.argument(2) * kCharacter);
}
template <std::size_t kCharacter>
void note_string_output(const LibraryCall& call) {
    note_output<>(call);
    read_string<kCharacter>(call, call.argument<const void*>(1));
}
// All that another buffer has: it is read to its end.
void note_output_of_buffer(const LibraryCall& call) {
    note_output<>(call);
    note_area(call, call.argument<Object>(1), kGet);
}

// The characters that a buffer of a string still has, for functions that write to the caller's
// text. The buffer's end may lag behind what was put into it.
struct Rest {
    Text from = nullptr;
    std::size_t size = 0;
};
Rest rest_of(const LibraryCall& call) {
    const auto ios = ios_of(call.argument<Object>(0));
    const auto buffer = word_at<Object>(ios, kBuffer);
    if (buffer == nullptr || !is_string_buffer(buffer)) {
        call.refuse(
            "std::istream::read, readsome, get and getline of a text are not hosted for other "
            "streams than those of strings");
    }
    const auto from = word_at<Text>(buffer, kGet);
    const Text end = std::max(word_at<Text>(buffer, kGet + 8), word_at<Text>(buffer, kPut));
    if (word_at<int>(ios, kState) != 0 || from == nullptr || end < from) {
        return {};
    }
    return {from, static_cast<std::size_t>(end - from)};
}
void note_characters_in(const LibraryCall& call) {
    note_input<>(call);
    const Rest rest = rest_of(call);
    const auto asked = call.argument<std::ptrdiff_t>(2);
    if (asked > 0) {
        call.write(call.argument<Text>(1), std::min(rest.size, static_cast<std::size_t>(asked)));
    }
}
// And a zero behind them. The character at which it ends may be said.
void note_line_until(const LibraryCall& call, char last) {
    note_input<>(call);
    const Rest rest = rest_of(call);
    const auto room = call.argument<std::ptrdiff_t>(2);
    if (room > 0) {
        const std::size_t most = std::min(rest.size, static_cast<std::size_t>(room) - 1);
        std::size_t length = 0;
        while (length < most && static_cast<const volatile char*>(rest.from)[length] != last) {
            ++length;
        }
        call.write(call.argument<Text>(1), length + 1);
    }
}
void note_line(const LibraryCall& call) { note_line_until(call, '\n'); }
void note_line_to(const LibraryCall& call) {
    note_line_until(call, static_cast<char>(call.argument(3)));
}

// A function that is const, or is not, of the buffer of a stream of strings. 1: the result is
// written by its address, which comes first.
template <std::size_t kThis, std::ptrdiff_t kOwn = 0>
void note_look_at_buffer(const LibraryCall& call) {
    call.read(call.argument<Object>(kThis) + kOwn + kGet, kWord);
    call.read(call.argument<Object>(kThis) + kOwn + kPut, kWord);
}
template <std::size_t kThis, std::ptrdiff_t kOwn = 0>
void note_change_of_buffer(const LibraryCall& call) {
    call.write(call.argument<Object>(kThis) + kOwn + kGet, kWord);
    call.write(call.argument<Object>(kThis) + kOwn + kPut, kWord);
}
void note_both_buffers(const LibraryCall& call) {
    note_change_of_buffer<0>(call);
    note_change_of_buffer<1>(call);
}
void note_made_of_buffer(const LibraryCall& call) {
    note_change_of_buffer<1>(call);
    note_write<sizeof(std::stringbuf)>(call);
}
// It becomes what another one is.
void note_same_buffer(const LibraryCall& call) {
    note_look_at_buffer<1>(call);
    note_change_of_buffer<0>(call);
}
// They are swapped, or one is moved to the other.
void note_change_of_ios(const LibraryCall& call, Object ios) {
    call.write(ios + kPrecision, kState + sizeof(int) - kPrecision);
    call.write(ios + kLocale, kWord);
}
void note_both_ios(const LibraryCall& call) {
    note_change_of_ios(call, call.argument<Object>(0));
    note_change_of_ios(call, call.argument<Object>(1));
}
void note_both_formats(const LibraryCall& call) {
    note_change_of_ios(call, ios_of(call.argument<Object>(0)));
    note_change_of_ios(call, ios_of(call.argument<Object>(1)));
}
template <std::size_t kThis, std::ptrdiff_t kOwn>
void note_change_of_stream(const LibraryCall& call) {
    note_change_of_ios(call, ios_of(call.argument<Object>(kThis)));
    note_change_of_buffer<kThis, kOwn>(call);
}
template <std::ptrdiff_t kOwn>
void note_both_streams(const LibraryCall& call) {
    note_change_of_stream<0, kOwn>(call);
    note_change_of_stream<1, kOwn>(call);
}
template <std::size_t kSize, std::ptrdiff_t kOwn>
void note_made_of_stream(const LibraryCall& call) {
    note_change_of_stream<1, kOwn>(call);
    note_write<kSize>(call);
}

void note_state(const LibraryCall& call) {
    if (!is_standard(call.argument<Object>(0))) {
        call.write(call.argument<Object>(0) + kState, sizeof(int));
    }
}
void note_look_at_state(const LibraryCall& call) {
    call.read(call.argument<Object>(0) + kState, sizeof(int));
}
void note_other_buffer(const LibraryCall& call) {
    note_state(call);
    call.write(call.argument<Object>(0) + kBuffer, kWord);
}
void note_locale_of_stream(const LibraryCall& call) {
    call.read(call.argument<Object>(2), kWord);  // the result comes first
    call.write(call.argument<Object>(1) + kLocale, kWord);
}
void note_copied_format(const LibraryCall& call) {
    call.read(call.argument<Object>(1) + kPrecision, kState - kPrecision);
    call.read(call.argument<Object>(1) + kLocale, kWord);
    call.write(call.argument<Object>(0) + kPrecision, kState - kPrecision);
    call.write(call.argument<Object>(0) + kLocale, kWord);
}

void refuse_input(const LibraryCall& call) {
    call.refuse(
        "operator>> of a stream to an array of characters, a std::complex or a buffer, get to "
        "a "
        "buffer, and std::wistream's functions that write to memory are not hosted");
}

// The first one counts.
constexpr CallRule kRulesOfStreams[] = {
    {"_ZNSo6sentryC?ERSo", note_output<1>},
    {"_ZNSi6sentryC?ERSib", note_input<1>},
    {"_ZNS?6sentry*", note_nothing},
    {"_ZNS?C*", note_nothing},  // of the streams of characters
    {"_ZNS?D*", note_nothing},
    {"_ZNS?4swapERS?", note_both_formats},
    {"_ZNS?aSEOS?", note_both_formats},
    {"_ZNS??sEPF*", note_nothing},  // what is called has a rule
    {"_ZNSolsEPSt15basic_streambuf*", note_output_of_buffer},
    {"_ZNSo5writeEPKcl", note_part_output<>},
    {"_ZNSo*", note_output<>},
    {"_ZNSt13basic_ostreamIwSt11char_traitsIwEE6sentryC*", note_output<1>},
    {"_ZNSt13basic_istreamIwSt11char_traitsIwEE6sentryC*", note_input<1>},
    {"_ZNSt13basic_?streamIwSt11char_traitsIwEE6sentry*", note_nothing},
    {"_ZNSt13basic_?streamIwSt11char_traitsIwEEC*", note_nothing},
    {"_ZNSt13basic_?streamIwSt11char_traitsIwEED*", note_nothing},
    {"_ZNSt13basic_?streamIwSt11char_traitsIwEE?sEPF*", note_nothing},
    {"_ZNSt13basic_ostreamIwSt11char_traitsIwEElsEPSt15basic_streambuf*", note_output_of_buffer},
    {"_ZNSt13basic_?streamIwSt11char_traitsIwEE4swap*", note_both_formats},
    {"_ZNSt13basic_?streamIwSt11char_traitsIwEEaSEO*", note_both_formats},
    {"_ZNSt13basic_ostreamIwSt11char_traitsIwEE5writeEPKwl", note_part_output<sizeof(wchar_t)>},
    {"_ZNSt13basic_ostreamIwSt11char_traitsIwEE*", note_output<>},
    {"_ZSt16__ostream_insertIc*", note_part_output<>},
    {"_ZSt16__ostream_insertIw*", note_part_output<sizeof(wchar_t)>},
    {"_ZStlsISt11char_traitsIcEE*PK?", note_text_output},
    {"_ZStlsIw*PKc", note_text_output},
    {"_ZStlsIw*PKS3_", note_wide_text_output},
    {"_ZStlsIc*7__cxx1112basic_string*", note_string_output<1>},
    {"_ZStlsIw*7__cxx1112basic_string*", note_string_output<sizeof(wchar_t)>},
    {"_ZStlsI*", note_output<>},
    {"_ZSt4end?I*", note_output<>},
    {"_ZSt5flushI*", note_output<>},
    {"_ZNSirsEPSt15basic_streambuf*", refuse_input},
    {"_ZNSi3getERSt15basic_streambuf*", refuse_input},
    {"_ZNSirsERb", note_input_into<1>},
    {"_ZNSirsERs", note_input_into<2>},
    {"_ZNSirsERt", note_input_into<2>},
    {"_ZNSirsERi", note_input_into<4>},
    {"_ZNSirsERj", note_input_into<4>},
    {"_ZNSirsERf", note_input_into<4>},
    {"_ZNSirsERe", note_input_into<16>},
    {"_ZNSirsER*", note_input_into<8>},
    {"_ZNSi10_M_extractIbE*", note_input_into<1>},
    {"_ZNSi10_M_extractItE*", note_input_into<2>},
    {"_ZNSi10_M_extractIjE*", note_input_into<4>},
    {"_ZNSi10_M_extractIfE*", note_input_into<4>},
    {"_ZNSi10_M_extractIeE*", note_input_into<16>},
    {"_ZNSi10_M_extractI*", note_input_into<8>},
    {"_ZNSi3getERc", note_input_into<1>},
    {"_ZNSi*get*EPcl", note_line},
    {"_ZNSi*get*EPclc", note_line_to},
    {"_ZNSi*read*EPcl", note_characters_in},
    {"_ZNSi*", note_input<>},
    {"_ZNSt13basic_istreamIwSt11char_traitsIwEE3getEv", note_input<>},
    {"_ZNSt13basic_istreamIwSt11char_traitsIwEE3getERw", note_input_into<sizeof(wchar_t)>},
    {"_ZNSt13basic_istreamIwSt11char_traitsIwEE4peekEv", note_input<>},
    {"_ZNSt13basic_istreamIwSt11char_traitsIwEE6ignore*", note_input<>},
    {"_ZNSt13basic_istreamIwSt11char_traitsIwEE*", refuse_input},
    {"_ZSt7getlineI*", note_input_into<kString>},
    {"_ZStrsI*7__cxx1112basic_string*", note_input_into<kString>},
    {"_ZStrsI*St7complexIT_E", refuse_input},
    {"_ZStrsI*_P*", refuse_input},
    {"_ZSt17__istream_extract*", refuse_input},
    {"_ZStrsI*ES6_St*", note_input<>},
    {"_ZStrsIw*", note_input_into<sizeof(wchar_t)>},
    {"_ZStrsI*", note_input_into<1>},
    {"_ZSt2wsI*", note_input<>},
    {"_ZN*St7__cxx1115basic_stringbufI*EEC?EOS4_*", note_made_of_buffer},
    {"_ZN*St7__cxx1119basic_ostringstreamI*EEC1EOS4_",
     note_made_of_stream<sizeof(std::ostringstream), kOfOutput>},
    {"_ZN*St7__cxx1119basic_istringstreamI*EEC1EOS4_",
     note_made_of_stream<sizeof(std::istringstream), kOfInput>},
    {"_ZN*St7__cxx1118basic_stringstreamI*EEC1EOS4_",
     note_made_of_stream<sizeof(std::stringstream), kOfBoth>},
    {"_ZN*St7__cxx1115basic_stringbufI*EEC?*", note_write<sizeof(std::stringbuf)>},
    {"_ZN*St7__cxx1119basic_ostringstreamI*EEC1*", note_write<sizeof(std::ostringstream)>},
    {"_ZN*St7__cxx1119basic_istringstreamI*EEC1*", note_write<sizeof(std::istringstream)>},
    {"_ZN*St7__cxx1118basic_stringstreamI*EEC1*", note_write<sizeof(std::stringstream)>},
    {"_ZN*St7__cxx111?basic_*stringstreamI*EEC2*", note_nothing},
    {"_ZN*St7__cxx111?basic_*stringstreamI*EED2*", note_nothing},
    {"_ZNK*St7__cxx1115basic_stringbufI*3strEv", note_look_at_buffer<1>},
    {"_ZNK*St7__cxx1115basic_stringbufI*4viewEv", note_look_at_buffer<0>},
    {"_ZNK*St7__cxx1119basic_ostringstreamI*3strEv", note_look_at_buffer<1, kOfOutput>},
    {"_ZNK*St7__cxx1119basic_istringstreamI*3strEv", note_look_at_buffer<1, kOfInput>},
    {"_ZNK*St7__cxx1118basic_stringstreamI*3strEv", note_look_at_buffer<1, kOfBoth>},
    {"_ZNK*St7__cxx1119basic_ostringstreamI*4viewEv", note_look_at_buffer<0, kOfOutput>},
    {"_ZNK*St7__cxx1119basic_istringstreamI*4viewEv", note_look_at_buffer<0, kOfInput>},
    {"_ZNK*St7__cxx1118basic_stringstreamI*4viewEv", note_look_at_buffer<0, kOfBoth>},
    {"_ZNK*St7__cxx111?basic_*string*5rdbufEv", note_nothing},
    {"_ZNOSt7__cxx1115basic_stringbufI*3strEv", note_change_of_buffer<1>},
    {"_ZNOSt7__cxx1119basic_ostringstreamI*3strEv", note_change_of_buffer<1, kOfOutput>},
    {"_ZNOSt7__cxx1119basic_istringstreamI*3strEv", note_change_of_buffer<1, kOfInput>},
    {"_ZNOSt7__cxx1118basic_stringstreamI*3strEv", note_change_of_buffer<1, kOfBoth>},
    {"_ZNSt7__cxx1115basic_stringbufI*4swapERS4_", note_both_buffers},
    {"_ZNSt7__cxx1115basic_stringbufI*aSEOS4_", note_both_buffers},
    {"_ZNSt7__cxx1115basic_stringbufI*", note_change_of_buffer<0>},
    {"_ZNSt7__cxx1119basic_ostringstreamI*4swapERS4_", note_both_streams<kOfOutput>},
    {"_ZNSt7__cxx1119basic_ostringstreamI*aSEOS4_", note_both_streams<kOfOutput>},
    {"_ZNSt7__cxx1119basic_ostringstreamI*", note_change_of_buffer<0, kOfOutput>},
    {"_ZNSt7__cxx1119basic_istringstreamI*4swapERS4_", note_both_streams<kOfInput>},
    {"_ZNSt7__cxx1119basic_istringstreamI*aSEOS4_", note_both_streams<kOfInput>},
    {"_ZNSt7__cxx1119basic_istringstreamI*", note_change_of_buffer<0, kOfInput>},
    {"_ZNSt7__cxx1118basic_stringstreamI*4swapERS4_", note_both_streams<kOfBoth>},
    {"_ZNSt7__cxx1118basic_stringstreamI*aSEOS4_", note_both_streams<kOfBoth>},
    {"_ZNSt7__cxx1118basic_stringstreamI*", note_change_of_buffer<0, kOfBoth>},
    {"_ZNSt?*ios*5imbueERKSt6locale", note_locale_of_stream},
    {"_ZNSt9basic_iosI*EE7copyfmtERKS2_", note_copied_format},
    {"_ZNSt9basic_iosI*EE5rdbufEP*", note_other_buffer},
    {"_ZNSt?*ios*swapERS*", note_both_ios},
    {"_ZNSt?*ios*moveE*", note_both_ios},
    {"_ZNSt15basic_streambufI*EE4swapERS2_", note_both_buffers},
    {"_ZNSt15basic_streambufI*EEaSERKS2_", note_same_buffer},
    {"_ZNSt9basic_iosI*EE5clearESt12_Ios_Iostate", note_state},
    {"_ZNSt9basic_iosI*EE8setstateESt12_Ios_Iostate", note_state},
    {"_ZNKSt9basic_iosI*EE4goodEv", note_look_at_state},
    {"_ZNKSt9basic_iosI*EE4failEv", note_look_at_state},
    {"_ZNKSt9basic_iosI*EE3eofEv", note_look_at_state},
    {"_ZNKSt9basic_iosI*EE3badEv", note_look_at_state},
    {"_ZNKSt9basic_iosI*EE7rdstateEv", note_look_at_state},
    {"_ZNKSt9basic_iosI*EEcvbEv", note_look_at_state},
    {"_ZNKSt9basic_iosI*EEntEv", note_look_at_state},
};

}  // namespace

NoteCall rule_of_streams(std::string_view function) {
    for (const CallRule& rule : kRulesOfStreams) {
        if (is_of_pattern(function, rule.pattern)) {
            return rule.note;
        }
    }
    return nullptr;
}

}  // namespace lockkeeper::threads
