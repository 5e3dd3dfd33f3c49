// SPDX-License-Identifier: Apache-2.0

// Assertions of the harness itself. They stay on in every build: a broken harness must say
// "internal error" (exit code 70) and never print a verdict.
#pragma once

#include <stdexcept>
#include <string>

namespace lockkeeper {

// Thrown when the harness, not the code under test, is wrong.
class InternalError : public std::logic_error {
  public:
    using std::logic_error::logic_error;
};

// A run needs more room than the compiled sizes have. The scenario's author can ask for less, or a
// larger size can be compiled; nothing was wrong with either.
class LimitExceeded : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

[[noreturn]] inline void fail_check(const char* condition, const char* file, int line) {
    throw InternalError(std::string(file) + ":" + std::to_string(line) + ": " + condition);
}

// For places that no execution reaches while the harness is right.
[[noreturn]] inline void unreachable(const char* what) { throw InternalError(what); }

}  // namespace lockkeeper

// For the few functions in which a search spends its time: the compiler inlines everything that
// they call. Where speed does not matter (sanitizers, no optimisation) this only costs build time.
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && \
    !defined(LOCKKEEPER_SANITIZED)
#define LOCKKEEPER_FLATTEN [[gnu::flatten]]
#else
#define LOCKKEEPER_FLATTEN
#endif

// For functions that they seldom call: the compiler does not inline these.
#define LOCKKEEPER_SELDOM [[gnu::noinline]]

#define LOCKKEEPER_CHECK(condition) \
    ((condition) ? static_cast<void>(0) : ::lockkeeper::fail_check(#condition, __FILE__, __LINE__))
