// SPDX-License-Identifier: Apache-2.0

// Exceptions that several threads refer to (std::exception_ptr, std::promise, std::packaged_task).
// The last reference that is given back frees the exception. The C++ library counts references
// within itself, where nothing is seen: here each reference that is given back changes a word of
// that exception, so that what others did with it before happens before its end.
#include <cxxabi.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <exception>

#include "validate/threads/runtime/waits.hpp"

namespace lockkeeper::threads {
namespace {

// An exception that a thread has caught, as the Itanium C++ ABI and libstdc++ have it.
struct Caught {
    const void* primary;  // of an exception that is thrown again by a reference: the first one
    const void* functions[3];
    const Caught* next;
    int handlers;
    int selector;
    const void* tables[4];
    std::uint64_t kind;  // "GNUCC++", then 0, or 1: it is thrown again by a reference
    const void* rest[3];
};
static_assert(sizeof(Caught) == 112);
struct CaughtOfThread {
    const Caught* last;
};

constexpr std::uint64_t kLibrary = 0x474e5543432b2b00U;
constexpr std::uint64_t kAgain = kLibrary + 1;

template <class Function>
Function of_library(const char* name) {
    return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}
// They are found before main: what a run finds is forgotten with it.
void (*real_end)() = nullptr;
void (*real_release)(void*) = nullptr;
std::exception_ptr (*real_current)() = nullptr;
constexpr const char* kRelease = "_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv";
constexpr const char* kCurrent = "_ZSt17current_exceptionv";

__attribute__((constructor)) void find_functions() {
    if (real_end == nullptr) {
        real_end = of_library<void (*)()>("__cxa_end_catch");
        real_release = of_library<void (*)(void*)>(kRelease);
        real_current = of_library<std::exception_ptr (*)()>(kCurrent);
    }
}

Change count_one(std::uint64_t value, const void*) { return {Change::Way::kWrite, value + 1}; }

// The word stands at the address of the library's header, which no object of the program has: the
// first member of what is thrown may be a lock, with a word of its own.
void note_given_back(const void* exception, const void* site) {
    WordChange change{static_cast<const Caught*>(exception) - 1, count_one};
    change.text = "gives back an exception";
    change.site = site;
    change.shares_memory = true;
    static_cast<void>(change_word(change));
}

// The exception whose reference ends with this handler, if others have ever had one.
const void* shared_that_ends() {
    const auto* caught = reinterpret_cast<const CaughtOfThread*>(abi::__cxa_get_globals())->last;
    if (caught == nullptr || caught->handlers != 1) {
        return nullptr;
    }
    if (caught->kind == kAgain) {
        return caught->primary;
    }
    const auto& shared = hosted->shared_exceptions;
    const void* exception = caught + 1;
    return caught->kind == kLibrary &&
                   std::find(shared.begin(), shared.end(), exception) != shared.end()
               ? exception
               : nullptr;
}

const void* exception_of(const void* reference) {
    const void* exception = nullptr;
    std::memcpy(&exception, reference, sizeof(exception));
    return exception;
}

}  // namespace
}  // namespace lockkeeper::threads

using namespace lockkeeper::threads;

// In the place of the library's, by the names that it has for the linker.
// Weak: a program that has libstdc++ within itself is linked all the same, and refused.
#define LOCKKEEPER_WEAK __attribute__((weak))
extern "C" LOCKKEEPER_WEAK void lockkeeper_end_catch() asm("__cxa_end_catch");
extern "C" LOCKKEEPER_WEAK void lockkeeper_release_exception(void*) asm(
    "_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv");
LOCKKEEPER_WEAK std::exception_ptr lockkeeper_current_exception() asm("_ZSt17current_exceptionv");

extern "C" void lockkeeper_end_catch() {
    find_functions();
    if (running() != nullptr) {
        const void* exception = shared_that_ends();
        if (exception != nullptr) {
            note_given_back(exception, __builtin_return_address(0));
        }
    }
    real_end();
}

extern "C" void lockkeeper_release_exception(void* reference) {
    find_functions();
    const void* exception = exception_of(reference);
    if (running() != nullptr && exception != nullptr) {
        note_given_back(exception, __builtin_return_address(0));
    }
    real_release(reference);
}

std::exception_ptr lockkeeper_current_exception() {
    find_functions();
    std::exception_ptr current = real_current();
    if (running() != nullptr && current != nullptr) {
        const void* exception = exception_of(&current);
        const AsHost host;
        hosted->shared_exceptions.push_back(exception);
    }
    return current;
}
