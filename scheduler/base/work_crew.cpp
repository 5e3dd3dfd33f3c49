// SPDX-License-Identifier: Apache-2.0
#include "scheduler/base/work_crew.hpp"

namespace lockkeeper {
namespace {

// Rounds follow each other within microseconds: look a while before going to sleep.
constexpr int kLooks = 2000;

void wait_while(const std::atomic<std::uint32_t>& value, std::uint32_t unwanted) {
    for (int i = 0; i < kLooks; ++i) {
        if (value.load(std::memory_order_acquire) != unwanted) {
            return;
        }
        __builtin_ia32_pause();
    }
    value.wait(unwanted, std::memory_order_acquire);
}

}  // namespace

WorkCrew::~WorkCrew() {
    dismissed_.store(true, std::memory_order_relaxed);
    round_.fetch_add(1, std::memory_order_release);
    round_.notify_all();
    for (std::thread& thread : threads_) {
        thread.join();
    }
}

void WorkCrew::start() {
    while (threads_.size() + 1 < size_) {
        const std::size_t worker = threads_.size() + 1;
        threads_.emplace_back([this, worker] { live(worker); });
    }
}

void WorkCrew::live(std::size_t worker) {
    for (std::uint32_t seen = 0;;) {
        wait_while(round_, seen);
        seen = round_.load(std::memory_order_acquire);
        if (dismissed_.load(std::memory_order_relaxed)) {
            return;
        }
        take_pieces(worker);
    }
}

void WorkCrew::take_pieces(std::size_t worker) {
    for (std::size_t left = left_.load(std::memory_order_relaxed); left > 0;) {
        if (!left_.compare_exchange_weak(left, left - 1, std::memory_order_acquire,
                                         std::memory_order_relaxed)) {
            continue;
        }
        const std::size_t pieces = pieces_;
        do_piece(worker, pieces - left, *task_);
        if (done_.fetch_add(1, std::memory_order_release) + 1 == pieces) {
            done_.notify_one();
        }
        left = left_.load(std::memory_order_relaxed);
    }
}

void WorkCrew::do_piece(std::size_t worker, std::size_t piece, const Task& task) {
    try {
        task(worker, piece);
    } catch (...) {
        Failure& failure = failures_[worker];
        if (!failure.error || piece < failure.piece) {
            failure = {piece, std::current_exception()};
        }
    }
}

void WorkCrew::rethrow_first() {
    Failure first;
    for (Failure& failure : failures_) {
        if (failure.error && (!first.error || failure.piece < first.piece)) {
            first = failure;
        }
        failure = {};
    }
    if (first.error) {
        std::rethrow_exception(first.error);
    }
}

void WorkCrew::run(std::size_t pieces, const Task& task) {
    if (size_ == 1 || pieces <= 1) {
        for (std::size_t piece = 0; piece < pieces; ++piece) {
            do_piece(0, piece, task);
        }
        rethrow_first();
        return;
    }
    start();
    task_ = &task;
    pieces_ = pieces;
    done_.store(0, std::memory_order_relaxed);
    left_.store(pieces, std::memory_order_release);
    round_.fetch_add(1, std::memory_order_release);
    round_.notify_all();
    take_pieces(0);
    for (std::uint32_t done = done_.load(std::memory_order_acquire); done != pieces;
         done = done_.load(std::memory_order_acquire)) {
        wait_while(done_, done);
    }
    rethrow_first();
}

}  // namespace lockkeeper
