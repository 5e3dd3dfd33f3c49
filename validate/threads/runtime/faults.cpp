// SPDX-License-Identifier: Apache-2.0

// Faults of the program's threads, and the functions of it that they must not come to: in the place
// of the first byte of each stands a breakpoint while the program is explored.
#include <elf.h>
#include <link.h>
#include <signal.h>
#include <ucontext.h>

#include <algorithm>

#include "validate/threads/runtime/context.hpp"
#include "validate/threads/runtime/hosted.hpp"
#include "validate/threads/runtime/system.hpp"

namespace lockkeeper::threads {
namespace {

// What the kernel takes; the C library's call is not used, so that the program's own is seen.
struct Action {
    void (*handler)(int, siginfo_t*, void*);
    unsigned long flags;
    void (*restorer)();
    unsigned long mask;
};
constexpr std::uint8_t kBreakpoint = 0xcc;
constexpr unsigned long kRestorer = 0x04000000;

void unblock(int signal) {
    const unsigned long mask = 1UL << (signal - 1);
    raw_call(SYS_rt_sigprocmask, SIG_UNBLOCK, reinterpret_cast<long>(&mask), 0, sizeof(mask));
}

void on_trap(std::uint64_t at) {
    const auto known = hosted->unseen.find(at);
    if (known == hosted->unseen.end()) {
        found("fault", "a breakpoint of the program", at + 1);
    }
    refuse(known->second.why.c_str(), at + 1);
}

// The host may come to a function of the program by a library that both use: it goes on there, with
// the breakpoint back in its place one instruction later. False: it is another trap.
bool step_over(greg_t* registers) {
    constexpr greg_t kOneInstruction = 0x100;
    static UnseenFunction* stepped = nullptr;
    if (stepped != nullptr) {
        *reinterpret_cast<std::uint8_t*>(stepped->at) = kBreakpoint;
        stepped = nullptr;
        registers[REG_EFL] &= ~kOneInstruction;
        return true;
    }
    const auto known = hosted->unseen.find(static_cast<std::uint64_t>(registers[REG_RIP]) - 1);
    if (known == hosted->unseen.end() || known->second.is_of_a_library) {
        return false;
    }
    stepped = &known->second;
    *reinterpret_cast<std::uint8_t*>(stepped->at) = stepped->first_byte;
    --registers[REG_RIP];
    registers[REG_EFL] |= kOneInstruction;
    return true;
}

const char* text_of(int signal) {
    return signal == SIGFPE   ? "an arithmetic fault, such as a division by zero"
           : signal == SIGILL ? "an instruction that there is not"
                              : "an access of memory that is not the program's";
}

// The thread with its stack above this address, which nobody has; kNobody: there is none.
Thread thread_above(const void* address) {
    constexpr std::ptrdiff_t kBelow = 65536;
    for (Thread thread = 0; thread < kThreadsMax; ++thread) {
        const std::byte* stack = hosted->fibers[thread].stack;
        if (stack != nullptr && address >= stack - kBelow && address < stack) {
            return thread;
        }
    }
    return kNobody;
}

void on_fault(int signal, siginfo_t* info, void* given) {
    if (signal == SIGSEGV && note_written_page(*hosted, info->si_addr)) {
        return;
    }
    const Thread ended = signal == SIGSEGV ? thread_above(info->si_addr) : kNobody;
    if (running() == nullptr) {
        hosted->current = ended;  // the host worked on that stack
    }
    auto& registers = static_cast<ucontext_t*>(given)->uc_mcontext.gregs;
    if (signal == SIGTRAP && running() == nullptr && step_over(registers)) {
        return;
    }
    if (running() == nullptr) {
        const std::string text =
            "a fault outside of the program's threads: signal " + std::to_string(signal) + " at " +
            std::to_string(static_cast<std::uint64_t>(registers[REG_RIP]) - hosted->shadow.code);
        end_with_message(text.c_str());
    }
    unblock(signal);
    if (signal == SIGTRAP) {
        on_trap(static_cast<std::uint64_t>(registers[REG_RIP]) - 1);
    }
    found("fault",
          ended == hosted->current ? "the stack of the thread has ended (8 MiB)" : text_of(signal),
          0);
}

// The code of this runtime (cmake/lockkeeper_threads.ld).
extern "C" {
extern const std::byte __start_lockkeeper_text[] __attribute__((visibility("hidden")));
extern const std::byte __stop_lockkeeper_text[] __attribute__((visibility("hidden")));
}

// A thread that computes for ever asks nothing: it is left in the middle. In the middle of the
// runtime it is left the next time.
void on_tick(int signal, siginfo_t*, void* given) {
    if (hosted->gives_up_at > 0 && seconds_now() > hosted->gives_up_at) {
        end_process(kInterrupted);
    }
    const auto* context = static_cast<const ucontext_t*>(given);
    const auto* at = reinterpret_cast<const std::byte*>(context->uc_mcontext.gregs[REG_RIP]);
    if (running() == nullptr || seconds_now() <= hosted->deadline ||
        (at >= __start_lockkeeper_text && at < __stop_lockkeeper_text)) {
        return;
    }
    unblock(signal);
    hosted->is_late = true;
    Request request;
    request.what = Request::What::kLate;
    ask(request);
}

constexpr int kInterrupts[] = {SIGINT, SIGTERM, SIGHUP};

unsigned long mask_of_interrupts() {
    unsigned long mask = 0;
    for (const int signal : kInterrupts) {
        mask |= 1UL << (signal - 1);
    }
    return mask;
}

constexpr double kSecondsForReaders = 0.6;

// The command sends one to a program that may have had it from the terminal already.
void on_interrupt(int, siginfo_t*, void*) {
    if (hosted->is_interrupted && !hosted->settings.writes_json) {
        end_process(kInterrupted);
    }
    hosted->is_interrupted = true;
    if (hosted->is_reporting) {
        hosted->gives_up_at = seconds_now() + kSecondsForReaders;
    } else if (!hosted->is_telling) {
        hosted->deadline = 0;
    }
}

// The program comes first.
int make_writable(dl_phdr_info* info, std::size_t, void* is_done) {
    for (int index = 0; index < info->dlpi_phnum; ++index) {
        const ElfW(Phdr)& part = info->dlpi_phdr[index];
        if (part.p_type == PT_LOAD && (part.p_flags & PF_X) != 0) {
            const std::uintptr_t from = (info->dlpi_addr + part.p_vaddr) & ~std::uintptr_t{4095};
            const std::uintptr_t to = info->dlpi_addr + part.p_vaddr + part.p_memsz;
            constexpr long kReadWriteRun = 7;
            *static_cast<bool*>(is_done) =
                raw_call(SYS_mprotect, static_cast<long>(from), static_cast<long>(to - from),
                         kReadWriteRun) == 0;
        }
    }
    return 1;
}

void handle(int signal, void (*handler)(int, siginfo_t*, void*)) {
    const Action action{handler, SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART | kRestorer,
                        lockkeeper_threads_restore, 0};
    raw_call(SYS_rt_sigaction, signal, reinterpret_cast<long>(&action), 0, sizeof(action.mask));
}

}  // namespace

void watch_time(bool is_on) {
    handle(SIGALRM, on_tick);
    constexpr long kMicroseconds = 200'000;
    const long every = is_on ? kMicroseconds : 0;
    const long timer[] = {0, every, 0, every};
    raw_call(SYS_setitimer, 0, reinterpret_cast<long>(timer), 0);
}

unsigned long hold_interrupts() {
    const unsigned long mask = mask_of_interrupts();
    unsigned long before = 0;
    raw_call(SYS_rt_sigprocmask, SIG_BLOCK, reinterpret_cast<long>(&mask),
             reinterpret_cast<long>(&before), sizeof(mask));
    return before;
}

void watch_interrupts(const Hosted& host) {
    for (const int signal : kInterrupts) {
        Action before{};
        raw_call(SYS_rt_sigaction, signal, 0, reinterpret_cast<long>(&before), sizeof(before.mask));
        const bool is_ignored = reinterpret_cast<std::uintptr_t>(before.handler) ==
                                reinterpret_cast<std::uintptr_t>(SIG_IGN);
        if (!is_ignored || (host.test == nullptr && signal != SIGHUP)) {
            handle(signal, on_interrupt);
        }
    }
    const unsigned long mask = mask_of_interrupts();
    raw_call(SYS_rt_sigprocmask, SIG_UNBLOCK, reinterpret_cast<long>(&mask), 0, sizeof(mask));
}

void begin_report(Hosted& host) {
    watch_time(true);
    host.is_reporting = true;
    if (host.is_interrupted) {
        host.gives_up_at = seconds_now() + kSecondsForReaders;
    }
}

// On a stack of its own: that of the thread may have ended.
void watch_faults(Hosted& host) {
    stack_t stack{};
    stack.ss_size = 65536;
    stack.ss_sp = reserve(stack.ss_size);
    raw_call(SYS_sigaltstack, reinterpret_cast<long>(&stack), 0);
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) {
        handle(signal, on_fault);
    }
    bool is_writable = host.unseen.empty();
    if (!is_writable) {
        dl_iterate_phdr(make_writable, &is_writable);
    }
    if (!is_writable) {
        end_with_message(
            "the system does not let a program change its own code, and this one has functions "
            "without hooks that have to be watched");
    }
    for (auto& [at, function] : host.unseen) {
        if (!function.is_of_a_library) {
            auto* byte = reinterpret_cast<std::uint8_t*>(at);
            function.first_byte = *byte;
            *byte = kBreakpoint;
        }
    }
}

}  // namespace lockkeeper::threads
