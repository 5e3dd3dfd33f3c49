// SPDX-License-Identifier: Apache-2.0

// Outside code that the explorer has open: a program of the protocol, or clients at the wire. Its
// state cannot be copied, so kept processes run to each place from the beginning. States without a
// name (Source::key) are never reported as seen before. Each function is one endpoint; each throws
// DoesNotFit and BadInput. Safe with threads, which wait for each other.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <optional>
#include <thread>

#include "serve/saving.hpp"
#include "serve/session.hpp"
#include "work/program_job.hpp"

namespace lockkeeper {

// A thread that holds the processes of outside code: a child ends with the thread that started it,
// and requests come from many. It does in turn what it is asked.
class SearchThread {
  public:
    // `job` must outlive it. Nothing is started before something is asked.
    SearchThread(ProgramJob& job, OutsideOptions options);
    SearchThread(const SearchThread&) = delete;
    SearchThread& operator=(const SearchThread&) = delete;
    ~SearchThread();

    // Waits until `use` ends and throws its exceptions. Throws BadInput where nothing could start.
    void ask(const std::function<void(OutsideSearch&)>& use);

  private:
    struct Asked {
        std::function<void(OutsideSearch&)> use;
        std::promise<void> done;
    };
    void work();
    [[nodiscard]] bool waits_for_one();
    void answer(OutsideSearch& search);
    void refuse(const std::exception_ptr& why);
    [[nodiscard]] std::optional<Asked> next();

    ProgramJob& job_;
    OutsideOptions options_;
    std::mutex mutex_;
    std::condition_variable is_asked_;
    std::deque<Asked> asked_;
    bool is_over_ = false;
    std::thread thread_;
};

// The time limit of one request.
inline constexpr double kOutsideWalkSeconds = 60;

class OutsideFile {
  public:
    explicit OutsideFile(ProgramJob job);

    [[nodiscard]] ServeJson view(std::size_t number) const;
    [[nodiscard]] ServeJson run(const Schedule& schedule);
    [[nodiscard]] ServeJson choices(const Schedule& schedule);
    [[nodiscard]] ServeJson random(const Schedule& schedule, const RandomWalk& choice);
    // A trace, which `validate` repeats.
    [[nodiscard]] SavedFile saved(const Schedule& schedule);

    [[nodiscard]] const ProgramJob& job() const { return job_; }

  private:
    void ask(const std::function<void(OutsideSearch&)>& use);

    ProgramJob job_;
    SearchThread thread_;
};

}  // namespace lockkeeper
