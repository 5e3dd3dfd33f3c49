// SPDX-License-Identifier: Apache-2.0

// Properties and goals in messages: by their names, because they stand elsewhere in each process.
#pragma once

#include <vector>

#include "model/property.hpp"
#include "scheduler/ranks/message.hpp"

namespace lockkeeper {

// nullptr is none. InternalError: the reader knows no such property or goal.
void write_property(const Property* property, MessageWriter& out);
[[nodiscard]] const Property* read_property(MessageReader& in);

void write_properties(const std::vector<const Property*>& properties, MessageWriter& out);
[[nodiscard]] std::vector<const Property*> read_properties(MessageReader& in);

}  // namespace lockkeeper
