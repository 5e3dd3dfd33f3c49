// What `lockkeeper list` prints: sections of entries, each of which can be asked for by its names.
#pragma once

#include <string>
#include <vector>

#include "scenarios/registry/registry.hpp"
#include "scenarios/scenario.hpp"

namespace lockkeeper {

struct ListEntry {
    std::vector<std::string> names;  // its own first: {"leak", "P2"}, {"canal/faithful", "canal"}
    std::string text;
    std::string details;  // only where it is asked for by a name that is its alone
};
struct ListSection {
    std::string name;  // "exit-codes"
    std::string title;
    std::vector<ListEntry> entries;
};

// `outside`: the properties that are judged of programs.
[[nodiscard]] std::vector<ListSection> list_sections(const Registry& registry,
                                                     const std::vector<std::string>& outside);
// Of a section, or of the entries of that name. UsageError, with the nearest name, for another one.
[[nodiscard]] std::string list_text(const std::vector<ListSection>& sections,
                                    const std::string& wanted);
// Everything.
[[nodiscard]] std::string list_text(const std::vector<ListSection>& sections);

// Limits of the harness as a whole; each system adds its own compiled sizes.
struct HarnessLimit {
    const char* name;
    std::uint64_t value;
};
[[nodiscard]] std::vector<HarnessLimit> harness_limits();

}  // namespace lockkeeper
