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

// `file`: how messages call it. InputError: with line and column.
[[nodiscard]] std::variant<AnyCertificate, InputError> read_any_certificate(
    const std::string& text, const std::string& file);
// The same of one that is for every number of callers.
[[nodiscard]] std::variant<proofs::Certificate, InputError> read_certificate(
    const std::string& text, const std::string& file);

}  // namespace lockkeeper
