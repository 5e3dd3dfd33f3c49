// SPDX-License-Identifier: Apache-2.0

// C's functions of strings and memory, which the C library has without hooks: what they read and
// write is seen. The loops are written so that no compiler makes a call of the same function of
// them.
#include <cstddef>

#include "validate/threads/runtime/hosted.hpp"

namespace lockkeeper::threads {
namespace {

using Bytes = const volatile unsigned char*;

Bytes bytes_of(const void* text) { return static_cast<Bytes>(text); }

std::size_t length_of(const char* text, std::size_t most) {
    const Bytes at = bytes_of(text);
    std::size_t length = 0;
    while (length < most && at[length] != 0) {
        ++length;
    }
    return length;
}

// `text` and the zero behind it.
std::size_t read_text(const char* text, const void* site) {
    const std::size_t length = length_of(text, static_cast<std::size_t>(-1));
    note_plain(text, length + 1, false, site);
    return length;
}

void copy_text(char* to, const char* from, std::size_t size) {
    auto* target = static_cast<volatile char*>(to);
    for (std::size_t at = 0; at < size; ++at) {
        target[at] = from[at];
    }
}

// The zero goes along. Returns the length without it.
std::size_t copy_whole(char* to, const char* from, const void* site) {
    const std::size_t length = read_text(from, site);
    note_plain(to, length + 1, true, site);
    copy_text(to, from, length + 1);
    return length;
}

// The first place where they differ, or where both end.
int compare(const void* one, const void* other, std::size_t most, bool ends_at_zero,
            const void* site) {
    const Bytes left = bytes_of(one);
    const Bytes right = bytes_of(other);
    std::size_t at = 0;
    while (at < most && left[at] == right[at] && !(ends_at_zero && left[at] == 0)) {
        ++at;
    }
    const std::size_t looked_at = at < most ? at + 1 : most;
    note_plain(one, looked_at, false, site);
    note_plain(other, looked_at, false, site);
    return at < most ? left[at] - right[at] : 0;
}

void* find_byte(const void* text, int value, std::size_t size) {
    const Bytes at = bytes_of(text);
    for (std::size_t index = 0; index < size; ++index) {
        if (at[index] == static_cast<unsigned char>(value)) {
            return const_cast<unsigned char*>(static_cast<const unsigned char*>(text) + index);
        }
    }
    return nullptr;
}

}  // namespace
}  // namespace lockkeeper::threads

using namespace lockkeeper::threads;

#define LOCKKEEPER_HERE __builtin_return_address(0)

extern "C" {

std::size_t strlen(const char* text) noexcept { return read_text(text, LOCKKEEPER_HERE); }
std::size_t strnlen(const char* text, std::size_t most) noexcept {
    const std::size_t length = length_of(text, most);
    note_plain(text, length < most ? length + 1 : most, false, LOCKKEEPER_HERE);
    return length;
}
int strcmp(const char* one, const char* other) noexcept {
    return compare(one, other, static_cast<std::size_t>(-1), true, LOCKKEEPER_HERE);
}
int strncmp(const char* one, const char* other, std::size_t most) noexcept {
    return compare(one, other, most, true, LOCKKEEPER_HERE);
}
int memcmp(const void* one, const void* other, std::size_t size) noexcept {
    return compare(one, other, size, false, LOCKKEEPER_HERE);
}
int bcmp(const void* one, const void* other, std::size_t size) noexcept {
    return compare(one, other, size, false, LOCKKEEPER_HERE);
}
void* lockkeeper_memchr(const void* text, int value, std::size_t size) noexcept asm("memchr");
void* lockkeeper_memchr(const void* text, int value, std::size_t size) noexcept {
    void* found = find_byte(text, value, size);
    const std::size_t looked_at = found == nullptr
                                      ? size
                                      : static_cast<std::size_t>(static_cast<const char*>(found) -
                                                                 static_cast<const char*>(text)) +
                                            1;
    note_plain(text, looked_at, false, LOCKKEEPER_HERE);
    return found;
}
char* lockkeeper_strchr(const char* text, int value) noexcept asm("strchr");
char* lockkeeper_strchr(const char* text, int value) noexcept {
    return static_cast<char*>(find_byte(text, value, read_text(text, LOCKKEEPER_HERE) + 1));
}
char* lockkeeper_strrchr(const char* text, int value) noexcept asm("strrchr");
char* lockkeeper_strrchr(const char* text, int value) noexcept {
    for (std::size_t at = read_text(text, LOCKKEEPER_HERE) + 1; at > 0; --at) {
        if (text[at - 1] == static_cast<char>(value)) {
            return const_cast<char*>(text + at - 1);
        }
    }
    return nullptr;
}
char* lockkeeper_strstr(const char* text, const char* part) noexcept asm("strstr");
char* lockkeeper_strstr(const char* text, const char* part) noexcept {
    const std::size_t length = read_text(text, LOCKKEEPER_HERE);
    const std::size_t size = read_text(part, LOCKKEEPER_HERE);
    for (std::size_t at = 0; at + size <= length; ++at) {
        std::size_t same = 0;
        while (same < size && bytes_of(text)[at + same] == bytes_of(part)[same]) {
            ++same;
        }
        if (same == size) {
            return const_cast<char*>(text + at);
        }
    }
    return nullptr;
}
char* strcpy(char* to, const char* from) noexcept {
    copy_whole(to, from, LOCKKEEPER_HERE);
    return to;
}
char* stpcpy(char* to, const char* from) noexcept {
    return to + copy_whole(to, from, LOCKKEEPER_HERE);
}
char* strncpy(char* to, const char* from, std::size_t size) noexcept {
    const std::size_t length = length_of(from, size);
    note_plain(from, length < size ? length + 1 : size, false, LOCKKEEPER_HERE);
    note_plain(to, size, true, LOCKKEEPER_HERE);
    copy_text(to, from, length);
    for (std::size_t at = length; at < size; ++at) {
        static_cast<volatile char*>(to)[at] = 0;
    }
    return to;
}
char* strcat(char* to, const char* from) noexcept {
    copy_whole(to + read_text(to, LOCKKEEPER_HERE), from, LOCKKEEPER_HERE);
    return to;
}

}  // extern "C"
