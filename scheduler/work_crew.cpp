// SPDX-License-Identifier: Apache-2.0
#include "scheduler/work_crew.hpp"

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
    for (std::uint32_t seen = 0;; ++seen) {
        wait_while(round_, seen);
        if (dismissed_.load(std::memory_order_relaxed)) {
            return;
        }
        take_pieces(worker, *task_, pieces_);
        resting_.fetch_add(1, std::memory_order_release);
        resting_.notify_one();
    }
}

void WorkCrew::take_pieces(std::size_t worker, const Task& task, std::size_t pieces) {
    for (;;) {
        const std::size_t piece = next_piece_.fetch_add(1, std::memory_order_relaxed);
        if (piece >= pieces) {
            return;
        }
        do_piece(worker, piece, task);
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
    next_piece_.store(0, std::memory_order_relaxed);
    resting_.store(0, std::memory_order_relaxed);
    round_.fetch_add(1, std::memory_order_release);
    round_.notify_all();
    take_pieces(0, task, pieces);
    const auto others = static_cast<std::uint32_t>(threads_.size());
    for (std::uint32_t resting = resting_.load(std::memory_order_acquire); resting != others;
         resting = resting_.load(std::memory_order_acquire)) {
        wait_while(resting_, resting);
    }
    rethrow_first();
}

}  // namespace lockkeeper
