// SPDX-License-Identifier: Apache-2.0

// Runs of which not everything is tried: whose turn it is and what is read, as the choices say.
#include <algorithm>

#include "validate/threads/graph/search.hpp"

namespace lockkeeper::threads {

// Stays until the thread has done an event, or has found that it waits.
Thread Search::drawn() {
    const auto is_free = [&](Thread thread) {
        return can_go_on(thread) && (run_.is_last || !waits(thread));
    };
    if (run_.turn != kNobody && is_free(run_.turn)) {
        return run_.turn;
    }
    std::array<Thread, kThreadsMax> ready{};
    std::size_t count = 0;
    for (Thread thread = 0; thread < run_.threads; ++thread) {
        if (is_free(thread)) {
            ready[count++] = thread;
        }
    }
    if (count == 0) {
        run_.is_last = true;
        return first_thread(&Search::can_go_on);
    }
    run_.turn = choices()->turn({ready.data(), count});
    return run_.turn;
}

std::optional<std::uint32_t> Search::drawn_place(const Access& access, std::uint32_t least,
                                                 Decide decide, const void* context) {
    const bool takes_all = choices()->is_script() || run_.is_last;
    std::vector<std::uint32_t>& places = places_;
    places.clear();
    const auto count = static_cast<std::uint32_t>(graph().stores(access.location).size());
    for (std::uint32_t place = count + 1; place > least; --place) {
        const EventId store = graph().before_place(access.location, place - 1);
        const Change change = decide(value_of(access.location, store), context);
        if (takes_all || change.way == Change::Way::kLeave ||
            (change.way == Change::Way::kWrite && !graph().parts_rmw(access.location, place - 1))) {
            places.push_back(place - 1);
        }
    }
    if (places.empty()) {
        return std::nullopt;
    }
    return places[run_.is_last ? 0 : choices()->option(places)];
}

bool Search::leaves_spin(Thread thread, const Rounds& reads) const {
    if (is_repeating(thread)) {
        return true;
    }
    if (choices() == nullptr || choices()->is_script()) {
        return choices() != nullptr && choices()->goes_on(thread);
    }
    Rounds loads = reads;
    for (Thread other = 0; other < kThreadsMax; ++other) {
        loads[other] = std::max(loads[other], run_.awaited[other]);
    }
    return !is_final(thread, loads);
}

}  // namespace lockkeeper::threads
