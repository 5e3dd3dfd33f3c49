// SPDX-License-Identifier: Apache-2.0
#include "validate/wire/task_states.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>

namespace lockkeeper::wire {
namespace {

// Negative: the process has ended.
int open_file(const std::string& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0 && (errno == EMFILE || errno == ENFILE || errno == EACCES)) {
        throw std::system_error(errno, std::generic_category(), path);
    }
    return file;
}

// The kernel names no wait channel of a thread that runs, or waits for a processor only.
bool is_blocked(int wait_channel) {
    char first = '0';
    return pread(wait_channel, &first, 1, 0) == 1 && first != '0';
}

// 'S' of one that sleeps, 'Z' of one that has ended and that nobody has reaped; 0: it is gone.
char state_of(int file) {
    std::array<char, 512> buffer;
    const ssize_t count = pread(file, buffer.data(), buffer.size(), 0);
    if (count <= 0) {
        return '\0';
    }
    // Behind the name, which may have brackets, too.
    const char* const end = buffer.data() + count;
    const auto* const bracket =
        static_cast<const char*>(memrchr(buffer.data(), ')', static_cast<std::size_t>(count)));
    return bracket == nullptr || end - bracket <= 2 ? '\0' : bracket[2];
}

// Since Linux 6.12 a thread that has gone to sleep may stay in the queue for a processor until its
// turn would come, a tenth of a second where others are busy, and has no wait channel until then.
// Whoever asks for its system call takes it out of there. One that is only about to sleep is waited
// for. Where it may not be asked nothing is lost but the time.
bool is_blocked_now(pid_t task, int wait_channel) {
    if (is_blocked(wait_channel)) {
        return true;
    }
    const int call = open(fmt::format("/proc/{}/syscall", task).c_str(), O_RDONLY | O_CLOEXEC);
    if (call >= 0) {
        char first = 0;
        static_cast<void>(!read(call, &first, 1));
        close(call);
    }
    return is_blocked(wait_channel);
}

bool is_gone(char state) { return state == 'Z' || state == 'X' || state == '\0'; }

}  // namespace

bool shows_who_waits() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        throw std::system_error(errno, std::generic_category(), "pipe2");
    }
    std::atomic<pid_t> id = 0;
    std::thread waits([&] {
        id = gettid();
        char end = 0;
        static_cast<void>(!read(ends[0], &end, 1));
    });
    bool shows = false;
    for (int look = 0; look < 1000 && !shows; ++look) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        if (id == 0) {
            continue;
        }
        const std::string path = "/proc/self/task/" + std::to_string(id);
        const int wait_channel = open((path + "/wchan").c_str(), O_RDONLY | O_CLOEXEC);
        const int has_run = open((path + "/schedstat").c_str(), O_RDONLY | O_CLOEXEC);
        // The first number of what it has run is not 0.
        shows = is_blocked_now(id, wait_channel) && is_blocked(has_run);
        close(wait_channel);
        close(has_run);
    }
    close(ends[1]);
    waits.join();
    close(ends[0]);
    return shows;
}

TaskStates::~TaskStates() {
    for (auto& [id, process] : processes_) {
        close_all(process);
    }
}

void TaskStates::close_all(Process& process) {
    for (const Task& task : process.tasks) {
        for (const int file : {task.state, task.children, task.wait_channel, task.has_run}) {
            if (file >= 0) {
                close(file);
            }
        }
    }
    process.tasks.clear();
    if (process.directory >= 0) {
        close(std::exchange(process.directory, -1));
    }
}

void TaskStates::forget(pid_t process) {
    const auto found = processes_.find(process);
    if (found != processes_.end()) {
        close_all(found->second);
        processes_.erase(found);
    }
}

void TaskStates::forget_all_but(const std::vector<pid_t>& processes) {
    for (auto at = processes_.begin(); at != processes_.end();) {
        if (std::find(processes.begin(), processes.end(), at->first) != processes.end()) {
            ++at;
            continue;
        }
        close_all(at->second);
        at = processes_.erase(at);
    }
}

// False: it has ended.
bool TaskStates::list_tasks(pid_t process, Process& out) {
    close_all(out);
    const std::string path = "/proc/" + std::to_string(process) + "/task";
    DIR* directory = opendir(path.c_str());
    while (const dirent* entry = directory == nullptr ? nullptr : readdir(directory)) {
        const pid_t id = std::atoi(entry->d_name);
        if (id > 0) {
            const std::string base = path + "/" + entry->d_name;
            out.tasks.push_back({id, open_file(base + "/stat"), open_file(base + "/children"),
                                 open_file(base + "/wchan"), open_file(base + "/schedstat")});
        }
    }
    if (directory != nullptr) {
        closedir(directory);
        out.directory = open_file(path);
    }
    std::sort(out.tasks.begin(), out.tasks.end(), [&](const Task& left, const Task& right) {
        return (left.id != process) < (right.id != process) ||
               ((left.id == process) == (right.id == process) && left.id < right.id);
    });
    return !out.tasks.empty();
}

// Null: it has ended.
TaskStates::Process* TaskStates::known(pid_t process) {
    Process& own = processes_[process];
    if (own.tasks.empty() && !list_tasks(process, own)) {
        forget(process);
        return nullptr;
    }
    return &own;
}

TaskStates::Seen TaskStates::look_at(const Task& task, Round round, Sample& sample) {
    const auto read_what_has_run = [&] {
        sample = {task.id, {}};
        return pread(task.has_run, sample.has_run.data(), sample.has_run.size(), 0) > 0;
    };
    if (round == Round::kFirst && !read_what_has_run()) {
        return Seen::kGone;
    }
    if (round == Round::kFirst && is_blocked(task.wait_channel)) {
        return Seen::kSleeps;
    }
    const char state = state_of(task.state);
    if (is_gone(state)) {
        return Seen::kGone;
    }
    return state == 'S' && is_blocked_now(task.id, task.wait_channel) && read_what_has_run()
               ? Seen::kSleeps
               : Seen::kWorks;
}

TaskStates::Seen TaskStates::sample(pid_t process, Round round, std::vector<Sample>& samples) {
    Process* const own = known(process);
    if (own == nullptr) {
        return Seen::kGone;
    }
    if (struct stat now{}; round == Round::kSecond && fstat(own->directory, &now) == 0 &&
                           now.st_nlink != own->tasks.size() + 2) {
        close_all(*own);  // threads have begun or ended: the next look lists them
        return Seen::kWorks;
    }
    for (std::size_t i = 0; i < own->tasks.size(); ++i) {
        const Seen seen = look_at(own->tasks[i], round, samples.emplace_back());
        if (seen == Seen::kGone && (i > 0 || own->tasks.size() > 1)) {
            close_all(*own);
            return Seen::kWorks;
        }
        if (seen == Seen::kGone) {
            samples.pop_back();
            forget(process);
        }
        if (seen != Seen::kSleeps) {
            return seen;
        }
    }
    return Seen::kSleeps;
}

bool TaskStates::has_ended(pid_t process) {
    const Process* const own = known(process);
    if (own == nullptr) {
        return true;
    }
    return is_gone(state_of(own->tasks.front().state));
}

void TaskStates::add_children(pid_t process, std::vector<pid_t>& out) {
    const Process* const own = known(process);
    if (own == nullptr) {
        return;
    }
    for (const Task& task : own->tasks) {
        std::array<char, 4096> buffer;
        const ssize_t count = pread(task.children, buffer.data(), buffer.size(), 0);
        const char* at = buffer.data();
        const char* const end = at + std::max<ssize_t>(count, 0);
        for (pid_t child = 0; at < end; ++at) {
            const auto [stop, error] = std::from_chars(at, end, child);
            if (error == std::errc()) {
                out.push_back(child);
                at = stop;
            }
        }
    }
}

std::vector<pid_t> TaskStates::descendants(const std::vector<pid_t>& roots) {
    std::vector<pid_t> out = roots;
    for (std::size_t i = 0; i < out.size(); ++i) {
        add_children(out[i], out);
    }
    return out;
}

std::string TaskStates::who_works(const std::vector<pid_t>& roots) {
    for (const pid_t process : descendants(roots)) {
        const Process* const own = known(process);
        if (own == nullptr) {
            continue;
        }
        for (const Task& task : own->tasks) {
            const char state = state_of(task.state);
            const bool blocked = is_blocked_now(task.id, task.wait_channel);
            if (!is_gone(state) && (state != 'S' || !blocked)) {
                return fmt::format("thread {} of process {} is in state {} and {}", task.id,
                                   process, state, blocked ? "blocked" : "not blocked");
            }
        }
    }
    return "each of its threads sleeps, and one runs now and then";
}

bool TaskStates::all_sleep(const std::vector<pid_t>& roots) {
    const std::vector<pid_t> processes = descendants(roots);
    first_.clear();
    second_.clear();
    for (const pid_t process : processes) {
        if (sample(process, Round::kFirst, first_) == Seen::kWorks) {
            return false;
        }
    }
    if (descendants(roots) != processes) {
        return false;
    }
    for (const pid_t process : processes) {
        if (sample(process, Round::kSecond, second_) == Seen::kWorks) {
            return false;
        }
    }
    return first_ == second_;
}

}  // namespace lockkeeper::wire
