// SPDX-License-Identifier: Apache-2.0

// A document that `--format json` has written (reports/schema/result.schema.json), read back into
// the tree of results, so that it can be reported in another format without running anything again.
// The tree lacks what the document lacks: values of states, messages, holdings.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "work/results/run_report.hpp"

namespace lockkeeper {

inline constexpr std::size_t kResultsBytesMax = std::size_t{256} << 20U;

// Nothing: it is no such document. BadInput: it is one, and something in it is not what it has to
// be, or it cannot be read.
[[nodiscard]] std::optional<Results> read_results(const std::string& file);
// Reads `files` only where it is a single regular file, not a directory or standard input.
[[nodiscard]] std::optional<Results> results_in(const std::vector<std::string>& files);
[[nodiscard]] std::optional<Results> parse_results(const std::string& text,
                                                   const std::string& file);

}  // namespace lockkeeper
