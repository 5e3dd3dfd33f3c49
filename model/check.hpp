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

[[noreturn]] inline void fail_check(const char* condition, const char* file, int line) {
    throw InternalError(std::string(file) + ":" + std::to_string(line) + ": " + condition);
}

}  // namespace lockkeeper

#define LOCKKEEPER_CHECK(condition)                                      \
    ((condition) ? static_cast<void>(0)                                  \
                 : ::lockkeeper::fail_check(#condition, __FILE__, __LINE__))
