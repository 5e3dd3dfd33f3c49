// SPDX-License-Identifier: Apache-2.0

// The content of `lockkeeper list`: sections of entries. A user asks for an entry by its names.
#pragma once

#include <string>
#include <vector>

#include "model/json.hpp"

namespace lockkeeper {

struct ListEntry {
    std::vector<std::string> names;  // its own first: {"leak", "P2"}, {"canal/faithful", "canal"}
    std::string text;
    std::string details;  // only where it is asked for by a name that is its alone
    nlohmann::ordered_json json;
};
struct ListSection {
    std::string name;  // "exit-codes"
    std::string title;
    bool is_by_name;  // in the document: members, and not elements
    std::vector<ListEntry> entries;
};
struct Listing {
    std::vector<ListSection> sections;
    std::vector<std::string> wanted;  // sections, or names of entries; empty: everything
};

}  // namespace lockkeeper
