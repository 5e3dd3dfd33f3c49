// SPDX-License-Identifier: Apache-2.0
#include "scheduler/ranks/rank_error.hpp"

#include <new>
#include <stdexcept>

#include "model/check.hpp"

namespace lockkeeper {
namespace {

enum class Thrown : std::uint8_t { kNothing, kLimit, kInternal, kMemory, kOther };

}  // namespace

void write_error(const std::exception_ptr& error, MessageWriter& out) {
    const auto write = [&](Thrown kind, const char* text) {
        out.value(kind);
        out.text(text);
    };
    if (!error) {
        out.value(Thrown::kNothing);
        return;
    }
    try {
        std::rethrow_exception(error);
    } catch (const LimitExceeded& limit) {
        write(Thrown::kLimit, limit.what());
    } catch (const InternalError& internal) {
        write(Thrown::kInternal, internal.what());
    } catch (const std::bad_alloc& memory) {
        write(Thrown::kMemory, memory.what());
    } catch (const std::exception& other) {
        write(Thrown::kOther, other.what());
    } catch (...) {
        write(Thrown::kOther, "something that is no exception was thrown");
    }
}

std::exception_ptr read_error(MessageReader& in) {
    const auto kind = in.value<Thrown>();
    if (kind == Thrown::kNothing) {
        return nullptr;
    }
    const std::string text = in.text();
    switch (kind) {
        case Thrown::kLimit: return std::make_exception_ptr(LimitExceeded(text));
        case Thrown::kInternal: return std::make_exception_ptr(InternalError(text));
        case Thrown::kMemory: return std::make_exception_ptr(std::bad_alloc());
        default: return std::make_exception_ptr(std::runtime_error(text));
    }
}

}  // namespace lockkeeper
