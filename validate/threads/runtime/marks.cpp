// SPDX-License-Identifier: Apache-2.0
#include "validate/threads/runtime/marks.hpp"

#include <algorithm>

#include "validate/threads/include/lockkeeper/marks.hpp"
#include "validate/threads/runtime/hosted.hpp"

namespace lockkeeper::threads {
namespace {

// From one place of a thread to another: [begin, end].
struct Span {
    Thread thread;
    std::uint16_t begin;
    std::uint16_t end;
    std::uint32_t units;
    Clock before;  // what comes before its beginning in every order
};

Span span_of(const Section& section, std::uint16_t begin, std::uint16_t end, const Graph& graph) {
    Clock set;
    set.count[section.thread] = std::min(begin, graph.length(section.thread));
    return {section.thread, begin, end, section.units, graph.in_any_order_before(set)};
}

bool is_before(const Span& one, const Span& other) {
    if (one.thread == other.thread) {
        return one.end <= other.begin;
    }
    return other.before.count[one.thread] > one.end;
}
bool may_overlap(const Span& one, const Span& other) {
    return !is_before(one, other) && !is_before(other, one);
}

// Some of the spans from `from` on can be at once, with those that are chosen, and are that many
// units. No end of one is before the beginning of another: then an order has all at once.
bool can_be_at_once(const std::vector<Span>& spans, std::size_t from,
                    std::vector<std::size_t>& chosen, std::uint32_t units) {
    if (units == 0) {
        return true;
    }
    for (std::size_t index = from; index < spans.size(); ++index) {
        if (std::all_of(chosen.begin(), chosen.end(),
                        [&](std::size_t one) { return may_overlap(spans[one], spans[index]); })) {
            chosen.push_back(index);
            if (can_be_at_once(spans, index + 1, chosen,
                               units - std::min(units, spans[index].units))) {
                return true;
            }
            chosen.pop_back();
        }
    }
    return false;
}

bool is_held(const Section& section) {
    return !section.is_refused && section.returned != Section::kNever;
}

}  // namespace

MarkFinding over_allocated(const std::vector<Section>& sections, const Graph& graph) {
    for (const Section& first : sections) {
        if (!is_held(first)) {
            continue;
        }
        std::vector<Span> spans{span_of(first, first.returned, first.releasing, graph)};
        std::vector<const Section*> of_spans{&first};
        for (const Section* other = &first + 1; other < sections.data() + sections.size();
             ++other) {
            if (other->lock == first.lock && is_held(*other)) {
                spans.push_back(span_of(*other, other->returned, other->releasing, graph));
                of_spans.push_back(other);
            }
        }
        std::vector<std::size_t> chosen{0};
        const std::uint32_t more = first.capacity + 1 - std::min(first.capacity + 1, first.units);
        if (can_be_at_once(spans, 1, chosen, more)) {
            return {&first, of_spans[chosen.back()]};
        }
    }
    return {};
}

MarkFinding under_allocated(const std::vector<Section>& sections, const Graph& graph) {
    for (const Section& refusal : sections) {
        if (!refusal.is_refused) {
            continue;
        }
        std::vector<Span> spans{span_of(refusal, refusal.called, refusal.returned, graph)};
        for (const Section& other : sections) {
            if (&other != &refusal && other.lock == refusal.lock) {
                // A call that was refused may have taken units for a moment.
                spans.push_back(span_of(other, other.called,
                                        other.is_refused ? other.returned : other.released, graph));
            }
        }
        std::vector<std::size_t> chosen{0};
        if (refusal.units <= refusal.capacity &&
            !can_be_at_once(spans, 1, chosen, refusal.capacity - refusal.units + 1)) {
            return {&refusal, nullptr};
        }
    }
    return {};
}

namespace {

// By lockkeeper_mark.
constexpr const char* kTexts[] = {"asks for", "holds", "is refused", "gives back",
                                  "has given back"};

Section* last_of(Thread thread, const void* lock, bool (*is_it)(const Section&), bool oldest) {
    std::vector<Section>& all = hosted->sections;
    Section* found = nullptr;
    for (Section& one : all) {
        if (one.thread == thread && one.lock == lock && is_it(one) &&
            (found == nullptr || !oldest)) {
            found = &one;
        }
    }
    return found;
}

bool mark(Thread thread, lockkeeper_mark what, const void* lock, std::uint32_t capacity,
          std::uint32_t units, std::uint64_t site) {
    const auto at = static_cast<std::uint16_t>(hosted->search.next_epoch(thread) - 1);
    if (what == lockkeeper_mark_acquiring) {
        Section made;
        made.lock = lock;
        made.capacity = capacity;
        made.units = units;
        made.thread = thread;
        made.site = site;
        made.called = at;
        hosted->sections.push_back(made);
        return true;
    }
    const auto is_called = [](const Section& one) { return one.returned == Section::kNever; };
    const auto holds = [](const Section& one) {
        return is_held(one) && one.releasing == Section::kNever;
    };
    const auto releases = [](const Section& one) {
        return is_held(one) && one.releasing != Section::kNever && one.released == Section::kNever;
    };
    const bool ends_call = what == lockkeeper_mark_acquired || what == lockkeeper_mark_refused;
    const bool begins_release = what == lockkeeper_mark_releasing;
    Section* known = ends_call        ? last_of(thread, lock, is_called, false)
                     : begins_release ? last_of(thread, lock, holds, true)
                                      : last_of(thread, lock, releases, true);
    if (known == nullptr) {
        return false;
    }
    (ends_call ? known->returned : begins_release ? known->releasing : known->released) = at;
    known->is_refused = known->is_refused || what == lockkeeper_mark_refused;
    return true;
}

void tell_mark(const Fiber& fiber, int what, const void* lock) {
    const AsHost host;
    Told told;
    told.thread = host.thread();
    told.address = reinterpret_cast<std::uint64_t>(lock);
    told.text = kTexts[what];
    told.calls = fiber.calls;
    hosted->told.push_back(told);
}

}  // namespace
}  // namespace lockkeeper::threads

extern "C" void lockkeeper_mark_threads(int what, const void* lock, unsigned capacity,
                                        unsigned units) {
    using namespace lockkeeper::threads;
    const auto site = reinterpret_cast<std::uint64_t>(__builtin_return_address(0));
    Fiber* fiber = running();
    if (fiber == nullptr || what < lockkeeper_mark_acquiring || what > lockkeeper_mark_released) {
        return;
    }
    if (hosted->is_telling) {
        note_calls(site);
        tell_mark(*fiber, what, lock);
    }
    bool is_known = false;
    {
        const AsHost host;
        is_known =
            mark(host.thread(), static_cast<lockkeeper_mark>(what), lock, capacity, units, site);
    }
    fiber->has_changed = true;
    if (!is_known) {
        refuse("a mark ends a call that the thread has not begun (lockkeeper/marks.hpp)", site);
    }
}
