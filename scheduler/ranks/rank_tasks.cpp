// SPDX-License-Identifier: Apache-2.0
#include "scheduler/ranks/rank_tasks.hpp"

#include <atomic>
#include <exception>

namespace lockkeeper {
namespace {

// The first byte of what the first rank sends.
enum class RankOrder : std::uint8_t { kOpen, kQuestion, kClose, kDismiss };

RankMessage order_of(RankOrder order, const RankMessage& rest = {}) {
    RankMessage message(1, static_cast<std::byte>(order));
    append(message, rest.data(), rest.size());
    return message;
}
RankOrder order_in(const RankMessage& message) {
    LOCKKEEPER_CHECK(!message.empty());
    return static_cast<RankOrder>(message.front());
}
RankMessage rest_of(const RankMessage& message) { return {message.begin() + 1, message.end()}; }

std::uint64_t next_number() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

}  // namespace

RankShare share_of(std::size_t pieces, std::size_t rank, std::size_t ranks) {
    const auto before = [&](std::size_t those) { return (pieces * those + ranks - 1) / ranks; };
    return {before(rank), before(rank + 1)};
}

RankTask::RankTask(const Helpers& helpers, RankTaskKind kind, const RankMessage& about)
    : ranks_(*helpers.ranks), number_(next_number()), owes_(helpers.ranks->count()) {
    LOCKKEEPER_CHECK(ranks_.is_first());
    RankMessage task;
    MessageWriter out(task);
    out.value(number_);
    out.value(kind);
    out.text(helpers.scope);
    out.array(about);
    for (std::size_t rank = 1; rank < ranks_.count(); ++rank) {
        ranks_.send(rank, order_of(RankOrder::kOpen, task));
    }
}

RankTask::~RankTask() {
    for (std::size_t rank = 1; rank < ranks_.count(); ++rank) {
        try {
            if (owes_[rank]) {
                static_cast<void>(answer_of(rank));
            }
            ranks_.send(rank, order_of(RankOrder::kClose));
        } catch (const std::exception&) {  // whoever asks next hears of it; the others go on
            continue;
        }
    }
}

void RankTask::ask(std::size_t rank, const RankMessage& question) {
    LOCKKEEPER_CHECK(!owes_[rank]);
    ranks_.send(rank, order_of(RankOrder::kQuestion, question));
    owes_[rank] = true;
}

RankMessage RankTask::answer_of(std::size_t rank) {
    owes_[rank] = false;  // also where there is no memory for what has come
    for (;;) {
        if (auto answer = answer_in(ranks_.receive(rank))) {
            return std::move(*answer);
        }
    }
}

std::optional<RankMessage> RankTask::answer_in(const RankMessage& message) const {
    MessageReader in(message);
    const bool is_of_this = in.value<std::uint64_t>() == number_;
    return is_of_this ? std::optional(in.array<std::byte>()) : std::nullopt;
}

std::size_t RankTask::ask_for_shares(std::uint64_t first, std::size_t pieces, double seconds_left,
                                     const AskMore& more) {
    for (std::size_t rank = 1; rank < ranks_.count(); ++rank) {
        const RankShare share = share_of(pieces, rank, ranks_.count());
        if (share.size() == 0) {
            continue;
        }
        RankMessage question;
        MessageWriter out(question);
        out.value(PiecesAsked{first + share.first, share.size(), seconds_left});
        if (more) {
            more(rank, out);
        }
        ask(rank, question);
    }
    return share_of(pieces, 0, ranks_.count()).size();
}

void RankTask::take_shares(std::size_t pieces,
                           const std::function<void(std::size_t, MessageReader&)>& take) {
    for (std::size_t rank = 1; rank < ranks_.count(); ++rank) {
        const RankShare share = share_of(pieces, rank, ranks_.count());
        if (share.size() == 0) {
            continue;
        }
        const RankMessage answer = answer_of(rank);
        MessageReader in(answer);
        for (std::size_t piece = share.first; piece < share.end; ++piece) {
            take(piece, in);
        }
    }
}

std::optional<RankLetter> RankTask::any_answer() {
    auto letter = ranks_.take_any(owes_);
    if (!letter) {
        return std::nullopt;
    }
    auto answer = answer_in(letter->message);
    if (!answer) {
        return std::nullopt;
    }
    owes_[letter->from] = false;
    return RankLetter{letter->from, std::move(*answer)};
}

bool RankTask::is_owed() const {
    return std::find(owes_.begin(), owes_.end(), true) != owes_.end();
}

void dismiss_others(Ranks& ranks) {
    try {
        for (std::size_t rank = 1; rank < ranks.count(); ++rank) {
            ranks.send(rank, order_of(RankOrder::kDismiss));
        }
    } catch (const RanksParted&) {  // then it is over anyway
        return;
    }
}

std::optional<RankMessage> FollowedTask::next_question() {
    const RankMessage message = ranks_.receive(0);
    const RankOrder order = order_in(message);
    LOCKKEEPER_CHECK(order == RankOrder::kQuestion || order == RankOrder::kClose);
    return order == RankOrder::kQuestion ? std::optional(rest_of(message)) : std::nullopt;
}

void FollowedTask::answer(const RankMessage& answer) {
    RankMessage message;
    MessageWriter out(message);
    out.value(number_);
    out.array(answer);
    ranks_.send(0, message);
}

void follow(Ranks& ranks, const std::function<void(FollowedTask&)>& work, bool* is_in_task) {
    const auto note = [&](bool is_in) {
        if (is_in_task != nullptr) {
            *is_in_task = is_in;
        }
    };
    for (;;) {
        note(false);
        const RankMessage message = ranks.receive(0);
        note(true);
        if (order_in(message) == RankOrder::kDismiss) {
            return;
        }
        LOCKKEEPER_CHECK(order_in(message) == RankOrder::kOpen);
        const RankMessage rest = rest_of(message);
        MessageReader in(rest);
        const auto number = in.value<std::uint64_t>();
        const auto kind = in.value<RankTaskKind>();
        std::string scope = in.text();
        FollowedTask task(ranks, number, kind, std::move(scope), in.array<std::byte>());
        work(task);
    }
}

}  // namespace lockkeeper
