// SPDX-License-Identifier: Apache-2.0
#include "scheduler/base/output_file.hpp"

#include <fcntl.h>
#include <limits.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <optional>
#include <ostream>
#include <utility>

#include "scheduler/base/descriptor_buffer.hpp"

namespace lockkeeper {
namespace {

namespace fs = std::filesystem;

// Names of files that must not outlive the process, kept where a signal handler can read them: a
// second Ctrl-C ends the process without destructors. The handler calls remove_unfinished_files().
enum class Use : int { kFree, kBeingFilled, kFull };

struct Slot {
    std::atomic<Use> use{Use::kFree};
    std::array<char, PATH_MAX> name{};
};
std::array<Slot, 16> kept_names;

// Where there is no room for one more, only the destructor of its owner removes the file.
void remember_to_remove(const std::string& name) {
    if (name.size() >= PATH_MAX) {
        return;
    }
    for (Slot& slot : kept_names) {
        Use expected = Use::kFree;
        if (slot.use.compare_exchange_strong(expected, Use::kBeingFilled)) {
            std::memcpy(slot.name.data(), name.c_str(), name.size() + 1);
            slot.use = Use::kFull;
            return;
        }
    }
}

void forget_to_remove(const std::string& name) noexcept {
    for (Slot& slot : kept_names) {
        if (slot.use == Use::kFull && name == slot.name.data()) {
            slot.use = Use::kFree;
        }
    }
}

// The claims of this process. Writers of checkpoints know a path only.
std::mutex claims_mutex;
std::vector<const OutputClaim*>& claims() {
    static std::vector<const OutputClaim*> all;
    return all;
}

[[noreturn]] void refuse(const std::string& path, const std::string& reason) {
    throw OutputError(path + ": cannot be written: " + reason);
}

std::string directory_of(const std::string& path) {
    const std::string parent = fs::path(path).parent_path().string();
    return parent.empty() ? "." : parent;
}

std::string beside(const std::string& path, const std::string& name) {
    return (fs::path(path).parent_path() / name).string();
}

std::string unpredictable_name(const std::string& path) {
    std::array<unsigned char, 8> bytes{};
    if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
        refuse(path, std::strerror(errno));
    }
    constexpr const char* kDigits = "0123456789abcdef";
    std::string name = ".lockkeeper-";
    for (const unsigned char byte : bytes) {
        name += kDigits[byte >> 4U];
        name += kDigits[byte & 0xFU];
    }
    return beside(path, name);
}

bool are_same(const struct stat& left, const struct stat& right) {
    return left.st_dev == right.st_dev && left.st_ino == right.st_ino;
}

// True for a regular file only, and not for what a link leads to.
bool begins_with(const std::string& path, const std::string& mark) {
    const int file = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) {
        return false;
    }
    struct stat status = {};
    std::string beginning(mark.size(), '\0');
    ssize_t count = -1;
    if (::fstat(file, &status) == 0 && S_ISREG(status.st_mode)) {
        count = ::pread(file, beginning.data(), beginning.size(), 0);
    }
    ::close(file);
    return count == static_cast<ssize_t>(mark.size()) && beginning == mark;
}

void refuse_kind(const std::string& path, mode_t mode) {
    if (S_ISDIR(mode)) {
        refuse(path, "it is a directory");
    }
    if (S_ISLNK(mode)) {
        refuse(path, "it is a link, and links are not followed");
    }
    if (S_ISCHR(mode) || S_ISBLK(mode)) {
        refuse(path, "it is a device");
    }
    if (!S_ISREG(mode)) {
        refuse(path, "it is no regular file");
    }
}

// Returns the file that stands there and may be replaced, or nothing. Throws OutputError.
std::optional<struct stat> look_at(const std::string& path, const OutputRule& rule) {
    if (!fs::path(path).has_filename()) {
        refuse(path, "it is a directory");
    }
    struct stat status = {};
    if (::lstat(path.c_str(), &status) != 0) {
        if (errno == ENOENT) {
            return std::nullopt;
        }
        refuse(path, std::strerror(errno));
    }
    refuse_kind(path, status.st_mode);
    for (const std::string& input : rule.inputs) {
        struct stat read = {};
        if (::stat(input.c_str(), &read) == 0 && are_same(read, status)) {
            refuse(path, "this run reads it");
        }
    }
    const std::string& marked = rule.marked_file.empty() ? path : rule.marked_file;
    if (!rule.force && status.st_size > 0 && !begins_with(marked, rule.mark)) {
        refuse(path, "Lockkeeper has not written what is there (--force replaces it)");
    }
    return status;
}

// Also where nothing stands yet.
bool are_one_name(const std::string& left, const std::string& right) {
    struct stat left_directory = {};
    struct stat right_directory = {};
    return fs::path(left).filename() == fs::path(right).filename() &&
           ::stat(directory_of(left).c_str(), &left_directory) == 0 &&
           ::stat(directory_of(right).c_str(), &right_directory) == 0 &&
           are_same(left_directory, right_directory);
}

OutputRule rule_of(const std::string& path, const OutputRule& unclaimed) {
    const std::lock_guard<std::mutex> guard(claims_mutex);
    const auto claim = std::find_if(claims().begin(), claims().end(),
                                    [&](const OutputClaim* one) { return one->path() == path; });
    return claim == claims().end() ? unclaimed : (*claim)->rule();
}

void give_name(UnfinishedFile& file, const std::string& path) {
    const std::string name = unpredictable_name(path);
    const std::string own = "/proc/self/fd/" + std::to_string(file.descriptor);
    remember_to_remove(name);
    if (::linkat(AT_FDCWD, own.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) != 0) {
        const int error = errno;
        forget_to_remove(name);
        refuse(path, std::strerror(error));
    }
    file.name = name;
}

// Where nothing was, nothing that has come meanwhile is replaced.
void rename_file(const std::string& name, const std::string& path, bool replaces) {
    const unsigned flags = replaces ? 0U : static_cast<unsigned>(RENAME_NOREPLACE);
    int done = ::renameat2(AT_FDCWD, name.c_str(), AT_FDCWD, path.c_str(), flags);
    if (done != 0 && flags != 0 && errno == EINVAL) {  // the file system does not know the flag
        done = ::rename(name.c_str(), path.c_str());
    }
    if (done != 0) {
        refuse(path, std::strerror(errno));
    }
}

}  // namespace

void remove_unfinished_files() noexcept {
    for (const Slot& slot : kept_names) {
        if (slot.use == Use::kFull) {
            ::unlink(slot.name.data());
        }
    }
}

UnfinishedFile begin_file(const std::string& path, Naming naming) {
    constexpr mode_t kMode = 0666;
    UnfinishedFile file;
    if (naming == Naming::kAtTheEnd) {
        file.descriptor = ::open(directory_of(path).c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, kMode);
    }
    // Not every file system has files without a name.
    if (file.descriptor < 0 &&
        (naming == Naming::kAtOnce || errno == EOPNOTSUPP || errno == EISDIR)) {
        file.name = unpredictable_name(path);
        remember_to_remove(file.name);
        file.descriptor =
            ::open(file.name.c_str(), O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR | O_CLOEXEC, kMode);
    }
    if (file.descriptor < 0) {
        const int error = errno;
        forget_to_remove(file.name);
        refuse(path, std::strerror(error));
    }
    return file;
}

void discard_file(UnfinishedFile& file) noexcept {
    if (!file.name.empty()) {
        ::unlink(file.name.c_str());
        forget_to_remove(file.name);
        file.name.clear();
    }
    if (file.descriptor >= 0) {
        ::close(file.descriptor);
        file.descriptor = -1;
    }
}

void publish_file(UnfinishedFile& file, const std::string& path, const OutputRule& unclaimed) {
    const auto before = look_at(path, rule_of(path, unclaimed));
    if (before) {
        // Owner and rights stay; where they cannot, those of a new file are as good.
        static_cast<void>(::fchown(file.descriptor, before->st_uid, before->st_gid) == 0 &&
                          ::fchmod(file.descriptor, before->st_mode & 07777U) == 0);
    }
    if (::fsync(file.descriptor) != 0) {
        refuse(path, std::strerror(errno));
    }
    if (file.name.empty()) {
        give_name(file, path);
    }
    rename_file(file.name, path, before.has_value());
    forget_to_remove(file.name);
    file.name.clear();
    // Without this the name may be gone after a power failure.
    const int directory = ::open(directory_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory >= 0) {
        static_cast<void>(::fsync(directory));
        ::close(directory);
    }
}

OutputClaim::OutputClaim(std::string path, OutputRule rule)
    : path_(std::move(path)), rule_(std::move(rule)) {
    static_cast<void>(look_at(path_, rule_));
    UnfinishedFile trial = begin_file(path_);
    discard_file(trial);
    const std::lock_guard<std::mutex> guard(claims_mutex);
    for (const OutputClaim* other : claims()) {
        if (are_one_name(other->path(), path_)) {
            refuse(path_, "this run writes something else there");
        }
    }
    if (rule_.excludes_others) {
        lock();
    }
    claims().push_back(this);
}

OutputClaim::~OutputClaim() {
    const std::lock_guard<std::mutex> guard(claims_mutex);
    std::erase(claims(), this);
    unlock();
}

void OutputClaim::lock() {
    lock_name_ = beside(path_, "." + fs::path(path_).filename().string() + ".lockkeeper-lock");
    for (;;) {
        lock_ = ::open(lock_name_.c_str(), O_CREAT | O_NOFOLLOW | O_RDWR | O_NONBLOCK | O_CLOEXEC,
                       0666);
        struct stat held = {};
        if (lock_ < 0 || ::fstat(lock_, &held) != 0) {
            refuse(path_, "its lock " + lock_name_ + ": " + std::strerror(errno));
        }
        if (!S_ISREG(held.st_mode) || held.st_size > 0) {
            ::close(lock_);
            refuse(path_, lock_name_ + " is in the way");
        }
        if (::flock(lock_, LOCK_EX | LOCK_NB) != 0) {
            ::close(lock_);
            refuse(path_, "another run of Lockkeeper is writing it");
        }
        // Whoever had it may have removed it before this process got it.
        struct stat there = {};
        if (::lstat(lock_name_.c_str(), &there) == 0 && are_same(held, there)) {
            remember_to_remove(lock_name_);
            return;
        }
        ::close(lock_);
    }
}

void OutputClaim::unlock() {
    if (lock_ >= 0) {
        ::unlink(lock_name_.c_str());
        ::close(lock_);
        forget_to_remove(lock_name_);
        lock_ = -1;
    }
}

void write_file(UnfinishedFile file, const std::string& path, const OutputRule& unclaimed,
                const std::function<void(std::ostream&)>& print) {
    try {
        DescriptorBuffer buffer(file.descriptor);
        std::ostream stream(&buffer);
        print(stream);
        stream.flush();
        if (buffer.error() != 0) {
            refuse(path, std::strerror(buffer.error()));
        }
        publish_file(file, path, unclaimed);
    } catch (...) {
        discard_file(file);
        throw;
    }
    discard_file(file);
}

void OutputClaim::write(const std::function<void(std::ostream&)>& print) {
    write_file(begin_file(path_), path_, rule_, print);
}

void OutputClaim::write(std::string_view text) {
    write([&](std::ostream& out) { out << text; });
}

}  // namespace lockkeeper
