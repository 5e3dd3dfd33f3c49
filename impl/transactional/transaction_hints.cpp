// SPDX-License-Identifier: Apache-2.0

// Hints that only make searches of the transactional locks faster (Traits in
// model/implementation.hpp): which steps need no settle(). Without them every result is the same.
#include "impl/transactional/transaction_rules.hpp"

namespace lockkeeper::transactional {

bool TransactionServer::concerns_others(const Shared& shared, const Record& record,
                                        const Shared& shared_after, const Record& after) const {
    // InnoDB has waiters that are in no line: they wait for a gap.
    const bool overtakes = after.session.granted_now != 0 &&
                           (shows_rows() || shared.length[after.session.granted_now - 1U] != 0);
    const bool tells = shared_after.vanished != 0 || shared_after.published != 0 || overtakes ||
                       after.session.requested != 0;
    // Whoever waits has a rank among others; a row is uncommitted as long as anybody inserted it.
    const bool joins_or_leaves = record.session.waits_for != after.session.waits_for ||
                                 record.session.rank != after.session.rank ||
                                 ((record.session.inserted & ~after.session.inserted) != 0) ||
                                 ((record.session.gaps & ~after.session.gaps) != 0);
    const bool loses = is_there(record.lost) || is_there(after.lost);
    if (tells || joins_or_leaves || loses || options_.shared != 0 ||
        !rules().lines_have_one_owner()) {
        return true;
    }
    for (std::size_t line = 0; line < keys_count(); ++line) {
        const bool vacated = shared_after.vacated[line] != 0;
        const bool was_alone = record.session.place[line] == 1 && shared.length[line] == 1;
        const bool stays = record.session.place[line] == after.session.place[line] && !vacated;
        const bool joins = after.session.place[line] == shared.length[line] + 1 && !vacated;
        const bool leaves_nobody = was_alone && after.session.place[line] == 0;
        if (!stays && !joins && !leaves_nobody) {
            return true;
        }
    }
    return false;
}

}  // namespace lockkeeper::transactional
