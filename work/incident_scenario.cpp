// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "scenarios/bad_input.hpp"
#include "work/incident.hpp"

namespace lockkeeper {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int32_t kTimesMax = 59'000;         // of a system's times, in its unit
constexpr std::size_t kOperationsMaxOfPart = 200;  // a script has at most 255, with its sleeps
constexpr std::size_t kCallersMaxOfPart = 4;
constexpr const char* kKey = "lock";

// Says what a system has for the operations of logs.
struct Calls {
    explicit Calls(const Vocabulary& vocabulary)
        : has_places(knows(vocabulary, FormatKey::kPlaces)),
          has_table(knows(vocabulary, FormatKey::kTable)) {
        const auto has_number = [&](const char* name) {
            return std::any_of(vocabulary.parameters.begin(), vocabulary.parameters.end(),
                               [&](const OwnNumber& number) { return number.name == name; });
        };
        const auto has_call = [&](const char* name) {
            return std::any_of(vocabulary.calls.begin(), vocabulary.calls.end(),
                               [&](const OwnCall& call) { return call.name == name; });
        };
        const auto first_call = [&](std::initializer_list<const char*> names) {
            for (const char* name : names) {
                if (has_call(name)) {
                    return std::string(name);
                }
            }
            return std::string();
        };
        lease = has_number("ttl") ? "ttl" : has_number("locktimeout") ? "locktimeout" : "";
        has_end = has_number("until");
        has_heartbeats = has_number("heartbeats");
        has_reaper = has_number("reaper");
        has_grace = has_number("grace");
        has_time = vocabulary.has_time;
        write = first_call({"write"});
        renew = first_call({"renew", "heartbeat"});
        hang = has_heartbeats || !renew.empty() ? "" : first_call({"hang"});
    }

    bool has_places;
    bool has_table;
    std::string lease;  // the number that says how long a lease lasts; empty: there is none
    bool has_end = false;
    bool has_heartbeats = false;
    bool has_reaper = false;
    bool has_grace = false;
    bool has_time = false;
    std::string write;
    std::string renew;
    std::string hang;  // stops renewals that it makes by itself
};

std::string name_in_scenario(const std::string& caller, std::set<std::string>& taken) {
    constexpr std::size_t kNameMax = 34;
    std::string name;
    for (const char character : caller.substr(0, kNameMax)) {
        const bool is_plain = (character >= '0' && character <= '9') ||
                              (character >= 'a' && character <= 'z') ||
                              (character >= 'A' && character <= 'Z') || character == '_' ||
                              character == '-' || character == '.';
        name += is_plain ? character : '_';
    }
    const std::string first = name.empty() ? "caller" : name;
    name = first;
    for (int number = 2; !taken.insert(name).second; ++number) {
        name = fmt::format("{}_{}", first, number);
    }
    return name;
}

class ScenarioMaker {
  public:
    ScenarioMaker(const RegisteredSystem& system, const ModelChoice& model,
                  const logs::LockAnswer& answer)
        : system_(system),
          model_(model),
          answer_(answer),
          calls_(system.vocabulary),
          is_run_(answer.found.is_found) {}

    IncidentScenario make() {
        choose_part();
        choose_times();
        write_scripts();
        Json& document = made_.document;
        document["version"] = 1;
        document["about"] = "";
        document["system"] = system_.system;
        document["variant"] = system_.variant;
        document["parameters"] = parameters();
        Json::array_t callers;
        for (const std::uint32_t caller : order_) {
            callers.push_back(Json::object(
                {{"name", names_.at(caller)}, {"script", std::move(scripts_[caller])}}));
        }
        document["callers"] = std::move(callers);
        return std::move(made_);
    }

  private:
    [[noreturn]] void refuse(const std::string& why) const {
        throw BadInput(InputError{
            "explain", "", "the run is no scenario of " + system_.system + ": " + why, {}});
    }

    void choose_part() {
        const std::vector<IncidentOperation> all =
            is_run_ ? operations_of(*answer_.problem, *answer_.run)
                    : operations_of_lines(*answer_.problem);
        std::vector<IncidentOperation> part = all;
        const auto fits = [&](const std::vector<IncidentOperation>& operations) {
            std::set<std::uint32_t> callers;
            for (const IncidentOperation& operation : operations) {
                callers.insert(operation.caller);
            }
            return operations.size() <= kOperationsMaxOfPart && callers.size() <= callers_max();
        };
        if (!fits(part) && is_run_) {
            made_.is_part = true;
            part = without_bystanders(all);
            part = fits(part) ? part : around_first_outside(all);
        }
        if (!fits(part)) {
            refuse(
                fmt::format("a scenario of this lock has at most {} operations of {} callers, and "
                            "it has {} operations; --around TIME takes a part of the logs",
                            kOperationsMaxOfPart, callers_max(), part.size()));
        }
        for (const IncidentOperation& operation : part) {
            const bool has_call = operation.code == LockCode::kWrite   ? !calls_.write.empty()
                                  : operation.code == LockCode::kRenew ? !calls_.renew.empty()
                                                                       : true;
            if (has_call) {
                made_.operations.push_back(operation);
            } else if (operation.code == LockCode::kRenew && lease() > 0) {
                refuse("it renews by itself, and has no call for the renewals of the logs");
            } else {
                ++made_.left_out;
            }
        }
        if (made_.operations.empty()) {
            refuse("nobody does anything in it");
        }
    }

    [[nodiscard]] std::size_t callers_max() const {
        return calls_.has_places ? std::size_t{16} : kCallersMaxOfPart;
    }
    [[nodiscard]] std::int64_t lease() const {
        return model_.kind == ModelKind::kLease ? model_.ttl : 0;
    }

    void choose_times() {
        made_.has_times = lease() > 0 && calls_.has_time && !calls_.lease.empty();
        if (lease() > 0 && !made_.has_times) {
            refuse("it has no leases that run out");
        }
        if (!made_.has_times) {
            return;
        }
        const auto times = incident_times(made_.operations, lease(), kTimesMax);
        if (!times) {
            refuse("no whole numbers up to 59,000 of one unit are times of it");
        }
        made_.times = *times;
    }

    [[nodiscard]] Json parameters() const {
        Json numbers = Json::object();
        if (made_.has_times) {
            const std::int64_t lasts = lease() / made_.times.unit;
            numbers[calls_.lease] = lasts;
            if (calls_.has_end) {
                numbers["until"] = end_of_time(lasts);
            }
        } else if (!calls_.lease.empty()) {
            numbers[calls_.lease] = kTimesMax;
        }
        if (calls_.has_grace) {
            numbers["grace"] = 1;  // holders that give up by themselves do so in time
        }
        if (calls_.has_heartbeats) {
            numbers["heartbeats"] = 0;
        }
        if (calls_.has_reaper) {
            numbers["reaper"] = 0;
        }
        if (calls_.has_table) {
            numbers["table"] = Json::object({{"warm", 1}});
        }
        return numbers;
    }

    // Late enough for every run of the scripts, one caller after another, where there is room.
    [[nodiscard]] std::int64_t end_of_time(std::int64_t lease) const {
        constexpr std::int64_t kSlack = 10;
        std::int64_t sum = kSlack;
        for (const IncidentOperation& operation : made_.operations) {
            sum += operation.code == LockCode::kWrite || operation.is_refused ? 0 : lease;
        }
        for (const auto& [caller, time] : asleep_until_) {
            sum += time;
        }
        return std::min<std::int64_t>(sum, kTimesMax + kSlack);
    }

    void write_scripts() {
        for (std::size_t i = 0; i < made_.operations.size(); ++i) {
            const std::uint32_t caller = made_.operations[i].caller;
            if (names_.count(caller) == 0) {
                names_[caller] = name_in_scenario(answer_.problem->callers[caller], taken_);
                numbers_[caller] = order_.size();
                order_.push_back(caller);
            }
            if (made_.has_times && made_.times.at[i] > asleep_until_[caller]) {
                const std::int32_t time = made_.times.at[i] - asleep_until_[caller];
                scripts_[caller].push_back(
                    Json::object({{"sleep", Json::object({{"time", time}})}}));
                asleep_until_[caller] = made_.times.at[i];
            }
            write_call(i);
        }
    }

    void write_call(std::size_t i) {
        const IncidentOperation& operation = made_.operations[i];
        Json what = Json::object({{"key", kKey}});
        bool& believes = believes_[operation.caller];
        if (calls_.has_places && operation.code != LockCode::kWrite &&
            operation.code != LockCode::kRenew) {
            what["max_per"] = std::max<std::int64_t>(1, units());
            what["buckets"] = 1;
        }
        switch (operation.code) {
            case LockCode::kAcquire:
                add(i, "acquire", what, Verb::kAcquire,
                    operation.is_refused ? WantedAnswer::kRefused : WantedAnswer::kOk);
                if (!operation.is_refused) {
                    believes = true;
                    hang(i);
                } else if (!believes) {
                    // Passed over: for the most locks that the script can hold at once.
                    scripts_[operation.caller].push_back(Json::object({{"release", what}}));
                }
                return;
            case LockCode::kRelease:
                if (!believes) {
                    what["unchecked"] = true;
                }
                believes = false;
                add(i, "release", what, Verb::kRelease, WantedAnswer::kAny);
                return;
            default: break;
        }
        const bool is_write = operation.code == LockCode::kWrite;
        Json call = Json::object({{"what", is_write ? calls_.write : calls_.renew}, {"key", kKey}});
        if (!believes) {
            call["unchecked"] = true;
        }
        add(i, "call", call, Verb::kCall,
            is_write               ? WantedAnswer::kEffect
            : operation.is_refused ? WantedAnswer::kAny
                                   : WantedAnswer::kOk);
    }

    // The logs say when it renewed: not by itself.
    void hang(std::size_t i) {
        if (made_.has_times && !calls_.hang.empty()) {
            add(i, "call", Json::object({{"what", calls_.hang}, {"key", kKey}}), Verb::kCall,
                WantedAnswer::kAny);
        }
    }

    void add(std::size_t i, const char* name, Json what, Verb verb, WantedAnswer answer) {
        const std::uint32_t caller = made_.operations[i].caller;
        scripts_[caller].push_back(Json::object({{name, std::move(what)}}));
        WantedOperation wanted{numbers_.at(caller), verb, answer, {}, true};
        if (!is_run_ && !made_.operations[i].has_answer) {
            wanted.answer = WantedAnswer::kAny;
            wanted.must_return = false;
        }
        wanted.after = before(i);
        made_.wanted.push_back(std::move(wanted));
        made_.shown.push_back(i);
    }

    // In a run whatever came before it; in lines what had ended when it began.
    [[nodiscard]] std::vector<std::size_t> before(std::size_t i) const {
        if (is_run_) {
            return made_.wanted.empty() ? std::vector<std::size_t>{}
                                        : std::vector<std::size_t>{made_.wanted.size() - 1};
        }
        std::map<std::size_t, std::size_t> last;  // by caller
        for (std::size_t other = 0; other < made_.wanted.size(); ++other) {
            if (made_.operations[made_.shown[other]].latest < made_.operations[i].earliest) {
                last[made_.wanted[other].caller] = other;
            }
        }
        std::vector<std::size_t> before;
        before.reserve(last.size());
        for (const auto& [caller, operation] : last) {
            before.push_back(operation);
        }
        return before;
    }

    [[nodiscard]] std::int64_t units() const {
        return model_.kind == ModelKind::kSemaphore ? model_.permits : 1;
    }

    const RegisteredSystem& system_;
    const ModelChoice& model_;
    const logs::LockAnswer& answer_;
    Calls calls_;
    bool is_run_;  // false: lines that no run of a correct lock has
    IncidentScenario made_;
    std::vector<std::uint32_t> order_;  // callers by their first operation
    std::set<std::string> taken_;
    std::map<std::uint32_t, std::string> names_;
    std::map<std::uint32_t, std::size_t> numbers_;
    std::map<std::uint32_t, Json::array_t> scripts_;
    std::map<std::uint32_t, std::int32_t> asleep_until_;
    std::map<std::uint32_t, bool> believes_;
};

}  // namespace

std::string system_for(const ModelChoice& model, const logs::LockAnswer& answer) {
    const auto& sources = answer.problem->sources;
    const bool has_effects =
        std::any_of(sources.begin(), sources.end(), [](const std::vector<logs::Line>& lines) {
            return std::any_of(lines.begin(), lines.end(), [](const logs::Line& line) {
                return line.seen == logs::Seen::kEffect;
            });
        });
    const bool is_one = model.kind != ModelKind::kSemaphore || model.permits == 1;
    return model.kind == ModelKind::kLease || (has_effects && is_one) ? "lease_service/faithful"
                                                                      : "canal/faithful";
}

IncidentScenario incident_scenario(const RegisteredSystem& system, const ModelChoice& model,
                                   const logs::LockAnswer& answer) {
    return ScenarioMaker(system, model, answer).make();
}

}  // namespace lockkeeper
