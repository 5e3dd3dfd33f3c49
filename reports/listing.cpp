// SPDX-License-Identifier: Apache-2.0
#include "work/results/listing.hpp"

#include <algorithm>

#include "reports/run_json.hpp"
#include "reports/texts.hpp"
#include "work/results/told.hpp"

namespace lockkeeper {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const ListSection& section) {
    std::string text = section.title + "\n";
    for (const ListEntry& entry : section.entries) {
        text += entry.text;
    }
    return text;
}

// The entries of that name, or nothing.
std::string text_of(const ListSection& section, const std::string& wanted) {
    std::string text;
    for (const ListEntry& entry : section.entries) {
        const auto name = std::find(entry.names.begin(), entry.names.end(), wanted);
        if (name == entry.names.end()) {
            continue;
        }
        const bool is_shared = wanted + "/" == entry.names.front().substr(0, wanted.size() + 1);
        text += entry.text + (is_shared ? "" : entry.details);
    }
    return text.empty() ? "" : section.title + "\n" + text;
}

bool is_wanted(const Listing& listing, const ListSection& section, const ListEntry& entry) {
    const std::vector<std::string>& all = listing.wanted;
    return all.empty() || std::any_of(all.begin(), all.end(), [&](const std::string& wanted) {
               return wanted == section.name || std::find(entry.names.begin(), entry.names.end(),
                                                          wanted) != entry.names.end();
           });
}

}  // namespace

std::string list_text(const Listing& listing) {
    std::string text = build_text() + "\n";
    for (const ListSection& section : listing.sections) {
        text += listing.wanted.empty() ? text_of(section) : "";
    }
    for (const std::string& wanted : listing.wanted) {
        for (const ListSection& section : listing.sections) {
            text += section.name == wanted ? text_of(section) : text_of(section, wanted);
        }
    }
    return text;
}

Json list_document(const Listing& listing) {
    Json json = document_head("list", 1);
    for (const ListSection& section : listing.sections) {
        std::string key = section.name;
        std::replace(key.begin(), key.end(), '-', '_');
        Json& list = json[key] = section.is_by_name ? Json::object() : Json::array();
        for (const ListEntry& entry : section.entries) {
            if (!is_wanted(listing, section, entry)) {
                continue;
            }
            if (section.is_by_name) {
                list[entry.names.front()] = entry.json;
            } else {
                list.push_back(entry.json);
            }
        }
    }
    return json;
}

}  // namespace lockkeeper
