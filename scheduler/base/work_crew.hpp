// SPDX-License-Identifier: Apache-2.0

// Workers that do numbered pieces of work together. Which worker does which piece is left to
// chance; whoever uses a crew writes results to places that belong to the piece.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

namespace lockkeeper {

class WorkCrew {
  public:
    // Calls task(worker, piece); worker < size().
    using Task = std::function<void(std::size_t, std::size_t)>;

    // The thread that calls run() is one of the workers: the others start when first needed.
    explicit WorkCrew(std::size_t size) : size_(size == 0 ? 1 : size), failures_(size_) {}
    WorkCrew(const WorkCrew&) = delete;
    WorkCrew& operator=(const WorkCrew&) = delete;
    ~WorkCrew();

    [[nodiscard]] std::size_t size() const { return size_; }

    // Returns when every piece 0 .. pieces-1 is done. Of what pieces throw, that of the first piece
    // is thrown on: it does not depend on who was faster.
    void run(std::size_t pieces, const Task& task);

  private:
    void start();
    void live(std::size_t worker);
    void take_pieces(std::size_t worker);
    void do_piece(std::size_t worker, std::size_t piece, const Task& task);
    void rethrow_first();

    struct Failure {
        std::size_t piece = 0;
        std::exception_ptr error;
    };

    std::size_t size_;
    std::vector<Failure> failures_;  // of each worker, the first piece that threw
    std::vector<std::thread> threads_;
    // A round is over when its pieces are done, whoever did them: a thread that no processor has
    // time for is not waited for. It may come to the pieces of a later round as well.
    std::atomic<std::uint32_t> round_{0};
    std::atomic<std::size_t> left_{0};  // pieces that nobody has taken
    std::atomic<std::uint32_t> done_{0};
    std::atomic<bool> dismissed_{false};
    // The round's work. A thread that has taken a piece may read it: the round cannot end before
    // that piece is done.
    const Task* task_ = nullptr;
    std::size_t pieces_ = 0;
};

}  // namespace lockkeeper
