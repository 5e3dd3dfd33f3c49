// SPDX-License-Identifier: Apache-2.0
#include "validate/wire/files_server.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include <fmt/format.h>

#include "model/check.hpp"
#include "validate/outside/misbehaviour.hpp"
#include "validate/wire/proxy.hpp"

namespace lockkeeper::wire {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kNamesMax = 1'000;
constexpr std::size_t kBytesShown = 4'096;
constexpr std::string_view kAwait = "await ";

std::vector<std::string> words_of(std::string_view line) {
    std::istringstream words{std::string(line)};
    std::vector<std::string> out;
    for (std::string word; words >> word;) {
        out.push_back(word);
    }
    return out;
}

std::string beginning_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::string out(kBytesShown, '\0');
    file.read(out.data(), static_cast<std::streamsize>(out.size()));
    out.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
    return out;
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

KeyFootprint everything() {
    KeyFootprint out;
    out.everything = true;
    return out;
}

}  // namespace

FilesServer::FilesServer(SharedMemory& memory)
    : memory_(memory), folder_(memory.directory() + "/files") {
    // Programs compare it with what the kernel calls it.
    fs::create_directory(folder_);
    folder_ = fs::canonical(folder_).string();
    LOCKKEEPER_CHECK(folder_.size() < sizeof(memory_->files_folder));
    std::memcpy(static_cast<void*>(memory_->files_folder), folder_.c_str(), folder_.size() + 1);
    register_all();
}

FilesServer::~FilesServer() {
    for (const auto& [end, peer] : peers_) {
        ::close(peer.file);
    }
}

std::vector<std::string> FilesServer::variables() const {
    return {"LOCKKEEPER_FILES=" + folder_, "UV_THREADPOOL_SIZE=1"};
}

int FilesServer::connect_upstream() {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) != 0) {
        throw std::system_error(errno, std::generic_category(), "a local socket");
    }
    peers_[ends[0]] = {ends[1], ""};
    return ends[0];
}

void FilesServer::close_upstream(Connection& connection) {
    const auto peer = peers_.find(connection.upstream);
    if (peer != peers_.end()) {
        ::close(peer->second.file);
        peers_.erase(peer);
    }
    ::close(std::exchange(connection.upstream, -1));
}

void FilesServer::answer(Peer& peer) {
    peer.lock.clear();
    constexpr std::string_view kGo = "go\n";
    LOCKKEEPER_CHECK(send(peer.file, kGo.data(), kGo.size(), MSG_NOSIGNAL) ==
                     static_cast<ssize_t>(kGo.size()));
}

// Lines come whole: the proxy passes on one at a time, and none is long.
void FilesServer::asked(Connection& connection) {
    Peer& peer = peers_.at(connection.upstream);
    std::array<char, 4096> buffer;
    const ssize_t count = recv(peer.file, buffer.data(), buffer.size(), 0);
    LOCKKEEPER_CHECK(count > 0);
    const std::string_view line(buffer.data(), static_cast<std::size_t>(count - 1));
    if (line.starts_with("link ") || line.starts_with("rename ")) {
        has_aliases_ = true;
    }
    if (line.starts_with(kAwait)) {
        peer.lock = line.substr(kAwait.size());
    } else {
        answer(peer);
    }
}

bool FilesServer::waits(const Connection& connection) {
    Peer& peer = peers_.at(connection.upstream);
    if (peer.lock.empty()) {
        return false;  // its answer is on the way
    }
    if (connection.client >= 0 && !is_free(peer.lock)) {
        return true;
    }
    answer(peer);
    return false;
}

void FilesServer::register_all() {
    memory_->files_count = 0;
    memory_->file_numbers = 0;
    const auto add = [&](const fs::path& path) {
        struct stat real {};
        if (lstat(path.c_str(), &real) != 0 || memory_->files_count == LOCKKEEPER_WIRE_FILES) {
            throw ServerError("the folder of files has more in it than is held: " + path.string());
        }
        const std::int64_t now = memory_.now();
        const auto kept = kept_.find(path.string());
        lockkeeper_wire_file& file = memory_->files[memory_->files_count++];
        file = kept != kept_.end() ? kept->second : lockkeeper_wire_file{0, 0, now, now, now, now};
        file.inode = real.st_ino;
        file.number = ++memory_->file_numbers;
    };
    add(folder_);
    for (const auto& found : fs::recursive_directory_iterator(folder_)) {
        add(found.path());
    }
}

void FilesServer::reset() {
    for (const auto& found : fs::directory_iterator(folder_)) {
        fs::remove_all(found.path());
    }
    if (is_kept_) {
        fs::copy(folder_ + ".kept", folder_, fs::copy_options::recursive);
    }
    has_aliases_ = false;
    register_all();
}

void FilesServer::keep() {
    fs::remove_all(folder_ + ".kept");
    fs::copy(folder_, folder_ + ".kept", fs::copy_options::recursive);
    is_kept_ = true;
    kept_.clear();
    for (const auto& found : fs::recursive_directory_iterator(folder_)) {
        struct stat real {};
        const bool is_there = lstat(found.path().c_str(), &real) == 0;
        for (std::size_t i = 0; is_there && i < memory_->files_count; ++i) {
            if (memory_->files[i].inode == real.st_ino) {
                kept_[found.path().string()] = memory_->files[i];
            }
        }
    }
}

std::vector<KeyState> FilesServer::keys() {
    std::vector<KeyState> out;
    for (const auto& found : fs::recursive_directory_iterator(folder_)) {
        struct stat real {};
        if (lstat(found.path().c_str(), &real) != 0) {
            continue;
        }
        const lockkeeper_wire_file* const first = &memory_->files[0];
        const lockkeeper_wire_file* const end = first + memory_->files_count;
        const lockkeeper_wire_file* const known = std::find_if(
            first, end,
            [&](const lockkeeper_wire_file& file) { return file.inode == real.st_ino; });
        std::string name = found.path().lexically_relative(folder_).string();
        if (known == end || out.size() == kNamesMax) {
            throw Misbehaved(Misbehaviour::kNotSupported,
                             known == end
                                 ? "nobody was seen to make the file " + quoted_piece(name) +
                                       ": its program goes past the C library"
                                 : "more files than are held");
        }
        const bool is_folder = S_ISDIR(real.st_mode);
        std::string bytes = is_folder ? "" : beginning_of(found.path());
        std::string value = is_folder ? "(folder)" : bytes.substr(0, 40);
        std::string dump = fmt::format("{} {} {} {}", real.st_mode, real.st_size, real.st_nlink,
                                       known->written - memory_.now()) +
                           bytes;
        out.push_back({std::move(name), std::move(value), std::move(dump)});
    }
    std::sort(out.begin(), out.end(),
              [](const KeyState& left, const KeyState& right) { return left.key < right.key; });
    return out;
}

void FilesServer::restore(const std::vector<KeyState>& /*keys*/) {
    throw ServerError("a folder of files does not fail over");
}

// A name is of its own; whoever makes or removes one writes the folder that it is in. What happens
// to the first folder's own entries is of all.
KeyFootprint FilesServer::footprint(std::string_view line) const {
    const std::vector<std::string> words = words_of(line);
    if (has_aliases_ || words.size() < 2 || words[1] == "." ||
        is_one_of(words[0], {"link", "rename", "list"})) {
        return everything();
    }
    const bool makes_or_removes =
        is_one_of(words[0], {"mkdir", "rmdir", "unlink"}) ||
        (words[0] == "open" && std::find(words.begin(), words.end(), "creat") != words.end());
    const bool reads = is_one_of(words[0], {"stat", "fstat", "read", "size", "access", "readlink",
                                            "realpath", "getlk"}) ||
                       (words[0] == "open" && !makes_or_removes &&
                        std::find(words.begin(), words.end(), "trunc") == words.end());
    KeyFootprint out;
    std::string name = words[1];
    out.keys.push_back({name, !reads});
    bool writes = makes_or_removes;
    for (std::size_t slash = name.rfind('/'); slash != std::string::npos; slash = name.rfind('/')) {
        name.resize(slash);
        out.keys.push_back({name, std::exchange(writes, false)});
    }
    return out;
}

bool is_free(const std::string& lock) {
    const std::vector<std::string> words = words_of(lock);
    const bool is_range = words.size() == 6 && words[2] == "range";
    if (!is_range && (words.size() != 4 || words[2] != "flock")) {
        throw Misbehaved(Misbehaviour::kNonsense, "waits for " + quoted_piece(lock));
    }
    const std::string path = "/proc/" + words[0] + "/fd/" + words[1];
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        throw Misbehaved(Misbehaviour::kNotSupported,
                         "waits for a lock on a file that cannot be read: " +
                             std::generic_category().message(errno));
    }
    bool free = false;
    if (is_range) {
        struct flock range {};
        range.l_type = words[3] == "rd" ? F_RDLCK : F_WRLCK;
        range.l_whence = SEEK_SET;
        range.l_start = std::atoll(words[4].c_str());
        range.l_len = std::atoll(words[5].c_str());
        const pid_t waiter = std::atoi(words[0].c_str());
        free = fcntl(file, F_OFD_GETLK, &range) == 0 && range.l_type == F_UNLCK;
        if (!free && range.l_pid == waiter) {
            close(file);
            throw Misbehaved(Misbehaviour::kNotSupported,
                             "waits for a lock on a range of which its own process has a lock");
        }
    } else {
        free = ::flock(file, (words[3] == "sh" ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0;
    }
    close(file);
    return free;
}

}  // namespace lockkeeper::wire
