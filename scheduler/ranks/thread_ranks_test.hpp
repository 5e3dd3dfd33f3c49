// SPDX-License-Identifier: Apache-2.0

// Ranks that are threads of one process, for tests of the search that need no MPI. Nothing else
// includes it.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "scheduler/ranks/ranks.hpp"

namespace lockkeeper::testing_scheduler {

// Messages on their way, by sender and receiver, first in, first out.
class ThreadPost {
  public:
    void send(std::size_t from, std::size_t to, RankMessage message) {
        const std::lock_guard lock(mutex_);
        waiting_[{from, to}].push_back(std::move(message));
        changed_.notify_all();
    }
    RankMessage receive(std::size_t from, std::size_t to) {
        std::unique_lock lock(mutex_);
        std::deque<RankMessage>& queue = waiting_[{from, to}];
        changed_.wait(lock, [&] { return !queue.empty() || parted_; });
        if (queue.empty()) {
            throw RanksParted("another rank has ended");
        }
        RankMessage first = std::move(queue.front());
        queue.pop_front();
        return first;
    }
    std::optional<RankLetter> take_any(std::size_t to) {
        std::unique_lock lock(mutex_);
        for (auto& [way, queue] : waiting_) {
            if (way.second == to && !queue.empty()) {
                RankLetter letter{way.first, std::move(queue.front())};
                queue.pop_front();
                return letter;
            }
        }
        if (parted_) {
            throw RanksParted("another rank has ended");
        }
        changed_.wait_for(lock, std::chrono::milliseconds(1));
        return std::nullopt;
    }
    void part() {
        const std::lock_guard lock(mutex_);
        parted_ = true;
        changed_.notify_all();
    }
    // Nobody has sent what nobody asked for.
    [[nodiscard]] bool is_empty() const {
        return std::all_of(waiting_.begin(), waiting_.end(),
                           [](const auto& queue) { return queue.second.empty(); });
    }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<std::pair<std::size_t, std::size_t>, std::deque<RankMessage>> waiting_;
    bool parted_ = false;
};

class ThreadRanks final : public Ranks {
  public:
    ThreadRanks(ThreadPost& post, std::size_t rank, std::size_t count)
        : post_(post), rank_(rank), count_(count) {}

    [[nodiscard]] std::size_t rank() const override { return rank_; }
    [[nodiscard]] std::size_t count() const override { return count_; }
    void send(std::size_t to, const RankMessage& message) override {
        post_.send(rank_, to, message);
    }
    RankMessage receive(std::size_t from) override { return post_.receive(from, rank_); }
    std::optional<RankLetter> take_any(const std::vector<bool>&) override {
        return post_.take_any(rank_);
    }

  private:
    void do_exchange(const std::vector<RankMessage>& out, std::vector<RankMessage>& in) override {
        in.resize(count_);
        for (std::size_t to = 0; to < count_; ++to) {
            if (to != rank_) {
                send(to, out[to]);
            }
        }
        for (std::size_t from = 0; from < count_; ++from) {
            if (from != rank_) {
                in[from] = receive(from);
            }
        }
    }
    void do_gather(const RankMessage& mine, std::vector<RankMessage>& all) override {
        do_exchange(std::vector<RankMessage>(count_, mine), all);
        all[rank_] = mine;
    }

    ThreadPost& post_;
    std::size_t rank_;
    std::size_t count_;
};

// Runs task(ranks) on so many ranks at once and returns what each came to. What one of them throws
// is thrown on, once all have ended.
template <class Result>
std::vector<Result> on_ranks(std::size_t count, const std::function<Result(Ranks&)>& task) {
    ThreadPost post;
    std::vector<Result> results(count);
    std::vector<std::exception_ptr> errors(count);
    std::vector<std::thread> threads;
    for (std::size_t rank = 0; rank < count; ++rank) {
        threads.emplace_back([&, rank] {
            try {
                ThreadRanks ranks(post, rank, count);
                results[rank] = task(ranks);
            } catch (...) {
                errors[rank] = std::current_exception();
                post.part();
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (const std::exception_ptr& error : errors) {
        if (error) {
            std::rethrow_exception(error);
        }
    }
    LOCKKEEPER_CHECK(post.is_empty());
    return results;
}

}  // namespace lockkeeper::testing_scheduler
