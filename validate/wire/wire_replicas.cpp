// SPDX-License-Identifier: Apache-2.0

// Replicas of the first server. Each state that this stores goes to each of them, in order, and
// when it arrives is a choice: a step of nobody. Nothing else of a replication is needed to see
// what a client reads there. A look at the end finds all of them up to date.
#include <strings.h>

#include <algorithm>
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
    for (const std::vector<KeyState>* keys : {&before, &after}) {
        for (const KeyState& key : *keys) {
            step.effect.footprint.keys.push_back({key_name(key.key, number), true});
        }
    }
    for (const KeyState& key : after) {
        step.result += (step.result.empty() ? "-> " : ", ") + shown_command({key.key}) + "=" +
                       shown_command({key.value});
    }
    step.result = step.result.empty() ? "-> no keys" : step.result;
    step.effect.caller = kNobody;
    step.effect.inboxes.push_back(inbox_of_change(number, change.number));
    wire_.server(number).restore(after);
    look_at_keys(step.effect);
}

// The replica that has most of it, if there is one.
std::vector<KeyState> WireRun::left_by_failover(std::size_t number) {
    if (first_replica() == wire_.servers()) {
        return keys_before_[number];
    }
    const auto latest = std::min_element(
        on_their_way_.begin() + static_cast<std::ptrdiff_t>(first_replica()), on_their_way_.end(),
        [](const auto& left, const auto& right) { return left.size() < right.size(); });
    const auto promoted = static_cast<std::size_t>(latest - on_their_way_.begin());
    const std::vector<KeyState> left = stored_at(0, keys_of_server(keys_, promoted), wire_.now());
    ++changes_;
    for (auto& way : on_their_way_) {
        way.assign(1, {changes_, left});
    }
    return left;
}

void WireRun::refuse_wait(const WireRequest& request) const {
    if (wire_.settings().replicas > 0 && !request.words.empty() &&
        strcasecmp(request.words.front().c_str(), "WAIT") == 0) {
        throw Misbehaved(Misbehaviour::kNotSupported,
                         "WAIT asks the primary how many replicas have received what it was "
                         "sent, which is not held here");
    }
}

}  // namespace lockkeeper::wire
