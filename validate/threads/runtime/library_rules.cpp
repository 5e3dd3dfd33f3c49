// SPDX-License-Identifier: Apache-2.0

// Rules for what functions of the C++ library do with memory of the caller, but for streams
// (stream_rules.cpp). A function that changes a string or a locale counts as one that writes it, as
// the C++ standard has it for members that are not const.
#include <string_view>

#include "validate/threads/runtime/hosted.hpp"
#include "validate/threads/runtime/rule_words.hpp"

namespace lockkeeper::threads {
namespace {

// Strings, before C++20: since then they are in the program.
void note_string_from(const LibraryCall& call) {
    read_string<1>(call, call.argument<const void*>(1));
    note_write<kString>(call);
}
void note_string_with(const LibraryCall& call) {
    read_string<1>(call, call.argument<const void*>(1));
    note_read<kString>(call);
}
// At most so many characters from a place of the string that comes second.
template <std::size_t kCharacter>
void note_part_of_string(const LibraryCall& call) {
    const auto* string = call.argument<const void*>(1);
    call.read(string, kString);
    const auto length = word_at<std::size_t>(string, kWord);
    const std::size_t from = call.argument(2);
    if (from <= length) {
        const std::size_t size =
            call.argument(3) < length - from ? call.argument(3) : length - from;
        call.read(word_at<Text>(string, 0) + from * kCharacter, size * kCharacter);
    }
}
template <std::size_t kCharacter>
void note_string_from_part(const LibraryCall& call) {
    note_part_of_string<kCharacter>(call);
    note_write<kString>(call);
}
template <std::size_t kCharacter>
void note_string_from_text(const LibraryCall& call) {
    call.read(call.argument<Text>(1), call.argument(2) * kCharacter);
    note_write<kString>(call);
}
void note_both_strings(const LibraryCall& call) {
    call.write(call.argument<const void*>(1), kString);
    note_write<kString>(call);
}
void note_copied(const LibraryCall& call) {
    call.read(call.argument<Text>(1), call.argument(2));
    call.write(call.argument<Text>(0), call.argument(2));
}

void note_range(const LibraryCall& call) {
    call.read(call.argument<const void*>(0), call.argument(1));
}
// An exception keeps a copy of the text.
void note_text_of_exception(const LibraryCall& call) { call.read_text(call.argument<Text>(1)); }
void note_string_of_exception(const LibraryCall& call) {
    read_string<1>(call, call.argument<const void*>(1));
}
void refuse_floats(const LibraryCall& call) {
    call.refuse("std::to_chars and std::from_chars of floating-point numbers are not hosted");
}

// The first one counts.
constexpr CallRule kRules[] = {
    {"_ZNSt6localeaSERKS_", note_copy<kWord>},
    {"_ZNSt6localeC?ERKS_", note_copy<kWord>},
    {"_ZNSt6localeC?Ev", note_write<kWord>},
    {"_ZNSt6localeD?Ev", note_write<kWord>},
    {"_ZNKSt6localeeqERKS_", note_read<kWord>},
    {"_ZNSt7__cxx1112basic_stringI?*EE3endEv", note_read<kString>},
    {"_ZNSt7__cxx1112basic_stringI?*EE5beginEv", note_read<kString>},
    {"_ZNSt7__cxx1112basic_stringI?*EE4rendEv", note_read<kString>},
    {"_ZNSt7__cxx1112basic_stringI?*EE6rbeginEv", note_read<kString>},
    {"_ZNSt7__cxx1112basic_stringI?*EEixEm", note_read<kString>},
    {"_ZNSt7__cxx1112basic_stringI?*EE2atEm", note_read<kString>},
    {"_ZNSt7__cxx1112basic_stringI?*EE4dataEv", note_read<kString>},
    {"_ZNSt7__cxx1112basic_stringI?*EE5frontEv", note_read<kString>},
    {"_ZNSt7__cxx1112basic_stringI?*EE4backEv", note_read<kString>},
    {"_ZNSt7__cxx1112basic_stringI?*EE13_M_local_dataEv", note_nothing},
    {"_ZNSt7__cxx1112basic_stringI?*EE16_M_get_allocatorEv", note_nothing},
    {"_ZNSt7__cxx1112basic_stringI?*EE12_Alloc_hider*", note_nothing},
    {"_ZNSt7__cxx1112basic_stringIc*EE7_S_copyEPcPKcm", note_copied},
    {"_ZNSt7__cxx1112basic_stringIc*EE7_S_moveEPcPKcm", note_copied},
    {"_ZNSt7__cxx1112basic_stringI?*EE?_S_*", note_nothing},
    {"_ZNSt7__cxx1112basic_stringI?*EE??_S_*", note_nothing},
    {"_ZNSt7__cxx1112basic_stringI?*EE9_M_createERmm", note_nothing},
    {"_ZNSt7__cxx1112basic_stringIc*ERKS4_mm*", note_string_from_part<1>},
    {"_ZNSt7__cxx1112basic_stringIc*EE6appendEPKcm", note_string_from_text<1>},
    {"_ZNSt7__cxx1112basic_stringIc*EE6assignEPKcm", note_string_from_text<1>},
    {"_ZNSt7__cxx1112basic_stringIc*EE9_M_appendEPKcm", note_string_from_text<1>},
    {"_ZNSt7__cxx1112basic_stringIw*ERKS4_mm*", note_string_from_part<sizeof(wchar_t)>},
    {"_ZNSt7__cxx1112basic_stringIw*EE6appendEPKwm", note_string_from_text<sizeof(wchar_t)>},
    {"_ZNSt7__cxx1112basic_stringIw*EE6assignEPKwm", note_string_from_text<sizeof(wchar_t)>},
    {"_ZNSt7__cxx1112basic_stringIw*EE9_M_appendEPKwm", note_string_from_text<sizeof(wchar_t)>},
    {"_ZNSt7__cxx1112basic_stringIc*ERKS4_", note_string_from},
    {"_ZNSt7__cxx1112basic_stringI?*EOS4_", note_both_strings},
    {"_ZNSt7__cxx1112basic_stringI?*EE4swapERS4_", note_both_strings},
    {"_ZNSt7__cxx1112basic_stringI?*", note_write<kString>},
    {"_ZNKSt7__cxx1112basic_stringI?*EE13get_allocatorEv", note_nothing},
    {"_ZNKSt7__cxx1112basic_stringI?*EE8max_sizeEv", note_nothing},
    {"_ZNKSt7__cxx1112basic_stringIc*EE6substrEmm", note_part_of_string<1>},
    {"_ZNKSt7__cxx1112basic_stringIw*EE6substrEmm", note_part_of_string<sizeof(wchar_t)>},
    {"_ZNKSt7__cxx1112basic_stringIc*ERKS4_", note_string_with},
    {"_ZNKSt7__cxx1112basic_stringI?*", note_read<kString>},
    {"_ZSt11_Hash_bytesPKvmm", note_range},
    {"_ZSt15_Fnv_hash_bytesPKvmm", note_range},
    {"_ZNSt*_errorC?EPKc", note_text_of_exception},
    {"_ZNSt16invalid_argumentC?EPKc", note_text_of_exception},
    {"_ZNSt12out_of_rangeC?EPKc", note_text_of_exception},
    {"_ZNSt*_errorC?ERKNSt7__cxx1112basic_string*", note_string_of_exception},
    {"_ZNSt16invalid_argumentC?ERKNSt7__cxx1112basic_string*", note_string_of_exception},
    {"_ZNSt12out_of_rangeC?ERKNSt7__cxx1112basic_string*", note_string_of_exception},
    {"_ZSt8to_charsPcS_?*", refuse_floats},
    {"_ZSt10from_charsPKcS0_R?*", refuse_floats},
};

}  // namespace

NoteCall rule_of(std::string_view function) {
    if (const NoteCall of_streams = rule_of_streams(function)) {
        return of_streams;
    }
    for (const CallRule& rule : kRules) {
        if (is_of_pattern(function, rule.pattern)) {
            return rule.note;
        }
    }
    return rule_of_c_library(function);
}

}  // namespace lockkeeper::threads
