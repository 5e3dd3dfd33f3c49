// SPDX-License-Identifier: Apache-2.0

// A copy of a folder at one moment, put back as often as somebody asks: the data of a stopped
// server. Writes only files that have changed since, by their sizes and times. Restores owners and
// modes.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace lockkeeper {

class KeptTree {
  public:
    // Copies `folder` to `store`, which does not exist yet. Nobody writes into either meanwhile.
    // Throws std::system_error, as put_back() does.
    KeptTree(std::filesystem::path folder, std::filesystem::path store);
    void put_back() const;

  private:
    struct Entry {
        mode_t mode = 0;
        uid_t user = 0;
        gid_t group = 0;
        off_t size = 0;
        std::int64_t changed = 0;  // nanoseconds since 1970
    };
    void put_back(const std::string& name, const Entry& entry) const;

    std::filesystem::path folder_;
    std::filesystem::path store_;
    std::map<std::string, Entry> entries_;  // by the path inside: a folder comes before its files
};

}  // namespace lockkeeper
