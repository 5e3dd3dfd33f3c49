// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "validate/processes/watcher_children.hpp"
#include "validate/processes/watcher_link.hpp"
#include "validate/processes/watcher_messages.hpp"

namespace lockkeeper::watcher_detail {
namespace {

// Static, because nothing may be asked for after fork() and the stack need not have the room.
WatcherChildren own_children;
std::array<std::array<char, PATH_MAX>, kWatchedDirectoriesMax> own_directories;  // free: empty
Packet<Question> asked;
Packet<Reply> answer;

constexpr int kSocket = 3;  // below are the standard streams
int ends_of_children = -1;  // SIGCHLD, as a descriptor

// The passed descriptors, or those of them that came: -1 for the others.
struct Received {
    ssize_t bytes = 0;
    PassedDescriptors passed;
};

Received receive() noexcept {
    Received received;
    received.passed.fill(-1);
    iovec text{&asked, sizeof(asked)};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(PassedDescriptors))> control{};
    msghdr message{};
    message.msg_iov = &text;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    do {
        received.bytes = recvmsg(kSocket, &message, MSG_CMSG_CLOEXEC);
    } while (received.bytes < 0 && errno == EINTR);
    const cmsghdr* head = received.bytes > 0 ? CMSG_FIRSTHDR(&message) : nullptr;
    if (head != nullptr && head->cmsg_type == SCM_RIGHTS &&
        head->cmsg_len == CMSG_LEN(sizeof(PassedDescriptors))) {
        std::memcpy(received.passed.data(), CMSG_DATA(head), sizeof(PassedDescriptors));
    }
    return received;
}

void start(PassedDescriptors& passed) noexcept {
    if (!own_children.has_room() || passed[kBlock] < 0) {
        answer.head.error = EAGAIN;
        return;
    }
    answer.head.child = start_program(asked.head, passed, answer.head.error);
    if (answer.head.child > 0) {
        own_children.add(answer.head.child, asked.head.signal, passed[kTold]);
        passed[kTold] = -1;
    }
}

// The watcher makes the directory, so that this process cannot end and leave it behind.
void make_directory() noexcept {
    constexpr char kRandomEnd[] = "XXXXXX";  // mkdtemp asks for no memory to fill it in
    const std::size_t size = std::strlen(asked.path.data());
    for (auto& slot : own_directories) {
        if (slot[0] != '\0') {
            continue;
        }
        if (size + sizeof(kRandomEnd) > slot.size()) {
            answer.head.error = ENAMETOOLONG;
            return;
        }
        std::memcpy(answer.path.data(), asked.path.data(), size);
        std::memcpy(answer.path.data() + size, kRandomEnd, sizeof(kRandomEnd));
        if (mkdtemp(answer.path.data()) == nullptr) {
            answer.head.error = errno;
            answer.path[0] = '\0';
            return;
        }
        slot = answer.path;
        return;
    }
    answer.head.error = EAGAIN;
}

void forget_directory() noexcept {
    for (auto& slot : own_directories) {
        if (std::strcmp(slot.data(), asked.path.data()) == 0) {
            slot[0] = '\0';
        }
    }
}

// Answers one question. False: the other side has gone.
bool serve() noexcept {
    Received received = receive();
    if (received.bytes < static_cast<ssize_t>(sizeof(Question))) {
        return false;
    }
    asked.path.back() = '\0';
    answer.head = Reply();
    answer.path[0] = '\0';
    switch (asked.head.what) {
        case Ask::kStart: start(received.passed); break;
        case Ask::kSignal:
            answer.head.error = own_children.send(asked.head.child, asked.head.signal);
            break;
        case Ask::kEnd:
            answer.head.error = own_children.end(asked.head.child, answer.head.status) ? 0 : ESRCH;
            break;
        case Ask::kMakeDirectory: make_directory(); break;
        case Ask::kForgetDirectory: forget_directory(); break;
    }
    for (const int descriptor : received.passed) {
        if (descriptor >= 0) {
            close(descriptor);
        }
    }
    const std::size_t bytes = sizeof(Reply) + std::strlen(answer.path.data()) + 1;
    return send(kSocket, &answer, bytes, MSG_NOSIGNAL) >= 0;
}

void forget_signal() noexcept {
    signalfd_siginfo ignored{};
    while (read(ends_of_children, &ignored, sizeof(ignored)) > 0) {
    }
}

void sleep_until_a_child_ends() {
    constexpr int kMilliseconds = 10;
    pollfd wait{ends_of_children, POLLIN, 0};
    poll(&wait, 1, kMilliseconds);
    forget_signal();
}

// Keeps the socket and nothing else that the forking process had open: neither its locks nor the
// pipes at whose end somebody waits.
bool close_the_rest(int socket) noexcept {
    if (socket != kSocket && dup3(socket, kSocket, O_CLOEXEC) < 0) {
        return false;
    }
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (const int stream : {0, 1, 2}) {
        if (nothing < 0 || (nothing != stream && dup2(nothing, stream) < 0)) {
            return false;
        }
    }
    closefrom(kSocket + 1);
    return true;
}

// A descriptor that can be read when `watched` has ended; -1 where the kernel has none. Then the
// socket has to tell, which also a fork of that process may hold.
int descriptor_of(pid_t watched) noexcept {
    return static_cast<int>(syscall(SYS_pidfd_open, watched, 0));
}

void watch(int socket, pid_t watched) noexcept {
    setsid();
    signal(SIGCHLD, SIG_DFL);
    prctl(PR_SET_NAME, "lk-watcher");
    sigset_t child_signal;
    sigemptyset(&child_signal);
    sigaddset(&child_signal, SIGCHLD);
    if (!close_the_rest(socket) || prctl(PR_SET_CHILD_SUBREAPER, 1) != 0 || chdir("/") != 0) {
        return;
    }
    ends_of_children = signalfd(-1, &child_signal, SFD_CLOEXEC | SFD_NONBLOCK);
    const int end = descriptor_of(watched);
    if (ends_of_children < 0 || getppid() != watched) {
        return;
    }
    std::array<pollfd, 3> waits{
        {{kSocket, POLLIN, 0}, {ends_of_children, POLLIN, 0}, {end, POLLIN, 0}}};
    for (;;) {
        if (poll(waits.data(), waits.size(), -1) < 0) {
            continue;  // no signal gets through; what is wrong with a descriptor stands in revents
        }
        if (waits[1].revents != 0) {
            forget_signal();
            own_children.look();
        }
        if (waits[2].revents != 0 || (waits[0].revents != 0 && !serve())) {
            return;
        }
    }
}

void remove_directories() noexcept {
    for (auto& slot : own_directories) {
        if (slot[0] == '\0') {
            continue;
        }
        std::array<char, 8> name{"rm"};
        std::array<char, 8> how{"-rf"};
        std::array<char, 8> names_follow{"--"};
        char* const arguments[] = {name.data(), how.data(), names_follow.data(), slot.data(),
                                   nullptr};
        const pid_t remover = start_simply("/bin/rm", arguments);
        if (remover > 0) {
            waitpid(remover, nullptr, 0);
        }
    }
}

}  // namespace

void run_watcher(int socket, pid_t watched) noexcept {
    watch(socket, watched);
    own_children.end_all(sleep_until_a_child_ends);
    remove_directories();
    _exit(0);
}

}  // namespace lockkeeper::watcher_detail
