// SPDX-License-Identifier: Apache-2.0
#include "validate/histories/recorded.hpp"

namespace lockkeeper {

std::string RecordedHistory::place_of(std::size_t position) const {
    const Record& record = records[position];
    if (record.line == 0) {
        return "record " + std::to_string(position + 1);
    }
    return "line " + std::to_string(record.line) +
           (shares_lines ? ", column " + std::to_string(record.column) : "");
}

}  // namespace lockkeeper
