// SPDX-License-Identifier: Apache-2.0
#include "validate/processes/watcher_link.hpp"

#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <system_error>

namespace lockkeeper::watcher_detail {
namespace {

[[noreturn]] void fail(int error, const char* what) {
    throw std::system_error(error, std::generic_category(), what);
}

// While a process forks: a handler of this program must not run in the watcher.
class AllSignalsBlocked {
  public:
    AllSignalsBlocked() {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~AllSignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    AllSignalsBlocked(const AllSignalsBlocked&) = delete;
    AllSignalsBlocked& operator=(const AllSignalsBlocked&) = delete;

  private:
    sigset_t before_{};
};

bool send_packet(int socket, const Question& question, const std::string& path,
                 const Descriptors* descriptors) noexcept {
    std::array<iovec, 2> pieces{{{const_cast<Question*>(&question), sizeof(question)},
                                 {const_cast<char*>(path.c_str()), path.size() + 1}}};
    msghdr message{};
    message.msg_iov = pieces.data();
    message.msg_iovlen = pieces.size();
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(Descriptors))> control{};
    if (descriptors != nullptr) {
        message.msg_control = control.data();
        message.msg_controllen = control.size();
        cmsghdr* head = CMSG_FIRSTHDR(&message);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN(sizeof(Descriptors));
        std::memcpy(CMSG_DATA(head), descriptors->data(), sizeof(Descriptors));
    }
    ssize_t sent = 0;
    do {
        sent = sendmsg(socket, &message, MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    return sent >= 0;
}

}  // namespace

WatcherLink& WatcherLink::own() {
    // Never destroyed: it is needed until exit() has called end().
    alignas(WatcherLink) static std::array<std::byte, sizeof(WatcherLink)> memory;
    static WatcherLink* const kLink = [] {
        auto* made = new (memory.data()) WatcherLink();
        static_cast<void>(std::atexit([] { own().end(); }));
        static_cast<void>(pthread_atfork(nullptr, nullptr, [] { own().forget(); }));
        return made;
    }();
    return *kLink;
}

void WatcherLink::forget() noexcept {
    if (socket_ >= 0) {
        ::close(socket_);  // or the watcher would take this process for the one that forked
    }
    const std::uint64_t watcher = watcher_;
    new (this) WatcherLink();  // whoever had the mutex is not in this process
    watcher_ = watcher;        // children of the other process stay strangers
}

void WatcherLink::start() {
    std::array<int, 2> ends{-1, -1};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        fail(errno, "a socket for the watcher of children");
    }
    const pid_t watched = getpid();
    pid_t process = -1;
    {
        const AllSignalsBlocked blocked;
        process = fork();
        if (process == 0) {
            run_watcher(ends[1], watched);
        }
    }
    const int error = errno;
    ::close(ends[1]);
    if (process < 0) {
        ::close(ends[0]);
        fail(error, "the watcher of children cannot be forked");
    }
    socket_ = ends[0];
    process_ = process;
    ++watcher_;
}

// The watcher has been killed. The kernel has sent its direct children their last signal.
void WatcherLink::lose() noexcept {
    ::close(socket_);
    socket_ = -1;
    waitpid(process_, nullptr, 0);
}

bool WatcherLink::exchange(const Question& question, const std::string& path,
                           const Descriptors* descriptors, Packet<Reply>& reply) noexcept {
    ssize_t received = -1;
    if (send_packet(socket_, question, path, descriptors)) {
        do {
            received = recv(socket_, &reply, sizeof(reply), 0);
        } while (received < 0 && errno == EINTR);
    }
    if (received < static_cast<ssize_t>(sizeof(Reply))) {
        lose();
        return false;
    }
    reply.path.back() = '\0';
    return true;
}

Answered WatcherLink::ask(const Question& question, const std::string& path,
                          const Descriptors* descriptors, const char* what) {
    const std::lock_guard<std::mutex> guard(mutex_);
    Packet<Reply> reply;
    for (const bool is_last : {false, true}) {
        if (socket_ < 0) {
            start();
        }
        if (exchange(question, path, descriptors, reply)) {
            break;
        }
        if (is_last) {  // one that was killed before is no reason to give up
            fail(ECHILD, what);
        }
    }
    if (reply.head.error != 0) {
        fail(reply.head.error, what);
    }
    return {reply.head, reply.path.data(), watcher_};
}

bool WatcherLink::ask_only(std::uint64_t watcher, const Question& question, const std::string& path,
                           Reply& reply) noexcept {
    const std::lock_guard<std::mutex> guard(mutex_);
    Packet<Reply> packet;
    if (socket_ < 0 || watcher != watcher_ || !exchange(question, path, nullptr, packet)) {
        return false;
    }
    reply = packet.head;
    return true;
}

void WatcherLink::end() noexcept {
    const std::lock_guard<std::mutex> guard(mutex_);
    if (socket_ < 0) {
        return;
    }
    shutdown(socket_, SHUT_WR);
    char nothing = 0;
    while (recv(socket_, &nothing, 1, 0) < 0 && errno == EINTR) {
    }
    lose();
}

}  // namespace lockkeeper::watcher_detail
