// SPDX-License-Identifier: Apache-2.0

// The directory in which one command of the engine runs: its files are there before, and what it
// writes is found after. Used by engine alone.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lockkeeper {

struct NamedText {
    std::string name;  // "found/leak.trace.json"
    std::string text;
};

// A relative path without "..", "." or empty parts.
[[nodiscard]] bool is_inside(std::string_view name);

class CommandRoom {
  public:
    static constexpr std::size_t kFilesMax = 1'000;
    static constexpr std::size_t kBytesMax = std::size_t{64} << 20U;

    // The working directory is `directory` until the end, when it is empty again. Throws
    // std::runtime_error.
    CommandRoom(std::filesystem::path directory, const std::vector<NamedText>& files);
    CommandRoom(const CommandRoom&) = delete;
    CommandRoom& operator=(const CommandRoom&) = delete;
    ~CommandRoom();

    // The files that are new or other than they were, by name. Throws std::runtime_error.
    [[nodiscard]] std::vector<NamedText> written() const;

  private:
    std::filesystem::path directory_;
    std::filesystem::path before_;
    std::map<std::string, std::string> given_;
};

}  // namespace lockkeeper
