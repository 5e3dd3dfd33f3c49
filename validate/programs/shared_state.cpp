// SPDX-License-Identifier: Apache-2.0
#include "validate/programs/shared_state.hpp"

#include <algorithm>

#include "model/check.hpp"
#include "model/json.hpp"
#include "validate/outside/misbehaviour.hpp"

namespace lockkeeper {
namespace {

constexpr std::size_t kShownBytesMax = 100;

SharedState::Answer done(const Message& question) { return {question.type + "_ok", "", "ok"}; }

SharedState::Answer value_answer(const Message& question, const std::string& value) {
    return {question.type + "_ok", "\"value\":" + value, value};
}

SharedState::Answer error_answer(int code, const char* text) {
    return {"error", "\"code\":" + std::to_string(code) + ",\"text\":\"" + text + "\"",
            "error " + std::to_string(code)};
}

SharedState::Answer absent() { return error_answer(20, "key does not exist"); }
SharedState::Answer another() { return error_answer(22, "precondition failed"); }

}  // namespace

std::vector<std::uint8_t> SharedState::senders_for(const Message& receive) const {
    std::vector<std::uint8_t> senders;
    const auto box = mail_.find(receive.name);
    if (box != mail_.end()) {
        for (const Mail& mail : box->second) {
            senders.push_back(mail.sender);
        }
    }
    std::sort(senders.begin(), senders.end());
    senders.erase(std::unique(senders.begin(), senders.end()), senders.end());
    return senders;
}

bool SharedState::is_blocked(const Message& question) const {
    if (question.kind == MessageKind::kReceive) {
        return !mail_.contains(question.name);
    }
    if (question.kind == MessageKind::kAwait) {
        const auto found = values_.find(question.name);
        return (found == values_.end() ? "null" : found->second) == question.value;
    }
    return false;
}

void SharedState::deliver(const std::string& mailbox, std::uint8_t sender,
                          const std::string& message) {
    if (++mail_count_ > kMailMax) {
        throw Misbehaved(Misbehaviour::kNonsense, "more than 1,024 messages in the mailboxes");
    }
    mail_[mailbox].push_back({sender, message});
}

void SharedState::died(std::uint8_t client) {
    for (const Monitor& monitor : monitors_) {
        if (monitor.client == client) {
            deliver(monitor.mailbox, client, monitor.message);
        }
    }
    std::erase_if(monitors_, [&](const Monitor& monitor) { return monitor.client == client; });
}

void SharedState::set_clock(std::int64_t time) {
    clock_ = time;
    for (auto end = ends_.begin(); end != ends_.end();) {
        if (end->second <= clock_) {
            values_.erase(end->first);
            end = ends_.erase(end);
        } else {
            ++end;
        }
    }
}

void SharedState::store(const std::string& key, const std::string& value,
                        std::optional<std::int64_t> ttl) {
    values_[key] = value;
    ends_.erase(key);
    if (ttl) {
        ends_[key] = clock_ + *ttl;
    }
    if (values_.size() > kStoreKeysMax) {
        throw Misbehaved(Misbehaviour::kNonsense, "more than 4,096 keys in the store");
    }
}

SharedState::Answer SharedState::update_counter(const Message& question) {
    const auto found = values_.find(question.name);
    if (found == values_.end() && !question.creates) {
        return absent();
    }
    const auto before = found == values_.end() ? 0 : json_integer(found->second);
    std::int64_t after = 0;
    if (!before || __builtin_add_overflow(*before, question.add, &after)) {
        throw Misbehaved(Misbehaviour::kNonsense, "update_counter of " +
                                                      quoted_piece(question.name, 40) +
                                                      ", which is no integer, or would not be one");
    }
    after = std::max(after, question.least.value_or(INT64_MIN));
    after = std::min(after, question.most.value_or(INT64_MAX));
    const auto end = ends_.find(question.name);
    const std::optional<std::int64_t> left =
        end == ends_.end() ? std::nullopt : std::optional(end->second - clock_);
    store(question.name, std::to_string(after), left);
    return value_answer(question, std::to_string(after));
}

SharedState::Answer SharedState::remove(const Message& question) {
    const auto found = values_.find(question.name);
    if (found == values_.end()) {
        return absent();
    }
    if (!question.from.empty() && found->second != question.from) {
        return another();
    }
    values_.erase(found);
    ends_.erase(question.name);
    return done(question);
}

SharedState::Answer SharedState::expire(const Message& question) {
    const auto found = values_.find(question.name);
    if (found == values_.end()) {
        return absent();
    }
    if (!question.from.empty() && found->second != question.from) {
        return another();
    }
    ends_[question.name] = clock_ + *question.ttl;
    return done(question);
}

SharedState::Answer SharedState::store_question(const Message& question) {
    const auto found = values_.find(question.name);
    const bool exists = found != values_.end();
    switch (question.kind) {
        case MessageKind::kRead: return exists ? value_answer(question, found->second) : absent();
        case MessageKind::kWrite:
            store(question.name, question.value, question.ttl);
            return done(question);
        case MessageKind::kCompareAndSet:
            if (exists ? found->second != question.from : !question.creates) {
                return exists ? another() : absent();
            }
            store(question.name, question.value, question.ttl);
            return done(question);
        case MessageKind::kInsertNew:
            if (exists) {
                return error_answer(21, "key already exists");
            }
            store(question.name, question.value, question.ttl);
            return done(question);
        case MessageKind::kDelete: return remove(question);
        case MessageKind::kExpire: return expire(question);
        case MessageKind::kUpdateCounter: return update_counter(question);
        case MessageKind::kAwait: return value_answer(question, exists ? found->second : "null");
        default: break;
    }
    unreachable("a question about the store");
}

SharedState::Answer SharedState::apply(const Message& question, std::uint8_t actor,
                                       std::optional<std::uint8_t> sender, int client,
                                       bool client_is_dead) {
    switch (question.kind) {
        case MessageKind::kNow: return value_answer(question, std::to_string(clock_));
        case MessageKind::kAccess: return {"proceed", "", "ok"};
        case MessageKind::kAtomic: return show(question);
        case MessageKind::kSend:
            deliver(question.name, actor, question.value);
            return done(question);
        case MessageKind::kReceive: {
            auto& box = mail_.at(question.name);
            const auto first = std::find_if(box.begin(), box.end(), [&](const Mail& mail) {
                return !sender || mail.sender == *sender;
            });
            LOCKKEEPER_CHECK(first != box.end());
            const std::string message = first->message;
            box.erase(first);
            --mail_count_;
            if (box.empty()) {
                mail_.erase(question.name);
            }
            return {"receive_ok", "\"message\":" + message, message};
        }
        case MessageKind::kMonitor: {
            const auto watched = static_cast<std::uint8_t>(client);
            if (client_is_dead) {
                deliver(question.name, watched, question.value);
            } else if (monitors_.size() >= kMonitorsMax) {
                throw Misbehaved(Misbehaviour::kNonsense, "more than 1,024 monitors");
            } else {
                monitors_.push_back({watched, question.name, question.value});
            }
            return done(question);
        }
        default: return store_question(question);
    }
}

// A key that is not stored has no member in the answer.
SharedState::Answer SharedState::show(const Message& atomic) const {
    std::string values;
    for (const std::string& key : atomic.keys) {
        const auto found = values_.find(key);
        if (found != values_.end()) {
            values +=
                (values.empty() ? "" : ",") + nlohmann::json(key).dump() + ":" + found->second;
        }
    }
    if (values.size() > kAtomicBytesMax) {
        throw Misbehaved(Misbehaviour::kNonsense, "an atomic step sees more than 32 KiB");
    }
    const std::string now = atomic.sees_clock ? ",\"now\":" + std::to_string(clock_) : "";
    return {"atomic_ok", "\"values\":{" + values + "}" + now, "sees " + describe(atomic.keys)};
}

std::string SharedState::commit(const Message& question, const Message& commit) {
    const std::vector<std::string>& keys = question.keys;
    const std::string before = describe(keys);
    std::vector<std::string> each_before;
    each_before.reserve(keys.size());
    for (const std::string& key : keys) {
        each_before.push_back(item(key));
    }
    for (const Message& step : commit.steps) {
        if (std::find(keys.begin(), keys.end(), step.name) == keys.end()) {
            throw Misbehaved(Misbehaviour::kNonsense, "a commit has the key " +
                                                          quoted_piece(step.name, 40) +
                                                          ", which its atomic step does not see");
        }
        (void)store_question(step);
    }
    std::vector<std::string> changed;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        if (item(keys[i]) != each_before[i]) {
            changed.push_back(keys[i]);
        }
    }
    return "sees " + before +
           (changed.empty() ? ", changes nothing" : ", leaves " + describe(changed));
}

std::string SharedState::item(const std::string& key) const {
    const auto found = values_.find(key);
    const auto end = ends_.find(key);
    return key + (found == values_.end() ? " absent" : "=" + found->second) +
           (end == ends_.end() ? "" : " until " + std::to_string(end->second));
}

std::string SharedState::describe(const std::vector<std::string>& keys) const {
    std::string out;
    for (const std::string& key : keys) {
        out += (out.empty() ? "" : " ") + item(key);
    }
    return out.size() > kShownBytesMax ? out.substr(0, kShownBytesMax) + "..." : out;
}

std::string SharedState::describe() const {
    std::string out = "clock " + std::to_string(clock_) + " ";
    for (const auto& [key, value] : values_) {
        out += " ";
        out += key;
        out += "=";
        out += value;
        const auto end = ends_.find(key);
        out += end == ends_.end() ? "" : " until " + std::to_string(end->second);
    }
    for (const auto& [name, box] : mail_) {
        out += " ";
        out += name;
        out += ":";
        out += std::to_string(box.size());
        out += " waiting";
    }
    return out.size() > kShownBytesMax ? out.substr(0, kShownBytesMax) + "..." : out;
}

std::int64_t SharedState::last_end() const {
    std::int64_t last = 0;
    for (const auto& [key, end] : ends_) {
        last = std::max(last, end);
    }
    return last;
}

void SharedState::write_key(std::string& out) const {
    out += std::to_string(clock_);
    for (const auto& [key, value] : values_) {
        out += "v";
        add_piece(out, key);
        add_piece(out, value);
        const auto end = ends_.find(key);
        out += end == ends_.end() ? "" : "e" + std::to_string(end->second);
    }
    for (const auto& [name, box] : mail_) {
        out += "b";
        add_piece(out, name);
        for (const Mail& mail : box) {
            out += "m" + std::to_string(mail.sender) + ",";
            add_piece(out, mail.message);
        }
    }
    for (const Monitor& monitor : monitors_) {
        out += "w" + std::to_string(monitor.client) + ",";
        add_piece(out, monitor.mailbox);
        add_piece(out, monitor.message);
    }
    out += ";";
}

}  // namespace lockkeeper
