// SPDX-License-Identifier: Apache-2.0
#include "validate/wire/loopback_inside.hpp"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace lockkeeper::wire {
namespace {

constexpr std::uint32_t kAskedStates = ~(bit_of(kTcpTimeWait) | bit_of(kTcpNewSynReceived));

void add_inodes(pid_t process, std::set<std::uint32_t>& out) {
    constexpr std::string_view kSocket = "socket:[";
    const std::string path = "/proc/" + std::to_string(process) + "/fd";
    DIR* const directory = opendir(path.c_str());
    while (const dirent* entry = directory == nullptr ? nullptr : readdir(directory)) {
        std::array<char, 64> target;
        const ssize_t length =
            readlink((path + "/" + entry->d_name).c_str(), target.data(), target.size());
        const std::string_view text(target.data(),
                                    length < 0 ? 0 : static_cast<std::size_t>(length));
        std::uint32_t inode = 0;
        if (text.starts_with(kSocket) &&
            std::from_chars(text.data() + kSocket.size(), text.data() + text.size(), inode).ec ==
                std::errc()) {
            out.insert(inode);
        }
    }
    if (directory != nullptr) {
        closedir(directory);
    }
}

}  // namespace

// Asks for all connections of this machine, which takes milliseconds, and keeps what each file is.
void EndsInside::look_at_all(const std::set<std::uint32_t>& inodes) {
    known_.clear();
    ends_.clear();
    const std::vector<TcpEnd> all = list_.all(kAskedStates);
    for (const TcpEnd& end : all) {
        const bool is_own = inodes.count(end.inode) > 0;
        if (is_own && end.state == kTcpListen) {
            known_.insert(end.inode);
            continue;
        }
        const bool is_between = std::any_of(all.begin(), all.end(), [&](const TcpEnd& other) {
            return is_other_end(end, other) && (is_own || inodes.count(other.inode) > 0);
        });
        if (is_between) {
            ends_.push_back(end);
            known_.insert(end.inode);
        }
    }
    for (const std::uint32_t inode : inodes) {
        if (known_.count(inode) == 0 && list_.is_local(inode)) {
            known_.insert(inode);
        }
    }
}

std::vector<TcpEnd> EndsInside::of(const std::vector<pid_t>& processes) {
    std::set<std::uint32_t> inodes;
    for (const pid_t process : processes) {
        add_inodes(process, inodes);
    }
    if (!std::includes(known_.begin(), known_.end(), inodes.begin(), inodes.end())) {
        look_at_all(inodes);
    }
    std::vector<TcpEnd> out;
    for (const TcpEnd& end : ends_) {
        const std::optional<TcpEnd> now = list_.one(end);
        if (now && (bit_of(TcpState(now->state)) & kAskedStates) != 0) {
            out.push_back(*now);
        }
    }
    // One that has lost an end, or the file of it, is not inside any more.
    std::erase_if(out, [&, all = out](const TcpEnd& end) {
        return std::none_of(all.begin(), all.end(), [&](const TcpEnd& other) {
            return is_other_end(end, other) &&
                   (inodes.count(end.inode) > 0 || inodes.count(other.inode) > 0);
        });
    });
    std::sort(out.begin(), out.end());
    return out;
}

bool all_have_arrived(const std::vector<TcpEnd>& ends) {
    return std::all_of(ends.begin(), ends.end(), [&](const TcpEnd& end) {
        const auto other = std::find_if(ends.begin(), ends.end(), [&](const TcpEnd& candidate) {
            return is_other_end(end, candidate);
        });
        return other != ends.end() && other->received >= end.sent;
    });
}

}  // namespace lockkeeper::wire
