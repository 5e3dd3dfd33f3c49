// SPDX-License-Identifier: Apache-2.0

// The look at the end of a run: an hour later, can a fresh caller acquire? What it is refused is
// lost for ever, unless somebody still holds it rightly. Its steps are kept for reports.
#include <algorithm>

#include <fmt/format.h>

#include "validate/wire/wire_run.hpp"

namespace lockkeeper::wire {
namespace {

// By key, what the server stores and for how long.
std::string stored(std::uint8_t key, const std::vector<KeyState>& keys, std::int64_t now) {
    std::string out = std::to_string(key) + ":";
    for (const KeyState& state : keys) {
        const std::int64_t left = state.expires_at < 0 ? -1 : state.expires_at - now / 1'000'000;
        out += fmt::format("{}:{}{}:{}@{};", state.key.size(), state.key, state.dump.size(),
                           state.dump, left);
    }
    return out;
}

}  // namespace

bool WireRun::probe_acquires(std::uint8_t key, bool describes) {
    const std::size_t probe = callers_.size();
    wire_.begin_caller(probe);
    const auto keep = [&](std::string text, std::string result) {
        if (describes) {
            probe_steps_.push_back({{static_cast<std::uint8_t>(probe), ActionKind::kStep, 0},
                                    {},
                                    std::move(text),
                                    std::move(result),
                                    describe(),
                                    {}});
        }
    };
    const std::string name = std::string(kProbeName) + " acquire";
    wire_.say(probe, "acquire " + world_.world.keys[key]);
    for (std::uint64_t steps = 0; steps < kProbeStepsMax; ++steps) {
        if (const auto line = wire_.hear(probe)) {
            const ClientAnswer answer = parse_answer(*line);
            const bool is_granted = answer.kind == ClientAnswer::Kind::kOk;
            keep(name, is_granted ? "-> acquired" : "-> refused " + quoted_piece(answer.text));
            return is_granted;
        }
        if (Connection* const open = open_connection(probe)) {
            std::string text = name + ": is answered";
            if (open->replies.empty()) {
                text = name + ": " + open->requests.front().text;
                wire_.execute(*open);
            }
            keep(text,
                 open->replies.empty() ? "-> waits at the server" : "-> " + wire_.deliver(*open));
            continue;
        }
        const std::vector<Sleeper> sleepers = wire_.client(probe).sleepers();
        if (sleepers.empty()) {
            break;
        }
        wire_.wake(probe, sleepers.front());
    }
    wire_.client(probe).spoil();
    keep(name, "-> waits for ever");
    return false;
}

void WireRun::probe_key(std::uint8_t key, bool describes) {
    const bool is_held = std::any_of(callers_.begin(), callers_.end(), [&](const Caller& caller) {
        return !caller.dead && holds(caller, key) > 0;
    });
    if (is_held) {
        return;
    }
    const std::string now = stored(key, wire_.server().keys(), wire_.now());
    const auto known = probed_.find(now);
    const bool acquires = !describes && known != probed_.end() && wire_.server().shows_all()
                              ? known->second
                              : probe_acquires(key, describes);
    probed_.insert_or_assign(now, acquires);
    tally_.decide(PropertyNumber::kLeak);
    if (!acquires && is_a_leak()) {
        note(PropertyNumber::kLeak);
    }
}

void WireRun::probe(bool describes) {
    judge_history(true);
    tally_.decide(PropertyNumber::kDeadlock);
    if (world_.checked(PropertyNumber::kLeak) == nullptr) {
        return;
    }
    wire_.set_now(wire_.now() + kProbeAfter);
    if (describes) {
        probe_steps_.push_back(
            {{0, ActionKind::kTime, 0}, {}, "an hour passes", "", describe(), {}});
    }
    for (std::size_t key = 0; key < world_.world.keys.size(); ++key) {
        probe_key(static_cast<std::uint8_t>(key), describes);
    }
}

// What the probing caller answers, each request and reply at once; empty: it is busy.
std::optional<std::string> WireRun::at_once(std::size_t probe, const std::string& line) {
    wire_.say(probe, line);
    for (std::uint64_t steps = 0; steps < kProbeStepsMax; ++steps) {
        if (auto answer = wire_.hear(probe)) {
            return answer;
        }
        bool moved = false;
        for (const auto& connection : wire_.proxy().of(probe)) {
            if (!connection->requests.empty() && connection->owed == 0) {
                wire_.execute(*connection);
            }
            if (!connection->replies.empty() && connection->client >= 0) {
                static_cast<void>(wire_.deliver(*connection));
                moved = true;
                break;
            }
        }
        const std::vector<Sleeper> sleepers = wire_.client(probe).sleepers();
        if (!moved && !sleepers.empty()) {
            wire_.wake(probe, sleepers.front());
        }
    }
    return std::nullopt;
}

// Nobody judges what comes of it, but for an error of the first acquire of all.
void WireRun::warm_up() {
    wire_.begin_run();
    const std::size_t probe = world_.world.callers.size();
    wire_.begin_caller(probe);
    std::set<std::string> said;
    bool is_busy = false;
    for (const CallerConfig& config : world_.world.callers) {
        for (const Operation& operation : config.script) {
            const bool is_acquire = operation.verb == Verb::kAcquire;
            const bool is_call =
                is_acquire || operation.verb == Verb::kRelease || operation.verb == Verb::kCall;
            const std::string line =
                word_of(world_.world, operation) + " " + world_.world.keys[operation.key];
            if (is_busy || !is_call || !said.insert(line).second) {
                continue;
            }
            const auto answer = at_once(probe, line);
            is_busy = !answer.has_value();
            if (answer && is_acquire && said.size() == 1 &&
                parse_answer(*answer).kind == ClientAnswer::Kind::kError) {
                first_error_ = quoted_piece(*answer);
            }
        }
    }
    wire_.client(probe).spoil();
    wire_.keep_scripts();
}

}  // namespace lockkeeper::wire
