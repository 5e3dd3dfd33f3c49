// SPDX-License-Identifier: Apache-2.0

// The directory in which one search keeps its states. Another process that wants it is refused, and
// so is a new search where a search is kept that can be gone on with.
#pragma once

#include <string>
#include <vector>

namespace lockkeeper {

class DiskDirectory {
  public:
    // Makes the directory if its parent is there. `resume_from`: the checkpoint to be gone on from,
    // which may be the one kept here. Throws CheckpointError.
    DiskDirectory(const std::string& path, const std::string& resume_from);
    DiskDirectory(const DiskDirectory&) = delete;
    DiskDirectory& operator=(const DiskDirectory&) = delete;
    ~DiskDirectory();

    [[nodiscard]] static std::string checkpoint_in(const std::string& directory);
    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] std::string log() const;
    [[nodiscard]] std::string run(std::uint64_t number) const;
    [[nodiscard]] std::string reserve() const;
    // Whether the search that is kept here is the one that is gone on with.
    [[nodiscard]] bool is_resumed() const { return is_resumed_; }

    // Removes all files of searches.
    void clear() const;
    // The same, but for the checkpoint and these.
    void keep_only(const std::vector<std::string>& files) const;
    void remove(const std::string& file) const;

  private:
    void lock();

    std::string path_;
    bool is_resumed_ = false;
    int lock_ = -1;
};

}  // namespace lockkeeper
