// SPDX-License-Identifier: Apache-2.0

// The lines of the keys: the part of the servers that looks at all records at once.
#include <algorithm>
#include <bit>
#include <utility>

#include "impl/transactional/transaction_rules.hpp"
#include "impl/transactional/transaction_state.hpp"

namespace lockkeeper::transactional {

// After every step, as a part of it: lines close up, views grow old, deadlocks are found.
void TransactionServer::settle(Shared& shared, Records<Record> records) const {
    const Sessions sessions = sessions_of(records);
    if (!rules().timeouts_are_punctual()) {
        end_due_waits(shared, sessions);
    }
    do {
        for (std::size_t line = 0; line < keys_count(); ++line) {
            wake_inserts(shared, sessions, line);
            close_line(shared, sessions, line);
        }
        recount(shared, sessions);
    } while (resolve_deadlock(shared, sessions));
    KeySet granted = 0;  // in this step
    KeySet waited_for = 0;
    for_each(sessions, [&](std::size_t, Session& session) {
        if (session.viewed != 0) {
            session.outdated = static_cast<KeySet>(session.outdated | shared.published);
        }
        session.requested = 0;
        if (session.granted_now != 0) {
            granted = static_cast<KeySet>(granted | bit(session.granted_now - 1U));
        }
        if (session.waits_for != 0) {
            const KeySet line = bit(session.waits_for - 1U);
            const bool owns = session.place[session.waits_for - 1U] == 1;
            granted = static_cast<KeySet>(granted | (owns && session.rank != 0 ? line : 0));
            waited_for = static_cast<KeySet>(waited_for | line);
        }
    });
    shared.published = 0;
    // Most steps grant nothing: they need not look at all records once more.
    for (std::size_t line = 0; line < keys_count(); ++line) {
        if ((granted & bit(line)) != 0) {
            note_overtaking(sessions, line);
        }
    }
    // Before the ranks: a session that is gone has none, and nobody's may be left to the next step.
    if (sessions.size() > records.size()) {
        for_each(records, [](std::size_t, Record& record) { tidy_up(record.lost); });
    }
    for (std::size_t line = 0; line < keys_count(); ++line) {
        if ((waited_for & bit(line)) != 0) {
            renumber(sessions, line);
        }
    }
}

// Planted: the head of a line is granted first, however late.
void TransactionServer::end_due_waits(Shared& shared, const Sessions& sessions) const {
    bool happens = false;
    for (std::size_t line = 0; line < keys_count(); ++line) {
        happens = happens || shared.vacated[line] != 0;
        close_line(shared, sessions, line);
    }
    for_each(sessions, [&](std::size_t, const Session& session) {
        happens = happens || session.requested != 0;
    });
    for_each(sessions, [&](std::size_t at, const Session& session) {
        if (happens && session.timeout.due() && waits_on_somebody(shared, session)) {
            refuse(shared, sessions, at, Error::kLockTimeout);
            for (std::size_t line = 0; line < keys_count(); ++line) {
                close_line(shared, sessions, line);
            }
        }
    });
}

std::size_t TransactionServer::next_of(const Sessions& sessions, std::size_t line) const {
    std::size_t next = 0;
    for (std::size_t i = 0; i < sessions.size(); ++i) {
        const auto place = sessions[i].place[line];
        const auto best = sessions[next].place[line];
        if (place != 0 && (best == 0 || rules().is_before(place, best))) {
            next = i;
        }
    }
    return next;
}

// Somebody has left the line: those behind move up, and the next is granted.
void TransactionServer::close_line(Shared& shared, const Sessions& sessions,
                                   std::size_t line) const {
    const std::uint8_t left = std::exchange(shared.vacated[line], std::uint8_t{0});
    if (left == 0) {
        return;
    }
    if (left == 1 && options_.shared != 0 && is_owned(sessions, line)) {
        return;  // by others who share it
    }
    const std::size_t next = left == 1 ? next_of(sessions, line) : sessions.size();
    const std::uint8_t from = left == 1 ? sessions[next].place[line] : left;
    if (from == 0) {
        return;  // nobody waits
    }
    for_each(sessions, [&](std::size_t caller, Session& session) {
        std::uint8_t& place = session.place[line];
        if (place == 0) {
            return;
        }
        if (rules().is_granted(caller == next, left)) {
            grant_next(session, line);
        } else if (place > from) {
            --place;
        }
    });
    if (options_.shared != 0) {
        grant_shared(sessions, line);
    }
}

bool TransactionServer::is_owned(const Sessions& sessions, std::size_t line) {
    bool is_owned = false;
    for_each(sessions, [&](std::size_t, const Session& session) {
        is_owned = is_owned || session.place[line] == 1;
    });
    return is_owned;
}

// PostgreSQL: where the owners share it and the first in line would, too, it is granted; and so on.
void TransactionServer::grant_shared(const Sessions& sessions, std::size_t line) {
    const auto first = [&]() -> Session* {
        Session* found = nullptr;
        bool is_shared = false;
        for_each(sessions, [&](std::size_t, Session& session) {
            is_shared = is_shared || (session.place[line] == 1 && is_in_shared(session, line));
            found = session.place[line] == 2 && is_in_shared(session, line) ? &session : found;
        });
        return is_shared ? found : nullptr;
    };
    for (Session* next = first(); next != nullptr; next = first()) {
        grant_next(*next, line);
        for_each(sessions, [&](std::size_t, Session& session) {
            session.place[line] =
                static_cast<std::uint8_t>(session.place[line] - (session.place[line] > 2 ? 1 : 0));
        });
    }
}

// PostgreSQL 15: a cycle through the order of a line ends when one that would share it passes one
// who waits for it alone, and nobody gets an error. The order of the line is what it is then:
// nobody was overtaken.
bool TransactionServer::rearranged(const Sessions& sessions, std::size_t at) const {
    for (std::size_t line = 0; line < keys_count(); ++line) {
        for (std::size_t from = 0; from < sessions.size(); ++from) {
            for (std::size_t before = 0; before < sessions.size(); ++before) {
                const std::uint8_t to = sessions[before].place[line];
                const std::uint8_t place = sessions[from].place[line];
                const bool passes = to > 1 && place > to && is_in_shared(sessions[from], line) &&
                                    !is_in_shared(sessions[before], line);
                if (!passes) {
                    continue;
                }
                const auto move = [&](std::uint8_t here, std::uint8_t there) {
                    for_each(sessions, [&](std::size_t i, Session& session) {
                        std::uint8_t& one = session.place[line];
                        const bool behind = there < here && one >= there && one < here;
                        const bool ahead = there > here && one <= there && one > here;
                        one = static_cast<std::uint8_t>(i == from ? there
                                                        : behind  ? one + 1
                                                        : ahead   ? one - 1
                                                                  : one);
                    });
                };
                move(place, to);
                if (in_cycle(sessions, at)) {
                    move(to, place);
                    continue;
                }
                for_each(sessions, [&](std::size_t, Session& session) {
                    const bool waits = session.waits_for == line + 1 && session.place[line] > 1;
                    session.rank =
                        waits ? static_cast<std::uint8_t>(session.place[line] - 1) : session.rank;
                });
                grant_shared(sessions, line);
                return true;
            }
        }
    }
    return false;
}

// An undone insert takes the row away: those who waited for it inherit the gap, and insert anew.
void TransactionServer::wake_inserts(Shared& shared, const Sessions& sessions,
                                     std::size_t line) const {
    if ((shared.vanished & bit(line)) == 0) {
        return;
    }
    shared.vanished = static_cast<KeySet>(shared.vanished & ~bit(line));
    shared.rows = static_cast<KeySet>(shared.rows & ~bit(line));
    shared.vacated[line] = 0;  // the line has gone with the row
    for_each(sessions, [&](std::size_t, Session& session) {
        if (session.waits_for != line + 1 || session.place[line] == 0) {
            return;
        }
        session.place[line] = 0;
        session.level[line] = 0;
        session.gaps = static_cast<KeySet>(session.gaps | bit(line));
        session.insert = Insert::kWoken;
    });
}

void TransactionServer::recount(Shared& shared, const Sessions& sessions) const {
    shared.length = {};
    shared.gap_holders = {};
    shared.uncommitted = 0;
    shared.in_shared = 0;
    for_each(sessions, [&](std::size_t, Session& session) {
        for (std::size_t line = 0; line < keys_count(); ++line) {
            shared.length[line] = std::max(shared.length[line], session.place[line]);
            const bool shares = session.place[line] == 1 && is_in_shared(session, line);
            shared.in_shared = static_cast<KeySet>(shared.in_shared | (shares ? bit(line) : 0));
            shared.gap_holders[line] = static_cast<std::uint8_t>(
                shared.gap_holders[line] + ((session.gaps >> line & 1U) != 0 ? 1 : 0));
        }
        shared.uncommitted = static_cast<KeySet>(shared.uncommitted | session.inserted);
    });
}

// --- who came first ----------------------------------------------------------------------------

// Granted in this step, with or without a wait: whoever came before and still waits is overtaken.
void TransactionServer::note_overtaking(const Sessions& sessions, std::size_t line) {
    for_each(sessions, [&](std::size_t, Session& owner) {
        const bool at_once = owner.granted_now == line + 1;
        const bool from_line =
            owner.waits_for == line + 1 && owner.place[line] == 1 && owner.rank != 0;
        if (!at_once && !from_line) {
            return;
        }
        for_each(sessions, [&](std::size_t, Session& other) {
            const bool waits = other.waits_for == line + 1 && other.place[line] != 1 &&
                               other.answer == Error::kNone;
            if (waits && (at_once || other.rank < owner.rank)) {
                other.overtaken = 1;
            }
        });
        owner.granted_now = 0;
        if (from_line) {
            owner.rank = 0;
        }
    });
}

// 1, 2 ... in the order in which they came; who has just come has the largest, 0 stays 0.
void TransactionServer::renumber(const Sessions& sessions, std::size_t line) {
    Ranks ranks;
    for_each(sessions, [&](std::size_t, const Session& session) {
        if (session.waits_for == line + 1) {
            ranks.add(session.rank);
        }
    });
    if (ranks.in_order()) {
        return;
    }
    for_each(sessions, [&](std::size_t, Session& session) {
        if (session.waits_for == line + 1) {
            session.rank = ranks.renumbered(session.rank);
        }
    });
}

// --- deadlocks ---------------------------------------------------------------------------------

bool TransactionServer::can_insert(const Shared& shared, const Session& session,
                                   std::size_t line) const {
    const int own = (session.gaps >> line & 1U) != 0 ? 1 : 0;
    return (shared.rows & bit(line)) != 0 || shared.gap_holders[line] == own;
}

bool TransactionServer::waits_on(const Session& waiter, const Session& other, std::size_t line) {
    if (waiter.insert == Insert::kWaits) {
        return (other.gaps >> line & 1U) != 0;
    }
    const bool waits = waiter.insert == Insert::kNot && waiter.place[line] > 1;
    if (!waits || !is_in_shared(waiter, line)) {
        return waits && other.place[line] == 1;
    }
    // A shared waiter waits for an exclusive owner, and for exclusive waiters before it.
    return !is_in_shared(other, line) && other.place[line] != 0 &&
           other.place[line] < waiter.place[line];
}

// MariaDB has a detector of user locks and one of rows; neither sees a wait of the other kind.
bool TransactionServer::in_cycle(const Sessions& sessions, std::size_t from) const {
    const auto kind = [&](const Session& waiter) { return is_user_lock(waiter.waits_for - 1U); };
    std::uint32_t reached = 0;
    std::uint32_t pending = 1U << from;
    while (pending != 0) {
        const auto at = static_cast<std::size_t>(std::countr_zero(pending));
        pending &= pending - 1;
        const Session& waiter = sessions[at];
        const bool is_seen = waiter.waits_for != 0 && kind(waiter) == kind(sessions[from]);
        for (std::size_t other = 0; other < sessions.size() && is_seen; ++other) {
            const std::uint32_t him = 1U << other;
            if (other == at || !waits_on(waiter, sessions[other], waiter.waits_for - 1U)) {
                continue;
            }
            pending |= (reached & him) == 0 ? him : 0;
            reached |= him;
        }
    }
    return (reached >> from & 1U) != 0;
}

}  // namespace lockkeeper::transactional
