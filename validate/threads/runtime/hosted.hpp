// SPDX-License-Identifier: Apache-2.0

// Everything that the host of a program with threads keeps. It stands in memory of its own: the
// program's variables are put back before each run, and with them whatever the runtime would keep
// among them.
#pragma once

#include <pthread.h>

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "validate/threads/graph/search.hpp"
#include "validate/threads/marked/mark.hpp"
#include "validate/threads/runtime/barriers.hpp"
#include "validate/threads/runtime/library_calls.hpp"
#include "validate/threads/runtime/shadow.hpp"

namespace lockkeeper::threads {

class MarksJudge;

constexpr std::size_t kStackBytes = std::size_t{1} << 23;  // as pthreads have them
constexpr std::size_t kArenaBytes = std::size_t{1} << 28;
// Memory allocated before main has the arena behind those of the threads.
constexpr std::size_t kArenaBeforeMain = kThreadsMax;

// How a call uses the memory of a mutex or the like.
enum class ObjectUse : std::uint8_t {
    kNone,     // an atomic variable, or a futex, which only says where it is
    kUsed,     // the call needs it
    kEntered,  // the same, and begins a wait
    kLeft,     // the wait goes on: the object may be gone as soon as all that wait are notified
};

// A question of a thread to the search.
struct Request {
    enum class What : std::uint8_t {
        kNone,
        kLoad,
        kStore,
        kModify,
        kFence,
        kSpawn,
        kJoin,
        kChoose,
        kEnd,
        kFound,    // a violation
        kRefused,  // what cannot be hosted
        kExit,     // the process would end
        kLate,     // the time of the search is over
        kPause,    // many plain accesses, and nothing else: others first
    } what = What::kNone;
    bool is_memory =
        true;  // an atomic variable; else the word of a mutex, or of what else is waited at
    bool is_lock = false;   // the word of a mutex or the like: held while it is larger than before
    bool tries = false;     // the lock, and goes on without it
    bool has_lives = true;  // a plain write begins a new one at the same address
    ObjectUse object = ObjectUse::kNone;
    bool may_time_out = false;  // who waits here does not wait for ever
    std::uint8_t size = 8;
    Order order = Order::kSeqCst;
    Order order_left = Order::kSeqCst;
    std::uint64_t address = 0;
    std::uint64_t value = 0;  // kStore; kSpawn: the function; kJoin: the thread; kChoose: how many
    std::uint64_t argument = 0;  // kSpawn
    Search::Decide decide = nullptr;
    const void* context = nullptr;
    const char* text = nullptr;  // what it is called in a report
    std::uint64_t site = 0;
    std::uint64_t result = 0;
};

// A place where a loop could come back to.
struct SpinMark {
    std::uint64_t state = 0;
    std::uint16_t reads = 0;
    std::uint32_t looks_at_clocks = 0;
    std::uint32_t changes_of_locks = 0;
    std::uint32_t locks = 0;
};

struct Fiber {
    std::byte* stack = nullptr;
    void* top = nullptr;  // where its stack was left
    std::uintptr_t thread_pointer = 0;
    pthread_t handle{};
    bool is_started = false;
    bool has_run = false;  // since its thread-local variables were put back
    bool is_detached = false;
    bool is_joined = false;
    bool has_changed = false;  // memory outside of its stack, since the last mark
    std::uint64_t held = 0;    // of the locks that it has: a sum
    std::uint32_t locks = 0;   // so many
    Request* request = nullptr;
    void* (*function)(void*) = nullptr;
    void* argument = nullptr;
    void* returned = nullptr;
    Location entered = 0;  // the word of the wait that it is in
    std::uint16_t reads = 0;
    std::uint16_t spurious = 0;
    std::uint16_t timeouts = 0;
    std::uint16_t failures = 0;
    std::uint16_t weak_failures = 0;
    std::int64_t passed = 0;  // ns of its own time
    std::uint32_t looks_at_clocks = 0;
    std::uint32_t changes_of_locks = 0;
    bool spins = false;                // it was left in a loop that waits
    bool spins_by_clock = false;       // the loop that it is in looks at one
    std::vector<std::uint64_t> calls;  // where it is, in a run that is told
    std::vector<SpinMark> marks;
    std::uint64_t state = 0;       // at its last load
    std::uint64_t value_read = 0;  // by the last one that is done
    std::uint32_t accesses = 0;    // plain ones, and of what the runtime keeps for the thread
    std::uint32_t accesses_at_load = 0;
    std::uint16_t epoch_at_load = 0;  // the next event's, behind the load alone
    std::uint32_t effects = 0;        // marks, allocations and sleeps, which no load takes back
    std::uint32_t effects_at_load = 0;
    std::vector<std::uint64_t> known_spins;  // of all runs: states with the value that leads back
    struct Destructor {
        void (*function)(void*);
        void* object;
    };
    std::vector<Destructor> destructors;
    std::vector<const void*> specific;
    std::vector<const void*> shared_pointers;  // that it has locked (std::atomic_load and its kin)
    std::vector<const void*> read_locks;       // that it holds
    // The last access of each other thread to what is this one's alone.
    struct Guest {
        std::uint16_t epoch = 0;  // 0: none
        std::uint64_t site = 0;
    };
    Guest guests[kThreadsMax];
};

// The word of an atomic variable or of a mutex.
struct Word {
    std::uint64_t address = 0;
    std::uint8_t size = 8;
    bool is_memory = true;
    EventId in_memory;  // the store whose value memory has
    std::uint64_t run = 0;
    // A lock's, a bit for each thread: has tried it; has it in a round that is left out.
    std::uint64_t tried_by = 0;
    std::uint64_t left_out_by = 0;
};

// By which it is found in Hosted::locations. `life`: how many stood there before it.
[[nodiscard]] constexpr std::uint64_t key_of_word(std::uint64_t address, std::uint8_t life,
                                                  bool is_memory) {
    return address | std::uint64_t{life} << 56 | std::uint64_t{is_memory ? 0U : 1U} << 55;
}

constexpr std::size_t kRecentWords = 64;
struct KnownWord {
    std::uint64_t key = 0;  // 0: none
    Location location = 0;
};

// A part of the program's memory that each run begins with anew.
struct Image {
    std::byte* at = nullptr;
    std::size_t size = 0;
    std::byte* kept = nullptr;
    // A large one has whole pages that are protected until they are written first: only those that
    // ever are have to be put back.
    std::byte* pages = nullptr;
    std::size_t pages_count = 0;
    std::uint32_t* written = nullptr;  // their numbers
    std::size_t written_count = 0;
};

struct Settings {
    Model model = Model::kC11;
    std::string strategy = "all";  // every execution; or "random", "pct:3"
    std::uint64_t seed = 1;
    std::uint64_t schedules_max = 10'000;  // of the latter
    std::optional<RunLine> replayed;       // this run alone
    bool finds_leaks = false;
    bool trusts_headers = false;  // atomic accesses of the C++ library's headers are seq_cst
    std::uint64_t executions_max = 10'000'000;
    std::uint64_t seconds_max = 60;
    std::uint16_t spurious_max = 1;             // wake-ups of each thread that nobody sent
    std::uint16_t timeouts_max = 1;             // of each thread
    std::uint16_t allocation_failures_max = 0;  // of each thread but main
    std::uint16_t weak_failures_max = 0;        // of each thread's weak compare-exchanges
    int out = 1;
    bool writes_json = false;  // in the place of the text
    bool adds_json = false;    // behind the text and a zero byte
};

// A fault of a run.
struct Finding {
    std::string kind;  // "data race", "P13 deadlock", ...
    int property = 0;  // its number; 0: it has none
    std::string text;
    Thread thread = kNobody;
    std::uint64_t site = 0;
    // A data race: the other access.
    Thread other_thread = kNobody;
    std::uint64_t other_site = 0;
    std::uint64_t address = 0;
    // The marks in an order that breaks a promise, each by its thread and number there.
    std::vector<std::pair<Thread, std::size_t>> marks;
    bool is_of_whole_run = false;  // nobody goes on behind the last event
    bool is_of_marks = false;      // what is at the address is not looked at
};

// An event or a plain access of the run that is told, with the functions that it stands in.
struct Told {
    Thread thread = kNobody;
    EventId event;  // kInitial: a plain access, or a mark of the test
    bool is_mark = false;
    bool is_write = false;
    std::uint64_t address = 0;
    std::uint8_t size = 0;
    const char* text = nullptr;
    std::vector<std::uint64_t> calls;
};

struct AllocatedBlock {
    std::uint64_t size = 0;
    Thread thread = kNobody;
    std::uint64_t site = 0;
};

struct UnseenFunction {
    std::uint64_t at = 0;
    std::string why;
    bool is_of_a_library = false;  // `at` is not the function, but what is called in its place
    std::uint8_t first_byte = 0;   // where a breakpoint stands now
};

struct Hosted {
    explicit Hosted(const Settings& given) : settings(given), search(given.model) {}

    Settings settings;
    Search search;
    std::unique_ptr<Choices> choices;  // null: every execution
    // Set while a thread of the program runs.
    Thread current = kNobody;
    void* host_stack = nullptr;
    std::uintptr_t host_pointer = 0;
    std::uintptr_t borrowed_pointer = 0;  // that of the thread that ran last, within a run
    bool sets_by_instruction = false;
    std::uint32_t run = 0;
    Fiber fibers[kThreadsMax];
    std::vector<Image> images;         // of the process
    std::vector<Image> thread_images;  // thread-local variables of all fibers
    // The C++ library keeps them.
    void (*terminate_handler)() = nullptr;
    void (*new_handler)() = nullptr;
    std::unordered_map<std::uint64_t, Location> locations;
    KnownWord recent_words[kRecentWords];  // some of them
    std::vector<Word> words;
    Shadow shadow;
    Shadow::Region unwinder;  // where its code is
    // Functions that no thread may come to, and why: their accesses are not seen.
    std::unordered_map<std::uint64_t, UnseenFunction> unseen;
    std::vector<NotedFunction> noted;    // by the number of the symbol
    std::vector<std::uint64_t> trusted;  // sites of atomic accesses of headers, in order
    std::vector<std::uint64_t> waiting;  // of loads in the library's loops that only wait, in order
    std::vector<std::uint64_t> notifying;  // where trusted headers look who waits, in order
    std::vector<Mark> marks;               // of this run
    std::unordered_map<const void*, std::uint32_t> lives_of_locks;  // that are gone, in this run
    std::vector<const void*> shared_exceptions;  // that a std::exception_ptr has had, in this run
    Barriers barriers;
    MarksJudge* judge = nullptr;
    // Memory of this run that was not given back, by its address; only where leaks are looked for.
    std::unordered_map<std::uint64_t, AllocatedBlock> blocks;
    Finding found;
    std::string message;                // of an assertion
    std::string refused;                // why nothing is said; empty: it is not so
    bool is_not_deterministic = false;  // and why: the same values did not give the same
    int exit_code = 0;
    double deadline = 0;
    std::uint32_t turns = 0;
    bool is_late = false;                  // in the middle of a run
    volatile bool is_interrupted = false;  // by a signal
    volatile bool is_reporting = false;
    volatile double gives_up_at = 0;  // when the report is not read after a signal; 0: it is not so
    bool was_bounded = false;         // a wake-up or a time-out was left out
    bool was_round_left_out = false;  // of a loop that takes locks and gives them back
    // The run is told again.
    bool is_telling = false;
    std::vector<Told> told;
    std::vector<EventId> told_events;       // the events of the run in that order
    std::uint64_t events_max = UINT64_MAX;  // a longer run is of no use
    std::uint64_t watched = 0;              // plain accesses of the word here are told, too
    void (*test)(void*) = nullptr;          // null: main is the test
    void* test_object = nullptr;
    int (*main)(int, char**, char**) = nullptr;
    int argument_count = 0;
    char** arguments = nullptr;
    char** copied_arguments = nullptr;  // those of a run
    char** environment = nullptr;
};

// Null until main is about to begin. The pointer itself is among the program's variables, and is
// the same in each run.
extern Hosted* hosted;

// The thread of the program that runs; null: the host runs, or nothing is explored yet.
[[nodiscard]] inline Fiber* running() {
    return hosted != nullptr && hosted->current != kNobody ? &hosted->fibers[hosted->current]
                                                           : nullptr;
}

// While the host works on the stack of a thread of the program: what it allocates is its own.
class AsHost {
  public:
    AsHost() : thread_(hosted == nullptr ? kNobody : hosted->current) {
        if (hosted != nullptr) {
            hosted->current = kNobody;
        }
    }
    ~AsHost() {
        if (hosted != nullptr) {
            hosted->current = thread_;
        }
    }
    AsHost(const AsHost&) = delete;
    AsHost& operator=(const AsHost&) = delete;
    [[nodiscard]] Thread thread() const { return thread_; }

  private:
    Thread thread_;
};

// In a run that is told: notes in which functions the thread is.
void note_calls(std::uint64_t site);

// A plain access of the thread that runs, or the end of memory. A data race does not come back.
void watch(const ShadowAccess& access);

// A plain access of the thread that runs, if one does; then what is left below the stack is
// cleared.
void note_plain(const void* address, std::size_t size, bool is_write, const void* site);

// Asks from a thread of the program, and comes back with the answer when it is the thread's turn.
std::uint64_t ask(Request& request);
[[noreturn]] void found(const char* kind, const char* text, std::uint64_t site);
[[noreturn]] void refuse(const char* text, std::uint64_t site);

void run_key_destructors();
void run_exit_handlers();
// The process does this at its end, in its first thread: destructors, and what atexit() was told.
void end_main();
// The heap of the program: for each thread an arena, the same addresses in each run.
void reset_arenas(Hosted& host);
// At the end of a complete run. True: there is one, in `found`.
[[nodiscard]] bool find_leak(Hosted& host);
// At the end of what is before main.
void keep_heap(Hosted& host);

// The search of all executions. The exit code.
int explore(Hosted& host);
// Prints what has come out.
int report(Hosted& host, bool is_complete, double seconds);
// A thread ends the process with this exit code.
[[noreturn]] void leave_process(int code, std::uint64_t site);

// A part of the program says so itself before main.
[[nodiscard]] bool was_compiled_with_hooks();

// Faults of threads are findings, and a function that must not be called a refusal.
void watch_faults(Hosted& host);

// Threads that never come back are left when the time of the search is over.
void watch_time(bool is_on);

// Signals that end a search wait from here on. Gives the mask as it was.
unsigned long hold_interrupts();
// They end the search as its time does, with what it has; a second one ends the process at once.
// In a process of the program's own, what it ignores stays ignored.
void watch_interrupts(const Hosted& host);
// A report that nobody reads ends with the process, a second after a signal.
void begin_report(Hosted& host);
constexpr int kInterrupted = 130;

// To stderr, with exit code 70.
[[noreturn]] void end_with_message(const char* text);

// Puts the program's memory back to what it was when main began.
void keep_images(Hosted& host);
void restore_images(Hosted& host);
// The address is on a protected page, which is now to be put back.
[[nodiscard]] bool note_written_page(Hosted& host, const void* address);
void park_threads(Hosted& host);

}  // namespace lockkeeper::threads
