// SPDX-License-Identifier: Apache-2.0

// Shows the states of one run as named numbers, how these change from step to step, and which
// messages are under way. For reports that draw a run or make a table of it. A state that shows no
// change costs nothing.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/event.hpp"
#include "model/observation.hpp"
#include "model/shown.hpp"
#include "model/world_config.hpp"

namespace lockkeeper {

enum class ShownKind : std::uint8_t {
    kNow,        // virtual time, in the scenario's units
    kBelieved,   // locks that the caller believes to hold
    kGranted,    // locks that the servers count as the caller's
    kProtected,  // of those believed: an effect under them is safe now
    kCounter,    // what the servers count at a place; of systems without places: a value of the key
    kCapacity,   // locks of the key that may be held at once
    kCounted,    // units of the key in use, by the counters, cap marks apart
    kReferences,  // what the servers would free if the caller died
    kDead,        // of a caller: 0 or 1
    kCalling,
    kFinished,
    kAtRest,    // nothing is in flight: 0 or 1
    kInFlight,  // messages between the caller and the servers that have not arrived
};

struct ShownField {
    ShownKind kind = ShownKind::kNow;
    std::optional<std::uint8_t> caller;
    std::optional<std::uint8_t> key;
    std::uint16_t place = 0;  // kCounter: counted from 1

    friend bool operator==(const ShownField&, const ShownField&) = default;
};

// The value of a counter that does not exist, or of a capacity that nobody knows.
inline constexpr std::int32_t kNotShown = kAbsentCounter;

struct ShownChange {
    std::uint32_t field = 0;  // in Trace::fields
    std::int32_t value = 0;

    friend bool operator==(const ShownChange&, const ShownChange&) = default;
};

// A party that takes steps in a run: first the callers, then the servers, the clock, the world.
struct TraceParty {
    std::string name;
    Doer kind = Doer::kCaller;
};

struct TraceMessage {
    std::uint32_t from = 0;  // in Trace::parties
    std::uint32_t to = 0;
    std::size_t sent = 0;             // the number of a step, from 1
    std::size_t arrives = 0;          // 0: it has not arrived when the run ends
    bool is_lost = false;             // at `arrives`
    bool of_death = false;            // word of the sender's death
    std::optional<std::uint8_t> key;  // beside an operation

    friend bool operator==(const TraceMessage&, const TraceMessage&) = default;
};

// The scenario behind a run; unknown parts are left out.
struct TraceSubject {
    const WorldConfig* world = nullptr;
    std::uint32_t features = 0;  // ObservedFeature
};

[[nodiscard]] std::vector<TraceParty> parties_of(const TraceSubject& subject,
                                                 std::size_t callers_count,
                                                 std::string_view servers_name);
[[nodiscard]] std::vector<std::string> keys_of(const TraceSubject& subject, std::size_t keys_count);
[[nodiscard]] std::uint32_t party_index(Doer doer, Action action, std::size_t callers_count);

// One state, as it is shown.
struct ShownState {
    const Observation& seen;
    const std::vector<CallerShown>& callers;
};

class ValueWatch {
  public:
    explicit ValueWatch(TraceSubject subject) : subject_(subject) {}

    // The state before the first step: names all fields, and gives each its value.
    void begin(const ShownState& state);
    // Returns the changed fields. A new place becomes a field of its own, kNotShown before.
    [[nodiscard]] std::vector<ShownChange> changes(const ShownState& state, const Event& event);

    [[nodiscard]] std::vector<ShownField>& fields() { return fields_; }
    [[nodiscard]] std::vector<std::int32_t>& initial() { return initial_; }

  private:
    void find_capacities(std::size_t keys_count);
    void look(const ShownState& state);
    void look_at_key(const ShownState& state, std::uint8_t key);
    void look_at_caller(const ShownState& state, std::uint8_t caller);
    void look_at_holdings(const ShownState& state, std::uint8_t caller, std::uint8_t key);
    void set(const ShownField& field, std::int32_t value);
    [[nodiscard]] bool has(ObservedFeature feature) const {
        return (subject_.features & feature) != 0;
    }

    TraceSubject subject_;
    std::vector<ShownField> fields_;
    std::vector<std::int32_t> initial_;
    std::vector<std::int32_t> now_;
    std::vector<ShownChange> changes_;
    std::size_t next_ = 0;  // the field that is most likely set next
    std::size_t resizes_ = 0;
    // By key, until the next resize: to find them is to read all scripts, which may be long.
    std::vector<std::int32_t> capacities_;
};

// Messages are told from how many are under way before and after each step. A step that takes one
// and sends another of the same count shows neither.
class MessageWatch {
  public:
    void begin(const std::vector<CallerShown>& callers);
    void look(const std::vector<CallerShown>& callers, Action action, const Event& event,
              std::size_t step);
    [[nodiscard]] std::vector<TraceMessage>& messages() { return messages_; }

  private:
    struct Way {
        bool to_caller = false;
        bool of_death = false;
        std::optional<std::uint8_t> key;
        std::uint8_t count = 0;
        std::deque<std::size_t> under_way;  // in messages_, oldest first
    };
    struct Caller {
        std::vector<Way> ways;
        std::size_t died = 0;  // a step
    };
    [[nodiscard]] static std::vector<Way> ways_of(const MessagesUnderWay& messages);
    void move(std::size_t caller, Way& way, std::uint8_t count, std::size_t step, bool is_lost);

    std::vector<Caller> callers_;
    std::vector<TraceMessage> messages_;
};

}  // namespace lockkeeper
