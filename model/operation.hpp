// What a caller's script asks for. Plain values: the world keeps them outside of the states, a
// state only knows how far each caller has come.
#pragma once

#include <cstdint>
#include <string_view>

namespace lockkeeper {

enum class Verb : std::uint8_t {
    kAcquire,
    kRelease,
    kExit,  // the caller's process ends, holding whatever it holds
};

struct Operation {
    Verb verb = Verb::kAcquire;
    std::uint8_t key = 0;
    std::uint16_t max_per = 1;
    // Buckets as the caller sees them. With `follows_resizes` the value is the scenario's current
    // one at the moment the call begins, and a release passes what its acquire remembered.
    std::uint16_t buckets = 1;
    bool follows_resizes = false;
    // acquire: a refused call is begun again until it succeeds.
    bool until_acquired = false;
    // release: called even when the caller holds nothing of the key (a misuse, to be expressible).
    bool unchecked = false;

    [[nodiscard]] std::uint32_t capacity() const {
        return static_cast<std::uint32_t>(max_per) * buckets;
    }
};

[[nodiscard]] constexpr std::string_view name_of(Verb verb) {
    switch (verb) {
        case Verb::kAcquire: return "acquire";
        case Verb::kRelease: return "release";
        case Verb::kExit: return "exit";
    }
    return "?";
}

}  // namespace lockkeeper
