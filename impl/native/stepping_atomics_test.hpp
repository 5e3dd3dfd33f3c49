// SPDX-License-Identifier: Apache-2.0

// Atomics (native_atomics.hpp) under a hand: threads that run one access at a time, each when it is
// told to. So a test owns the interleaving of the real code, and hears of each step it takes.
//
// One thread runs at any time, and the semaphores order what they do: the values can be plain.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <semaphore>
#include <thread>
#include <utility>
#include <vector>

#include "impl/canal/canal_label.hpp"

namespace lockkeeper::testing_native {

struct Step {
    canal::At label = canal::At::kNowhere;
    std::uint32_t bucket = 0;
    std::int64_t value = 0;
};

// A thread that stops before each access.
class Worker {
  public:
    explicit Worker(std::function<void()> work)
        : thread_([this, work = std::move(work)] {
              current_ = this;
              go_.acquire();
              work();
              finished_ = true;
              stopped_.release();
          }) {}
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;
    Worker(Worker&&) = delete;
    Worker& operator=(Worker&&) = delete;
    // Runs what is left.
    ~Worker() {
        while (!finished_) {
            run_one_access();
        }
        thread_.join();
    }

    // From one access to just before the next one; the step that happened, if one did.
    std::optional<Step> run_one_access() {
        happened_.reset();
        go_.release();
        stopped_.acquire();
        return happened_;
    }
    [[nodiscard]] bool finished() const { return finished_; }

    // Called by the thread that is running.
    static void stop() {
        if (current_ != nullptr) {
            current_->stopped_.release();
            current_->go_.acquire();
        }
    }
    static void happened(Step step) {
        if (current_ != nullptr) {
            current_->happened_ = step;
        }
    }

  private:
    static inline thread_local Worker* current_ = nullptr;
    std::binary_semaphore go_{0};
    std::binary_semaphore stopped_{0};
    std::optional<Step> happened_;
    bool finished_ = false;
    std::thread thread_;
};

struct SteppingAtomics {
    template <class T>
    class Atomic {
      public:
        Atomic() = default;
        explicit Atomic(T value) : value_(value) {}

        T load(std::memory_order = std::memory_order_seq_cst) const {
            Worker::stop();
            return value_;
        }
        void store(T value, std::memory_order = std::memory_order_seq_cst) {
            Worker::stop();
            value_ = value;
        }
        T exchange(T value, std::memory_order) {
            Worker::stop();
            return std::exchange(value_, value);
        }
        T fetch_sub(T value, std::memory_order) {
            Worker::stop();
            return std::exchange(value_, value_ - value);
        }
        bool compare_exchange_weak(T& expected, T desired,
                                   std::memory_order = std::memory_order_seq_cst,
                                   std::memory_order = std::memory_order_seq_cst) {
            Worker::stop();
            if (value_ == expected) {
                value_ = desired;
                return true;
            }
            expected = value_;
            return false;
        }

      private:
        T value_{};
    };

    static void step(canal::At label, std::uint32_t bucket, std::int64_t value) {
        Worker::happened({label, bucket, value});
    }
};

}  // namespace lockkeeper::testing_native
