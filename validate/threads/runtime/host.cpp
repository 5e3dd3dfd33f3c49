// SPDX-License-Identifier: Apache-2.0

// A run of the program: whose turn it is, what it asks, and where it ends.
#include <algorithm>
#include <cstring>

#include "validate/threads/runtime/context.hpp"
#include "validate/threads/runtime/hosted.hpp"
#include "validate/threads/runtime/run.hpp"
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
        leave_process(hosted->main(hosted->argument_count, hosted->arguments, hosted->environment),
                      0);
    }
    fiber.returned = fiber.function(fiber.argument);
    end_thread();
}

void make_fiber(Hosted& host, Thread thread) {
    Fiber& fiber = host.fibers[thread];
    fiber.top = fresh_stack(fiber.stack + kStackBytes, thread_body);
    fiber.is_started = false;
    fiber.has_run = true;
    fiber.is_detached = false;
    fiber.has_changed = false;
    fiber.request = nullptr;
    fiber.returned = nullptr;
    fiber.reads = 0;
    fiber.spurious = 0;
    fiber.timeouts = 0;
    fiber.failures = 0;
    fiber.passed = 0;
    fiber.looks_at_clocks = 0;
    fiber.spins = false;
    fiber.spins_by_clock = false;
    fiber.marks.clear();
    fiber.destructors.clear();
    fiber.specific.clear();
    std::fill(std::begin(fiber.guests), std::end(fiber.guests), Fiber::Guest{});
}

std::uint64_t memory_at(std::uint64_t address, std::uint8_t size) {
    std::uint64_t value = 0;
    std::memcpy(&value, reinterpret_cast<const void*>(address), size);
    return value;
}

// The number of the word, and whether what it is can be hosted.
Location location_of(Hosted& host, Thread thread, const Request& request, RunEnd& end) {
    bool is_mixed = false;
    const std::uint8_t life =
        request.has_lives ? life_of(host, request.address, request.size, is_mixed) : 0;
    if (is_mixed) {
        host.refused =
            "an atomic variable is accessed with two sizes: mixed-size atomics are not "
            "hosted";
        host.found.site = request.site;
        host.found.thread = thread;
        end = RunEnd::kRefused;
        return 0;
    }
    const std::uint64_t key = request.address | std::uint64_t{life} << 56 |
                              std::uint64_t{request.is_memory ? 0U : 1U} << 55;
    const auto [known, is_new] =
        host.locations.try_emplace(key, static_cast<Location>(host.words.size()));
    if (is_new) {
        host.words.push_back({request.address, request.size, request.is_memory, kInitial, 0});
    }
    return known->second;
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

// What the thread would do next, as far as its own registers and stack say. Words go to four hashes
// in turn, which do not wait for each other: each access of an atomic variable asks for this.
std::uint64_t state_of(const Fiber& fiber) {
    constexpr std::size_t kHashes = 4;
    constexpr std::uint64_t kFactor = 0xff51afd7ed558ccdU;
    const auto add = [](std::uint64_t hash, std::uint64_t word) {
        hash = (hash ^ word) * kFactor;
        return hash ^ hash >> 32;
    };
    std::uint64_t hashes[kHashes] = {0x9e3779b97f4a7c15U, 1, 2, 3};
    const auto* end = reinterpret_cast<const std::uint64_t*>(fiber.stack + kStackBytes);
    const auto* at = static_cast<const std::uint64_t*>(fiber.top);
    for (; end - at >= static_cast<std::ptrdiff_t>(kHashes); at += kHashes) {
        for (std::size_t each = 0; each < kHashes; ++each) {
            hashes[each] = add(hashes[each], at[each]);
        }
    }
    std::uint64_t hash = static_cast<std::uint64_t>(end - at);
    for (; at < end; ++at) {
        hash = add(hash, *at);
    }
    for (const std::uint64_t one : hashes) {
        hash = add(hash, one);
    }
    return hash;
}

// The thread is where it was, and has changed nothing since: it spins. How many loads ago; 0: it
// does not.
std::uint16_t loads_of_spin(Fiber& fiber) {
    if (fiber.has_changed) {
        fiber.marks.clear();
        fiber.has_changed = false;
    }
    const std::uint64_t state = state_of(fiber);
    for (const SpinMark& mark : fiber.marks) {
        if (mark.state == state) {
            fiber.spins_by_clock = fiber.looks_at_clocks > mark.looks_at_clocks;
            return static_cast<std::uint16_t>(fiber.reads - mark.reads);
        }
    }
    fiber.marks.push_back({state, fiber.reads, fiber.looks_at_clocks});
    return 0;
}

// `result` is 1 in a request that is no spin, or one more than the loads of the loop.
bool is_spinning(Hosted& host, Thread thread, Request& request) {
    Fiber& fiber = host.fibers[thread];
    if (request.result == 0) {  // asked for the first time
        request.result = 1;
        request.result = 1U + loads_of_spin(fiber);
    }
    if (request.result > 1 &&
        host.search.leaves_spin(thread, static_cast<std::uint16_t>(request.result - 1))) {
        // This place counts as met: else each run would add a load to those that it repeats. The
        // request stands on the stack, too.
        request.result = 1;
        fiber.marks.assign(1, {state_of(fiber), fiber.reads, fiber.looks_at_clocks});
    }
    return request.result > 1;
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
    if (request.object == ObjectUse::kEntered) {
        fiber.entered = location;
    }
    if (end != RunEnd::kOver) {
        return {Outcome::kDropped, 0};
    }
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
    if (request.is_memory && is_spinning(host, thread, request)) {
        const Answer answer =
            host.search.spin(thread, static_cast<std::uint16_t>(request.result - 1));
        fiber.spins = answer.outcome == Outcome::kBlocked;
        if (fiber.spins && fiber.spins_by_clock) {
            host.search.expect_time_out(thread);
            host.was_bounded = true;
        }
        return answer;
    }
    const Answer answer = request.what == What::kLoad
                              ? host.search.load(thread, access)
                              : host.search.modify(thread, access, request.decide, request.context);
    if (answer.outcome == Outcome::kDone) {
        if (has_waited && request.is_memory) {
            // Others have stored into an atomic variable on its stack meanwhile.
            fiber.marks.back().state = state_of(fiber);
        }
        ++fiber.reads;
        const Change change =
            request.what == What::kLoad ? Change{} : request.decide(answer.value, request.context);
        fiber.has_changed = fiber.has_changed ||
                            (change.way == Change::Way::kWrite && change.value != answer.value);
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
            if (host.is_telling && is_event) {
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
