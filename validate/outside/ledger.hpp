// SPDX-License-Identifier: Apache-2.0

// The ledger keeps who believes to hold what, and judges which promises break. It is the one judge
// of outside code: of programs at both levels (SteppedRun, BlackBoxRun) and of unmodified clients
// (wire::WireRun). A run reports its callers' calls and answers. A case that the run cannot report
// stays unknown, and the ledger counts it as unknown.
//
//   begin(accounts)          a fresh run: the accounts of its callers, in their order
//   step(), at_step()        before each step; at the black box a step is a record of the history
//   call(), answer()         of one caller; crash() and no_longer() as they happen
//   saw()                    an event that is no call: a clock that went on, a resize
//   refresh()                after each step: updates what each call under way has met
//
// The ledger reports each step as an event, as models do, and the rules of properties/rules decide.
// A new rule that reads only these events (is_told) judges all outside code.
//
// The terms and the violations, for one key with C places:
//   certain    from an acquire's return to its release's call, the end of its time, a loss that the
//              caller was told of, or its death
//   possible   certain places, places being acquired or released, and doubtful ones: an answer that
//              leaves open what happened, a release that failed, what the dead may have had
//   P1         a grant while C are certain. The caller's own places count unless the lock is
//              re-entrant. Where callers see different C, no order of overlapping grants may fit
//   P3         a refusal although fewer than C were possible at every moment of the call. Exempt:
//              leases, and a call whose own grant had an end that is over
//   P17        a grant with an end, of a lock with one place, while another caller's is certain
//   P21        a release returns ok although later grants to others fill all places at once. Later:
//              wholly after the released grant. A grant that is over at its return was in force at
//              an unknown moment: it overtakes only where there is one place
//   P31, P32   for a rate limiter, whose grants nobody holds: see ledger_rates.cpp
//   P23        a token that is not above the token of a grant returned before the call, or that was
//              granted already. A re-entrant lock may repeat the token of a hold of the caller
//
// Times use the run's own unit and clock: see LedgerTime.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/history.hpp"
#include "model/observation.hpp"
#include "model/property.hpp"
#include "validate/outside/call_history.hpp"
#include "validate/outside/outside_world.hpp"
#include "validate/outside/rate_windows.hpp"
#include "validate/outside/script_place.hpp"
#include "validate/outside/tally.hpp"

namespace lockkeeper {

inline constexpr std::size_t kLedgerKeysMax = 4;
// The word of a call that extends the time for which its caller holds.
inline constexpr const char* kRenewWord = "renew";

// Reasons why the look at the end decides nothing.
inline constexpr const char* kLookMayCount =
    "an acquire that has no definite end may count later, or somebody runs on real time";
inline constexpr const char* kLookMayHaveMore =
    "an acquire of the look at the end left open whether it was granted";

// The clocks of a run.
class LedgerTime {
  public:
    virtual ~LedgerTime() = default;
    [[nodiscard]] virtual std::int64_t now() const = 0;
    // The time of `holding` is over by the clock that this caller uses.
    [[nodiscard]] virtual bool is_over(std::size_t caller,
                                       const BelievedHolding& holding) const = 0;
    // The time from now to the end of `holding`, which has an end.
    [[nodiscard]] virtual std::int64_t time_left(std::size_t caller,
                                                 const BelievedHolding& holding) const = 0;
    // Everything that the calls depend on goes by this time; nobody runs on real time.
    [[nodiscard]] virtual bool is_held() const { return true; }
    // A call whose end leaves its effect open has that effect before its end, or never.
    [[nodiscard]] virtual bool effects_end() const { return false; }
};

struct Told {
    enum class Kind : std::uint8_t {
        kOk,       // granted, released, or another call's end
        kDone,     // a release that returns nothing: whether it was in time, nobody says
        kRefused,  // somebody else has the lock
        kLost,     // the caller holds no longer
        kFailed,   // certainly nothing has happened
        kUnknown,  // nobody knows whether it has
    };
    Kind kind = Kind::kOk;
    std::optional<std::int64_t> until = {};
    bool of_world = false;  // see BelievedHolding
    std::optional<std::int64_t> end_in_time = {};
    std::optional<std::int64_t> token = {};
    std::optional<std::int64_t> count = {};  // of the lock's places in use, as the answer has it
    std::string error = {};                  // in the answer's own words
    // For a refusal: whether the call itself had taken the lock, until some time.
    enum class OwnGrant : std::uint8_t {
        kNone,
        kWaned,  // it had, and by the caller's clocks time has passed since
        kOver,   // it had, and that time is over
    };
    OwnGrant own_grant = OwnGrant::kNone;
};

// The ledger's account of one caller.
struct Account : ScriptPlace {
    bool calling = false;
    bool dead = false;
    bool waits_for_change = false;  // refused, and nobody else has done anything since
    Operation operation = {};       // under way
    std::uint32_t first_step = 0;   // of that operation
    std::int64_t began_at = 0;      // the moment of that step
    // By key: the largest token that had returned before it.
    std::array<std::optional<std::int64_t>, kLedgerKeysMax> token_floors = {};
    std::optional<BelievedHolding> subject;  // of the release or renewal under way
    std::uint32_t possible_most = 0;         // held by anybody else, over the acquire under way
    std::uint32_t recent_most = 0;           // for a rate limiter: in the last window, over it
    // At some moment of the acquire under way, another caller held, or all places were held.
    bool met_holder = false;
    bool met_all_taken = false;
    bool is_doubted = false;  // the call under way is counted in `doubtful` already
    // By key: units that its calls without a definite end may have taken, or not given back.
    std::array<std::uint32_t, kLedgerKeysMax> doubtful = {};
};

// Points into the callers that a run keeps in a vector, which must not change its size.
template <class Caller>
[[nodiscard]] std::vector<Account*> accounts_of(std::vector<Caller>& callers) {
    std::vector<Account*> accounts;
    accounts.reserve(callers.size());
    for (Caller& caller : callers) {
        accounts.push_back(&caller);
    }
    return accounts;
}

// The history of the calls (P29) is judged by this ledger, or by other code.
enum class Histories : std::uint8_t { kHere, kElsewhere };

// The ledger reports all events that this property's rule reads, whatever the code is.
[[nodiscard]] bool is_told(const Property& property);

class Ledger {
  public:
    // Both must outlive it.
    Ledger(const OutsideWorld& world, const LedgerTime& time,
           Histories histories = Histories::kHere);

    void begin(std::vector<Account*> accounts);
    void step() { ++steps_; }
    void at_step(std::uint32_t step) { steps_ = step; }
    void refresh(const std::function<bool(std::size_t)>& wakes);

    // The caller begins the next operation of its script; waits, sleeps and signals are no calls.
    void call(std::size_t caller, const Operation& operation);
    struct Changed {
        bool begins = false;  // a belief
        bool ends = false;    // a belief, by another call than a release
    };
    // The call under way ends with this answer.
    Changed answer(std::size_t caller, const Told& told);
    // The call under way may have its effect later, whatever its answer.
    void doubt(std::size_t caller);
    void crash(std::size_t caller);
    // The caller's own watchdog says that the lock is lost. False: the caller did not hold it.
    bool lost(std::size_t caller, std::uint8_t key);
    // Time passes for the first time in the run: each `end_in_time` is now the end of its lock.
    void time_passes();
    void saw(EventBit what);
    // The caller's clock was set, so the caller believes again, or no longer, that it holds.
    void believes_again(std::size_t caller, const BelievedHolding& holding);
    void no_longer(std::size_t caller, const BelievedHolding& holding);
    // Judges the history for the last time.
    void finish();
    // `steps`: the steps that show the violation, rising.
    void note(PropertyNumber property, std::vector<std::uint32_t> steps = {});
    void decide(PropertyNumber property) { tally.decide(property); }

    [[nodiscard]] bool believes(std::size_t caller, const BelievedHolding& holding) const;
    [[nodiscard]] std::uint32_t held_count(std::uint8_t key) const;
    // The places that are held. All grants of one caller share one place of a re-entrant lock. A
    // lock with one place may be re-entrant, and counts as such unless the scenario denies it.
    [[nodiscard]] std::uint32_t places_held(std::uint8_t key, std::uint32_t capacity) const;
    [[nodiscard]] bool is_lease(std::uint8_t key) const { return leased_[key]; }
    [[nodiscard]] const RateWindows& rates() const { return rates_; }
    // The look at the end was granted the key with a time limit.
    void note_lease(std::uint8_t key) { leased_[key] = true; }
    // "A1, A2"; empty: nobody.
    [[nodiscard]] std::string holders() const;
    // For a rate limiter: "2 grants in the window".
    [[nodiscard]] std::string granted_lately() const;
    // For reports: which callers are dead, in a call or finished, and what each certainly holds.
    void observe(Observation& out) const;
    // The calls and returns of the run, by steps counted from 0.
    struct Entry {
        HistoryEntry shown;
        std::string word;        // of the call, in the scenario
        std::uint32_t what = 0;  // EventBits
    };
    [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
    // Equal keys give equal judgements from here on, apart from the run's own state.
    void write_key(std::string& out) const;
    // The simplest first: the others may follow from it.
    [[nodiscard]] const std::vector<const Property*>& violated() const { return violated_; }
    // The steps of the first violation: the ends of the windows of the grants involved, and the
    // step that violates.
    [[nodiscard]] const std::vector<std::uint32_t>& steps_of(const Property& violated) const {
        return shown_by_.at(violated.number);
    }
    // Empty where it judges no history.
    [[nodiscard]] JudgedCalls calls() const;
    [[nodiscard]] OutsideTally take_tally();

    OutsideTally tally;

  private:
    [[nodiscard]] const CallerConfig& config_of(std::size_t caller) const {
        return world_.world.callers[caller];
    }
    [[nodiscard]] std::uint32_t holds(std::size_t caller, std::uint8_t key) const;
    [[nodiscard]] std::uint32_t possible_count(std::uint8_t key) const;
    void show(PropertyNumber property, std::vector<std::uint32_t> steps);
    void judge(std::size_t caller);
    void begin_event(const Account& account, const Told& told);
    void note_ends();
    void note_others(std::size_t caller);
    void judge_grant(std::size_t caller, const BelievedHolding& grant, bool is_new);
    void judge_places(std::size_t caller, const BelievedHolding& grant, bool is_new);
    [[nodiscard]] bool fits_in_some_order(std::size_t caller, const BelievedHolding& grant,
                                          bool with_own) const;
    void judge_tokens(std::size_t caller, const BelievedHolding& grant);
    // ledger_rates.cpp
    void note_recent(std::size_t caller);
    void doubt_rate(const Account& account);
    void judge_rate(const Account& account, const Told& told);
    Changed end_rated(const Account& account, const Told& told);
    struct GrantedToken {
        std::int64_t token = 0;
        std::uint32_t step = 0;
    };
    [[nodiscard]] const GrantedToken* out_of_order(std::size_t caller,
                                                   const BelievedHolding& grant) const;
    void forget_tokens(std::size_t caller, std::uint8_t key);
    [[nodiscard]] std::vector<std::uint32_t> steps_of_holders(std::uint8_t key) const;
    void note_overtaken(std::size_t caller);
    [[nodiscard]] std::uint32_t later_in_force(std::size_t owner,
                                               const BelievedHolding& earlier) const;
    [[nodiscard]] std::optional<std::uint8_t> held_throughout(std::size_t caller) const;
    void judge_history(bool all);
    void enter(std::size_t caller, HistoryType type, const std::string& error = "");
    void record(std::size_t caller, CallHistory::Return with);
    [[nodiscard]] CallHistory::Return returned(std::size_t caller,
                                               const BelievedHolding& grant) const;
    void count(const Account& account, const Told& told);
    Changed end_acquire(std::size_t caller, const Told& told);
    void judge_refusal(const Account& account, Told::OwnGrant own_grant);
    Changed grant(std::size_t caller, const Told& told);
    Changed end_release(std::size_t caller, const Told& told);
    Changed end_call(std::size_t caller, const Told& told);
    void write_holding(std::size_t caller, const BelievedHolding& holding, std::string& out) const;

    const OutsideWorld& world_;
    const LedgerTime& time_;
    std::vector<Account*> accounts_;
    std::array<std::uint32_t, kLedgerKeysMax> ghosts_{};  // units that the dead may have had
    std::array<bool, kLedgerKeysMax> leased_{};           // a grant had an end
    // By key, ascending: the largest token, and those that an acquire under way could repeat.
    std::array<std::vector<GrantedToken>, kLedgerKeysMax> tokens_{};
    RateWindows rates_;
    std::uint32_t steps_ = 0;
    std::vector<Entry> entries_;
    // The event since the last judgement, and the steps that show it, by the property's number.
    Event event_;
    std::map<int, std::vector<std::uint32_t>> shows_;
    std::vector<const Property*> violated_;
    std::map<int, std::vector<std::uint32_t>> shown_by_;  // the same for violated properties
    bool judges_histories_ = true;
    CallHistory calls_;
};

}  // namespace lockkeeper
