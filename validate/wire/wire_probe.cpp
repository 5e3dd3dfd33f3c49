// SPDX-License-Identifier: Apache-2.0

// The look at the end of a run, by fresh clients: at once they get no more than is free, and an
// hour later all that nobody holds. Its steps are kept for reports.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "validate/wire/wire_run.hpp"

namespace lockkeeper::wire {
namespace {

// More clients are not held at once.
constexpr std::size_t kProbesMax = LOCKKEEPER_WIRE_CALLERS - kWireCallersMax;

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

// Something is stored that was not, or is another value. What is gone gives nobody a lock.
bool has_written(const std::vector<KeyState>& before, const std::vector<KeyState>& after) {
    return std::any_of(after.begin(), after.end(), [&](const KeyState& state) {
        return std::none_of(before.begin(), before.end(), [&](const KeyState& known) {
            return known.key == state.key && known.dump == state.dump;
        });
    });
}

}  // namespace

std::size_t clients_of(const WorldConfig& world) {
    std::size_t probes = 1;
    for (std::size_t key = 0; key < world.keys.size(); ++key) {
        const auto view = widest_acquire(world, static_cast<std::uint8_t>(key), 1);
        if (view && view->capacity() > 1) {
            probes = std::max(probes, std::size_t{view->capacity()} + 1);
        }
    }
    return world.callers.size() + std::min(probes, kProbesMax);
}

// As a fresh client. `waits`: for the clock, too; else who would have to wait is refused for now.
bool WireRun::probe_acquires(std::uint8_t key, std::size_t number, bool waits, bool describes) {
    probe_errs_ = false;
    const std::size_t probe = callers_.size() + number;
    wire_.begin_caller(probe);
    const std::string name = probe_name(number) + " acquire";
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
    wire_.say(probe, "acquire " + world_.world.keys[key]);
    for (std::uint64_t steps = 0; steps < kProbeStepsMax; ++steps) {
        if (const auto line = wire_.hear(probe)) {
            const ClientAnswer answer = parse_answer(*line);
            const bool is_granted = answer.kind == ClientAnswer::Kind::kOk;
            probe_errs_ = answer.kind == ClientAnswer::Kind::kError;
            probe_ends_ = probe_ends_ || (is_granted && (answer.until || answer.lasts));
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
        if (sleepers.empty() || !waits) {
            break;
        }
        wire_.wake(probe, sleepers.front());
    }
    wire_.client(probe).spoil();
    keep(name, waits ? "-> waits for ever" : "-> waits");
    return false;
}

// How many fresh clients are granted the key, the first of them `first`, until one is refused or
// there are `most`. What was seen of the same stored state is not asked again.
WireRun::Probed WireRun::probe_until(std::uint8_t key, std::size_t first, std::size_t most,
                                     bool waits, bool describes) {
    std::vector<KeyState> keys = wire_.server().keys();
    const std::string now =
        fmt::format("{}-{}{} ", first, most, waits ? "w" : "") + stored(key, keys, wire_.now());
    const auto known = probed_.find(now);
    if (!describes && known != probed_.end() && wire_.server().shows_all()) {
        Probed probed = known->second;
        probed.ends = probed.ends || (probed.granted > 0 && ledger_.is_lease(key));
        return probed;
    }
    probe_ends_ = false;
    Probed probed;
    while (probed.granted < most) {
        const std::size_t number = first + probed.granted;
        if (callers_.size() + number >= wire_.callers()) {
            probed.is_cut = true;
            break;
        }
        const bool is_granted = probe_acquires(key, number, waits, describes);
        const std::vector<KeyState> before = std::exchange(keys, wire_.server().keys());
        if (!is_granted) {
            probed.may_have_more = probe_errs_ && has_written(before, keys);
            break;
        }
        ++probed.granted;
    }
    probed.ends = probed.granted > 0 &&
                  (probe_ends_ || ledger_.is_lease(key) ||
                   std::any_of(keys.begin(), keys.end(),
                               [](const KeyState& state) { return state.expires_at >= 0; }));
    probed_.insert_or_assign(now, probed);
    return probed;
}

bool WireRun::is_on_real_time() {
    bool is = wire_.server().runs_on_real_time();
    for (std::size_t i = 0; i < callers_.size(); ++i) {
        is = is || wire_.runs_on_real_time(i);
    }
    return is;
}

// Before any time passes, one more is asked for than is free. Of a single place that nobody holds
// the search itself knows whether two are granted it: P1 (over-allocation).
WireRun::Probed WireRun::probe_at_once(std::uint8_t key, std::uint32_t capacity, bool describes) {
    const std::uint32_t held = ledger_.places_held(key, capacity);
    if ((capacity == 1 && held == 0) || held > capacity || is_on_real_time() ||
        world_.checked(PropertyNumber::kDoubleRelease) == nullptr) {
        return {};
    }
    const Probed probed = probe_until(key, 0, capacity - held + 1, false, describes);
    if (!probed.is_cut && !probed.may_have_more) {
        ledger_.decide(PropertyNumber::kDoubleRelease);
    }
    if (probed.granted + held > capacity) {
        ledger_.note(PropertyNumber::kDoubleRelease);
    }
    return probed;
}

// What nobody gets an hour later is lost for ever.
void WireRun::probe_later(std::uint8_t key, std::uint32_t capacity, Probed before, bool describes) {
    const std::uint32_t held = ledger_.places_held(key, capacity);
    const std::size_t still = before.ends ? 0 : before.granted;
    if (held >= capacity) {
        return;
    }
    Probed probed;
    if (still + held < capacity) {
        probed = probe_until(key, still, capacity - held - still, true, describes);
    }
    if (before.may_have_more || probed.may_have_more) {
        ledger_.tally.leave_open(PropertyNumber::kLeak, kLookMayHaveMore);
        return;
    }
    const bool is_lost = probed.granted + still + held < capacity && !probed.is_cut;
    if (probed.is_cut) {
        ledger_.tally.leave_open(PropertyNumber::kLeak,
                                 fmt::format("the look at the end asks for {} places at most",
                                             wire_.callers() - callers_.size()));
        return;
    }
    ledger_.decide(PropertyNumber::kLeak);
    if (is_lost && is_a_leak()) {
        ledger_.note(PropertyNumber::kLeak);
    }
}

void WireRun::probe(bool describes) {
    ledger_.finish();
    std::vector<std::optional<Operation>> views;
    std::vector<Probed> at_once;
    for (std::size_t key = 0; key < world_.world.keys.size(); ++key) {
        const auto number = static_cast<std::uint8_t>(key);
        views.push_back(widest_acquire(world_.world, number, 1));
        at_once.push_back(views[key] ? probe_at_once(number, views[key]->capacity(), describes)
                                     : Probed{});
    }
    if (world_.checked(PropertyNumber::kLeak) == nullptr) {
        return;
    }
    wire_.set_now(wire_.now() + kProbeAfter);
    if (describes) {
        probe_steps_.push_back(
            {{0, ActionKind::kTime, 0}, {}, "an hour passes", "", describe(), {}});
    }
    for (std::size_t key = 0; key < views.size(); ++key) {
        if (views[key]) {
            probe_later(static_cast<std::uint8_t>(key), views[key]->capacity(), at_once[key],
                        describes);
        }
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
