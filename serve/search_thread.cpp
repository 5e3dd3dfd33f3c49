// SPDX-License-Identifier: Apache-2.0
#include "serve/search_thread.hpp"

#include <exception>
#include <utility>

namespace lockkeeper {

SearchThread::SearchThread(ProgramJob& job, OutsideOptions options)
    : job_(job), options_(std::move(options)), thread_([this] { work(); }) {}

SearchThread::~SearchThread() {
    {
        const std::lock_guard lock(mutex_);
        is_over_ = true;
    }
    is_asked_.notify_all();
    thread_.join();
}

void SearchThread::ask(const std::function<void(OutsideSearch&)>& use) {
    std::future<void> done;
    {
        const std::lock_guard lock(mutex_);
        done = asked_.emplace_back(Asked{use, {}}).done.get_future();
    }
    is_asked_.notify_all();
    done.get();
}

// False: nobody will ask any more.
bool SearchThread::waits_for_one() {
    std::unique_lock lock(mutex_);
    is_asked_.wait(lock, [&] { return is_over_ || !asked_.empty(); });
    return !is_over_;
}

std::optional<SearchThread::Asked> SearchThread::next() {
    const std::lock_guard lock(mutex_);
    if (asked_.empty()) {
        return std::nullopt;
    }
    std::optional<Asked> first(std::move(asked_.front()));
    asked_.pop_front();
    return first;
}

void SearchThread::answer(OutsideSearch& search) {
    while (waits_for_one()) {
        std::optional<Asked> asked = next();
        try {
            asked->use(search);
            asked->done.set_value();
        } catch (const Misbehaved& error) {
            // The code misbehaved, so the next request starts it anew.
            asked->done.set_exception(
                std::make_exception_ptr(refused_program(job_.command(), error)));
            return;
        } catch (...) {
            asked->done.set_exception(std::current_exception());
        }
    }
}

void SearchThread::refuse(const std::exception_ptr& why) {
    if (std::optional<Asked> asked = next()) {
        asked->done.set_exception(why);
    }
}

void SearchThread::work() {
    Watcher quiet;
    while (waits_for_one()) {
        bool was_there = false;
        try {
            with_search(job_, options_, quiet, [&](OutsideSearch& search, const LastWords&) {
                was_there = true;
                answer(search);
            });
        } catch (...) {
            refuse(std::current_exception());
            continue;
        }
        if (!was_there) {  // of a server that does not start
            const auto* error = std::get_if<Error>(&job_.report.verdict);
            refuse(std::make_exception_ptr(BadInput(
                {job_.report.file, "", error == nullptr ? "nothing was started" : error->detail})));
        }
    }
}

}  // namespace lockkeeper
