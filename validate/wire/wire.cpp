// SPDX-License-Identifier: Apache-2.0
#include "validate/wire/wire.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include <fmt/format.h>

#include "model/check.hpp"
#include "validate/wire/held_servers.hpp"
#include "validate/wire/task_states.hpp"

namespace lockkeeper::wire {
namespace {

// A socket's address has room for 107 bytes.
constexpr std::size_t kDirectoryMax = 80;
constexpr unsigned kLooksBetween = 32;  // so often nobody looks whether the time is over
constexpr std::size_t kLinesMax = 16;   // that nobody has asked for yet
constexpr std::int64_t kBehindPrepare = 1'000'000'000;
constexpr std::int64_t kTick = 1'000;
constexpr unsigned kWakesOfStartMax = 1'000;
constexpr std::int64_t kPassesOfStartMax = 60'000'000'000;

std::string beginning_of_directory() {
    const char* chosen = std::getenv("TMPDIR");
    const std::string base = chosen == nullptr ? "/tmp" : chosen;
    const std::string name = "/lockkeeper-wire-";
    return (base.empty() || base.size() + name.size() + 6 > kDirectoryMax ? "/tmp" : base) + name;
}

// Objects that a kept process gives back when it is told to begin anew would be done to the files
// of the next run: SoftFileLock of Python's filelock unlinks its file when the object goes.
WireSettings without_kept_files(WireSettings settings) {
    const bool is_kept = settings.freshness == Freshness::kKept;
    if (settings.server == ServerKind::kFiles && is_kept) {
        settings.freshness = Freshness::kForked;
    }
    return settings;
}

// A kept process has something of an earlier run in it: what it does wrong before it is ready again
// is no finding of this run. A fresh one tells whether the driver itself is wrong.
std::string why_not_kept(const std::optional<std::string>& line) {
    if (!line) {
        return "it waits without an end when it is told to begin anew";
    }
    return line->starts_with("ready")
               ? ""
               : "it answers " + quoted_piece(*line, 60) + " when it is told to begin anew";
}

std::vector<HeldServer*> pointers_to(const std::vector<std::unique_ptr<HeldServer>>& servers) {
    std::vector<HeldServer*> out;
    std::transform(servers.begin(), servers.end(), std::back_inserter(out),
                   [](const auto& server) { return server.get(); });
    return out;
}

}  // namespace

Wire::Wire(WireSettings settings)
    : settings_(without_kept_files(std::move(settings))),
      directory_(beginning_of_directory()),
      memory_(directory_.path()),
      servers_(start_servers(settings_, memory_)),
      proxy_({directory_.path(), settings_.callers, pointers_to(servers_), settings_.server,
              [this](std::size_t server, const std::string& body) {
                  scripts_.emplace_back(server, body);
              },
              settings_.answer_seconds}),
      heard_(settings_.callers),
      on_real_time_(settings_.callers),
      has_begun_(settings_.callers),
      started_at_(settings_.callers) {
    LOCKKEEPER_CHECK(settings_.callers <= LOCKKEEPER_WIRE_CALLERS);
    if (!shows_who_waits()) {
        throw ServerError(
            "/proc does not show here where a process waits (wchan) and how much it has run "
            "(schedstat)");
    }
    memory_->servers_count = static_cast<std::uint32_t>(servers_.size());
    for (std::size_t i = 0; i < servers_.size(); ++i) {
        memory_->ports[i] = servers_[i]->port();
    }
    for (std::size_t i = 0; i < settings_.callers; ++i) {
        std::vector<std::string> variables = variables_of(servers_, settings_.replicas);
        variables.push_back("LOCKKEEPER_CALLER=" + std::to_string(i));
        const std::string port = std::to_string(proxy_.tcp_port(i));
        memory_->callers[i].tcp_port = proxy_.tcp_port(i);
        variables.insert(variables.end(), {"LOCKKEEPER_ADDRESS=127.0.0.1:" + port,
                                           "LOCKKEEPER_HOST=127.0.0.1", "LOCKKEEPER_PORT=" + port});
        clients_.push_back(std::make_unique<Client>(
            memory_, Client::Settings{settings_.command, i, std::move(variables),
                                      settings_.freshness, settings_.answer_seconds}));
    }
}

Wire::~Wire() = default;

void Wire::stop_by(const StopRule& rule) {
    stop_ = rule;
    for (const auto& client : clients_) {
        client->stop_by(rule);
    }
}

void Wire::keep_scripts() {
    for (const auto& [server, script] : scripts_) {
        servers_[server]->add_script(script);
    }
    scripts_.clear();
}

void Wire::keep_prepared() {
    keep_scripts();
    for (std::size_t caller = 0; caller < clients_.size(); ++caller) {
        kill(caller);
    }
    for (const auto& server : servers_) {
        server->keep();
    }
    // Nothing of it is of the instant in which a run begins.
    if (settings_.server != ServerKind::kTcp) {
        beginning_ = memory_.now() + kBehindPrepare;
    }
    is_prepared_ = true;
}

void Wire::begin_run() {
    for (std::size_t i = 0; i < clients_.size(); ++i) {
        if (clients_[i]->closes()) {
            close(i, Closing::kBehindRun);
        }
        // Node.js ends where its clock shows less than when it was started.
        if (started_at_[i] > beginning_ && timer_calls(i) != 0) {
            kill(i);
        }
    }
    for (std::size_t i = 0; i < clients_.size(); ++i) {
        // A call on files that is under way would be one of the next run.
        if (settings_.server == ServerKind::kFiles && !proxy_.is_idle(i, 0)) {
            kill(i);
        }
        clients_[i]->let_go();
        proxy_.forget(i);
    }
    static_cast<void>(proxy_.take_fingerprint());
    static_cast<void>(proxy_.take_touched());
    memory_.set_now(beginning_);
    const auto of = [](const std::vector<std::int64_t>& numbers, std::size_t caller) {
        return caller < numbers.size() ? numbers[caller] : 0;
    };
    for (std::size_t i = 0; i < clients_.size(); ++i) {
        memory_->callers[i].clock_offset = of(settings_.clock_offsets, i);
        memory_->callers[i].clock_drift = of(settings_.clock_drifts, i);
    }
    scripts_.clear();
    has_begun_.assign(clients_.size(), false);
    mend();
    for (std::size_t i = 0; i < servers_.size(); ++i) {
        memory_->server_offsets[i] = 0;
        servers_[i]->reset();
    }
}

// A client that is asked again in the same run has connections from before, whose end may need a
// choice (QUIT).
void Wire::start_caller(std::size_t caller, std::uint64_t incarnation) {
    if (!proxy_.of(caller).empty() && clients_[caller]->closes()) {
        close(caller, Closing::kInRun);
    }
    heard_[caller].clear();
    has_begun_[caller] = true;
    clients_[caller]->begin(incarnation);
}

void Wire::await_caller(std::size_t caller) {
    Client& client = *clients_[caller];
    bool is_start = client.used() == Freshness::kStarted;
    proxy_.hold_scripts(false);
    // For itself alone, time passes while it starts: it sleeps, or its threads take turns. Node.js
    // ends where its clock goes back.
    const std::int64_t before = memory_.now();
    const auto sleeps_on = [&] {
        const std::vector<Sleeper> sleepers = client.sleepers();
        if (sleepers.empty() || sleepers.front().until > before + kPassesOfStartMax ||
            timer_calls(caller) != 0) {
            return false;
        }
        memory_.set_now(std::max(memory_.now(), sleepers.front().until));
        client.wake(sleepers.front());
        settle(caller);
        return true;
    };
    try {
        for (bool is_ready = false; !is_ready;) {
            std::optional<std::string> line;
            std::string left;
            try {
                settle(caller);
                line = first_line(caller);
                for (unsigned wakes = 0; !line && wakes < kWakesOfStartMax && sleeps_on();
                     ++wakes) {
                    line = first_line(caller);
                }
                left = why_not_kept(line);
            } catch (const Misbehaved& error) {
                if (client.used() != Freshness::kKept) {
                    throw;
                }
                const std::string words = client.last_words();
                left = std::string("it does not begin anew: ") + error.what() +
                       (words.empty() ? "" : " (" + words + ")");
            }
            memory_.set_now(before);
            if (client.used() == Freshness::kKept && !left.empty()) {
                begin_unkept(caller, left);
                continue;
            }
            is_start = is_start || client.used() == Freshness::kStarted;
            has_kept_ = has_kept_ || client.used() == Freshness::kKept;
            is_ready = client.take_ready(line, [&] { proxy_.forget(caller); });
        }
        proxy_.hold_scripts(holds_scripts_);
        started_at_[caller] = is_start ? memory_.now() : started_at_[caller];
        if (is_start && !on_real_time_[caller] && !client.is_held()) {
            on_real_time_[caller] = true;
            settle(caller);
        }
    } catch (const Misbehaved& error) {
        is_start = is_start || client.used() == Freshness::kStarted;
        const bool never_began = is_start && error.kind() == Misbehaviour::kDied;
        throw Misbehaved(never_began ? Misbehaviour::kCannotStart : error.kind(), error.what(),
                         client.last_words());
    }
}

void Wire::say(std::size_t caller, const std::string& line) {
    clients_[caller]->say(line);
    settle(caller);
}

std::optional<std::string> Wire::hear(std::size_t caller) {
    std::deque<std::string>& lines = heard_[caller];
    if (lines.empty()) {
        return std::nullopt;
    }
    std::string line = std::move(lines.front());
    lines.pop_front();
    return line;
}

std::optional<std::string> Wire::hear_answer(std::size_t caller) {
    std::optional<std::string> line = hear(caller);
    while (line && line->starts_with(kByItself)) {
        line = hear(caller);
    }
    return line;
}

// Takes the client's lines. True: it had written something, and may have waited for room to write.
bool Wire::collect(std::size_t caller) {
    Client& client = *clients_[caller];
    const std::uint64_t before = client.written_bytes();
    bool moved = false;
    while (auto line = client.hear()) {
        heard_[caller].push_back(std::move(*line));
        moved = true;
        if (heard_[caller].size() > kLinesMax) {
            throw Misbehaved(Misbehaviour::kFlooded, "more lines on stdout than it was asked for");
        }
    }
    return moved || client.written_bytes() != before;
}

// Two statements of a database are never of one instant: it asks for what was before now.
void Wire::execute(Connection& connection) {
    const WireRequest* const next = connection.next_chosen();
    if (is_database(settings_.server) && next != nullptr && next->footprint.everything) {
        memory_.set_now(memory_.now() + kTick);
    }
    proxy_.execute(connection);
    if (!replicas_lag_) {
        static_cast<void>(bring_replicas_up());
    }
}

std::string Wire::deliver(Connection& connection) {
    const std::size_t caller = connection.caller;
    // What came of a call on files stands there when the caller is at rest again.
    char* const result = memory_->callers[caller].file_result;
    result[0] = '\0';
    clients_[caller]->listen();
    std::string shown = proxy_.deliver(connection);
    settle(caller);
    return settings_.server == ServerKind::kFiles
               ? std::string(result, strnlen(result, LOCKKEEPER_WIRE_RESULT_MAX))
               : shown;
}

bool Wire::lose(Connection& connection, bool buries) {
    const std::size_t caller = connection.caller;
    clients_[caller]->listen();
    const bool stays = buries && proxy_.bury(connection);
    if (!buries) {
        proxy_.lose(connection);
    }
    settle(caller);
    return stays;
}

void Wire::kill(std::size_t caller, bool buries) {
    clients_[caller]->kill();
    if (buries) {
        proxy_.bury(caller);
    } else {
        proxy_.forget(caller);
    }
    look_at_locks();
}

// What somebody did on the folder of files, or his end, may have ended a lock that others wait for.
void Wire::look_at_locks() {
    if (settings_.server == ServerKind::kFiles) {
        proxy_.look_at_others(0);
    }
}

void Wire::wake(std::size_t caller, const Sleeper& sleeper) {
    set_now(std::max(memory_.now(), sleeper.until));
    clients_[caller]->wake(sleeper);
    settle(caller);
}

std::uint32_t Wire::timer_calls(std::size_t caller) const {
    return __atomic_load_n(&memory_->callers[caller].timer_calls, __ATOMIC_SEQ_CST);
}

void Wire::set_now(std::int64_t now) {
    memory_.set_now(now);
    for (std::size_t i = 0; i < servers_.size(); ++i) {
        servers_[i]->time_passed();
        if (!is_database(settings_.server)) {
            proxy_.look_at_others(i);
        }
    }
}

void Wire::look_for_real_time() {
    for (std::size_t caller = 0; caller < clients_.size(); ++caller) {
        on_real_time_[caller] = on_real_time_[caller] ||
                                (clients_[caller]->is_running() && !clients_[caller]->is_held());
    }
}

void Wire::settle(std::size_t caller) {
    Client& client = *clients_[caller];
    if (!client.is_running()) {
        return;
    }
    AnswerTime time(settings_.answer_seconds);
    // Whoever was given something works now: there is nothing to be seen before it rings.
    client.wait_for_bell();
    for (unsigned looks = 1;; ++looks) {
        if (looks % kLooksBetween == 0) {
            check_answer_time(client, time);
        }
        if (proxy_.pump(caller)) {
            continue;
        }
        // Asked before and behind: what it was sent is there, and what it has sent is here.
        const bool is_remote = runs_on_real_time(caller);
        if ((is_remote && !proxy_.has_arrived(caller)) || !client.sleeps() ||
            (is_remote && !proxy_.has_arrived(caller))) {
            client.wait_for_bell();
            continue;
        }
        // All that the caller sent before it fell asleep has arrived by now.
        const bool has_sent = proxy_.pump(caller);
        if (!collect(caller) && !has_sent) {
            look_at_locks();
            return;
        }
    }
}

void Wire::check_answer_time(Client& client, AnswerTime& time) const {
    ChildProcess::check_time(stop_);
    if (time.is_over(client.roots())) {
        throw Misbehaved(Misbehaviour::kHung,
                         fmt::format("still at work after {:g} s: it neither waits for the server "
                                     "nor answers ({})",
                                     settings_.answer_seconds, client.who_works()));
    }
}

}  // namespace lockkeeper::wire
