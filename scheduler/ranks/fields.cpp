// SPDX-License-Identifier: Apache-2.0
#include "scheduler/ranks/fields.hpp"

#include <new>
#include <stdexcept>

#include "model/check.hpp"
#include "properties/catalogue.hpp"

namespace lockkeeper {
namespace {

enum class Listed : std::uint8_t { kNowhere, kAmongProperties, kAmongGoals };
enum class Thrown : std::uint8_t { kNothing, kLimit, kInternal, kMemory, kOther };

}  // namespace

void append(RankMessage& message, const void* bytes, std::size_t size) {
    const std::size_t at = message.size();
    message.resize(at + size);
    if (size > 0) {
        std::memcpy(message.data() + at, bytes, size);
    }
}

void pass(const Outward& way, const Property*& property) {
    MessageWriter& out = way.out;
    if (property == nullptr) {
        out.value(Listed::kNowhere);
        return;
    }
    const bool is_goal = find_goal(property->name) == property;
    out.value(is_goal ? Listed::kAmongGoals : Listed::kAmongProperties);
    out.text(std::string(property->name));
}

void pass(const Inward& way, const Property*& property) {
    MessageReader& in = way.in;
    property = nullptr;
    const auto listed = in.value<Listed>();
    if (listed == Listed::kNowhere) {
        return;
    }
    const std::string name = in.text();
    property = listed == Listed::kAmongGoals ? find_goal(name) : find_property(name);
    LOCKKEEPER_CHECK(property != nullptr);
}

void pass(const Outward& way, std::exception_ptr& error) {
    MessageWriter& out = way.out;
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

void pass(const Inward& way, std::exception_ptr& error) {
    const auto kind = way.in.value<Thrown>();
    error = nullptr;
    if (kind == Thrown::kNothing) {
        return;
    }
    const std::string text = way.in.text();
    switch (kind) {
        case Thrown::kLimit: error = std::make_exception_ptr(LimitExceeded(text)); return;
        case Thrown::kInternal: error = std::make_exception_ptr(InternalError(text)); return;
        case Thrown::kMemory: error = std::make_exception_ptr(std::bad_alloc()); return;
        default: error = std::make_exception_ptr(std::runtime_error(text));
    }
}

}  // namespace lockkeeper
