// SPDX-License-Identifier: Apache-2.0

// Copying and comparing as states need it, in the place of the C library's: emscripten's memcpy
// asks JavaScript from 512 bytes on, and its memcmp goes byte by byte. Compiled with -mbulk-memory.
#include <cstddef>
#include <cstdint>

namespace {

using Word = std::uint64_t;

// Above, the instruction of the machine is faster than a loop.
constexpr std::size_t kLoopMax = 256;

Word word_at(const unsigned char* at) {
    Word word = 0;
    __builtin_memcpy(&word, at, sizeof(word));
    return word;
}

}  // namespace

extern "C" {

// NOLINTBEGIN: the names are the C library's.
void* memcpy(void* __restrict to, const void* __restrict from, std::size_t size) {
    if (size > kLoopMax) {
        return __builtin_memcpy(to, from, size);  // one instruction
    }
    auto* out = static_cast<unsigned char*>(to);
    const auto* in = static_cast<const unsigned char*>(from);
    for (; size >= sizeof(Word); size -= sizeof(Word)) {
        const Word word = word_at(in);
        __builtin_memcpy(out, &word, sizeof(word));
        out += sizeof(Word);
        in += sizeof(Word);
    }
    for (; size > 0; --size) {
        *out++ = *in++;
    }
    return to;
}

int memcmp(const void* left, const void* right, std::size_t size) {
    const auto* one = static_cast<const unsigned char*>(left);
    const auto* other = static_cast<const unsigned char*>(right);
    for (; size >= sizeof(Word) && word_at(one) == word_at(other); size -= sizeof(Word)) {
        one += sizeof(Word);
        other += sizeof(Word);
    }
    for (; size > 0; --size, ++one, ++other) {
        if (*one != *other) {
            return *one < *other ? -1 : 1;
        }
    }
    return 0;
}
// NOLINTEND
}
