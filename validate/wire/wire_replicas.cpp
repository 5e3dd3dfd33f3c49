// SPDX-License-Identifier: Apache-2.0

// Replicas of the first server. Each state that this stores goes to each of them, in order, and
// when it arrives is a choice: a step of nobody. Nothing else of a replication is needed to see
// what a client reads there. A look at the end finds all of them up to date.
#include <strings.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

#include <fmt/format.h>

#include "validate/outside/misbehaviour.hpp"
#include "validate/wire/proxy.hpp"
#include "validate/wire/resp.hpp"
#include "validate/wire/wire_run.hpp"

namespace lockkeeper::wire {
namespace {

bool is_over(const KeyState& key, std::int64_t now) {
    return key.expires_at >= 0 && key.expires_at * kMillisecond <= now;
}

// The server of this number would store them so, now.
std::vector<KeyState> stored_at(std::size_t number, std::vector<KeyState> keys, std::int64_t now) {
    std::erase_if(keys, [&](const KeyState& key) { return is_over(key, now); });
    for (KeyState& key : keys) {
        key.server = number;
    }
    return keys;
}

// Changes that are sent to a replica do not commute, for they arrive in that order; each of them
// comes before it is received, and commutes with what is received before. No connection has such
// numbers.
std::uint32_t inbox_of_replica(std::size_t number) {
    return UINT32_MAX - static_cast<std::uint32_t>(number);
}
std::uint32_t inbox_of_change(std::size_t number, std::size_t change) {
    constexpr std::size_t kFirst = 1U << 24U;
    return static_cast<std::uint32_t>(kFirst * (1 + number) + change % kFirst);
}

}  // namespace

bool Wire::bring_replicas_up() {
    replicas_lag_ = false;
    bool lagged = false;
    for (std::size_t i = servers_.size() - settings_.replicas; i < servers_.size(); ++i) {
        const auto wanted = stored_at(i, servers_.front()->keys(), now());
        if (servers_[i]->keys() != wanted) {
            lagged = true;
            servers_[i]->restore(wanted);
        }
    }
    return lagged;
}

std::size_t WireRun::first_replica() const { return wire_.servers() - wire_.settings().replicas; }

// A change of nothing needs no step.
void WireRun::forget_received() {
    for (std::size_t i = first_replica(); i < wire_.servers(); ++i) {
        auto& way = on_their_way_[i];
        while (!way.empty() &&
               stored_at(i, way.front().keys, wire_.now()) == keys_of_server(keys_, i)) {
            way.pop_front();
        }
    }
}

void WireRun::send_to_replicas(StepEffect& effect) {
    ++changes_;
    for (std::size_t i = first_replica(); i < wire_.servers(); ++i) {
        on_their_way_[i].push_back({changes_, keys_of_server(keys_, 0)});
        effect.inboxes.push_back(inbox_of_replica(i));
        effect.inboxes.push_back(inbox_of_change(i, changes_));
    }
}

void WireRun::add_receipts(std::vector<Action>& out) {
    forget_received();
    for (std::size_t i = first_replica(); i < wire_.servers(); ++i) {
        if (!on_their_way_[i].empty() && !wire_.is_down(0) && !wire_.is_down(i)) {
            out.push_back({static_cast<std::uint8_t>(i), ActionKind::kBackground, kReceives});
        }
    }
}

void WireRun::receive(std::size_t number, Step& step) {
    const std::vector<KeyState> before = keys_of_server(keys_, number);
    Change change = std::move(on_their_way_[number].front());
    on_their_way_[number].pop_front();
    const std::vector<KeyState> after = stored_at(number, std::move(change.keys), wire_.now());
    step.text = name_of_server(number) + " receives a change";
    const auto note_changed = [&](const std::vector<KeyState>& keys,
                                  const std::vector<KeyState>& others) {
        for (const KeyState& key : keys) {
            if (std::find(others.begin(), others.end(), key) == others.end()) {
                step.effect.footprint.keys.push_back({key_name(key.key, number), true});
            }
        }
    };
    note_changed(before, after);
    note_changed(after, before);
    for (const KeyState& key : after) {
        step.result += (step.result.empty() ? "-> " : ", ") + shown_command({key.key}) + "=" +
                       shown_command({key.value});
    }
    step.result = step.result.empty() ? "-> no keys" : step.result;
    // Each replica is a party of its own.
    step.effect.caller = static_cast<std::uint8_t>(kNobody - number);
    step.effect.inboxes.push_back(inbox_of_change(number, change.number));
    wire_.server(number).bring_to(before, after);
    step.effect.events |= wire_.proxy().look_at_others(number) ? StepEffect::kEverything : 0U;
    look_at_keys(step.effect);
}

bool WireRun::can_fail_over(std::size_t number) const {
    bool can = number < first_replica() && first_replica() == wire_.servers();
    for (std::size_t i = first_replica(); i < wire_.servers() && number == 0; ++i) {
        can = can || !wire_.is_down(i);
    }
    return can;
}

// The replica that runs and has most of it, if there are replicas.
std::vector<KeyState> WireRun::left_by_failover(std::size_t number) {
    if (first_replica() == wire_.servers()) {
        return keys_before_[number];
    }
    std::size_t promoted = first_replica();
    for (std::size_t i = promoted; i < wire_.servers(); ++i) {
        const bool has_more = on_their_way_[i].size() < on_their_way_[promoted].size();
        if (!wire_.is_down(i) && (wire_.is_down(promoted) || has_more)) {
            promoted = i;
        }
    }
    const std::vector<KeyState> left = stored_at(0, keys_of_server(keys_, promoted), wire_.now());
    ++changes_;
    for (auto& way : on_their_way_) {
        way.assign(1, {changes_, left});
    }
    return left;
}

void WireRun::refuse_with_replicas(const WireRequest& request, std::size_t server) const {
    if (wire_.settings().replicas == 0 || request.words.empty()) {
        return;
    }
    const auto is_one_of = [&](std::initializer_list<const char*> words) {
        return std::any_of(words.begin(), words.end(), [&](const char* word) {
            return strcasecmp(request.words.front().c_str(), word) == 0;
        });
    };
    if (is_one_of({"WAIT", "WAITAOF"})) {
        throw Misbehaved(Misbehaviour::kNotSupported,
                         "WAIT asks the primary how many replicas have received what it was "
                         "sent, which is not held here");
    }
    if (server >= first_replica() &&
        is_one_of({"SUBSCRIBE", "PSUBSCRIBE", "SSUBSCRIBE", "FCALL", "FCALL_RO"})) {
        throw Misbehaved(Misbehaviour::kNotSupported,
                         "a replica receives keys here, and no messages and functions: " +
                             quoted_piece(request.words.front()));
    }
}

}  // namespace lockkeeper::wire
