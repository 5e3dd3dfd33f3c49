// SPDX-License-Identifier: Apache-2.0
#include "scheduler/ranks/message.hpp"

namespace lockkeeper {

void append(RankMessage& message, const void* bytes, std::size_t size) {
    const std::size_t at = message.size();
    message.resize(at + size);
    if (size > 0) {
        std::memcpy(message.data() + at, bytes, size);
    }
}

}  // namespace lockkeeper
