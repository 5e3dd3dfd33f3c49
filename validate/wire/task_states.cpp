// SPDX-License-Identifier: Apache-2.0
#include "validate/wire/task_states.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

#include <fmt/format.h>

namespace lockkeeper::wire {
namespace {

// The number behind `name`, which begins a line; 0 where there is none.
std::uint64_t number_behind(std::string_view text, std::string_view name) {
    std::size_t at = text.find(name);
    if (at == std::string_view::npos) {
        return 0;
    }
    at = text.find_first_not_of(" \t", at + name.size());
    std::uint64_t number = 0;
    if (at != std::string_view::npos) {
        std::from_chars(text.data() + at, text.data() + text.size(), number);
    }
    return number;
}

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

}  // namespace

bool shows_wait_channels() {
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
        if (id != 0) {
            const int file = open(fmt::format("/proc/self/task/{}/wchan", id.load()).c_str(),
                                  O_RDONLY | O_CLOEXEC);
            shows = is_blocked(file);
            close(file);
        }
    }
    close(ends[1]);
    waits.join();
    close(ends[0]);
    return shows;
}

TaskStates::~TaskStates() {
    for (auto& [process, tasks] : tasks_) {
        close_all(tasks);
    }
}

void TaskStates::close_all(std::vector<Task>& tasks) {
    for (const Task& task : tasks) {
        for (const int file : {task.status, task.children, task.wait_channel}) {
            if (file >= 0) {
                close(file);
            }
        }
    }
    tasks.clear();
}

void TaskStates::forget(pid_t process) {
    const auto found = tasks_.find(process);
    if (found != tasks_.end()) {
        close_all(found->second);
        tasks_.erase(found);
    }
}

void TaskStates::forget_all_but(const std::vector<pid_t>& processes) {
    for (auto at = tasks_.begin(); at != tasks_.end();) {
        if (std::find(processes.begin(), processes.end(), at->first) != processes.end()) {
            ++at;
            continue;
        }
        close_all(at->second);
        at = tasks_.erase(at);
    }
}

TaskStates::Look TaskStates::look_at(const Task& task, Round round) {
    const bool works = round == Round::kSecond && !is_blocked(task.wait_channel);
    std::array<char, 4096> buffer;
    const ssize_t count = pread(task.status, buffer.data(), buffer.size(), 0);
    if (count <= 0) {
        return {};
    }
    const std::string_view text(buffer.data(), static_cast<std::size_t>(count));
    const std::size_t at = text.find("\nState:\t");
    const char state = at == std::string_view::npos || at + 8 >= text.size() ? '?' : text[at + 8];
    Look look;
    look.seen = state == 'Z' || state == 'X' ? Seen::kGone
                : state == 'S' && !works     ? Seen::kSleeps
                                             : Seen::kWorks;
    look.threads = number_behind(text, "\nThreads:");
    look.switches = number_behind(text, "\nvoluntary_ctxt_switches:") +
                    number_behind(text, "\nnonvoluntary_ctxt_switches:");
    return look;
}

// False: it has ended.
bool TaskStates::list_tasks(pid_t process) {
    std::vector<Task>& tasks = tasks_[process];
    close_all(tasks);
    const std::string path = "/proc/" + std::to_string(process) + "/task";
    DIR* directory = opendir(path.c_str());
    while (const dirent* entry = directory == nullptr ? nullptr : readdir(directory)) {
        const pid_t id = std::atoi(entry->d_name);
        if (id > 0) {
            const std::string base = path + "/" + entry->d_name;
            tasks.push_back({id, open_file(base + "/status"), open_file(base + "/children"),
                             open_file(base + "/wchan")});
        }
    }
    if (directory != nullptr) {
        closedir(directory);
    }
    std::sort(tasks.begin(), tasks.end(), [&](const Task& left, const Task& right) {
        return (left.id != process) < (right.id != process) ||
               ((left.id == process) == (right.id == process) && left.id < right.id);
    });
    return !tasks.empty();
}

TaskStates::Seen TaskStates::sample(pid_t process, Round round, std::vector<Sample>& samples) {
    const auto known = tasks_.find(process);
    if ((known == tasks_.end() || known->second.empty()) && !list_tasks(process)) {
        forget(process);
        return Seen::kGone;
    }
    const std::vector<Task>& tasks = tasks_[process];
    const Look main = look_at(tasks.front(), round);
    if (main.seen == Seen::kGone && main.threads <= 1) {
        forget(process);
        return Seen::kGone;
    }
    if (main.seen == Seen::kWorks) {
        return Seen::kWorks;
    }
    if (main.threads != tasks.size()) {
        close_all(tasks_[process]);  // threads have begun or ended: the next look lists them
        return Seen::kWorks;
    }
    samples.push_back({process, main.switches});
    for (std::size_t i = 1; i < tasks.size(); ++i) {
        const Look look = look_at(tasks[i], round);
        if (look.seen != Seen::kSleeps) {
            if (look.seen == Seen::kGone) {
                close_all(tasks_[process]);
            }
            return Seen::kWorks;
        }
        samples.push_back({tasks[i].id, look.switches});
    }
    return Seen::kSleeps;
}

bool TaskStates::has_ended(pid_t process) {
    std::vector<Sample> none;
    return sample(process, Round::kFirst, none) == Seen::kGone;
}

void TaskStates::add_children(pid_t process, std::vector<pid_t>& out) {
    const auto known = tasks_.find(process);
    if ((known == tasks_.end() || known->second.empty()) && !list_tasks(process)) {
        forget(process);
        return;
    }
    for (const Task& task : tasks_[process]) {
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

bool TaskStates::all_sleep(const std::vector<pid_t>& roots) {
    std::vector<pid_t> processes = descendants(roots);
    std::vector<Sample> first;
    std::vector<Sample> second;
    for (const pid_t process : processes) {
        if (sample(process, Round::kFirst, first) == Seen::kWorks) {
            return false;
        }
    }
    if (descendants(roots) != processes) {
        return false;
    }
    for (const pid_t process : processes) {
        if (sample(process, Round::kSecond, second) == Seen::kWorks) {
            return false;
        }
    }
    return first == second;
}

}  // namespace lockkeeper::wire
