// SPDX-License-Identifier: Apache-2.0
#include "validate/processes/kept_tree.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <vector>

namespace lockkeeper {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_at(const fs::path& path) {
    throw std::system_error(errno, std::generic_category(), path.string());
}

struct stat status_of(const fs::path& path) {
    struct stat status {};
    if (lstat(path.c_str(), &status) != 0) {
        fail_at(path);
    }
    return status;
}

std::int64_t changed_at(const struct stat& status) {
    return status.st_mtim.tv_sec * 1'000'000'000LL + status.st_mtim.tv_nsec;
}

}  // namespace

KeptTree::KeptTree(fs::path folder, fs::path store)
    : folder_(std::move(folder)), store_(std::move(store)) {
    fs::copy(folder_, store_, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
    for (const auto& found : fs::recursive_directory_iterator(folder_)) {
        const struct stat status = status_of(found.path());
        entries_[found.path().lexically_relative(folder_).string()] = {
            status.st_mode, status.st_uid, status.st_gid, status.st_size, changed_at(status)};
    }
}

// Makes missing folders and links again. A rewritten file gets its old time, so that its next
// change is seen, however soon it comes.
void KeptTree::put_back(const std::string& name, const Entry& entry) const {
    const fs::path path = folder_ / name;
    struct stat now {};
    const bool exists = lstat(path.c_str(), &now) == 0;
    const bool is_same_kind = exists && (now.st_mode & S_IFMT) == (entry.mode & S_IFMT);
    if (is_same_kind &&
        (!S_ISREG(entry.mode) || (now.st_size == entry.size && changed_at(now) == entry.changed))) {
        return;
    }
    if (exists && !is_same_kind) {
        fs::remove_all(path);
    }
    if (S_ISREG(entry.mode)) {
        fs::copy_file(store_ / name, path, fs::copy_options::overwrite_existing);
        const timespec changed{entry.changed / 1'000'000'000, entry.changed % 1'000'000'000};
        const timespec times[] = {changed, changed};
        if (utimensat(AT_FDCWD, path.c_str(), times, 0) != 0) {
            fail_at(path);
        }
    } else if (S_ISDIR(entry.mode)) {
        fs::create_directory(path);
    } else {
        fs::copy(store_ / name, path, fs::copy_options::copy_symlinks);
    }
    if (lchown(path.c_str(), entry.user, entry.group) != 0 ||
        (!S_ISLNK(entry.mode) && chmod(path.c_str(), entry.mode & 07777) != 0)) {
        fail_at(path);
    }
}

void KeptTree::put_back() const {
    std::vector<fs::path> strange;
    for (const auto& found : fs::recursive_directory_iterator(folder_)) {
        if (!entries_.contains(found.path().lexically_relative(folder_).string())) {
            strange.push_back(found.path());
        }
    }
    for (const fs::path& path : strange) {
        fs::remove_all(path);
    }
    for (const auto& [name, entry] : entries_) {
        put_back(name, entry);
    }
}

}  // namespace lockkeeper
