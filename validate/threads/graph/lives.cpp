// SPDX-License-Identifier: Apache-2.0

// Where threads begin and end.
#include <algorithm>

#include "validate/threads/graph/search.hpp"

namespace lockkeeper::threads {
namespace {

// A path has four bits for each ancestor: which child of its parent that is, from 1.
std::uint64_t path_of_child(std::uint64_t path, std::uint64_t number) {
    int shift = 60;
    while (shift > 0 && (path >> shift & 0xf) != 0) {
        shift -= 4;
    }
    return path | number << shift;
}

}  // namespace

Answer Search::spawn(Thread thread, std::uint64_t site) {
    Event event;
    event.kind = Kind::kSpawn;
    event.site = site;
    if (!is_repeating(thread)) {
        Thread fresh = 0;
        while (fresh < kThreadsMax && run_.path[fresh] != kNoPath) {
            ++fresh;
        }
        if (fresh == kThreadsMax) {
            has_too_many_ = true;
            ++counts_.dropped;
            return {Outcome::kDropped, 0};
        }
        event.value = fresh;
    }
    const Answer answer = simple(thread, event);
    if (answer.outcome == Outcome::kDone) {
        run_.threads = std::max(run_.threads, static_cast<Thread>(answer.value + 1));
        run_.path[answer.value] = path_of_child(run_.path[thread], ++run_.children[thread]);
        run_.spawned[answer.value] = {thread, static_cast<std::uint16_t>(run_.done[thread] - 1)};
    }
    return answer;
}

Answer Search::start(Thread thread) {
    Event event;
    event.kind = Kind::kStart;
    event.from = run_.spawned[thread];
    return simple(thread, event);
}

Answer Search::end(Thread thread) {
    Event event;
    event.kind = Kind::kEnd;
    const Answer answer = simple(thread, event);
    if (answer.outcome == Outcome::kDone) {
        run_.ended[thread] = true;
    }
    return answer;
}

Answer Search::join(Thread thread, Thread target, std::uint64_t site) {
    Event event;
    event.kind = Kind::kJoin;
    event.site = site;
    event.value = target;
    if (!run_.ended[target]) {
        run_.joins[thread] = target;
        return {Outcome::kWait, 0};
    }
    event.from = graph().last(target);
    const Answer answer = simple(thread, event);
    if (answer.outcome == Outcome::kDone) {
        run_.joins[thread] = kNobody;
    }
    return answer;
}

}  // namespace lockkeeper::threads
