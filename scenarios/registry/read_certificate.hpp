// SPDX-License-Identifier: Apache-2.0

// A certificate (scheduler/proofs/certificate.hpp, closed_states.hpp) from its text, which
// is untrusted. That it is written as certificates are is all that is known then; whether it is a
// proof finds out who checks it.
#pragma once

#include <cstddef>
#include <string>
#include <variant>

#include "scenarios/scenario.hpp"
#include "scheduler/proofs/certificate.hpp"
#include "scheduler/proofs/closed_states.hpp"

namespace lockkeeper {

inline constexpr std::size_t kCertificateBytesMax = std::size_t{1} << 24U;

using AnyCertificate = std::variant<proofs::Certificate, proofs::ClosedStates>;
[[nodiscard]] std::string to_text(const AnyCertificate& certificate);

// The text that `prove` writes: situations with any number of callers stand once, in groups that
// combinations name (hundreds of combinations share a group of hundreds), and zero bytes in a row
// are a number.
[[nodiscard]] std::string short_text(const proofs::Certificate& certificate);

// Whether `text`, which was read as `certificate`, is exactly what is written of it: as above, or
// in full, as up to 1.0.0.
[[nodiscard]] bool is_as_written(const AnyCertificate& certificate, const std::string& text);

// `file`: how messages call it. InputError: with line and column.
[[nodiscard]] std::variant<AnyCertificate, InputError> read_any_certificate(
    const std::string& text, const std::string& file);
// The same of one that is for every number of callers.
[[nodiscard]] std::variant<proofs::Certificate, InputError> read_certificate(
    const std::string& text, const std::string& file);

}  // namespace lockkeeper
