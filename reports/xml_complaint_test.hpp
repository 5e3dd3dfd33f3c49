// SPDX-License-Identifier: Apache-2.0

// Finds what a reader of XML would refuse, and counts. For the tests of what is written as XML.
#pragma once

#include <algorithm>
#include <stack>
#include <string>
#include <string_view>

namespace lockkeeper::testing_reports {

// Balanced tags, quoted attributes, comments that end, no bare '<' or '&', no control characters.
// Empty: nothing is wrong.
inline std::string complaint_about(const std::string& xml) {
    constexpr std::string_view kEntities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#10;"};
    std::stack<std::string> open;
    std::size_t at = xml.find("?>");
    if (xml.rfind("<?xml", 0) != 0 || at == std::string::npos) {
        return "no XML declaration";
    }
    at += 2;
    while (at < xml.size()) {
        const auto byte = static_cast<unsigned char>(xml[at]);
        if ((byte < 0x20 && byte != '\n') || byte == 0x7F) {
            return "a control character at " + std::to_string(at);
        }
        if (xml[at] == '&') {
            const std::string entity = xml.substr(at, xml.find(';', at) - at + 1);
            if (std::find(std::begin(kEntities), std::end(kEntities), entity) ==
                std::end(kEntities)) {
                return "bad entity " + entity;
            }
        }
        if (xml[at] != '<') {
            ++at;
            continue;
        }
        if (xml.compare(at, 4, "<!--") == 0) {
            const std::size_t two_hyphens = xml.find("--", at + 4);
            if (two_hyphens == std::string::npos || xml.compare(two_hyphens, 3, "-->") != 0) {
                return "bad comment";
            }
            at = two_hyphens + 3;
            continue;
        }
        const std::size_t end = xml.find('>', at);
        if (end == std::string::npos) {
            return "tag without end";
        }
        const std::string tag = xml.substr(at + 1, end - at - 1);
        if (std::count(tag.begin(), tag.end(), '"') % 2 != 0 ||
            tag.find('<') != std::string::npos) {
            return "bad tag " + tag;
        }
        if (tag.front() == '/') {
            if (open.empty() || open.top() != tag.substr(1)) {
                return "unexpected end of " + tag.substr(1);
            }
            open.pop();
        } else if (tag.back() != '/') {
            open.push(tag.substr(0, tag.find(' ')));
        }
        at = end + 1;
    }
    return open.empty() ? "" : "not closed: " + open.top();
}

inline std::size_t count_of(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
        ++count;
    }
    return count;
}

inline bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace lockkeeper::testing_reports
