// SPDX-License-Identifier: Apache-2.0

// What the compiler calls in the place of atomic accesses and fences.
#include "validate/threads/runtime/clean_hook.hpp"
#include "validate/threads/runtime/waits.hpp"

namespace lockkeeper::threads {
namespace {

enum class Operation : std::uint8_t { kExchange, kAdd, kSub, kAnd, kOr, kXor, kNand, kCompare };

struct Modification {
    Operation operation;
    std::uint8_t size;
    std::uint64_t operand;
    std::uint64_t expected;
};

Order order_of(int order) {
    switch (order) {
        case __ATOMIC_RELAXED: return Order::kRelaxed;
        case __ATOMIC_CONSUME:
        case __ATOMIC_ACQUIRE: return Order::kAcquire;
        case __ATOMIC_RELEASE: return Order::kRelease;
        case __ATOMIC_ACQ_REL: return Order::kAcquireRelease;
        default: return Order::kSeqCst;
    }
}

std::uint64_t within(std::uint64_t value, std::uint8_t size) {
    return size == 8 ? value : value & ((std::uint64_t{1} << (size * 8U)) - 1);
}

std::uint64_t applied(const Modification& how, std::uint64_t value) {
    switch (how.operation) {
        case Operation::kExchange:
        case Operation::kCompare: return how.operand;
        case Operation::kAdd: return within(value + how.operand, how.size);
        case Operation::kSub: return within(value - how.operand, how.size);
        case Operation::kAnd: return value & how.operand;
        case Operation::kOr: return value | how.operand;
        case Operation::kXor: return value ^ how.operand;
        case Operation::kNand: return within(~(value & how.operand), how.size);
    }
    return value;
}

Change decide(std::uint64_t value, const void* context) {
    const auto& how = *static_cast<const Modification*>(context);
    if (how.operation == Operation::kCompare && value != how.expected) {
        return {};
    }
    return {Change::Way::kWrite, applied(how, value)};
}

constexpr const char* kNames[] = {"exchange", "fetch_add", "fetch_sub", "fetch_and",
                                  "fetch_or", "fetch_xor", "nand",      "compare_exchange"};

std::uint64_t ask_to_modify(const volatile void* at, const Modification& how, int order,
                            int order_left, const void* site) {
    Request request;
    request.what = Request::What::kModify;
    request.size = how.size;
    request.order = order_of(order);
    request.order_left = order_of(order_left);
    request.address = reinterpret_cast<std::uint64_t>(at);
    request.decide = decide;
    request.context = &how;
    request.text = kNames[static_cast<int>(how.operation)];
    request.site = reinterpret_cast<std::uint64_t>(site);
    return ask(request);
}

template <class Value>
Value load(const volatile Value* at, int order, const void* site) {
    if (running() == nullptr) {
        return __atomic_load_n(at, __ATOMIC_SEQ_CST);
    }
    Request request;
    request.what = Request::What::kLoad;
    request.size = sizeof(Value);
    request.order = order_of(order);
    request.address = reinterpret_cast<std::uint64_t>(at);
    request.text = "load";
    request.site = reinterpret_cast<std::uint64_t>(site);
    return static_cast<Value>(ask(request));
}

template <class Value>
void store(volatile Value* at, Value value, int order, const void* site) {
    if (running() == nullptr) {
        __atomic_store_n(at, value, __ATOMIC_SEQ_CST);
        return;
    }
    Request request;
    request.what = Request::What::kStore;
    request.size = sizeof(Value);
    request.order = order_of(order);
    request.address = reinterpret_cast<std::uint64_t>(at);
    request.value = value;
    request.text = "store";
    request.site = reinterpret_cast<std::uint64_t>(site);
    ask(request);
}

template <class Value>
Value modify(volatile Value* at, Operation operation, Value operand, int order, const void* site) {
    const Modification how{operation, sizeof(Value), operand, 0};
    if (running() != nullptr) {
        return static_cast<Value>(ask_to_modify(at, how, order, order, site));
    }
    Value value = *at;  // before main there is one thread
    *at = static_cast<Value>(applied(how, value));
    return value;
}

template <class Value>
Value compare_exchange(volatile Value* at, Value expected, Value desired, int order, int order_left,
                       const void* site) {
    const Modification how{Operation::kCompare, sizeof(Value), desired, expected};
    if (running() != nullptr) {
        return static_cast<Value>(ask_to_modify(at, how, order, order_left, site));
    }
    const Value value = *at;
    if (value == expected) {
        *at = desired;
    }
    return value;
}

// Where it was asked for: the machine may say no although the value is the expected one.
template <class Value>
bool fails_for_nothing(const volatile Value* at, Value* expected, int order_left,
                       const void* site) {
    const Fiber* fiber = running();
    if (fiber == nullptr || fiber->weak_failures >= hosted->settings.weak_failures_max ||
        !chooses_weak_failure(site)) {
        return false;
    }
    const Value read = load(at, order_left, site);
    note_plain(expected, sizeof(*expected), true, site);
    *expected = read;
    return true;
}

void refuse_unknown_weakness(const void* site) {
    if (running() != nullptr && hosted->settings.weak_failures_max > 0) {
        refuse(
            "--weak-failures: the compiler does not say whether this exchange is weak: compile "
            "with g++",
            reinterpret_cast<std::uint64_t>(site));
    }
}

void ask_for_fence(int order, const void* site) {
    if (running() == nullptr || order == __ATOMIC_RELAXED) {
        return;
    }
    Request request;
    request.what = Request::What::kFence;
    request.order = order_of(order);
    request.text = "fence";
    request.site = reinterpret_cast<std::uint64_t>(site);
    ask(request);
}

}  // namespace
}  // namespace lockkeeper::threads

using namespace lockkeeper::threads;

#define LOCKKEEPER_HERE __builtin_return_address(0)
#define LOCKKEEPER_MODIFY(BITS, NAME, OPERATION)                                  \
    LOCKKEEPER_CLEAN_HOOK(__tsan_atomic##BITS##_##NAME)                           \
    std::uint##BITS##_t lockkeeper___tsan_atomic##BITS##_##NAME(                  \
        volatile std::uint##BITS##_t* at, std::uint##BITS##_t value, int order) { \
        return modify(at, Operation::OPERATION, value, order, LOCKKEEPER_HERE);   \
    }
#define LOCKKEEPER_COMPARE(BITS, NAME, FAILS)                                        \
    LOCKKEEPER_CLEAN_HOOK(__tsan_atomic##BITS##_##NAME)                              \
    int lockkeeper___tsan_atomic##BITS##_##NAME(                                     \
        volatile std::uint##BITS##_t* at, std::uint##BITS##_t* expected,             \
        std::uint##BITS##_t value, int order, int order_left) {                      \
        note_plain(expected, sizeof(*expected), false, LOCKKEEPER_HERE);             \
        if (FAILS) {                                                                 \
            return 0;                                                                \
        }                                                                            \
        const std::uint##BITS##_t wanted = *expected;                                \
        const std::uint##BITS##_t read =                                             \
            compare_exchange(at, wanted, value, order, order_left, LOCKKEEPER_HERE); \
        if (read != wanted) {                                                        \
            note_plain(expected, sizeof(*expected), true, LOCKKEEPER_HERE);          \
            *expected = read;                                                        \
        }                                                                            \
        return read == wanted ? 1 : 0;                                               \
    }
#define LOCKKEEPER_ATOMIC(BITS)                                                                    \
    LOCKKEEPER_CLEAN_HOOK(__tsan_atomic##BITS##_load)                                              \
    std::uint##BITS##_t lockkeeper___tsan_atomic##BITS##_load(                                     \
        const volatile std::uint##BITS##_t* at, int order) {                                       \
        return load(at, order, LOCKKEEPER_HERE);                                                   \
    }                                                                                              \
    LOCKKEEPER_CLEAN_HOOK(__tsan_atomic##BITS##_store)                                             \
    void lockkeeper___tsan_atomic##BITS##_store(volatile std::uint##BITS##_t* at,                  \
                                                std::uint##BITS##_t value, int order) {            \
        store(at, value, order, LOCKKEEPER_HERE);                                                  \
    }                                                                                              \
    LOCKKEEPER_MODIFY(BITS, exchange, kExchange)                                                   \
    LOCKKEEPER_MODIFY(BITS, fetch_add, kAdd)                                                       \
    LOCKKEEPER_MODIFY(BITS, fetch_sub, kSub)                                                       \
    LOCKKEEPER_MODIFY(BITS, fetch_and, kAnd)                                                       \
    LOCKKEEPER_MODIFY(BITS, fetch_or, kOr)                                                         \
    LOCKKEEPER_MODIFY(BITS, fetch_xor, kXor)                                                       \
    LOCKKEEPER_MODIFY(BITS, fetch_nand, kNand)                                                     \
    LOCKKEEPER_COMPARE(BITS, compare_exchange_strong, false)                                       \
    LOCKKEEPER_COMPARE(BITS, compare_exchange_weak,                                                \
                       fails_for_nothing(at, expected, order_left, LOCKKEEPER_HERE))               \
    LOCKKEEPER_CLEAN_HOOK(__tsan_atomic##BITS##_compare_exchange_val)                              \
    std::uint##BITS##_t lockkeeper___tsan_atomic##BITS##_compare_exchange_val(                     \
        volatile std::uint##BITS##_t* at, std::uint##BITS##_t expected, std::uint##BITS##_t value, \
        int order, int order_left) {                                                               \
        refuse_unknown_weakness(LOCKKEEPER_HERE);                                                  \
        return compare_exchange(at, expected, value, order, order_left, LOCKKEEPER_HERE);          \
    }

// What they take and give does not matter: they do not come back.
#define LOCKKEEPER_WIDE(NAME)                                     \
    [[noreturn]] void __tsan_atomic128_##NAME() {                 \
        refuse("an atomic variable of 16 bytes is not hosted",    \
               reinterpret_cast<std::uint64_t>(LOCKKEEPER_HERE)); \
    }

extern "C" {

LOCKKEEPER_ATOMIC(8)
LOCKKEEPER_ATOMIC(16)
LOCKKEEPER_ATOMIC(32)
LOCKKEEPER_ATOMIC(64)

LOCKKEEPER_WIDE(load)
LOCKKEEPER_WIDE(store)
LOCKKEEPER_WIDE(exchange)
LOCKKEEPER_WIDE(fetch_add)
LOCKKEEPER_WIDE(fetch_sub)
LOCKKEEPER_WIDE(fetch_and)
LOCKKEEPER_WIDE(fetch_or)
LOCKKEEPER_WIDE(fetch_xor)
LOCKKEEPER_WIDE(fetch_nand)
LOCKKEEPER_WIDE(compare_exchange_strong)
LOCKKEEPER_WIDE(compare_exchange_weak)
LOCKKEEPER_WIDE(compare_exchange_val)

// What clang calls for sizes that the machine has not. By another name here: the compiler knows
// these.
#define LOCKKEEPER_WIDE_OF_LIBRARY(NAME)                            \
    [[noreturn]] void wide_##NAME() asm("__atomic_" #NAME);         \
    void wide_##NAME() {                                            \
        refuse("an atomic variable that is too wide is not hosted", \
               reinterpret_cast<std::uint64_t>(LOCKKEEPER_HERE));   \
    }
LOCKKEEPER_WIDE_OF_LIBRARY(load)
LOCKKEEPER_WIDE_OF_LIBRARY(store)
LOCKKEEPER_WIDE_OF_LIBRARY(exchange)
LOCKKEEPER_WIDE_OF_LIBRARY(compare_exchange)

void __tsan_atomic_thread_fence(int order) { ask_for_fence(order, LOCKKEEPER_HERE); }
// Orders what the compiler does within a thread, which the hooks do already.
void __tsan_atomic_signal_fence(int) {}

}  // extern "C"
