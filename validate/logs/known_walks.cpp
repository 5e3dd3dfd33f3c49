// SPDX-License-Identifier: Apache-2.0
#include "validate/logs/known_walks.hpp"

namespace lockkeeper::logs {
namespace {

template <class Value>
void put(std::string& out, const Value& value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof(Value));
}
template <class Value>
void get(const char*& from, Value& value) {
    std::memcpy(&value, from, sizeof(Value));
    from += sizeof(Value);
}

}  // namespace

void write_state(const WalkState& state, std::string& out) {
    out.clear();
    out.append(reinterpret_cast<const char*>(state.cursors.data()),
               state.cursors.size() * sizeof(std::uint32_t));
    for (const CallerState& one : state.callers) {
        put(out, one.next);
        put(out, one.held);
        put(out, one.fresh);
        put(out, static_cast<std::uint8_t>(static_cast<unsigned>(one.phase) * 2 +
                                           (one.has_call ? 1U : 0U)));
    }
    put(out, state.now);
    put(out, static_cast<std::uint8_t>(state.has_begun ? 1 : 0));
    out.append(reinterpret_cast<const char*>(&state.lock), kStateNumbersBytes);
    out.append(reinterpret_cast<const char*>(state.lock.holds.data()),
               state.lock.count() * sizeof(Hold));
    for (const Stray& stray : state.strays) {
        put(out, stray.caller);
        put(out, static_cast<std::uint8_t>(stray.code));
        put(out, stray.line);
    }
}

WalkState read_state(std::string_view bytes, const Problem& problem) {
    constexpr std::size_t kStrayBytes = 2 * sizeof(std::uint32_t) + 1;
    WalkState state;
    const char* from = bytes.data();
    state.cursors.resize(problem.sources.size());
    state.callers.resize(problem.callers.size());
    for (std::uint32_t& cursor : state.cursors) {
        get(from, cursor);
    }
    for (CallerState& one : state.callers) {
        std::uint8_t phase = 0;
        get(from, one.next);
        get(from, one.held);
        get(from, one.fresh);
        get(from, phase);
        one.phase = static_cast<Phase>(phase / 2);
        one.has_call = (phase & 1U) != 0;
    }
    get(from, state.now);
    std::uint8_t has_begun = 0;
    get(from, has_begun);
    state.has_begun = has_begun != 0;
    std::memcpy(static_cast<void*>(&state.lock), from, kStateNumbersBytes);
    from += kStateNumbersBytes;
    std::memcpy(state.lock.holds.data(), from, state.lock.count() * sizeof(Hold));
    from += state.lock.count() * sizeof(Hold);
    state.strays.resize(static_cast<std::size_t>(bytes.data() + bytes.size() - from) / kStrayBytes);
    for (Stray& stray : state.strays) {
        std::uint8_t code = 0;
        get(from, stray.caller);
        get(from, code);
        get(from, stray.line);
        stray.code = static_cast<LockCode>(code);
    }
    return state;
}

}  // namespace lockkeeper::logs
