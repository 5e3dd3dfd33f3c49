// SPDX-License-Identifier: Apache-2.0

// The look at the end: can a fresh caller acquire what nobody holds any more?
#include <algorithm>

#include "validate/programs/black_box_run.hpp"

namespace lockkeeper {
namespace {

using std::chrono::milliseconds;

constexpr const char* kProbe = "probe";
constexpr milliseconds kPauseMost{250};

// Returns the grants of the key that were never released, even if their process is gone, and the
// acquires without an answer, which may have been granted.
std::vector<std::size_t> unreleased(const RecordedHistory& history, const std::string& key) {
    std::vector<std::size_t> grants;
    for (std::size_t i = 0; i < history.records.size(); ++i) {
        const Record& record = history.records[i];
        const bool is_ok = record.type == HistoryType::kOk;
        if (record.key != key || (!is_ok && record.type != HistoryType::kInfo)) {
            continue;
        }
        if (record.f == "acquire") {
            grants.push_back(i);
        } else if (record.f == "release" && is_ok) {
            const auto own = std::find_if(grants.rbegin(), grants.rend(), [&](std::size_t grant) {
                return history.records[grant].process == record.process;
            });
            if (own != grants.rend()) {
                grants.erase(std::next(own).base());
            }
        }
    }
    return grants;
}

}  // namespace

std::optional<BlackBoxRun::Expected> BlackBoxRun::expected(std::uint8_t key,
                                                           const Operation& view) {
    std::uint32_t taken = 0;
    std::int64_t last = milliseconds_now();
    const auto count = [&](std::uint8_t of, const std::optional<std::int64_t>& until) {
        taken += of == key && !until ? 1U : 0U;
        last = of == key && until ? std::max(last, *until) : last;
    };
    for (const Caller& caller : callers_) {
        for (const BelievedHolding& holding : caller.held) {
            if (!holding.given_up) {
                count(holding.operation.key, holding.until);
            }
        }
    }
    for (const Doubt& doubt : doubts_) {
        count(doubt.key, doubt.until);
    }
    if (const auto gone = gone_until_.find(key); gone != gone_until_.end()) {
        count(key, gone->second);
    }
    if (taken >= view.capacity()) {
        return std::nullopt;
    }
    const double wait = static_cast<double>(last - milliseconds_now()) / 1'000;
    if (wait > limits_.recovery_seconds) {
        ledger_.tally.leave_open(PropertyNumber::kLeak,
                                 "an \"until\" is further ahead than --recovery-time");
        return std::nullopt;
    }
    return Expected{view.capacity() - taken, moment_after(wait + limits_.recovery_seconds, now_)};
}

std::optional<Message> BlackBoxRun::ask_probe(std::size_t process, const Operation& operation,
                                              const std::optional<BelievedHolding>& subject,
                                              Clock::time_point deadline) {
    record(HistoryType::kInvoke, kProbe, operation, nullptr);
    const std::int64_t id =
        say_operation(programs_.at(process), world_.world, kProbe, operation, subject);
    // A missing answer counts against the program, so a busy machine gets the whole answer time.
    const double answer_seconds = programs_.options().answer_seconds;
    auto heard =
        programs_.next_until(std::max(deadline, moment_after(answer_seconds, measures_.now())));
    now_ = measures_.now();
    if (!heard) {
        return std::nullopt;
    }
    const Message& answer = heard->message;
    if (!answer.in_reply_to || heard->process != process || *answer.in_reply_to != id) {
        throw Misbehaved(Misbehaviour::kWrongAnswer,
                         quoted_piece(answer.type, 40) + ", which nobody waits for");
    }
    const std::string word = word_of(world_.world, operation);
    refuse_stray(answer, word, kProbe);
    refuse_unsupported(answer, word);
    const bool failed = answer.kind == MessageKind::kError;
    record(!failed                          ? HistoryType::kOk
           : is_definite_error(answer.code) ? HistoryType::kFail
                                            : HistoryType::kInfo,
           kProbe, operation, &answer);
    return std::move(heard->message);
}

BlackBoxRun::Probed BlackBoxRun::probe_acquires(std::size_t process, const Operation& view,
                                                Clock::time_point deadline,
                                                std::vector<BelievedHolding>& got) {
    for (milliseconds pause{1};; pause = std::min(2 * pause, kPauseMost)) {
        const auto answer = ask_probe(process, view, std::nullopt, deadline);
        if (!answer) {
            return Probed::kRefused;
        }
        note_lease_end(view.key, nullptr);
        if (answer->kind != MessageKind::kError) {
            got.push_back({view, answer->until, answer->token});
            return Probed::kAcquired;
        }
        if (!is_definite_error(answer->code)) {
            return Probed::kNobodyKnows;
        }
        if (now_ >= deadline) {
            return Probed::kRefused;
        }
        if (programs_.next_until(std::min(deadline, now_ + pause))) {
            throw Misbehaved(Misbehaviour::kWrongAnswer, "an answer that nobody waits for");
        }
        now_ = measures_.now();
    }
}

void BlackBoxRun::note_leak(const Operation& view, const Expected& expected,
                            std::size_t first_try) {
    const std::string& key = world_.world.keys[view.key];
    std::vector<std::size_t> records = unreleased(history_, key);
    std::erase_if(records, [&](std::size_t grant) { return grant >= first_try; });
    std::string holders;
    for (const std::size_t grant : records) {
        const bool answered = history_.records[grant].type == HistoryType::kOk;
        holders += (holders.empty() ? "; never released: " : ", ") +
                   history_.records[grant].process + " (record " + std::to_string(grant + 1) +
                   (answered ? ")" : ", no answer)");
    }
    records.push_back(first_try);
    note(PropertyNumber::kLeak,
         "key " + key + ": " + std::to_string(expected.places) + " of " +
             std::to_string(view.capacity()) +
             (view.capacity() == 1 ? " place is" : " places are") +
             " held by nobody any more, and a fresh caller cannot acquire so much within " +
             answer_time_text(limits_.recovery_seconds) + holders,
         std::move(records));
}

bool BlackBoxRun::probe_key(std::size_t process, const Operation& view) {
    const auto wanted = expected(view.key, view);
    if (!wanted) {
        return true;
    }
    const std::size_t first_try = history_.records.size();
    std::vector<BelievedHolding> got;
    Probed last = Probed::kAcquired;
    while (got.size() < wanted->places && last == Probed::kAcquired) {
        last = probe_acquires(process, view, wanted->deadline, got);
    }
    if (last == Probed::kNobodyKnows) {
        ledger_.tally.leave_open(PropertyNumber::kLeak, kLookMayHaveMore);
    } else {
        ledger_.decide(PropertyNumber::kLeak);
    }
    if (last == Probed::kRefused) {
        note_leak(view, *wanted, first_try);
        return false;
    }
    Operation release = view;
    release.verb = Verb::kRelease;
    return std::all_of(got.begin(), got.end(), [&](const BelievedHolding& holding) {
        return ask_probe(process, release, holding, wanted->deadline).has_value();
    });
}

void BlackBoxRun::probe() {
    now_ = measures_.now();
    if (world_.checked(PropertyNumber::kLeak) == nullptr || ledger_.tally.answers.grants == 0) {
        return;
    }
    const std::size_t process = programs_.start_probe(kProbe);
    for (std::size_t key = 0; key < world_.world.keys.size(); ++key) {
        const auto view =
            widest_acquire(world_.world, static_cast<std::uint8_t>(key), world_.world.views[view_]);
        // After a call without an answer, a later answer could be taken for that of another call.
        if (view && !probe_key(process, *view)) {
            return;
        }
    }
}

}  // namespace lockkeeper
