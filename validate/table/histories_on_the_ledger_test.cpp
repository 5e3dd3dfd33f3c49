// SPDX-License-Identifier: Apache-2.0

// No order explains a history in which the ledger is certain of a violation. The ledger hears
// random histories. Whenever a rule is violated, the model of histories says violated, too. The
// converse is false: the model tries all orders, the ledger judges only what is certain then.
#include <map>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "model/slow_build_test.hpp"
#include "properties/catalogue.hpp"
#include "validate/histories/check_history.hpp"
#include "validate/histories/random_history_test.hpp"
#include "validate/outside/ledger.hpp"

namespace lockkeeper::table {
namespace {

constexpr std::int64_t kTtl = 6;
constexpr std::int64_t kClockError = 1;

// Reports the calls of a history to the ledger, as a run of outside code would.
class ToldHistory final : public LedgerTime {
  public:
    ToldHistory(const RecordedHistory& history, std::uint16_t places, bool is_lease)
        : places_(places), is_lease_(is_lease) {
        for (const Record& record : history.records) {
            callers_.emplace(record.process, callers_.size());
        }
        world_.world.keys = {"db"};
        // The history decides what comes next, but a script must have something.
        world_.world.callers.resize(callers_.size());
        for (CallerConfig& caller : world_.world.callers) {
            caller.script = {operation_of(Verb::kAcquire)};
            caller.repeats_forever = true;
        }
        accounts_.resize(callers_.size());
        for (const PropertyNumber number :
             {PropertyNumber::kOverAllocation, PropertyNumber::kUnderAllocation,
              PropertyNumber::kBeliefOverlap, PropertyNumber::kFalseOk,
              PropertyNumber::kTokenOrder}) {
            world_.check.push_back(&property_of(number));
        }
        ledger_ = std::make_unique<Ledger>(world_, *this, Histories::kElsewhere);
        ledger_->begin(accounts_of(accounts_));
        std::uint32_t step = 0;
        for (const Record& record : history.records) {
            now_ = record.time.value_or(0);
            ledger_->at_step(step++);
            record.type == HistoryType::kInvoke ? call(record) : answer(record);
            ledger_->refresh([](std::size_t) { return false; });
        }
    }
    [[nodiscard]] const std::vector<const Property*>& violated() const {
        return ledger_->violated();
    }
    // Some caller released a lock that it did not hold, or may not have held, or it renewed.
    [[nodiscard]] bool has_passed_over() const { return has_passed_over_; }

  private:
    static const Property& property_of(PropertyNumber number) {
        for (const Property& property : all_properties()) {
            if (property.is(number)) {
                return property;
            }
        }
        throw std::logic_error("no such property");
    }
    [[nodiscard]] std::int64_t now() const override { return now_; }
    [[nodiscard]] bool is_over(std::size_t /*caller*/,
                               const BelievedHolding& holding) const override {
        return holding.until && now_ >= *holding.until;
    }
    [[nodiscard]] std::int64_t time_left(std::size_t /*caller*/,
                                         const BelievedHolding& holding) const override {
        return *holding.until - now_;
    }

    [[nodiscard]] Operation operation_of(Verb verb) const {
        Operation operation;
        operation.verb = verb;
        operation.place_capacity = 1;
        operation.places = places_;
        return operation;
    }
    void call(const Record& record) {
        const std::size_t caller = callers_.at(record.process);
        Account& account = accounts_[caller];
        if (record.f == "exit") {
            ledger_->crash(caller);
            account.dead = true;
            has_passed_over_ = true;
            return;
        }
        const bool is_acquire = record.f == "acquire";
        if (is_acquire || (record.f == "release" && !account.held.empty())) {
            ledger_->call(caller, operation_of(is_acquire ? Verb::kAcquire : Verb::kRelease));
        } else {
            has_passed_over_ = true;  // as in a script; a renewal, too
        }
    }
    void answer(const Record& record) {
        const std::size_t caller = callers_.at(record.process);
        Account& account = accounts_[caller];
        if (account.dead || !account.calling) {
            return;
        }
        Told told;
        const bool is_acquire = account.operation.verb == Verb::kAcquire;
        told.kind = record.type == HistoryType::kOk     ? Told::Kind::kOk
                    : record.type == HistoryType::kInfo ? Told::Kind::kUnknown
                    : is_acquire                        ? Told::Kind::kRefused
                                                        : Told::Kind::kFailed;
        if (told.kind == Told::Kind::kOk && is_acquire) {
            told.until =
                is_lease_ ? std::optional(account.began_at + kTtl - kClockError) : std::nullopt;
            if (const Datum* token = record.value.find("token")) {
                told.token = token->integer;
            }
        }
        ledger_->answer(caller, told);
    }

    std::uint16_t places_;
    bool is_lease_;
    std::map<std::string, std::size_t> callers_;
    OutsideWorld world_;
    std::vector<Account> accounts_;
    std::unique_ptr<Ledger> ledger_;
    std::int64_t now_ = 0;
    bool has_passed_over_ = false;
};

using ByRule = std::map<std::string, int>;  // how many histories violate it

ByRule judge_both(const std::string& model, ModelKind kind, std::uint16_t places) {
    const bool is_lease = kind == ModelKind::kLease;
    const bool judges_refusals = model.find("refusals=judged") != std::string::npos;
    const ModelChoice choice = testing_histories::model_of(model);
    CheckLimits limits;
    limits.ladder = false;
    std::uint32_t random = 1;
    ByRule by_rule;
    const int histories = testing_model::is_short_run() ? 1'000 : 5'000;
    for (int i = 0; i < histories; ++i) {
        RecordedHistory history = testing_histories::HistoryMaker(kind, false)
                                      .make(testing_histories::pseudo_random_numbers(
                                          6 + static_cast<std::size_t>(i % 10), random));
        for (Record& record : history.records) {
            if (is_lease || kind == ModelKind::kSemaphore) {
                record.value = {};  // the model's time, one permit
            }
        }
        const auto checked = check_history(history, choice, limits);
        if (!std::holds_alternative<HistoryCheck>(checked)) {
            ADD_FAILURE() << "history " << i << " is refused";
            continue;
        }
        const bool is_violated = is<Violated>(std::get<HistoryCheck>(checked).verdict);
        const ToldHistory told(history, places, is_lease);
        // Anybody may give back a semaphore's permits, at an exit, too. A renewal continues from an
        // end that the ledger was not told of.
        if (told.has_passed_over() && (is_lease || kind == ModelKind::kSemaphore)) {
            continue;
        }
        for (const Property* property : told.violated()) {
            if (property->is(PropertyNumber::kUnderAllocation) && !judges_refusals) {
                continue;
            }
            ++by_rule[std::string(property->name)];
            EXPECT_TRUE(is_violated) << model << ", history " << i << ": " << property->name;
        }
    }
    return by_rule;
}

TEST(HistoriesOnTheLedger, WhatItIsCertainOfNoOrderExplains) {
    const ByRule mutex =
        judge_both("owner-aware-mutex:refusals=judged", ModelKind::kOwnerAwareMutex, 1);
    EXPECT_LT(0, mutex.at("over-allocation"));
    EXPECT_LT(0, mutex.at("under-allocation"));
    const ByRule semaphore = judge_both("semaphore:2,refusals=judged", ModelKind::kSemaphore, 2);
    EXPECT_LT(0, semaphore.at("over-allocation"));
    EXPECT_LT(0, semaphore.at("under-allocation"));
    const ByRule fenced = judge_both("fenced-mutex", ModelKind::kFencedMutex, 1);
    EXPECT_LT(0, fenced.at("token-order"));
    const ByRule lease = judge_both("lease:ttl=6,error=1", ModelKind::kLease, 1);
    EXPECT_LT(0, lease.at("belief-overlap"));
}

}  // namespace
}  // namespace lockkeeper::table
