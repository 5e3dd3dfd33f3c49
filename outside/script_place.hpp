// Where a caller is in its script, and what it believes to hold: what the runs of both levels of an
// outside program have in common.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "outside/outside_world.hpp"
#include "outside/program.hpp"

namespace lockkeeper {

struct BelievedHolding {
    Operation operation;
    std::optional<std::int64_t> until;  // in the time of the level: ticks, or milliseconds
    std::optional<std::int64_t> token;
    bool overtaken = false;  // another acquire was granted since
};

struct ScriptPlace {
    std::size_t next = 0;
    bool done = false;
    std::vector<BelievedHolding> held;  // the youngest last

    [[nodiscard]] const Operation& upcoming(const CallerConfig& config) const {
        return config.script[next];
    }
    void advance(const CallerConfig& config, std::size_t by = 1);
    // Passes over a condition, or a call of somebody who does not hold. False: what is next has to
    // be begun, or waited for.
    bool pass_over_one(const CallerConfig& config);
    // An operation as this caller sees it now; `view`: how many buckets there are.
    [[nodiscard]] Operation resolved(Operation operation, std::uint16_t view) const;
    // What a release or a word is about: the youngest holding of its key, which a release puts down
    // at once.
    [[nodiscard]] std::optional<BelievedHolding> take_subject(const Operation& operation);
};

// "acquire", or the scenario's own word.
[[nodiscard]] std::string word_of(const WorldConfig& world, const Operation& operation);
// An operation that the program does not know is nobody's fault but the scenario's: throws
// Misbehaved.
void refuse_unsupported(const Message& answer, const std::string& word);
// Begins a call; its msg_id.
std::int64_t say_operation(Program& program, const WorldConfig& world, const std::string& client,
                           const Operation& operation,
                           const std::optional<BelievedHolding>& subject);

}  // namespace lockkeeper
