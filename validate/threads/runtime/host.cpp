// SPDX-License-Identifier: Apache-2.0

// A run of the program: whose turn it is, what it asks, and where it ends.
#include <algorithm>
#include <cstring>

#include "validate/threads/runtime/context.hpp"
#include "validate/threads/runtime/hosted.hpp"
#include "validate/threads/runtime/run.hpp"
#include "validate/threads/runtime/spins.hpp"
#include "validate/threads/runtime/system.hpp"

namespace lockkeeper::threads {

Hosted* hosted = nullptr;

namespace {

// The host works with the thread pointer of whichever thread ran last: to set it is dear, and the
// host has no thread-local variables that matter.
void borrow(Hosted& host, std::uintptr_t pointer) {
    if (host.borrowed_pointer != pointer) {
        set_thread_pointer(pointer, host.sets_by_instruction);
        host.borrowed_pointer = pointer;
    }
}

void enter(Hosted& host, Thread thread) {
    Fiber& fiber = host.fibers[thread];
    borrow(host, fiber.thread_pointer);
    host.current = thread;
    lockkeeper_threads_switch(&host.host_stack, fiber.top);
    host.current = kNobody;
}

void run_destructors(Fiber& fiber) {
    while (!fiber.destructors.empty()) {
        const Fiber::Destructor last = fiber.destructors.back();
        fiber.destructors.pop_back();
        last.function(last.object);
    }
}

void end_thread() {
    run_destructors(*running());
    run_key_destructors();
    Request end;
    end.what = Request::What::kEnd;
    ask(end);
}

void thread_body() {
    Fiber& fiber = *running();
    if (hosted->current == 0 && hosted->test != nullptr) {
        hosted->test(hosted->test_object);
        leave_process(0, 0);
    }
    if (hosted->current == 0) {
        const int code =
            hosted->main(hosted->argument_count, hosted->copied_arguments, hosted->environment);
        if (code == 0) {
            end_main();
        }
        leave_process(code, 0);
    }
    fiber.returned = fiber.function(fiber.argument);
    end_thread();
}

}  // namespace

void end_main() {
    run_destructors(*running());
    run_exit_handlers();
}

namespace {

void make_fiber(Hosted& host, Thread thread) {
    Fiber& fiber = host.fibers[thread];
    fiber.top = fresh_stack(fiber.stack + kStackBytes, thread_body);
    fiber.is_started = false;
    fiber.has_run = true;
    fiber.is_detached = false;
    fiber.is_joined = false;
    fiber.has_changed = false;
    fiber.request = nullptr;
    fiber.returned = nullptr;
    fiber.reads = 0;
    fiber.spurious = 0;
    fiber.timeouts = 0;
    fiber.failures = 0;
    fiber.weak_failures = 0;
    fiber.passed = 0;
    fiber.looks_at_clocks = 0;
    fiber.accesses = 0;
    fiber.epoch_at_load = 0;
    fiber.spins = false;
    fiber.spins_by_clock = false;
    fiber.held = 0;
    fiber.locks = 0;
    fiber.changes_of_locks = 0;
    fiber.marks.clear();
    fiber.destructors.clear();
    fiber.specific.clear();
    fiber.shared_pointers.clear();
    fiber.read_locks.clear();
    std::fill(std::begin(fiber.guests), std::end(fiber.guests), Fiber::Guest{});
}

std::uint64_t memory_at(std::uint64_t address, std::uint8_t size) {
    std::uint64_t value = 0;
    std::memcpy(&value, reinterpret_cast<const void*>(address), size);
    return value;
}

constexpr std::uint8_t kNoLives = 255;

// The number of the word, and whether what it is can be hosted.
Location location_of(Hosted& host, Thread thread, const Request& request, RunEnd& end) {
    bool is_mixed = false;
    const std::uint8_t life =
        request.has_lives ? life_of(host, request.address, request.size, is_mixed) : kNoLives;
    if (is_mixed) {
        host.refused =
            "an atomic variable is accessed with two sizes: mixed-size atomics are not "
            "hosted";
        host.found.site = request.site;
        host.found.thread = thread;
        end = RunEnd::kRefused;
        return 0;
    }
    const std::uint64_t key = key_of_word(request.address, life, request.is_memory);
    KnownWord& recent = host.recent_words[(key >> 2 ^ key >> 8 ^ key >> 56) % kRecentWords];
    if (recent.key != key) {
        const auto [known, is_new] =
            host.locations.try_emplace(key, static_cast<Location>(host.words.size()));
        if (is_new) {
            host.words.push_back({request.address, request.size, request.is_memory, kInitial, 0});
        }
        recent = {key, known->second};
    }
    return recent.location;
}

// Memory has the last value in modification order, for plain reads that are ordered behind.
void write_through(Hosted& host, Thread thread, Location location) {
    Word& word = host.words[location];
    const Graph& graph = host.search.graph();
    const EventId store{thread, static_cast<std::uint16_t>(host.search.next_epoch(thread) - 2)};
    const Event& event = graph.at(store);
    if (!word.is_memory || event.kind != Kind::kStore) {
        return;
    }
    if (word.run != host.run || word.in_memory == kInitial ||
        graph.at(word.in_memory).place < event.place) {
        word.run = host.run;
        word.in_memory = store;
        std::memcpy(reinterpret_cast<void*>(word.address), &event.value, word.size);
    }
}

// A call of a mutex reads its memory, which nobody may give back meanwhile.
bool note_request(Hosted& host, Thread thread, const Request& request) {
    using What = Request::What;
    const bool is_object =
        request.object == ObjectUse::kUsed || request.object == ObjectUse::kEntered;
    const bool is_write = request.is_memory && request.what != What::kLoad;
    return !(request.is_memory || is_object) ||
           note_access(
               host, thread,
               {request.address, request.size, is_write, true, false, request.site, is_object});
}

Answer read_memory(Hosted& host, Thread thread, const Request& request, const Access& access) {
    const bool is_load = request.what == Request::What::kLoad;
    // Where runs are drawn or told, each load is done.
    if (!request.is_memory || host.choices != nullptr || host.is_telling) {
        return is_load ? host.search.load(thread, access)
                       : host.search.modify(thread, access, request.decide, request.context);
    }
    Access each = access;
    each.order_left = is_load ? access.order : access.order_left;
    const OrSpin or_spin{request.decide, request.context, &host.fibers[thread]};
    return host.search.modify(thread, each, decide_or_spin, &or_spin);
}

// A lock that is taken and given back is no change: a loop that only looks under one waits.
void note_change(Fiber& fiber, bool is_lock, Location location, std::uint64_t by) {
    if (!is_lock) {
        fiber.has_changed = true;
        return;
    }
    const bool is_taken = static_cast<std::int64_t>(by) > 0;
    fiber.held += (std::uint64_t{location} + 1) * 0x9e3779b97f4a7c15U * by;
    fiber.locks += is_taken ? 1U : -1U;
    ++fiber.changes_of_locks;
}

Answer access_memory(Hosted& host, Thread thread, Request& request, RunEnd& end) {
    using What = Request::What;
    Fiber& fiber = host.fibers[thread];
    if (!note_request(host, thread, request)) {
        end = RunEnd::kFound;
        return {Outcome::kDropped, 0};
    }
    // At the address another variable may stand by now.
    const Location location = request.object == ObjectUse::kLeft
                                  ? fiber.entered
                                  : location_of(host, thread, request, end);
    fiber.entered = request.object == ObjectUse::kEntered ? location : fiber.entered;
    if (end != RunEnd::kOver) {
        return {Outcome::kDropped, 0};
    }
    host.words[location].tried_by |= std::uint64_t{request.tries} << thread;
    const Access access{
        location,
        request.order,
        request.is_memory ? memory_at(request.address, request.size) : request.argument,
        request.site,
        request.order_left,
        request.what == What::kLoad &&
            std::binary_search(host.waiting.begin(), host.waiting.end(), request.site)};
    if (request.what == What::kStore) {
        return host.search.store(thread, access, request.value);
    }
    const bool has_waited = request.result != 0;
    if (is_spinning(host, thread, request)) {
        const Answer answer =
            host.search.spin(thread, static_cast<std::uint16_t>(request.result - 1),
                             fiber.effects == fiber.effects_at_load);
        if (answer.outcome == Outcome::kWait && answer.value == 1) {
            begin_loop_again(fiber, request);
        }
        fiber.spins = answer.outcome == Outcome::kBlocked;
        if (fiber.spins && fiber.spins_by_clock) {
            host.search.expect_time_out(thread);
            host.was_bounded = true;
        }
        return answer;
    }
    const std::uint16_t epoch = host.search.next_epoch(thread);
    const Answer answer = read_memory(host, thread, request, access);
    fiber.spins = request.is_memory && answer.outcome == Outcome::kBlocked;
    if (answer.outcome == Outcome::kDone) {
        fiber.value_read = answer.value;
        fiber.accesses_at_load = fiber.accesses;
        fiber.epoch_at_load = static_cast<std::uint16_t>(epoch + 1);
        fiber.effects_at_load = fiber.effects;
        if (has_waited && request.is_memory) {
            // Others have stored into an atomic variable on its stack meanwhile.
            fiber.marks.back().state = state_of(fiber);
        }
        ++fiber.reads;
        const Change change =
            request.what == What::kLoad ? Change{} : request.decide(answer.value, request.context);
        if (change.way == Change::Way::kWrite && change.value != answer.value) {
            note_change(fiber, request.is_lock, location, change.value - answer.value);
        }
    } else if (answer.outcome == Outcome::kBlocked && request.may_time_out) {
        host.search.expect_time_out(thread);
        host.was_bounded = true;
    }
    return answer;
}

void start_child(Hosted& host, Thread child, const Request& request) {
    make_fiber(host, child);
    Fiber& fiber = host.fibers[child];
    fiber.function = reinterpret_cast<void* (*)(void*)>(request.value);
    fiber.argument = reinterpret_cast<void*>(request.argument);
}

Answer perform(Hosted& host, Thread thread, Request& request, RunEnd& end) {
    using What = Request::What;
    Fiber& fiber = host.fibers[thread];
    Search& search = host.search;
    switch (request.what) {
        case What::kLoad:
        case What::kStore:
        case What::kModify: {
            const Answer answer = access_memory(host, thread, request, end);
            if (answer.outcome == Outcome::kDone && request.what != What::kLoad) {
                write_through(
                    host, thread,
                    host.search.graph()
                        .at({thread, static_cast<std::uint16_t>(search.next_epoch(thread) - 2)})
                        .location);
                fiber.has_changed = fiber.has_changed || request.what == What::kStore;
            }
            return answer;
        }
        case What::kFence: return search.fence(thread, request.order, request.site);
        case What::kSpawn: {
            const Answer answer = search.spawn(thread, request.site);
            if (answer.outcome == Outcome::kDone) {
                start_child(host, static_cast<Thread>(answer.value), request);
                fiber.has_changed = true;
            }
            return answer;
        }
        case What::kJoin:
            return search.join(thread, static_cast<Thread>(request.value), request.site);
        case What::kChoose: return search.choose(thread, request.value, request.site);
        case What::kEnd:
            if (thread != 0 && !note_end(host, thread, request.site)) {
                end = RunEnd::kFound;
                return {Outcome::kDropped, 0};
            }
            return search.end(thread);
        case What::kFound: end = RunEnd::kFound; return {Outcome::kDropped, 0};
        case What::kRefused: end = RunEnd::kRefused; return {Outcome::kDropped, 0};
        case What::kExit: end = RunEnd::kExited; return {Outcome::kDropped, 0};
        case What::kLate: return {Outcome::kDropped, 0};
        case What::kPause: return search.pause(thread);
        case What::kNone: break;
    }
    return {Outcome::kDiverged, 0};
}

void tell(Hosted& host, Thread thread, const Request& request) {
    const std::uint16_t done = static_cast<std::uint16_t>(host.search.next_epoch(thread) - 1);
    Told told;
    told.thread = thread;
    told.event = {thread, static_cast<std::uint16_t>(done - 1)};
    told.address = request.address;
    told.size = request.size;
    told.text = request.text;
    told.calls = host.fibers[thread].calls;
    host.told.push_back(told);
}

// Until it has to wait for others, or ends.
RunEnd run_thread(Hosted& host, Thread thread) {
    Fiber& fiber = host.fibers[thread];
    RunEnd end = RunEnd::kOver;
    while (true) {
        if (fiber.request != nullptr) {
            Request& request = *fiber.request;
            const Answer answer = perform(host, thread, request, end);
            const bool is_event = answer.outcome == Outcome::kDone ||
                                  (answer.outcome == Outcome::kBlocked && request.result < 2);
            if (host.is_telling && is_event && request.what != Request::What::kPause) {
                tell(host, thread, request);
            }
            if (answer.outcome != Outcome::kDone) {
                return end != RunEnd::kOver                   ? end
                       : answer.outcome == Outcome::kDropped  ? RunEnd::kDropped
                       : answer.outcome == Outcome::kDiverged ? RunEnd::kDiverged
                                                              : RunEnd::kOver;
            }
            request.result = answer.value;
            if (request.what == Request::What::kEnd) {
                return RunEnd::kOver;
            }
            fiber.request = nullptr;
        } else if (!fiber.is_started && thread != 0) {
            const Answer answer = host.search.start(thread);
            if (answer.outcome != Outcome::kDone) {
                return answer.outcome == Outcome::kWait ? RunEnd::kOver : RunEnd::kDiverged;
            }
        }
        if (host.barriers.is_wrong) {
            return RunEnd::kDropped;
        }
        if (host.search.done().size() > host.events_max) {
            return RunEnd::kDropped;
        }
        if (++host.turns % 1024 == 0 && seconds_now() > host.deadline) {
            host.is_late = true;
            return RunEnd::kDropped;
        }
        fiber.is_started = true;
        enter(host, thread);
    }
}

}  // namespace

RunEnd run_once(Hosted& host) {
    ++host.run;
    host.marks.clear();
    host.lives_of_locks.clear();
    host.shared_exceptions.clear();
    host.barriers.begin_run();
    host.blocks.clear();
    restore_images(host);
    make_fiber(host, 0);
    RunEnd end = RunEnd::kOver;
    host.borrowed_pointer = host.host_pointer;
    for (Thread thread = host.search.pick(); thread != kNobody && end == RunEnd::kOver;) {
        end = run_thread(host, thread);
        thread = end == RunEnd::kOver ? host.search.pick() : kNobody;
    }
    borrow(host, host.host_pointer);
    return end;
}

}  // namespace lockkeeper::threads
