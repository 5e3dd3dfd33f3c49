// SPDX-License-Identifier: Apache-2.0

// The locks that one session of PostgreSQL holds: a stack. On its lowest level are those of the
// session itself, above them those of its transaction, then those behind each savepoint. Used by
// postgres_reader.cpp.
#pragma once

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace lockkeeper::logs {

class SessionLocks {
  public:
    using Keys = std::vector<std::string>;  // in the order in which they were taken
    static constexpr std::size_t kSession = 0;
    static constexpr std::size_t kTransaction = 1;

    void take(const std::string& key, bool is_of_transaction) {
        (is_of_transaction ? levels_.back() : levels_[kSession]).keys.push_back(key);
    }
    // One of the session's own; nothing happens where there is none.
    void give_back(const std::string& key) {
        Keys& keys = levels_[kSession].keys;
        const auto found = std::find(keys.begin(), keys.end(), key);
        if (found != keys.end()) {
            keys.erase(found);
        }
    }

    void save(const std::string& savepoint) { levels_.push_back({savepoint, {}}); }
    [[nodiscard]] std::optional<std::size_t> level_of(const std::string& savepoint) const {
        for (std::size_t level = levels_.size(); level-- > kTransaction + 1;) {
            if (levels_[level].savepoint == savepoint) {
                return level;
            }
        }
        return std::nullopt;
    }
    // Gives up all that was taken since; nothing else may have happened.
    struct Mark {
        std::size_t of_session = 0;
        std::size_t of_last = 0;
    };
    [[nodiscard]] Mark mark() const {
        return {levels_[kSession].keys.size(), levels_.back().keys.size()};
    }
    Keys back_to(Mark mark) {
        static_cast<void>(cut(levels_.back().keys, mark.of_last));
        return cut(levels_[kSession].keys, mark.of_session);
    }
    // Taken since the mark.
    [[nodiscard]] bool has_since(Mark mark, const std::string& key) const {
        const auto has = [&](const Keys& keys, std::size_t from) {
            return std::find(keys.begin() + at(keys, from), keys.end(), key) != keys.end();
        };
        return has(levels_[kSession].keys, mark.of_session) ||
               has(levels_.back().keys, mark.of_last);
    }

    // The savepoint, and those behind it, hold nothing together any more.
    void join(std::size_t level) {
        for (std::size_t i = level; i < levels_.size(); ++i) {
            Keys& below = levels_[level - 1].keys;
            below.insert(below.end(), levels_[i].keys.begin(), levels_[i].keys.end());
        }
        levels_.resize(level);
    }
    // The keys of this level, which stays, and of those above it, which end.
    Keys end_from(std::size_t level) {
        Keys ended;
        for (std::size_t i = level; i < levels_.size(); ++i) {
            ended.insert(ended.end(), levels_[i].keys.begin(), levels_[i].keys.end());
            levels_[i].keys.clear();
        }
        levels_.resize(std::max(level, kTransaction) + 1);
        return ended;
    }
    // An error ends what is behind the last savepoint, or else the whole transaction.
    Keys end_last() { return end_from(levels_.size() - 1); }
    Keys end_of_session() { return std::exchange(levels_[kSession].keys, {}); }
    [[nodiscard]] const Keys& of_session() const { return levels_[kSession].keys; }

  private:
    // Its transaction may have ended since.
    static std::ptrdiff_t at(const Keys& keys, std::size_t index) {
        return static_cast<std::ptrdiff_t>(std::min(index, keys.size()));
    }
    static Keys cut(Keys& keys, std::size_t from) {
        Keys taken(keys.begin() + at(keys, from), keys.end());
        keys.erase(keys.begin() + at(keys, from), keys.end());
        return taken;
    }

    struct Level {
        std::string savepoint;
        Keys keys;
    };
    std::vector<Level> levels_ = std::vector<Level>(kTransaction + 1);
};

// The session of one process of the server.
struct PostgresSession {
    // A statement whose end no line has told yet. Until then it counts as carried out.
    struct Asked {
        std::string text;
        std::string parameters;
        std::string transaction;
        SessionLocks::Mark before;
        std::optional<SessionLocks> all_before;  // where it does more than to take
        bool is_carried_out = false;             // another session waits for what it has taken
    };

    std::string name;              // of the caller
    std::set<std::string> served;  // applications
    SessionLocks locks;
    std::optional<Asked> asked;
    SessionLocks::Keys failed;  // of the session, taken by a statement that failed later
    std::string transaction;
    std::int64_t last = 0;  // its last line

    // The locks of the session that the statement had taken, where it did nothing else.
    SessionLocks::Keys take_back() {
        if (!asked->all_before) {
            return locks.back_to(asked->before);
        }
        locks = std::move(*asked->all_before);
        return {};
    }
    // A statement that fails keeps what it has taken for the session.
    void keep_what_is_held(const std::string& key) {
        if (asked && !asked->all_before && locks.has_since(asked->before, key)) {
            asked->is_carried_out = true;
        }
        if (std::erase(failed, key) > 0) {
            locks.take(key, false);
        }
    }
};

}  // namespace lockkeeper::logs
