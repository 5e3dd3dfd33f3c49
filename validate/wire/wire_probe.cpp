// SPDX-License-Identifier: Apache-2.0

// The look at the end of a run, by fresh clients: at once they get no more than is free, and an
// hour later all that nobody holds. Its steps are kept for reports.
#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "model/acquired_units.hpp"
#include "validate/wire/call_line.hpp"
#include "validate/wire/wire_run.hpp"

namespace lockkeeper::wire {
namespace {

// More clients are not held at once.
constexpr std::size_t kProbesMax = LOCKKEEPER_WIRE_CALLERS - kWireCallersMax;
// The number of requests shown of a client that asks again and again.
constexpr std::size_t kRequestsShown = 6;
// A client that asks on and on is not waited for.
constexpr unsigned kStepsBehindAnswerMax = 256;

// By key, what the server stores and for how long.
std::string stored(std::uint8_t key, const std::vector<KeyState>& keys, std::int64_t now) {
    std::string out = std::to_string(key) + ":";
    for (const KeyState& state : keys) {
        const std::int64_t left = state.expires_at < 0 ? -1 : state.expires_at - now / 1'000'000;
        out += fmt::format("{}/{}:{}{}:{}@{};", state.server, state.key.size(), state.key,
                           state.dump.size(), state.dump, left);
    }
    return out;
}

// Something is stored that was not, or is another value. What is gone gives nobody a lock.
bool has_written(const std::vector<KeyState>& before, const std::vector<KeyState>& after) {
    return std::any_of(after.begin(), after.end(), [&](const KeyState& state) {
        return std::none_of(before.begin(), before.end(), [&](const KeyState& known) {
            return known.key == state.key && known.server == state.server &&
                   known.dump == state.dump;
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

// Acquires as a fresh client. `waits`: for the clock, too; else a client that must wait is refused.
bool WireRun::probe_acquires(std::uint8_t key, std::size_t number, bool waits, bool describes) {
    probe_errs_ = false;
    const std::size_t probe = callers_.size() + number;
    wire_.begin_caller(probe);
    const std::string name = probe_name(number) + " acquire";
    const auto keep = [&](std::string text, std::string result) {
        if (describes) {
            show_in_look({static_cast<std::uint8_t>(probe), ActionKind::kStep, 0}, std::move(text),
                         std::move(result));
        }
    };
    wire_.say(probe, "acquire " + world_.world.keys[key]);
    std::size_t requests = 0;
    const auto go_on = [&](Connection& open, const std::string& who) {
        std::string text = who + ": is answered";
        if (open.replies.empty() || open.client < 0) {
            text = who + ": " + open.requests.front().text;
            wire_.execute(open);
        }
        const bool is_told = !open.replies.empty() && open.client >= 0;
        std::string result = is_told           ? "-> " + wire_.deliver(open)
                             : open.owed > 0   ? "-> waits at the server"
                             : open.client < 0 ? "-> nobody hears the answer"
                                               : "-> executed";
        if (++requests <= kRequestsShown) {
            keep(std::move(text), std::move(result));
        }
    };
    for (std::uint64_t steps = 0; steps < kProbeStepsMax; ++steps) {
        if (const auto line = wire_.hear_answer(probe)) {
            const ClientAnswer answer = parse_answer(*line);
            const bool is_granted = answer.kind == ClientAnswer::Kind::kOk;
            probe_errs_ = answer.kind == ClientAnswer::Kind::kError;
            probe_ends_ = probe_ends_ || (is_granted && (answer.until || answer.lasts));
            keep(name, is_granted ? "-> acquired" : "-> refused " + quoted_piece(answer.text));
            // It may give back behind its answer what it does not need, as a quorum lock does. The
            // next one that asks would miss it, and lay that to the lock.
            for (unsigned later = 0; later < kStepsBehindAnswerMax; ++later) {
                Connection* const open = open_connection(probe);
                if (open == nullptr) {
                    break;
                }
                go_on(*open, probe_name(number) + " in the background");
            }
            return is_granted;
        }
        if (Connection* const open = open_connection(probe)) {
            go_on(*open, name);
            continue;
        }
        const std::vector<Sleeper> sleepers = wire_.client(probe).sleepers();
        if (sleepers.empty() || !waits) {
            break;
        }
        wire_.wake(probe, sleepers.front());
    }
    wire_.client(probe).spoil();
    const std::string more =
        requests > kRequestsShown ? fmt::format(", after {} requests", requests) : std::string();
    keep(name, (waits ? "-> waits for ever" : "-> waits") + more);
    return false;
}

// Does not ask again if the answer for the same stored state is known.
Source::Asked WireRun::ask_fresh(const Operation& view, const Asking& asking, Look how) {
    const bool describes = how != Look::kSearching;
    mend(how);
    std::vector<KeyState> keys = wire_.keys();
    const std::string now =
        fmt::format("{}-{}{} ", asking.first, asking.most, asking.waits ? "w" : "") +
        stored(view.key, keys, wire_.now()) +
        // A limiter may store moments, so equal stores differ at other times.
        (world_.rate_limit.is_given() ? std::to_string(wire_.now()) : "");
    // The name of an answer shows keys only, not what else a server stores.
    const bool shows_all = wire_.server().shows_all();
    const auto known = probed_.find(now);
    if (!describes && known != probed_.end() && shows_all) {
        Asked asked = known->second;
        asked.ends = asked.ends || (asked.granted > 0 && ledger_.is_lease(view.key));
        return asked;
    }
    probe_ends_ = false;
    Asked asked;
    for (std::size_t number = asking.first; number < asking.first + asking.most; ++number) {
        asked.is_cut = callers_.size() + number >= wire_.callers();
        if (asked.is_cut) {
            break;
        }
        const bool is_granted = probe_acquires(view.key, number, asking.waits, describes);
        const std::vector<KeyState> before = std::exchange(keys, wire_.keys());
        if (!is_granted) {
            asked.is_unknown = probe_errs_ && has_written(before, keys);
            break;
        }
        ++asked.granted;
    }
    asked.ends = asked.granted > 0 &&
                 (probe_ends_ || ledger_.is_lease(view.key) ||
                  std::any_of(keys.begin(), keys.end(),
                              [](const KeyState& state) { return state.expires_at >= 0; }));
    if (shows_all) {
        probed_.insert_or_assign(now, asked);
    }
    return asked;
}

bool WireRun::is_on_real_time() const {
    bool is = wire_.server().runs_on_real_time();
    for (std::size_t i = 0; i < callers_.size(); ++i) {
        is = is || wire_.runs_on_real_time(i);
    }
    return is;
}

// Need not ask for a single place that nobody holds: the search itself sees whether two callers are
// granted it, P1 (over-allocation).
bool WireRun::asks_at_once(std::uint32_t capacity, std::uint32_t held) {
    return (capacity > 1 || held > 0) && !is_on_real_time() &&
           world_.checked(PropertyNumber::kDoubleRelease) != nullptr;
}

// A place that nobody gets an hour later is lost permanently.
void WireRun::pass_ends(Look how) {
    mend(how);
    wire_.set_now(wire_.now() + kProbeAfter);
    if (how != Look::kSearching) {
        show_in_look({0, ActionKind::kTime, 0}, "an hour passes", "");
    }
}

void WireRun::pass_until(std::int64_t moment, Look how) {
    const std::int64_t passed = moment - wire_.now();
    wire_.set_now(moment);
    if (how != Look::kSearching) {
        show_in_look({0, ActionKind::kTime, 0}, "time passes: " + shown_seconds(passed), "");
    }
}

// The answer of the probing caller, whose requests and replies go on at once; empty: it is busy.
std::optional<std::string> WireRun::at_once(std::size_t probe, const std::string& line) {
    wire_.say(probe, line);
    for (std::uint64_t steps = 0; steps < kProbeStepsMax; ++steps) {
        if (auto answer = wire_.hear_answer(probe)) {
            return answer;
        }
        wire_.go_on_at_once(probe);
    }
    return std::nullopt;
}

// A request that nobody awaits belongs to what is prepared, as one whose answer the driver awaits.
void WireRun::come_to_rest_prepared(std::size_t probe) {
    for (unsigned steps = 0; wire_.go_on_asking(probe); ++steps) {
        if (steps == kStepsBehindAnswerMax) {
            throw Misbehaved(Misbehaviour::kCannotStart,
                             fmt::format("asks more than {} times behind its answer to "
                                         "\"prepare\": it is to answer when all is done",
                                         kStepsBehindAnswerMax),
                             wire_.client(probe).last_words());
        }
    }
}

// Lets the driver store its data once, before anything else; every run begins with these data.
void WireRun::prepare(std::size_t probe) {
    if (!wire_.client(probe).can_prepare() || wire_.is_prepared()) {
        return;
    }
    const auto answer = at_once(probe, "prepare");
    const auto kind = answer ? parse_answer(*answer).kind : ClientAnswer::Kind::kError;
    if (kind != ClientAnswer::Kind::kOk && kind != ClientAnswer::Kind::kDone) {
        throw Misbehaved(Misbehaviour::kCannotStart,
                         answer ? "answered " + quoted_piece(*answer) + " to \"prepare\""
                                : "does not come to the end of \"prepare\"",
                         wire_.client(probe).last_words());
    }
    come_to_rest_prepared(probe);
    wire_.keep_prepared();
    wire_.begin_run();
    wire_.begin_caller(probe);
}

// Nobody judges what comes of it, but for an error of the first acquire of all.
void WireRun::warm_up() {
    wire_.begin_run();
    const std::size_t probe = world_.world.callers.size();
    wire_.begin_caller(probe);
    prepare(probe);
    std::set<std::string> said;
    bool is_busy = false;
    for (const CallerConfig& config : world_.world.callers) {
        std::map<std::uint8_t, Operation> taken;
        for (Operation operation : config.script) {
            const bool is_acquire = operation.verb == Verb::kAcquire;
            const bool is_call =
                is_acquire || operation.verb == Verb::kRelease || operation.verb == Verb::kCall;
            // A release gives back what was taken; another call is about it.
            if (is_acquire) {
                for_each_key(operation, [&](std::uint8_t key) { taken[key] = operation; });
            } else if (const auto its = taken.find(operation.key); its != taken.end()) {
                operation.signal = its->second.signal;
                operation.amount = its->second.amount;
            }
            operation.number = 0;
            const std::string line = line_of_call(world_.world, operation);
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
