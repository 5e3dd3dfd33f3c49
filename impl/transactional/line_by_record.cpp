// SPDX-License-Identifier: Apache-2.0
#include "impl/transactional/line_by_record.hpp"

#include <type_traits>

namespace lockkeeper::transactional {
namespace {

std::string why_not_call(unsigned word) {
    switch (static_cast<Word>(word)) {
        case Word::kWrite: return "callers write what others read";
        case Word::kCleanUp: return "callers clean up";
        case Word::kBegin:
        case Word::kCommit:
        case Word::kRollBack:
        case Word::kRead:
        case Word::kEffect:
        case Word::kLook:
        case Word::kFail:
        case Word::kSavepoint:
        case Word::kRollBackTo:
        case Word::kReleaseSavepoint:
        case Word::kBeginNew: return "";
    }
    return "an unknown call";
}

}  // namespace

template <class Server>
std::string LineByRecord<Server>::why_not(const ServerOptions& options, const WorldConfig& world) {
    if (options.rules != &kSoundTransactionRules) {
        return "a rule of it is another one";
    }
    if (options.keys.size() > 1) {
        return "there are several keys";
    }
    if (options.shared != 0) {
        return "a key is the shared mode of a lock";
    }
    constexpr bool kHasGaps = std::is_same_v<Server, InnodbServer>;
    if (kHasGaps && (options.repairs & kRowFirst) == 0 &&
        ((options.rows | options.user_locks) & 1U) == 0) {
        return "the row can be absent: then its insert waits for gaps of any number of sessions";
    }
    return why_not_used(options.faults, world, why_not_call);
}

template <class Server>
LineByRecord<Server>::LineByRecord(const ServerOptions& options, const WorldConfig& world)
    : Base(options, world) {
    LOCKKEEPER_CHECK(why_not(options, world).empty());
}

// After a step of one session. The server itself looks at all of them there, and would find that
// nobody but this one is in the line.
template <class Server>
void LineByRecord<Server>::settle(bool owned_before, Shared& shared, Record& record) const {
    const bool is_left = shared.lock.vacated[kLine] == 1;
    LOCKKEEPER_CHECK(is_left || !owned_before || owns(record));
    LOCKKEEPER_CHECK(record.session.gaps == 0 && record.session.inserted == 0);
    all_.watch(shared.lock, one_record(record));
    shared.owners =
        static_cast<std::uint8_t>(shared.owners + (owns(record) ? 1 : 0) - (owned_before ? 1 : 0));
    shared.is_handed_over = is_left ? 1 : shared.is_handed_over;
    shared.lock.length[kLine] = shared.owners > 0 || shared.is_handed_over != 0 ? 1 : 0;
    record.session.check.stop();
    if (record.session.timeout.running()) {
        record.session.timeout.start(0);
    }
}

template <class Server>
Outcome LineByRecord<Server>::step(Shared& shared, Record& record, Call& call,
                                   const Operation& operation, Event& event) const {
    const bool owned = owns(record);
    const Outcome outcome =
        kinds_[operation.signal].step(shared.lock, record, call, operation, event);
    settle(owned, shared, record);
    return outcome;
}

template <class Server>
void LineByRecord<Server>::on_death(Shared& shared, Record& record) const {
    const bool owned = owns(record);
    all_.on_death(shared.lock, record);
    settle(owned, shared, record);
}

template <class Server>
void LineByRecord<Server>::background_of(const Shared& shared, const Record& record,
                                         std::size_t caller, ActionList& out) const {
    if (shared.is_handed_over == 0) {
        all_.background(shared.lock, one_record(record), out);
    } else if (waits(record)) {
        out.add({static_cast<std::uint8_t>(caller), ActionKind::kBackground, kIsGranted});
    }
}

template <class Server>
void LineByRecord<Server>::background_elsewhere(const Shared& shared, ActionList& out) {
    if (shared.is_handed_over != 0) {
        out.add({0, ActionKind::kBackground, kNobodyWaits});
    }
}

template <class Server>
void LineByRecord<Server>::apply_background(Shared& shared, Record& record, Action action,
                                            Event& event) const {
    const bool owned = owns(record);
    if (action.argument == kIsGranted) {
        shared.is_handed_over = 0;
        all_.grant_next(record.session, kLine);
    } else {
        all_.apply_background(shared.lock, one_record(record), {0, action.kind, action.argument},
                              event);
    }
    settle(owned, shared, record);
}

template <class Server>
bool LineByRecord<Server>::apply_background(Shared& shared, Action /*action*/, Event& /*event*/) {
    shared.is_handed_over = 0;
    shared.lock.length[kLine] = 0;
    return false;
}

template <class Server>
void LineByRecord<Server>::observe(const Shared& shared, Observation& out) {
    KeyObservation& seen = out.keys[kLine];
    seen.granted = shared.owners;
    out.grants_overlap = shared.owners > 1;
    seen.counters = {shared.lock.length[kLine], shared.lock.versions[kLine]};
}

template <class Server>
std::string LineByRecord<Server>::describe_background(const Shared& shared,
                                                      Records<const Record> records,
                                                      Action action) const {
    switch (action.argument) {
        case kIsGranted: return "the lock is granted to @, who waits";
        case kNobodyWaits: return "the lock is free: nobody waits";
        default: return Base::describe_background(shared, records, action);
    }
}

template class LineByRecord<PgServer>;
template class LineByRecord<InnodbServer>;

}  // namespace lockkeeper::transactional
