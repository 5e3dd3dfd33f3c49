// SPDX-License-Identifier: Apache-2.0
#include "scenarios/fields.hpp"

#include "scenarios/field_row.hpp"

namespace lockkeeper {
namespace {

std::vector<Field> joined() {
    std::vector<Field> fields;
    for (const auto table : {table_of_top_level, table_of_objects, table_of_expect}) {
        const std::vector<Field> part = table();
        fields.insert(fields.end(), part.begin(), part.end());
    }
    return fields;
}

}  // namespace

std::span<const Field> all_fields() {
    static const std::vector<Field> kFields = joined();
    return kFields;
}

}  // namespace lockkeeper
