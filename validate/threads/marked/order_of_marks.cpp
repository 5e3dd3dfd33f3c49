// SPDX-License-Identifier: Apache-2.0
#include "validate/threads/marked/order_of_marks.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace lockkeeper::threads {
namespace {

// The events before a mark in any order, and those that cause it.
struct Before {
    Clock in_any_order;
    Clock causes;
};

Before before(const Mark& mark, const Graph& graph) {
    Before found;
    Clock own;
    own.count[mark.thread] = std::min(mark.at, graph.length(mark.thread));
    found.in_any_order = graph.in_any_order_before(own);
    if (own.count[mark.thread] > 0) {
        const auto last = static_cast<std::uint16_t>(own.count[mark.thread] - 1);
        found.causes = graph.at({mark.thread, last}).causes;
    }
    return found;
}

// The event behind the mark is in the set.
bool is_in(const Mark& mark, const Clock& set) { return set.count[mark.thread] > mark.at; }

void add_number(std::string& text, std::uint64_t number) {
    text += std::to_string(number);
    text += ',';
}

template <class Counts>
void add_counts(std::string& text, const Counts& counts, const std::vector<Thread>& names) {
    for (std::size_t name = 0; name < names.size(); ++name) {
        if (counts[names[name]] > 0) {
            text += static_cast<char>('a' + name);
            add_number(text, counts[names[name]]);
        }
    }
    text += ';';
}

using NamedTexts = std::vector<std::pair<std::string, Thread>>;
// The next permutation of threads with equal texts; false: there is none, and it is the first
// again.
bool next_names(NamedTexts& texts) {
    for (std::size_t from = 0; from < texts.size();) {
        std::size_t to = from;
        while (to < texts.size() && texts[to].first == texts[from].first) {
            ++to;
        }
        const auto begin = texts.begin() + static_cast<std::ptrdiff_t>(from);
        if (std::next_permutation(begin, texts.begin() + static_cast<std::ptrdiff_t>(to))) {
            return true;
        }
        from = to;
    }
    return false;
}

// More ways to name threads than this are not worth it.
constexpr std::size_t kNamesMax = 24;

}  // namespace

OrderOfMarks::OrderOfMarks(std::span<const Mark> marks, const Graph& graph)
    : marks_(marks), needs_(marks.size()) {
    std::vector<Before> befores;
    befores.reserve(marks.size());
    for (std::size_t index = 0; index < marks.size(); ++index) {
        of_thread_[marks[index].thread].push_back(index);
        befores.push_back(before(marks[index], graph));
    }
    for (std::size_t later = 0; later < marks.size(); ++later) {
        for (std::size_t earlier = 0; earlier < marks.size(); ++earlier) {
            if (marks[earlier].thread == marks[later].thread) {
                continue;
            }
            const bool is_before = is_in(marks[earlier], befores[later].in_any_order);
            const bool is_behind = is_in(marks[later], befores[earlier].in_any_order);
            if (is_before && is_behind ? is_in(marks[earlier], befores[later].causes) : is_before) {
                ++needs_[later][marks[earlier].thread];
            }
        }
    }
    find_names();
}

std::string OrderOfMarks::text_of_thread(Thread thread) const {
    std::string text;
    for (const std::size_t index : of_thread_[thread]) {
        const Mark& mark = marks_[index];
        add_number(text, static_cast<std::uint64_t>(mark.what) * 4 + (mark.is_reentrant ? 2 : 0) +
                             (mark.has_end ? 1 : 0));
        add_number(text, mark.capacity);
        add_number(text, mark.units);
    }
    return text + '/';
}

std::string OrderOfMarks::text_of_needs(const Names& names) const {
    std::string text;
    for (const Thread thread : names) {
        for (const std::size_t index : of_thread_[thread]) {
            add_counts(text, needs_[index], names);
        }
    }
    return text;
}

// Threads are named by their marks, so that it does not matter which thread did what.
void OrderOfMarks::find_names() {
    NamedTexts texts;
    for (Thread thread = 0; thread < kThreadsMax; ++thread) {
        if (!of_thread_[thread].empty()) {
            texts.emplace_back(text_of_thread(thread), thread);
        }
    }
    std::sort(texts.begin(), texts.end());
    do {
        Names names;
        for (const auto& [text, thread] : texts) {
            names.push_back(thread);
        }
        names_.push_back(std::move(names));
        // The next way that keeps the texts in order.
    } while (names_.size() < kNamesMax && next_names(texts));
    for (const auto& [text, thread] : texts) {
        text_of_marks_ += text;
    }
    for (std::size_t index = 0; index < names_.size(); ++index) {
        std::string text = text_of_needs(names_[index]);
        if (index == 0 || text < text_of_needs_) {
            text_of_needs_ = std::move(text);
            std::swap(names_[0], names_[index]);
        }
    }
}

struct OrderOfMarks::Walk {
    const Visit& visit;
    std::size_t left;  // steps
    Place place{};
    std::vector<std::size_t> order;
    // By mark that is a call: how many returns of each thread came before it.
    std::vector<Counts> seen;
    std::unordered_set<std::string> known;
    bool is_stopped = false;
    bool is_cut = false;
};

std::string OrderOfMarks::text_of(const Walk& walk, const Names& names) const {
    std::string text;
    for (const Thread thread : names) {
        for (std::size_t number = 0; number < of_thread_[thread].size(); ++number) {
            const std::size_t index = of_thread_[thread][number];
            if (number >= walk.place.taken[thread]) {
                text += '-';  // not yet
            } else if (!is_return(marks_[index].what)) {
                add_counts(text, walk.seen[index], names);
            }
        }
    }
    return text;
}

bool OrderOfMarks::can_come(Thread thread, const Counts& taken) const {
    if (taken[thread] >= of_thread_[thread].size()) {
        return false;
    }
    const Counts& needs = needs_[of_thread_[thread][taken[thread]]];
    return std::equal(needs.begin(), needs.end(), taken.begin(),
                      [](std::uint16_t needed, std::uint16_t there) { return there >= needed; });
}

void OrderOfMarks::take(Thread thread, Walk& walk) const {
    const std::size_t index = of_thread_[thread][walk.place.taken[thread]++];
    walk.order.push_back(index);
    if (is_return(marks_[index].what)) {
        ++walk.place.returned[thread];
    } else {
        walk.seen[index] = walk.place.returned;
    }
}

void OrderOfMarks::take_returns(Walk& walk) const {
    for (bool is_new = true; is_new;) {
        is_new = false;
        for (Thread thread = 0; thread < kThreadsMax; ++thread) {
            while (can_come(thread, walk.place.taken) &&
                   is_return(marks_[of_thread_[thread][walk.place.taken[thread]]].what)) {
                take(thread, walk);
                is_new = true;
            }
        }
    }
}

// Each call that can come is the next in turn.
void OrderOfMarks::walk(Walk& walk) const {
    take_returns(walk);
    std::string text = text_of(walk, names_.front());
    if (!walk.known.insert(text).second) {
        return;
    }
    if (walk.left-- == 0) {
        walk.is_cut = walk.is_stopped = true;
        return;
    }
    if (walk.order.size() == marks_.size()) {
        for (std::size_t names = 1; names < names_.size(); ++names) {
            text = std::min(text, text_of(walk, names_[names]));
        }
        walk.is_stopped = !walk.visit(walk.order, text);
        return;
    }
    const Place place = walk.place;
    const std::size_t length = walk.order.size();
    for (Thread thread = 0; thread < kThreadsMax && !walk.is_stopped; ++thread) {
        if (can_come(thread, walk.place.taken)) {
            take(thread, walk);
            this->walk(walk);
            walk.place = place;
            walk.order.resize(length);
        }
    }
}

bool OrderOfMarks::visit(std::size_t most, const Visit& visit) const {
    Walk walk{visit, most, {}, {}, std::vector<Counts>(marks_.size()), {}, false, false};
    this->walk(walk);
    return !walk.is_cut;
}

}  // namespace lockkeeper::threads
