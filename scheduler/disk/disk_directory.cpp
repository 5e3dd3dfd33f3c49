// SPDX-License-Identifier: Apache-2.0
#include "scheduler/disk/disk_directory.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "scheduler/base/checkpoint.hpp"

namespace lockkeeper {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPrefix = "lockkeeper-states";

[[noreturn]] void refuse_directory(const std::string& path, const std::string& why) {
    throw CheckpointError(path + ": no states can be kept here: " + why);
}

}  // namespace

DiskDirectory::DiskDirectory(const std::string& path, const std::string& resume_from)
    : path_(path) {
    constexpr mode_t kForOwner = 0700;
    if (::mkdir(path.c_str(), kForOwner) != 0 && errno != EEXIST) {
        refuse_directory(path, std::strerror(errno));
    }
    lock();
    std::error_code failed;
    const std::string kept = checkpoint_in(path);
    if (fs::exists(kept, failed)) {
        is_resumed_ = !resume_from.empty() && fs::equivalent(kept, resume_from, failed);
        if (!is_resumed_) {
            ::close(lock_);
            refuse_directory(path, "a search is kept here: --resume " + kept +
                                       " goes on with it; remove that file to begin anew");
        }
    } else {
        clear();  // what a search left that was killed
    }
}

DiskDirectory::~DiskDirectory() { ::close(lock_); }

void DiskDirectory::lock() {
    lock_ = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock_ < 0) {
        refuse_directory(path_, std::strerror(errno));
    }
    if (::flock(lock_, LOCK_EX | LOCK_NB) != 0) {
        const int error = errno;
        ::close(lock_);
        refuse_directory(path_, error == EWOULDBLOCK ? "another search is using the directory"
                                                     : std::strerror(error));
    }
}

std::string DiskDirectory::checkpoint_in(const std::string& directory) {
    return (fs::path(directory) / "checkpoint").string();
}
std::string DiskDirectory::log() const {
    return (fs::path(path_) / (std::string(kPrefix) + "-log")).string();
}
std::string DiskDirectory::run(std::uint64_t number) const {
    return (fs::path(path_) / (std::string(kPrefix) + "-run-" + std::to_string(number))).string();
}
std::string DiskDirectory::reserve() const {
    return (fs::path(path_) / (std::string(kPrefix) + "-reserve")).string();
}

void DiskDirectory::clear() const {
    remove(checkpoint_in(path_));
    keep_only({});
}

void DiskDirectory::keep_only(const std::vector<std::string>& files) const {
    std::vector<std::string> ours;
    std::error_code failed;
    for (fs::directory_iterator entry(path_, failed), end; !failed && entry != end;
         entry.increment(failed)) {
        if (entry->path().filename().string().starts_with(kPrefix)) {
            ours.push_back(entry->path().string());
        }
    }
    for (const std::string& file : ours) {
        if (std::find(files.begin(), files.end(), file) == files.end()) {
            remove(file);
        }
    }
}

void DiskDirectory::remove(const std::string& file) const { ::unlink(file.c_str()); }

}  // namespace lockkeeper
