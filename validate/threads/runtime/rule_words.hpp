// SPDX-License-Identifier: Apache-2.0

// The rules for the C++ library share these words (library_rules.cpp, stream_rules.cpp). Sizes are
// in bytes, offsets those of libstdc++'s ABI.
#pragma once

#include <cstddef>
#include <cstdint>

#include "validate/threads/runtime/library_calls.hpp"

namespace lockkeeper::threads {

using Text = const char*;
using Object = std::byte*;
constexpr std::size_t kWord = 8;
constexpr std::size_t kString = 16;  // where the text of a string is, and its length

template <class Value>
[[nodiscard]] Value word_at(const void* object, std::ptrdiff_t offset) {
    return *reinterpret_cast<const Value*>(static_cast<const std::byte*>(object) + offset);
}

inline void note_nothing(const LibraryCall&) {}
// An object of so many bytes: made, changed, or read.
template <std::size_t kSize>
void note_write(const LibraryCall& call) {
    call.write(call.argument<const void*>(0), kSize);
}
template <std::size_t kSize>
void note_read(const LibraryCall& call) {
    call.read(call.argument<const void*>(0), kSize);
}
template <std::size_t kSize>
void note_copy(const LibraryCall& call) {
    call.read(call.argument<const void*>(1), kSize);
    note_write<kSize>(call);
}

template <std::size_t kCharacter>
void read_string(const LibraryCall& call, const void* string) {
    call.read(string, kString);
    call.read(word_at<Text>(string, 0), word_at<std::size_t>(string, kWord) * kCharacter);
}

// The rule for calls of this function of streams; null: nobody has to.
[[nodiscard]] NoteCall rule_of_streams(std::string_view function);

}  // namespace lockkeeper::threads
