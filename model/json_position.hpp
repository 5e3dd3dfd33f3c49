// SPDX-License-Identifier: Apache-2.0

// Finds where a value stands in JSON, for messages of the form `file:line:column: message`.
//
// Readers of JSON pass a JSON pointer, or the byte at which a parser stopped. Each call walks over
// the text again, so that nothing is kept while all goes well. Time: the size of the text for each
// step of the pointer; memory: none that grows. Any bytes are accepted.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "model/text_place.hpp"

namespace lockkeeper {

// "x.json:3:7"
[[nodiscard]] inline std::string in_file(const std::string& file, const TextPlace& place) {
    return file + ":" + std::to_string(place.line) + ":" + std::to_string(place.column);
}

// Bytes of a text that is JSON.
struct JsonPlace {
    std::size_t name = 0;  // of a member of an object: its key begins here; else as `begin`
    std::size_t begin = 0;
    std::size_t end = 0;

    [[nodiscard]] std::string_view of(std::string_view text) const {
        return text.substr(begin, end - begin);
    }
};

// The value that the pointer names. Where the text has no such value: the last one on the way to
// it. Of equal keys in one object the last one counts.
[[nodiscard]] JsonPlace find_in_json(std::string_view text, std::string_view pointer);

// A key as a step of a pointer: '~' and '/' escaped, shortened after kPointerStepBytesMax.
inline constexpr std::size_t kPointerStepBytesMax = 60;
[[nodiscard]] std::string pointer_step(std::string_view key);

}  // namespace lockkeeper
