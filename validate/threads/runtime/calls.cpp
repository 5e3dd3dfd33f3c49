// SPDX-License-Identifier: Apache-2.0
#include <unwind.h>

#include "validate/threads/runtime/bytes.hpp"
#include "validate/threads/runtime/hosted.hpp"

namespace lockkeeper::threads {
namespace {

constexpr int kCallsMax = 48;
struct Calls {
    std::uint64_t at[kCallsMax];
    int count = 0;
};

_Unwind_Reason_Code add_call(_Unwind_Context* context, void* given) {
    auto& calls = *static_cast<Calls*>(given);
    calls.at[calls.count++] = _Unwind_GetIP(context);
    return calls.count < kCallsMax ? _URC_NO_REASON : _URC_END_OF_STACK;
}

__attribute__((noinline)) void unwind(std::uint64_t site) {
    Calls calls;
    Fiber& fiber = *running();
    const AsHost host;  // the unwinder locks, too
    _Unwind_Backtrace(add_call, &calls);
    fiber.calls.assign(1, site);
    fiber.calls.insert(fiber.calls.end(), calls.at, calls.at + calls.count);
}

// A loop's state is compared with what it was: what the unwinder leaves below is no part of it.
__attribute__((noinline)) void clear_below() {
    constexpr std::size_t kBytes = 16384;
    std::byte below[kBytes];
    fill_bytes(below, 0, kBytes);
}

}  // namespace

void note_calls(std::uint64_t site) {
    unwind(site);
    clear_below();
}

}  // namespace lockkeeper::threads
