// SPDX-License-Identifier: Apache-2.0

// A thread that holds the processes of outside code: a child ends with the thread that started it,
// and requests come from many. What is asked is done in turn. Used by outside_file.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <optional>
#include <thread>

#include "work/program_job.hpp"

namespace lockkeeper {

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

}  // namespace lockkeeper
