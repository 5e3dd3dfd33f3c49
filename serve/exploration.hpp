// SPDX-License-Identifier: Apache-2.0

// One exploration in the background, while the page goes on: its progress, the shortest violations
// as soon as they are known, its end. A new one ends the one before. Safe with threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "serve/outside_file.hpp"
#include "serve/session.hpp"

namespace lockkeeper {

struct ExplorationRequest {
    std::shared_ptr<const OpenedFile> file;
    std::shared_ptr<OutsideFile> outside;  // in its place
    std::size_t file_number = 0;
    Schedule from;                       // begins behind it
    std::vector<const Property*> check;  // empty: those of the file
    bool stop_at_first = false;
    std::uint64_t states_max = UINT64_MAX;
};

// The machine's share for one exploration, and where it runs.
struct ExplorationLimits {
    std::size_t jobs = 1;
    std::uint64_t bytes_max = UINT64_MAX;
    // Runs the search. Null: a thread of the exploration's own does. May return at its end only:
    // then start() does, and the answer to it is the whole exploration.
    std::function<void(const std::function<void()>& search)> run{};
    // Called by the search when view() has something new; not at its end.
    std::function<void()> tell{};
};

class Exploration {
  public:
    explicit Exploration(ExplorationLimits limits) : limits_(limits) {}
    Exploration(const Exploration&) = delete;
    Exploration& operator=(const Exploration&) = delete;
    ~Exploration() { end(); }

    // Throws DoesNotFit; then the one before has ended all the same.
    void start(ExplorationRequest request);
    // The exploration ends soon, with what it has found.
    void cancel() { is_cancelled_ = true; }
    // Returns the exploration in the form of reports/web/src/serve_data.ts.
    [[nodiscard]] ServeJson view() const;
    // Waits for its end.
    void join();

  private:
    enum class Phase : std::uint8_t { kNone, kRunning, kEnded };
    // The results so far. Guarded by mutex_.
    struct Known {
        Phase phase = Phase::kNone;
        ServeJson progress;
        std::vector<FoundViolation> violations;
        Verdict verdict;
        bool complete = false;
        std::string limit;
        std::string error;
    };

    void end();
    void work(const Runner& runner, const ExploreOptions& options);
    void work_outside();
    void run(const std::function<void()>& search);
    void note(const std::function<void(Known& known)>& what);
    // Ends the phase: `take` stores the results, unless `error` says why there are none.
    void conclude(const std::string& error, const std::function<void(Known& known)>& take);
    [[nodiscard]] ExploreOptions options_for(const ExplorationRequest& request);
    [[nodiscard]] ServeJson violation_json(const FoundViolation& violation) const;

    ExplorationLimits limits_;
    std::mutex starting_;  // held while one is ended and the next is begun
    mutable std::mutex mutex_;
    std::uint64_t number_ = 0;
    ExplorationRequest request_;
    std::unique_ptr<Runner> rest_;  // null: the file's own runner explores
    Known known_;
    std::atomic<bool> is_cancelled_{false};
    std::thread worker_;
};

}  // namespace lockkeeper
