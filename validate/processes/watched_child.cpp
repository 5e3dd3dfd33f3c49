// SPDX-License-Identifier: Apache-2.0
#include "validate/processes/watched_child.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include "validate/processes/watcher_link.hpp"

extern char** environ;  // NOLINT(readability-identifier-naming)

namespace lockkeeper {
namespace {

using watcher_detail::Answered;
using watcher_detail::Ask;
using watcher_detail::Descriptors;
using watcher_detail::Question;
using watcher_detail::Reply;
using watcher_detail::WatcherLink;

// Closes itself.
class Descriptor {
  public:
    Descriptor(int number, const char* what) : number_(number) {
        if (number < 0) {
            throw std::system_error(errno, std::generic_category(), what);
        }
    }
    ~Descriptor() {
        if (number_ >= 0) {
            ::close(number_);
        }
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    [[nodiscard]] int number() const { return number_; }
    [[nodiscard]] int release() { return std::exchange(number_, -1); }

  private:
    int number_;
};

// Arguments and environment, as watcher_messages.hpp says, in a file without a name.
std::string block_of(const std::vector<std::string>& command, Question& question) {
    question.arguments_count = static_cast<std::uint32_t>(command.size());
    question.variables_count = 0;
    for (char** at = environ; at != nullptr && *at != nullptr; ++at) {
        ++question.variables_count;
    }
    const std::size_t pointers =
        std::size_t{question.arguments_count} + 1U + std::size_t{question.variables_count} + 1U;
    std::string block(pointers * sizeof(char*), '\0');
    for (const std::string& word : command) {
        block.append(word.c_str(), word.size() + 1);
    }
    for (std::uint32_t i = 0; i < question.variables_count; ++i) {
        block.append(environ[i]).push_back('\0');
    }
    question.block_bytes = block.size();
    return block;
}

void write_whole(int file, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(file, text.data(), text.size());
        if (written < 0 && errno != EINTR) {
            throw std::system_error(errno, std::generic_category(), "the arguments of a child");
        }
        text.remove_prefix(written < 0 ? 0 : static_cast<std::size_t>(written));
    }
}

}  // namespace

WatchedChild::WatchedChild(const Order& order) {
    Question question;
    question.what = Ask::kStart;
    question.signal = order.last_signal;
    if (order.user) {
        question.changes_user = 1;
        question.user = order.user->user;
        question.group = order.user->group;
    }
    const std::string text = block_of(order.command, question);
    const Descriptor block(memfd_create("lockkeeper", MFD_CLOEXEC), "the arguments of a child");
    write_whole(block.number(), text);
    const std::string from = order.directory.empty() ? "." : order.directory;
    const Descriptor directory(::open(from.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC),
                               from.c_str());
    std::array<int, 2> ends{-1, -1};
    if (pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
        throw std::system_error(errno, std::generic_category(), "a pipe for the end of a child");
    }
    Descriptor told(ends[0], "");
    const Descriptor telling(ends[1], "");
    const Descriptors passed{order.streams[0], order.streams[1],   order.streams[2],
                             telling.number(), directory.number(), block.number()};
    const Answered answered =
        WatcherLink::own().ask(question, "", &passed, order.command.front().c_str());
    id_ = answered.reply.child;
    watcher_ = answered.watcher;
    told_ = told.release();
}

WatchedChild::~WatchedChild() { kill(); }

std::optional<int> WatchedChild::status() {
    if (is_over_ || status_) {
        return status_;
    }
    int status = 0;
    const ssize_t count = ::read(told_, &status, sizeof(status));
    if (count == static_cast<ssize_t>(sizeof(status))) {
        status_ = status;
    } else if (count == 0) {
        throw std::runtime_error("the process that watches over children (lk-watcher) is gone");
    }
    return status_;
}

void WatchedChild::signal(int number) const noexcept {
    Question question;
    question.what = Ask::kSignal;
    question.child = id_;
    question.signal = number;
    Reply reply;
    static_cast<void>(!is_over_ && WatcherLink::own().ask_only(watcher_, question, "", reply));
}

int WatchedChild::kill() noexcept {
    if (!is_over_) {
        Question question;
        question.what = Ask::kEnd;
        question.child = id_;
        Reply reply;
        // If the watcher has been killed, the kernel has killed the child.
        const bool is_told = WatcherLink::own().ask_only(watcher_, question, "", reply);
        status_ = is_told && reply.error == 0 ? reply.status : SIGKILL;
        is_over_ = true;
        ::close(told_);
    }
    return *status_;
}

WatchedDirectory::WatchedDirectory(const std::string& beginning) {
    Question question;
    question.what = Ask::kMakeDirectory;
    const std::string whole = std::filesystem::absolute(beginning).string();
    const Answered answered = WatcherLink::own().ask(question, whole, nullptr, beginning.c_str());
    path_ = answered.path;
    watcher_ = answered.watcher;
}

WatchedDirectory::~WatchedDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
    Question question;
    question.what = Ask::kForgetDirectory;
    Reply reply;
    static_cast<void>(WatcherLink::own().ask_only(watcher_, question, path_, reply));
}

}  // namespace lockkeeper
