// SPDX-License-Identifier: Apache-2.0

// A certificate (scheduler/search/proofs/certificate.hpp) from its text, which is untrusted. That
// it is written as certificates are is all that is known then; whether it is a proof finds
// proofs::check_certificate out.
#pragma once

#include <cstddef>
#include <string>
#include <variant>

#include "scenarios/scenario.hpp"
#include "scheduler/search/proofs/certificate.hpp"

namespace lockkeeper {

inline constexpr std::size_t kCertificateBytesMax = std::size_t{1} << 24U;

// `file`: how messages call it. InputError: with line and column.
[[nodiscard]] std::variant<proofs::Certificate, InputError> read_certificate(
    const std::string& text, const std::string& file);

}  // namespace lockkeeper
