// SPDX-License-Identifier: Apache-2.0

// Random runs of every system, written as logs, against what the system promises: a run that keeps
// the promise is explained for nothing, one that breaks it never is. Then with lines dropped, put
// together into one file, written later, and with clocks that are wrong. Holders leave effects;
// leases run out.
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "model/json.hpp"
#include "scenarios/bad_input.hpp"
#include "scenarios/registry/job.hpp"
#include "scenarios/registry/shipped_systems.hpp"
#include "validate/logs/explain.hpp"

namespace lockkeeper {
namespace {

using logs::Observation;
using logs::Outcome;
using logs::Seen;
using logs::Source;

constexpr std::size_t kCallers = 3;
constexpr std::size_t kStepsMax = 400;
constexpr std::int64_t kStep = 10;  // nanoseconds between two steps
constexpr std::int64_t kInstant = 1'000'000;
constexpr int kLease = 20;  // instants

const Registry& registry() {
    static const Registry kRegistry = shipped_systems();
    return kRegistry;
}

// Ends the renewals that a system makes by itself, so that leases run out.
const char* hang_of(const Vocabulary& vocabulary) {
    const auto has = [&](const char* name) {
        return std::any_of(vocabulary.calls.begin(), vocabulary.calls.end(),
                           [&](const OwnCall& call) { return std::string(call.name) == name; });
    };
    return has("hang") ? "hang" : nullptr;
}

// Callers that acquire and release twice. `lease`: they sleep, the second time for too long.
// Nothing: the system has no such scenario.
std::optional<Job> night_of(const RegisteredSystem& system, int places, bool lease = false) {
    const Vocabulary& vocabulary = system.vocabulary;
    const bool has_places = knows(vocabulary, FormatKey::kPlaces);
    if (!has_places && places > 1) {
        return std::nullopt;
    }
    bool has_lease = false;
    nlohmann::ordered_json what = {{"key", "lock"}};
    if (has_places) {
        what["max_per"] = places;
        what["buckets"] = 1;
    }
    nlohmann::ordered_json numbers = nlohmann::ordered_json::object();
    for (const OwnNumber& number : vocabulary.parameters) {
        if (number.name == "ttl" || number.name == "locktimeout") {
            numbers[number.name] = lease ? kLease : 1'000;  // no lease runs out
            has_lease = true;
        } else if (number.name == "until") {
            numbers[number.name] = 1'000;
        } else if (lease && number.name == "grace") {
            numbers[number.name] = 1;
        } else if (number.name == "heartbeats" || number.name == "reaper") {
            numbers[number.name] = 0;
        }
    }
    if (knows(vocabulary, FormatKey::kTable)) {
        numbers["table"] = {{"warm", 1}};
    }
    if (lease && !(has_lease && vocabulary.has_time)) {
        return std::nullopt;
    }
    nlohmann::ordered_json script = nlohmann::ordered_json::array();
    for (const int time : {kLease / 2, kLease * 3 / 2}) {
        script.push_back({{"acquire", what}});
        if (lease && hang_of(vocabulary) != nullptr) {
            script.push_back({{"call", {{"what", hang_of(vocabulary)}, {"key", "lock"}}}});
        }
        if (lease) {
            script.push_back({{"sleep", {{"time", time}}}});
        }
        script.push_back({{"release", what}});
    }
    nlohmann::ordered_json document = {{"version", 1},
                                       {"system", system.system},
                                       {"variant", system.variant},
                                       {"parameters", numbers}};
    for (std::size_t i = 0; i < kCallers; ++i) {
        document["callers"].push_back(
            {{"name", std::string(1, static_cast<char>('A' + i))}, {"script", script}});
    }
    try {
        return value_or_throw(
            make_job(registry(), value_or_throw(parse_scenario(document.dump(), "night"))));
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

// A run as its callers would log it: a source for each.
struct Night {
    std::vector<Source> sources = std::vector<Source>(kCallers);
    bool is_broken = false;   // somebody was granted a place while all were certainly held
    bool is_strange = false;  // of calls that fail, or holders that lost it
    std::size_t grants = 0;
    std::size_t run_out = 0;  // leases that nobody gave back
};

class NightRun {
  public:
    NightRun(const ErasedSystem& system, std::size_t places, std::uint64_t seed, bool lease = false)
        : system_(system), places_(places), lease_(lease), random_(seed) {
        for (std::size_t i = 0; i < kCallers; ++i) {
            night_.sources[i].name = night_.sources[i].file =
                std::string(1, static_cast<char>('A' + i));
        }
    }

    Night run() {
        ErasedSystem::State state = system_.initial();
        ActionList actions;
        for (std::size_t i = 0; i < kStepsMax; ++i) {
            actions.clear();
            system_.enabled(state, actions);
            std::vector<Action> possible;
            for (const Action action : actions) {
                if (!is_fault(action) && (lease_ || action.kind != ActionKind::kTime)) {
                    possible.push_back(action);
                }
            }
            if (possible.empty()) {
                break;
            }
            const Event event = system_.apply(state, possible[random_() % possible.size()]);
            now_ = time_in(state) * kInstant + static_cast<std::int64_t>(i + 1) * kStep;
            note(event);
        }
        return std::move(night_);
    }

  private:
    [[nodiscard]] std::int64_t time_in(const ErasedSystem::State& state) const {
        model_observation_ = {};
        system_.observe(state, model_observation_);
        return lease_ ? model_observation_.now : 0;
    }

    void write(const Event& event, Seen seen, Outcome outcome, std::int64_t later) {
        Observation line;
        line.seen = seen;
        line.code = seen == Seen::kEffect ? LockCode::kWrite : calls_[event.caller];
        line.outcome = outcome;
        line.caller = night_.sources[event.caller].name;
        line.earliest = line.latest = now_ + later;
        night_.sources[event.caller].observations.push_back(line);
    }

    void note(const Event& event) {
        if (event.caller >= kCallers) {
            return;
        }
        const bool is_call = event.is(kInvoked) &&
                             (event.invoked == Verb::kAcquire || event.invoked == Verb::kRelease);
        if (is_call) {
            calls_[event.caller] =
                event.invoked == Verb::kAcquire ? LockCode::kAcquire : LockCode::kRelease;
            if (event.invoked == Verb::kRelease) {
                if (holders_.contains(event.caller) && !lease_) {
                    write(event, Seen::kEffect, Outcome::kOk, -1);
                }
                holders_.erase(event.caller);
            }
            called_[event.caller] = now_;
            write(event, Seen::kCall, Outcome::kOk, 0);
        }
        if (event.is(kAcquired)) {
            night_.run_out += std::erase_if(holders_, [&](std::size_t holder) {
                const bool is_own = holder == event.caller;  // its lease ran out without a word
                return lease_ && (is_own || granted_[holder] + kLease * kInstant <= now_ + 1);
            });
            night_.is_broken = night_.is_broken || holders_.size() >= places_;
            holders_.insert(event.caller);
            granted_[event.caller] = called_[event.caller];
            last_end_ = now_ + kLease * kInstant;
            ++night_.grants;
            write(event, Seen::kAnswer, Outcome::kOk, 1);
        } else if (lease_ && event.is(kLost) && calls_[event.caller] == LockCode::kRelease) {
            write(event, Seen::kAnswer, Outcome::kRefused, 1);
        } else if (event.is(kReleased)) {
            write(event, Seen::kAnswer, Outcome::kOk, 1);
        } else if (event.is(kRefused)) {
            // A lock that frees a lease only later promises less than the model.
            night_.is_strange = night_.is_strange || (lease_ && called_[event.caller] > last_end_);
            write(event, Seen::kAnswer, Outcome::kRefused, 1);
        }
        constexpr std::uint32_t kStrange = kFailed | kNothingToRelease | kLost | kCallerDied |
                                           kServersDied | kForeignRelease | kForcedRelease;
        const std::uint32_t strange = event.what & (lease_ ? kStrange & ~kLost : kStrange);
        night_.is_strange = night_.is_strange || strange != 0;
    }

    const ErasedSystem& system_;
    std::size_t places_;
    bool lease_;
    std::mt19937_64 random_;
    Night night_;
    std::int64_t now_ = 0;
    mutable lockkeeper::Observation model_observation_;
    std::set<std::size_t> holders_;  // certainly
    std::int64_t called_[kCallers] = {};
    std::int64_t granted_[kCallers] = {};  // not before
    std::int64_t last_end_ = 0;            // of the last lease: not later
    LockCode calls_[kCallers] = {};
};

logs::Found search(const std::vector<Source>& sources, const std::string& model_name,
                   std::uint32_t lost_max, std::int64_t clock_error = 0) {
    static const SearchBudget kBudget = [] {
        CheckLimits limits;
        limits.seconds_max = 3600;
        return SearchBudget(limits);
    }();
    const auto model = make_model(logs::model_of_logs(model_name));
    const std::vector<std::int64_t> errors(sources.size(), clock_error);
    const logs::Problem problem = logs::make_problem(sources, errors, *model);
    return logs::search_runs(problem, {lost_max, 0, true, &kBudget});
}

std::string semaphore(int places) { return "semaphore:" + std::to_string(places); }

// All lines in one file.
std::vector<Source> merged(const std::vector<Source>& sources) {
    std::vector<Source> one(1);
    one[0].name = one[0].file = "all";
    for (const Source& source : sources) {
        one[0].observations.insert(one[0].observations.end(), source.observations.begin(),
                                   source.observations.end());
    }
    std::stable_sort(one[0].observations.begin(), one[0].observations.end(),
                     [](const Observation& left, const Observation& right) {
                         return left.latest < right.latest;
                     });
    return one;
}

// Each line was made at some time around the one that it has.
std::vector<Source> blurred(std::vector<Source> sources, std::mt19937_64& random) {
    for (Source& source : sources) {
        for (Observation& line : source.observations) {
            line.earliest -= static_cast<std::int64_t>(random() % (4 * kStep));
            line.latest += static_cast<std::int64_t>(random() % (4 * kStep));
        }
    }
    return sources;
}

bool is_free(const logs::Found& found) { return found.is_found && found.cost.packed() == 0; }

// Every system with one place and, if it has several, with two. `use` gets runs, and whether the
// system has no known bug.
template <class Use>
void for_each_night(std::size_t runs, const Use& use) {
    for (const RegisteredSystem& system : registry().systems()) {
        for (const int places : {1, 2}) {
            const auto job = night_of(system, places);
            if (!job) {
                continue;
            }
            const ErasedSystem erased = job->runner->erased();
            for (std::uint64_t seed = 0; seed < runs; ++seed) {
                use(system, places, NightRun(erased, static_cast<std::size_t>(places), seed).run(),
                    seed);
            }
        }
    }
}

TEST(RandomNights, ARunOfASoundSystemIsExplainedForNothingAndADoubleGrantNever) {
    std::set<std::string> sound;
    std::set<std::string> broken;
    for_each_night(12, [&](const RegisteredSystem& system, int places, const Night& night,
                           std::uint64_t seed) {
        const std::string name = system.system + "/" + system.variant;
        const logs::Found found = search(night.sources, semaphore(places), 0);
        const logs::Found of_one_file = search(merged(night.sources), semaphore(places), 0);
        ASSERT_EQ(found.limit, nullptr) << name;
        EXPECT_EQ(is_free(found), is_free(of_one_file)) << name << ", seed " << seed;
        if (night.is_broken) {
            EXPECT_FALSE(is_free(found)) << name << ", " << places << " places, seed " << seed;
            broken.insert(name);
        } else if (system.variant == "repaired" && !night.is_strange && night.grants > 0) {
            EXPECT_TRUE(is_free(found)) << name << ", " << places << " places, seed " << seed;
            sound.insert(name);
        }
    });
    EXPECT_GE(sound.size(), 6U);
    EXPECT_GE(broken.size(), 6U);
}

TEST(RandomNights, DroppedLinesCostNoMoreThanTheyAreAndClocksNothing) {
    std::size_t dropped_and_paid = 0;
    for_each_night(6, [&](const RegisteredSystem& system, int places, const Night& night,
                          std::uint64_t seed) {
        if (system.variant != "repaired" || night.is_strange || night.is_broken) {
            return;
        }
        std::mt19937_64 random(seed);
        std::vector<Source> sources = night.sources;
        std::uint32_t dropped = 0;
        for (std::size_t i = 0; i < 1 + seed % 2; ++i) {
            auto& lines = sources[random() % kCallers].observations;
            if (!lines.empty()) {
                lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(random() % lines.size()));
                ++dropped;
            }
        }
        for (const bool is_merged : {true, false}) {
            const logs::Found one =
                search(is_merged ? merged(sources) : sources, semaphore(places), dropped);
            EXPECT_TRUE(one.is_found) << system.system << " seed " << seed;
            EXPECT_EQ(one.cost.uncovered, 0U) << system.system << " seed " << seed;
        }
        const logs::Found found = search(sources, semaphore(places), dropped);
        EXPECT_TRUE(found.is_found) << system.system << " seed " << seed;
        EXPECT_LE(found.cost.lost, dropped) << system.system << " seed " << seed;
        dropped_and_paid += found.cost.lost > 0 ? 1 : 0;

        constexpr std::int64_t kError = 3 * kStep;
        sources = night.sources;
        for (Source& source : sources) {
            const auto shift = static_cast<std::int64_t>(random() % (2 * kError + 1)) - kError;
            for (Observation& line : source.observations) {
                line.earliest += shift;
                line.latest += shift;
            }
        }
        EXPECT_TRUE(is_free(search(sources, semaphore(places), 0, kError)))
            << system.system << " " << seed;
        EXPECT_TRUE(is_free(search(blurred(night.sources, random), semaphore(places), 0)))
            << system.system << " " << seed;
    });
    EXPECT_GE(dropped_and_paid, 6U);
}

TEST(RandomNights, LeasesThatRunOutAreExplainedForNothing) {
    const std::string model = "lease:ttl=" + std::to_string(kLease) + "ms";
    std::set<std::string> sound;
    std::size_t run_out = 0;
    for (const RegisteredSystem& system : registry().systems()) {
        const auto job = night_of(system, 1, true);
        if (!job) {
            continue;
        }
        const ErasedSystem erased = job->runner->erased();
        for (std::uint64_t seed = 0; seed < 40; ++seed) {
            const Night night = NightRun(erased, 1, seed, true).run();
            const std::string name =
                system.system + "/" + system.variant + ", seed " + std::to_string(seed);
            const logs::Found found = search(night.sources, model, 0);
            if (night.is_broken) {
                EXPECT_FALSE(is_free(found)) << name;
            } else if (system.variant == "repaired" && !night.is_strange && night.grants > 0) {
                EXPECT_TRUE(is_free(found)) << name;
                EXPECT_TRUE(is_free(search(merged(night.sources), model, 0))) << name;
                sound.insert(system.system);
                run_out += night.run_out;
            }
        }
    }
    EXPECT_GE(sound.size(), 3U);
    EXPECT_GT(run_out, 20U);
}

}  // namespace
}  // namespace lockkeeper
