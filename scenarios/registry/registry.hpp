// SPDX-License-Identifier: Apache-2.0

// The registry has all systems, and makes one of them from a scenario. A program with a lock of its
// own adds it here and gets the whole command line (docs/start/your_lock_cpp.md).
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/erased_system.hpp"
#include "scenarios/scenario.hpp"
#include "scheduler/runner.hpp"

namespace lockkeeper {

using MadeRunner = std::variant<std::unique_ptr<Runner>, InputError>;
using MadeSystem = std::variant<ErasedSystem, InputError>;

// A number that a scenario can give a system, by name.
struct OwnNumber {
    std::string name;
    std::int32_t least = 0;
    std::int32_t most = 0;
    std::int32_t otherwise = 0;  // when the scenario does not say
    std::string about;
    bool per_key = false;  // "name:key" is the number of that key
    // A time (time_units.hpp): what is written may be larger than `most`, as long as all times of a
    // scenario have a unit in which it is not.
    bool is_time = false;
    std::int32_t no_time = kNoSuchTime;  // this value is a word: never, for ever, not asked

    static constexpr std::int32_t kNoSuchTime = std::numeric_limits<std::int32_t>::min();
};
[[nodiscard]] OwnNumber of_time(OwnNumber number, std::int32_t no_time = OwnNumber::kNoSuchTime);
// The fault of all systems whose clients can start again (Traits::restarts).
[[nodiscard]] OwnNumber client_restarts();
// A call beside acquire and release.
struct OwnCall {
    std::string name;
    std::uint8_t word = 0;    // the implementation's number for it
    bool needs_lock = false;  // passed over by callers that do not hold the key
    bool gives_up = false;    // who calls it holds one lock less
    std::string about;
    bool has_number = false;  // it makes something of "number"
};
// The words that the scenarios of a system may use beside those of all systems.
struct Vocabulary {
    std::vector<OwnNumber> parameters;
    std::vector<OwnNumber> faults;    // budgets, beside crashes
    std::vector<OwnNumber> settings;  // of a caller
    std::vector<OwnCall> calls;
    std::vector<std::string> relations;  // kinds of relation between keys
    bool has_time = false;               // scripts may sleep
    // The repairs of the variant; all are on unless a scenario says. A planted bug has the repairs
    // of the repaired variant that it is planted in.
    std::vector<std::string> repairs = {};
    std::string acquire_number = {};  // what an acquire's "number" says; empty: it has none
    // The keys that it makes something of. Nothing: all that a lock can be told (register_lock);
    // its maker reads the scenario itself.
    std::optional<std::vector<FormatKey>> format_keys = std::nullopt;
    // How far virtual time goes, in words, where no parameter says so. Of a scenario that is
    // understood, and whose times fit.
    std::function<std::string(const Scenario&)> limits_of_time = nullptr;
    // The numbers above say which of them are times, and what acquires say is one, too.
    bool knows_its_times = false;
    std::vector<std::int32_t> own_times = {};  // that stand in its code
};

[[nodiscard]] bool knows(const Vocabulary& vocabulary, FormatKey key);

inline constexpr const char* kErlangServer = "erlang";  // what RealServer calls it

// The server whose rules a system has: what `validate --server` can drive beside the model.
struct RealServer {
    // The kind of its clients.
    enum class Clients : std::uint8_t { kTransactions, kPool, kLeases, kLockTable };

    std::string name = {};  // as the flag takes it; empty: there is none
    Clients clients = Clients::kTransactions;
    std::string why_not = {};  // this variant cannot be compared with it all the same
};

struct SystemDescription {
    std::string system;          // "canal"
    std::string variant;         // "faithful"
    std::string about;           // one sentence
    std::string must_fail = {};  // planted bugs: the property that must reject it; else empty
    Vocabulary vocabulary = {};
    RealServer server = {};
};

struct RegisteredSystem : SystemDescription {
    std::uint32_t features = 0;
    std::vector<std::string> sizes;  // compiled limits, smallest first, for reading
    std::function<MadeRunner(const Scenario&)> make;  // of what Registry::understand returns
    // Makes the system that `prove` takes apart in its place, where there is one: the same steps,
    // written by record (Traits::by_record). InputError: why this scenario is not proved like that.
    // Then what that system shows.
    std::function<MadeSystem(const Scenario&)> make_by_record = nullptr;
    std::uint32_t features_by_record = 0xFFFFFFFFU;
};

// A scenario as its system understands it: calls are the implementation's numbers, numbers that it
// leaves out have their defaults, it is known which repairs are on, and the world has the monitors
// that the checks need. It is written as before.
struct Understood {
    const RegisteredSystem* system = nullptr;  // lives as long as the registry
    Scenario scenario;
    // "all" and "safety" written out. What the system can show; what the lock that is made of this
    // scenario shows may be less (make_job leaves the others out).
    std::vector<const Property*> check;
    std::vector<const Property*> reach;
};

class Registry {
  public:
    void add(RegisteredSystem system);
    [[nodiscard]] const std::vector<RegisteredSystem>& systems() const { return systems_; }
    [[nodiscard]] const RegisteredSystem* find(const std::string& system,
                                               const std::string& variant) const;
    // Or what is wrong: a name, a key, a number that is unknown (with the nearest). May be asked
    // again with what it has returned.
    [[nodiscard]] std::variant<Understood, InputError> understand(Scenario scenario) const;
    // The same, and it has to fit.
    [[nodiscard]] MadeRunner make(const Scenario& scenario) const;

  private:
    std::vector<RegisteredSystem> systems_;
};

// The scenario's `order` as numbers of callers, for Runner::run_in_order.
[[nodiscard]] std::vector<std::size_t> order_of(const Scenario& scenario, const WorldConfig& world);

}  // namespace lockkeeper
