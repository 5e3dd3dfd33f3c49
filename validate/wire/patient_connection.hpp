// SPDX-License-Identifier: Apache-2.0

// A session of the harness's with a server whose time stands still: where the server needs time for
// its answer, time passes, and never where the answer has come. Used for MariaDB.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "validate/servers/connection.hpp"

namespace lockkeeper::wire {

class PatientConnection final : public databases::Connection {
  public:
    // `sleeps`: whether all of the server does, as TaskStates::all_sleep; `let_time_pass`: up to
    // the server's next timer.
    PatientConnection(std::unique_ptr<databases::Connection> inner, std::function<bool()> sleeps,
                      std::function<void()> let_time_pass)
        : inner_(std::move(inner)),
          sleeps_(std::move(sleeps)),
          let_time_pass_(std::move(let_time_pass)) {}

    [[nodiscard]] std::uint64_t id() const override { return inner_->id(); }
    void send(const std::string& sql) override { inner_->send(sql); }
    [[nodiscard]] std::optional<databases::Answer> poll(int milliseconds) override {
        auto answer = inner_->poll(std::min(milliseconds, kPollMax));
        if (answer || !sleeps_()) {
            return answer;
        }
        // It may have answered, and gone to sleep, after the first look.
        answer = inner_->poll(0);
        if (!answer) {
            let_time_pass_();
        }
        return answer;
    }

  private:
    static constexpr int kPollMax = 10;
    std::unique_ptr<databases::Connection> inner_;
    std::function<bool()> sleeps_;
    std::function<void()> let_time_pass_;
};

}  // namespace lockkeeper::wire
