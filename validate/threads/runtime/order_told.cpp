// SPDX-License-Identifier: Apache-2.0

// A run that is complete can be told in many orders. It is told in one with few switches between
// threads, in which marks come as the judge has them.
#include <array>
#include <optional>
#include <utility>

#include "validate/threads/runtime/run.hpp"

namespace lockkeeper::threads {
namespace {

class ToldInOrder {
  public:
    explicit ToldInOrder(Hosted& host) : host_(host), graph_(host.search.graph()) {
        for (std::size_t index = 0; index < host.told.size(); ++index) {
            of_thread_[host.told[index].thread].push_back(index);
        }
    }

    // Goes on with a thread as long as it can. Where weak memory leaves no order, a read comes
    // behind what it reads. Nothing is told behind the mark that breaks a promise.
    void run() {
        std::vector<Told> told;
        Thread now = 0;
        const std::size_t marks = host_.found.marks.size();
        for (std::size_t count = 0; count < host_.told.size(); ++count) {
            const bool is_behind = marks > 0 && marks_done_ == marks;
            if (!is_ready(now, true)) {
                now = first_ready(true).value_or(first_ready(false).value_or(any()));
            }
            Told& next = host_.told[of_thread_[now][taken_[now]++]];
            if (next.is_mark) {
                ++marks_[now];
                marks_done_ += is_next_mark(now, marks_[now] - 1) ? 1 : 0;
            } else if (next.event != kInitial) {
                take_events(now, next.event.index);
            }
            if (!is_behind) {
                told.push_back(std::move(next));
            }
        }
        for (Thread thread = 0; thread < kThreadsMax; ++thread) {
            if (graph_.length(thread) > 0) {
                take_events(thread, static_cast<std::uint16_t>(graph_.length(thread) - 1));
            }
        }
        host_.told = std::move(told);
        host_.told_events = std::move(events_);
    }

  private:
    void take_events(Thread thread, std::uint16_t last) {
        while (done_.count[thread] <= last) {
            events_.push_back({thread, done_.count[thread]});
            ++done_.count[thread];
        }
    }
    [[nodiscard]] Thread any() const {
        for (Thread thread = 0; thread < kThreadsMax; ++thread) {
            if (taken_[thread] < of_thread_[thread].size()) {
                return thread;
            }
        }
        return 0;
    }
    [[nodiscard]] std::optional<Thread> first_ready(bool in_any_order) const {
        for (Thread thread = 0; thread < kThreadsMax; ++thread) {
            if (is_ready(thread, in_any_order)) {
                return thread;
            }
        }
        return std::nullopt;
    }
    [[nodiscard]] bool is_next_mark(Thread thread, std::size_t number) const {
        const auto& order = host_.found.marks;
        return marks_done_ < order.size() && order[marks_done_] == std::pair(thread, number);
    }
    // One that the judge does not name comes anywhere before the thread's next one that it does, or
    // behind them all.
    [[nodiscard]] bool is_mark_ready(Thread thread) const {
        const auto& order = host_.found.marks;
        for (std::size_t index = marks_done_; index < order.size(); ++index) {
            if (order[index].first == thread && order[index].second >= marks_[thread]) {
                return index == marks_done_ || order[index].second > marks_[thread];
            }
        }
        return marks_done_ == order.size();
    }
    [[nodiscard]] bool is_ready(Thread thread, bool in_any_order) const {
        if (taken_[thread] >= of_thread_[thread].size()) {
            return false;
        }
        const Told& next = host_.told[of_thread_[thread][taken_[thread]]];
        if (done_.count[thread] == 0 && !done_.has(graph_.at({thread, 0}).from)) {
            return false;
        }
        if (next.is_mark) {
            return !in_any_order || is_mark_ready(thread);
        }
        for (std::uint16_t index = done_.count[thread];
             next.event != kInitial && index <= next.event.index; ++index) {
            if (!is_event_ready({thread, index}, in_any_order)) {
                return false;
            }
        }
        return true;
    }
    [[nodiscard]] bool is_event_ready(EventId id, bool in_any_order) const {
        const Event& event = graph_.at(id);
        if (event.kind != Kind::kStore) {
            return done_.has(event.from) || event.from.thread == id.thread;
        }
        if (!in_any_order) {
            return true;
        }
        const EventId previous = graph_.before_place(event.location, event.place);
        const auto is_done = [&](EventId other) {
            return done_.has(other) || other.thread == id.thread;
        };
        if (!is_done(previous)) {
            return false;
        }
        for (const EventId load : graph_.loads(event.location)) {
            if (graph_.at(load).from == previous && !is_done(load)) {
                return false;
            }
        }
        return true;
    }

    Hosted& host_;
    const Graph& graph_;
    std::array<std::vector<std::size_t>, kThreadsMax> of_thread_;
    std::array<std::size_t, kThreadsMax> taken_{};
    std::array<std::size_t, kThreadsMax> marks_{};
    std::size_t marks_done_ = 0;
    Clock done_;
    std::vector<EventId> events_;
};

}  // namespace

void order_told(Hosted& host) { ToldInOrder(host).run(); }

}  // namespace lockkeeper::threads
