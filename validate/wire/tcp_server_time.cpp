// SPDX-License-Identifier: Apache-2.0

// Time for a server that is not known: its timers, its leases, and what passes before it serves.
// And its folder as it was kept.
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "scenarios/bad_input.hpp"
#include "validate/programs/child_process.hpp"
#include "validate/wire/proxy.hpp"
#include "validate/wire/tcp_server.hpp"

namespace lockkeeper::wire {
namespace {

constexpr unsigned kServerTimersMax = 10'000;  // that one passage of time may end
constexpr unsigned kSleepsOfStartMax = 100;
constexpr std::int64_t kStartLastsMax = 60'000'000'000;
constexpr auto kBetweenLooksAtEnd = std::chrono::milliseconds(1);

}  // namespace

void TcpServer::take_reply(MessageKind kind, std::string_view reply, std::size_t caller) {
    words_.take_reply(reply, memory_.now(), caller);
    if (framing_ == Framing::kZookeeper && kind == MessageKind::kFirstReply) {
        const auto session = zookeeper_session(reply);
        if (session && session->timeout_milliseconds > 0) {
            sessions_.push_back(*session);
        }
    }
}

// Its timers first, then what it cannot know of.
void TcpServer::time_passed() {
    if (!child_) {
        return;
    }
    if (!stands_still_) {
        end_timers();
    }
    const std::int64_t now = memory_.now();
    time_has_passed_ = time_has_passed_ || now > ready_at_;
    auto& leases = words_.leases();
    for (std::size_t i = 0; i < leases.size(); ++i) {
        if (leases[i].is_over || leases[i].ends_at >= now) {
            continue;
        }
        leases[i].is_over = true;
        if (runs_on_real_time_ && forces_ends()) {
            end_lease(leases[i].name);
        }
    }
}

// Fires the timers whose time has come.
void TcpServer::end_timers() {
    const std::int64_t now = memory_.now();
    for (unsigned timers = 0;; ++timers) {
        const std::vector<Sleeper> sleepers = memory_.sleepers_of(LOCKKEEPER_WIRE_SERVER);
        if (sleepers.empty() || sleepers.front().until > now) {
            break;
        }
        if (timers == kServerTimersMax) {
            throw Misbehaved(Misbehaviour::kHung, "the server's timers never end");
        }
        memory_.fire(sleepers.front().slot);
        settle();
    }
}

// Whoever sleeps before there is a port sleeps until it opens one.
void TcpServer::end_sleep_before_port() {
    const std::vector<Sleeper> sleepers = memory_.sleepers_of(LOCKKEEPER_WIRE_SERVER);
    if (sleepers.empty() || sleepers.front().until > kBeginning + kStartLastsMax ||
        !tasks_.all_sleep({child_->id()})) {
        return;
    }
    memory_.set_now(std::max(memory_.now(), sleepers.front().until));
    memory_.fire(sleepers.front().slot);
}

// A server whose first thread sleeps, and waits for nothing but the time, does not serve yet:
// memcached sleeps for a millisecond between its socket and its loop. Nobody is there who could
// wait for it, so the time passes.
void TcpServer::end_sleeps_of_start() {
    for (unsigned sleeps = 0; sleeps < kSleepsOfStartMax; ++sleeps) {
        const auto until = memory_.sleep_of_first_thread(LOCKKEEPER_WIRE_SERVER);
        if (!until || *until > kBeginning + kStartLastsMax) {
            break;
        }
        memory_.set_now(std::max(memory_.now(), *until));
        end_timers();
    }
    ready_at_ = memory_.now();
}

std::vector<Sleeper> TcpServer::sleepers(const Connection& /*connection*/) const {
    return memory_.sleepers_of(LOCKKEEPER_WIRE_SERVER);
}

// Only what is in its folder can be. Its own end comes first, so that it has written everything.
void TcpServer::keep() {
    if (server_.command.find("{dir}") == std::string::npos || !server_.reset.empty()) {
        throw BadInput({"--wire tcp", "",
                        "what a driver prepares is kept as files of the server: its command needs "
                        "a folder, {dir}, and there must be no \"reset\""});
    }
    if (child_) {
        child_->signal(SIGTERM);
        const auto deadline = moment_after(answer_seconds_);
        while (!child_->status() && SteadyClock::now() < deadline) {
            std::this_thread::sleep_for(kBetweenLooksAtEnd);
        }
    }
    stop();
    kept_.reset();
    std::filesystem::remove_all(directory_ + ".kept");
    kept_ = std::make_unique<KeptTree>(directory_, directory_ + ".kept");
    is_untouched_ = false;
}

}  // namespace lockkeeper::wire
