// SPDX-License-Identifier: Apache-2.0

// RC11's partial order of sequentially consistent events (Lahav, Vafeiadis, Kang, Hur, Dreyer:
// Repairing sequential consistency in C/C++11, PLDI 2017, figure 5), as relations over the events:
//   scb      = po | po_other;hb;po_other | hb_same_location | mo | rb
//   psc_base = ([E_sc] | [F_sc];hb?) ; scb ; ([E_sc] | hb?;[F_sc])
//   psc_F    = [F_sc] ; (hb | hb;eco;hb) ; [F_sc]
#include <algorithm>
#include <cstddef>
#include <utility>

#include "validate/threads/graph/graph.hpp"

namespace lockkeeper::threads {
namespace {

class Relation {
  public:
    explicit Relation(std::size_t size)
        : size_(size), words_((size + 63) / 64), bits_(size * words_) {}

    void add(std::size_t from, std::size_t to) {
        bits_[from * words_ + to / 64] |= std::uint64_t{1} << (to % 64);
    }
    [[nodiscard]] bool has(std::size_t from, std::size_t to) const {
        return (bits_[from * words_ + to / 64] >> (to % 64) & 1) != 0;
    }
    Relation& operator|=(const Relation& other) {
        for (std::size_t word = 0; word < bits_.size(); ++word) {
            bits_[word] |= other.bits_[word];
        }
        return *this;
    }
    [[nodiscard]] Relation then(const Relation& next) const {
        Relation result(size_);
        for (std::size_t from = 0; from < size_; ++from) {
            for (std::size_t middle = 0; middle < size_; ++middle) {
                if (has(from, middle)) {
                    for (std::size_t word = 0; word < words_; ++word) {
                        result.bits_[from * words_ + word] |= next.bits_[middle * words_ + word];
                    }
                }
            }
        }
        return result;
    }
    [[nodiscard]] bool has_cycle() const {
        Relation closure = *this;
        for (std::size_t middle = 0; middle < size_; ++middle) {
            for (std::size_t from = 0; from < size_; ++from) {
                if (closure.has(from, middle)) {
                    for (std::size_t word = 0; word < words_; ++word) {
                        closure.bits_[from * words_ + word] |=
                            closure.bits_[middle * words_ + word];
                    }
                }
            }
            if (closure.has(middle, middle)) {
                return true;
            }
        }
        return false;
    }

  private:
    std::size_t size_;
    std::size_t words_;
    std::vector<std::uint64_t> bits_;
};

struct Known {
    EventId id;
    const Event* event;
};

bool is_fence(const Known& known) { return known.event->kind == Kind::kFence; }
bool same_location(const Known& one, const Known& other) {
    return !is_fence(one) && !is_fence(other) && one.event->location == other.event->location;
}
bool reads_from(const Known& load, const Known& store) {
    return load.event->kind == Kind::kLoad && store.event->kind == Kind::kStore &&
           load.event->from == store.id;
}
// By modification order or from-reads.
bool is_overwritten_by(const Graph& graph, const Known& one, const Known& store) {
    if (store.event->kind != Kind::kStore || !same_location(one, store) || one.id == store.id) {
        return false;
    }
    const std::uint32_t place = one.event->kind == Kind::kStore
                                    ? one.event->place + 1
                                    : graph.place_behind(one.event->from);
    return store.event->place >= place;
}

struct Relations {
    Relation program, program_other, happens, happens_same, overwritten, extended;
};

Relations relations_of(const Graph& graph, const std::vector<Known>& all) {
    const std::size_t size = all.size();
    const Relation none(size);
    Relations made{none, none, none, none, none, none};
    Relation reads(size);
    for (std::size_t one = 0; one < size; ++one) {
        for (std::size_t other = 0; other < size; ++other) {
            const bool same = same_location(all[one], all[other]);
            if (all[one].id.thread == all[other].id.thread &&
                all[one].id.index < all[other].id.index) {
                made.program.add(one, other);
                if (!same) {
                    made.program_other.add(one, other);
                }
            }
            if (one != other && all[other].event->happens_before.has(all[one].id)) {
                made.happens.add(one, other);
                if (same) {
                    made.happens_same.add(one, other);
                }
            }
            if (is_overwritten_by(graph, all[one], all[other])) {
                made.overwritten.add(one, other);
            }
            if (reads_from(all[other], all[one])) {
                reads.add(one, other);
            }
        }
    }
    made.extended = made.overwritten.then(reads);
    made.extended |= made.overwritten;
    made.extended |= reads;
    return made;
}

// [E_sc] | [F_sc];hb?, and the same backwards.
std::pair<Relation, Relation> ends_of(const std::vector<Known>& all, const Relation& happens) {
    Relation first(all.size());
    Relation second(all.size());
    for (std::size_t one = 0; one < all.size(); ++one) {
        if (all[one].event->order != Order::kSeqCst) {
            continue;
        }
        first.add(one, one);
        second.add(one, one);
        for (std::size_t other = 0; is_fence(all[one]) && other < all.size(); ++other) {
            if (happens.has(one, other)) {
                first.add(one, other);
            }
            if (happens.has(other, one)) {
                second.add(other, one);
            }
        }
    }
    return {first, second};
}

void add_fences(const std::vector<Known>& all, const Relation& way, Relation& psc) {
    for (std::size_t one = 0; one < all.size(); ++one) {
        for (std::size_t other = 0; other < all.size(); ++other) {
            if (is_fence(all[one]) && is_fence(all[other]) && way.has(one, other) &&
                all[one].event->order == Order::kSeqCst &&
                all[other].event->order == Order::kSeqCst) {
                psc.add(one, other);
            }
        }
    }
}

// All that comes before the event in every order of the events is done.
bool comes_next(const Graph& graph, const Clock& done, EventId id) {
    const Event& event = graph.at(id);
    const std::span<const EventId> order = graph.stores(event.location);
    if (event.kind != Kind::kStore || event.place >= order.size() || order[event.place] != id) {
        return done.has(event.from);
    }
    const EventId previous = graph.before_place(event.location, event.place);
    const std::span<const EventId> loads = graph.loads(event.location);
    return done.has(previous) && std::all_of(loads.begin(), loads.end(), [&](EventId load) {
               return graph.at(load).from != previous || done.has(load);
           });
}

// One order of all events has program order, reads-from, the orders of writes and from-reads, as
// under sequential consistency: psc is a part of it. Most graphs have one, and to find it is cheap.
bool has_one_order(const Graph& graph) {
    Clock done;
    bool is_whole = false;
    for (bool goes_on = true; goes_on && !is_whole;) {
        goes_on = false;
        is_whole = true;
        for (Thread thread = 0; thread < kThreadsMax; ++thread) {
            while (done.count[thread] < graph.length(thread) &&
                   comes_next(graph, done, {thread, done.count[thread]})) {
                ++done.count[thread];
                goes_on = true;
            }
            is_whole = is_whole && done.count[thread] == graph.length(thread);
        }
    }
    return is_whole;
}

}  // namespace

bool Graph::is_psc_acyclic() const {
    // Without two accesses that are seq_cst there is nothing to look at.
    std::size_t sequential = 0;
    for (const std::vector<Event>& events : events_) {
        for (const Event& event : events) {
            sequential += event.order == Order::kSeqCst ? 1 : 0;
        }
    }
    if (sequential < 2 || has_one_order(*this)) {
        return true;
    }
    std::vector<Known> all;
    for (Thread thread = 0; thread < kThreadsMax; ++thread) {
        for (std::uint16_t index = 0; index < length(thread); ++index) {
            const Event& event = events_[thread][index];
            if (event.kind == Kind::kLoad || event.kind == Kind::kStore ||
                event.kind == Kind::kFence) {
                all.push_back({{thread, index}, &event});
            }
        }
    }
    const Relations made = relations_of(*this, all);
    Relation scb = made.program_other.then(made.happens).then(made.program_other);
    scb |= made.program;
    scb |= made.happens_same;
    scb |= made.overwritten;
    const auto [first, second] = ends_of(all, made.happens);
    Relation psc = first.then(scb).then(second);
    Relation way = made.happens.then(made.extended).then(made.happens);
    way |= made.happens;
    add_fences(all, way, psc);
    return !psc.has_cycle();
}

}  // namespace lockkeeper::threads
