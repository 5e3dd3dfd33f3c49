// SPDX-License-Identifier: Apache-2.0
#include "validate/histories/beliefs.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace lockkeeper {
namespace {

struct Belief {
    std::string process;
    std::size_t grant = 0;  // position of the record
    std::optional<std::int64_t> until;
};

std::optional<std::int64_t> number_of(const Record& record, const char* name) {
    const Datum* value = record.value.find(name);
    return value != nullptr && value->is(Datum::Kind::kInteger) ? std::optional(value->integer)
                                                                : std::nullopt;
}

class Beliefs {
  public:
    Beliefs(const RecordedHistory& history, const BeliefRules& rules)
        : history_(history), rules_(rules) {}

    std::optional<BeliefOverlap> find() {
        for (std::size_t i = 0; i < history_.records.size(); ++i) {
            const Record& record = history_.records[i];
            switch (record.type) {
                case HistoryType::kInvoke: invoke(record); break;
                case HistoryType::kFail: fail(record); break;
                case HistoryType::kInfo: break;  // whoever dies of it has an exit of its own
                case HistoryType::kOk:
                    if (auto overlap = complete(i)) {
                        return overlap;
                    }
            }
        }
        return std::nullopt;
    }

  private:
    void invoke(const Record& record) {
        if (record.f == "exit") {
            for (auto& [key, beliefs] : beliefs_) {
                forget(beliefs, record.process);
            }
        } else if (record.f == "release") {
            forget_youngest(beliefs_[record.key], record.process);
        } else if (record.f == "acquire") {
            const auto max_per = number_of(record, "max_per");
            const auto buckets = number_of(record, "buckets");
            wanted_[record.process] =
                max_per && buckets ? std::max<std::int64_t>(1, *max_per * *buckets) : 1;
        }
    }

    void fail(const Record& record) {
        if (record.f != "acquire" && record.error.starts_with("22")) {
            forget_youngest(beliefs_[record.key], record.process);
        }
    }

    std::optional<BeliefOverlap> complete(std::size_t position) {
        const Record& record = history_.records[position];
        auto& beliefs = beliefs_[record.key];
        const auto until = number_of(record, "until");
        if (record.f == "acquire") {
            beliefs.push_back({record.process, position, until});
        } else if (until) {
            if (const auto own = youngest(beliefs, record.process); own != beliefs.rend()) {
                own->until = until;
            }
        } else {
            return std::nullopt;
        }
        return judge(beliefs, position);
    }

    // At the return of a grant or of a renewal, for only then the beliefs become more.
    std::optional<BeliefOverlap> judge(const std::vector<Belief>& beliefs, std::size_t position) {
        const Record& record = history_.records[position];
        const std::int64_t now = record.time.value_or(std::numeric_limits<std::int64_t>::min());
        const std::int64_t capacity =
            rules_.capacity ? std::int64_t{*rules_.capacity} : wanted_[record.process];
        std::vector<const Belief*> running;
        bool is_own = false;
        std::int64_t units = 0;
        for (const Belief& belief : beliefs) {
            if (belief.until && *belief.until - rules_.clock_error <= now) {
                continue;
            }
            const bool own = belief.process == record.process;
            // One holder of a lock with one place who acquires again is the model's affair.
            units += own && capacity == 1 && is_own ? 0 : 1;
            is_own = is_own || own;
            running.push_back(&belief);
        }
        if (!is_own || units <= capacity) {
            return std::nullopt;
        }
        return describe(running, position, capacity);
    }

    [[nodiscard]] BeliefOverlap describe(const std::vector<const Belief*>& running,
                                         std::size_t position, std::int64_t capacity) const {
        const Record& last = history_.records[position];
        BeliefOverlap out;
        out.capacity = capacity;
        std::string others;
        std::string own;
        for (const Belief* belief : running) {
            const std::string& process = history_.records[belief->grant].process;
            if (process == last.process) {
                own = end_of(*belief);
                continue;
            }
            out.records.push_back(belief->grant);
            others += (others.empty() ? "" : ", ") + process + " (acquire, record " +
                      std::to_string(belief->grant + 1) + end_of(*belief) + ")";
        }
        out.records.push_back(position);
        out.reason = last.f + " of " + last.process + " returned" +
                     (last.time ? " at " + time_text(*last.time) : "") + " (record " +
                     std::to_string(position + 1) + own + ") while these believed to hold" +
                     (last.key.empty() ? "" : " " + last.key) + ": " + others +
                     (capacity > 1 ? "; there is room for " + std::to_string(capacity) : "");
        return out;
    }

    [[nodiscard]] std::string end_of(const Belief& belief) const {
        return belief.until ? ", until " + time_text(*belief.until) : ", without an end";
    }
    // Times count from the first record: that is what a reader can compare.
    [[nodiscard]] std::string time_text(std::int64_t time) const {
        const std::int64_t since = time - history_.records.front().time.value_or(0);
        return rules_.per_millisecond > 0 ? std::to_string(since / rules_.per_millisecond) + " ms"
                                          : "time " + std::to_string(since);
    }

    // A release, a renewal or a loss is of what the process was granted last.
    static std::vector<Belief>::reverse_iterator youngest(std::vector<Belief>& beliefs,
                                                          const std::string& process) {
        return std::find_if(beliefs.rbegin(), beliefs.rend(),
                            [&](const Belief& belief) { return belief.process == process; });
    }
    static void forget_youngest(std::vector<Belief>& beliefs, const std::string& process) {
        if (const auto own = youngest(beliefs, process); own != beliefs.rend()) {
            beliefs.erase(std::next(own).base());
        }
    }
    static void forget(std::vector<Belief>& beliefs, const std::string& process) {
        std::erase_if(beliefs, [&](const Belief& belief) { return belief.process == process; });
    }

    const RecordedHistory& history_;
    const BeliefRules& rules_;
    std::map<std::string, std::vector<Belief>> beliefs_;  // by key
    std::map<std::string, std::int64_t> wanted_;          // by process: the room of its acquire
};

}  // namespace

std::optional<BeliefOverlap> find_overlap(const RecordedHistory& history,
                                          const BeliefRules& rules) {
    return Beliefs(history, rules).find();
}

}  // namespace lockkeeper
