// SPDX-License-Identifier: Apache-2.0

// `lockkeeper list`, as text and as JSON (reports/schema/list.schema.json).
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace lockkeeper {

struct Listing;

[[nodiscard]] std::string list_text(const Listing& listing);
[[nodiscard]] nlohmann::ordered_json list_document(const Listing& listing);

}  // namespace lockkeeper
