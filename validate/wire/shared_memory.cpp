// SPDX-License-Identifier: Apache-2.0
#include "validate/wire/shared_memory.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <system_error>
#include <tuple>
#include <utility>

#include "model/check.hpp"

namespace lockkeeper::wire {
namespace {

constexpr const char* kMemoryName = "/memory";

[[noreturn]] void fail(const std::string& what) {
    throw std::system_error(errno, std::generic_category(), what);
}

void write_file(const std::string& path, const std::string& bytes) {
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0) {
        fail(path);
    }
    std::size_t at = 0;
    while (at < bytes.size()) {
        const ssize_t count = write(file, bytes.data() + at, bytes.size() - at);
        if (count < 0 && errno != EINTR) {
            close(file);
            fail(path);
        }
        at += count > 0 ? static_cast<std::size_t>(count) : 0;
    }
    close(file);
}

// Sends the timer's signal to its thread or process; nothing if the timer has no signal.
void send_signal(const lockkeeper_wire_slot& slot) {
    siginfo_t info{};
    info.si_signo = slot.signal;
    info.si_code = SI_TIMER;
    static_assert(sizeof info.si_value == sizeof slot.value);
    std::memcpy(&info.si_value, &slot.value, sizeof slot.value);
    if (slot.signal != 0 && slot.tid != 0) {
        syscall(SYS_rt_tgsigqueueinfo, slot.pid, slot.tid, slot.signal, &info);
    } else if (slot.signal != 0) {
        syscall(SYS_rt_sigqueueinfo, slot.pid, slot.signal, &info);
    }
}

// Orders the threads of a process by age. The kernel's numbers begin anew at some number, often
// within a run; the process's own is that of its oldest thread.
std::int64_t age_rank(const lockkeeper_wire_slot& slot) {
    constexpr std::int64_t kNumbersMax = 1 << 22;  // Linux has no more
    const std::int64_t later = std::int64_t{slot.tid} - slot.pid;
    return later < 0 ? later + kNumbersMax : later;
}

std::uint64_t mixed(std::uint64_t number) {
    number = (number ^ (number >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    return number ^ (number >> 27U);
}

}  // namespace

SharedMemory::SharedMemory(const std::string& directory) : directory_(directory) {
    LOCKKEEPER_CHECK(directory.size() < sizeof(memory_->directory));
    write_file(directory + library_name(), preloaded_library());
    write_file(script_path(), preloaded_script());
    const std::string path = directory + kMemoryName;
    const int file = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0 || ftruncate(file, sizeof(*memory_)) != 0) {
        fail(path);
    }
    void* mapped = mmap(nullptr, sizeof(*memory_), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (mapped == MAP_FAILED) {
        fail(path);
    }
    memory_ = static_cast<lockkeeper_wire_memory*>(mapped);
    memory_->magic = LOCKKEEPER_WIRE_MAGIC;
    std::memcpy(static_cast<void*>(memory_->directory), directory.c_str(), directory.size() + 1);
    set_now(kBeginning);
    for (std::size_t caller = 0; caller < LOCKKEEPER_WIRE_CALLERS; ++caller) {
        begin_random(caller, 0);
    }
}

SharedMemory::~SharedMemory() { munmap(memory_, sizeof(*memory_)); }

std::int64_t SharedMemory::now() const { return __atomic_load_n(&memory_->now, __ATOMIC_SEQ_CST); }

void SharedMemory::set_now(std::int64_t now) {
    __atomic_store_n(&memory_->now, now, __ATOMIC_SEQ_CST);
}

std::vector<std::string> SharedMemory::files() const {
    return {directory_ + library_name(), directory_ + kMemoryName};
}

std::vector<Sleeper> SharedMemory::sleepers_of(std::size_t caller,
                                               std::optional<pid_t> process) const {
    std::vector<Sleeper> out;
    const auto used = std::min<std::size_t>(
        static_cast<std::size_t>(__atomic_load_n(&memory_->slots_end, __ATOMIC_SEQ_CST)),
        LOCKKEEPER_WIRE_SLOTS);
    for (std::size_t i = 0; i < used; ++i) {
        const lockkeeper_wire_slot& slot = memory_->slots[i];
        const bool is_over = slot.kind == LOCKKEEPER_WIRE_WAIT && slot.fired != 0;
        if (slot.used != 0 && slot.waits != 0 && !is_over && slot.until != INT64_MAX &&
            slot.caller == static_cast<std::int32_t>(caller) &&
            (!process || slot.pid == *process)) {
            out.push_back({i, slot.until, slot.kind == LOCKKEEPER_WIRE_WAIT && slot.is_loop != 0});
        }
    }
    for (Sleeper& sleeper : out) {
        if (!sleeper.is_loop) {
            continue;  // nobody asks
        }
        const lockkeeper_wire_slot& own = memory_->slots[sleeper.slot];
        sleeper.thread = static_cast<std::size_t>(std::count_if(
            memory_->slots, memory_->slots + used, [&](const lockkeeper_wire_slot& other) {
                return other.used != 0 && other.kind == LOCKKEEPER_WIRE_WAIT &&
                       other.pid == own.pid && age_rank(other) < age_rank(own);
            }));
    }
    // At one instant, loops of threads that a runtime has beside the first one come last.
    const auto rank = [&](const Sleeper& sleeper) {
        const lockkeeper_wire_slot& slot = memory_->slots[sleeper.slot];
        return std::tuple(sleeper.until, sleeper.is_loop && slot.tid != slot.pid,
                          slot.kind == LOCKKEEPER_WIRE_WAIT ? age_rank(slot) : 0);
    };
    std::stable_sort(out.begin(), out.end(), [&](const Sleeper& left, const Sleeper& right) {
        return rank(left) < rank(right);
    });
    return out;
}

std::optional<std::int64_t> SharedMemory::sleep_of_first_thread(std::size_t caller) const {
    for (const Sleeper& sleeper : sleepers_of(caller)) {
        const lockkeeper_wire_slot& slot = memory_->slots[sleeper.slot];
        if (slot.kind == LOCKKEEPER_WIRE_WAIT && slot.sleeps != 0 && slot.tid == slot.pid) {
            return sleeper.until;
        }
    }
    return std::nullopt;
}

void SharedMemory::fire(std::size_t number) {
    lockkeeper_wire_slot& slot = memory_->slots[number];
    if (slot.kind == LOCKKEEPER_WIRE_WAIT) {
        __atomic_store_n(&slot.fired, 1, __ATOMIC_SEQ_CST);
        syscall(SYS_tgkill, slot.pid, slot.tid, SIGRTMAX - LOCKKEEPER_WIRE_SIGNAL_FROM_LAST);
        return;
    }
    const bool is_server = slot.caller >= LOCKKEEPER_WIRE_SERVER;
    const std::int64_t drift = is_server ? 0 : memory_->callers[slot.caller].clock_drift;
    if (slot.interval > 0) {
        slot.steady =
            (slot.wall != 0 ? lockkeeper_wire_shown(now(), drift) : slot.steady) + slot.interval;
        slot.wall = 0;
        slot.until = lockkeeper_wire_moment(slot.steady + 1, drift);
    } else {
        __atomic_store_n(&slot.waits, 0, __ATOMIC_SEQ_CST);
    }
    if (slot.kind == LOCKKEEPER_WIRE_ALARM) {
        ::kill(slot.pid, SIGALRM);
        return;
    }
    if (slot.kind == LOCKKEEPER_WIRE_SIGNALS) {
        send_signal(slot);
        return;
    }
    __atomic_fetch_add(&slot.fired, 1, __ATOMIC_SEQ_CST);
    if (slot.kind == LOCKKEEPER_WIRE_THREADS) {
        syscall(SYS_futex, &slot.fired, FUTEX_WAKE, 1, nullptr, nullptr, 0);
        return;
    }
    ::kill(slot.pid, SIGRTMAX - LOCKKEEPER_WIRE_TIMER_FROM_LAST);
}

void SharedMemory::begin_random(std::size_t caller, std::uint64_t incarnation) {
    lockkeeper_wire_caller& own = memory_->callers[caller];
    own.random_seed = mixed((caller + 1) * 0x9E3779B97F4A7C15ULL + incarnation);
    own.random_epoch = ++epochs_;
    // Far from the numbers that the machine gives, and apart for each caller and incarnation.
    constexpr std::int32_t kFirst = 5'000'000;
    own.next_pid = kFirst + static_cast<std::int32_t>(caller) * 100'000 +
                   static_cast<std::int32_t>(incarnation % 100) * 1'000;
}

// Where the caller's random numbers begin, and where it counts timers: see preload/node.cjs.
std::string SharedMemory::node_variable(unsigned caller) const {
    if (caller >= LOCKKEEPER_WIRE_CALLERS) {
        return "LOCKKEEPER_WIRE_NODE=";
    }
    const std::size_t own =
        offsetof(lockkeeper_wire_memory, callers) + caller * sizeof(lockkeeper_wire_caller);
    return "LOCKKEEPER_WIRE_NODE=" + directory_ + kMemoryName + ":" +
           std::to_string(own + offsetof(lockkeeper_wire_caller, random_epoch)) + ":" +
           std::to_string(own + offsetof(lockkeeper_wire_caller, timer_calls));
}

std::vector<std::string> SharedMemory::variables(unsigned caller) const {
    return {"LD_PRELOAD=" + directory_ + library_name(),
            LOCKKEEPER_WIRE_MEMORY "=" + directory_ + kMemoryName,
            LOCKKEEPER_WIRE_CALLER "=" + std::to_string(caller), node_variable(caller)};
}

}  // namespace lockkeeper::wire
